#include "page.h"

#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "chart.h"
#include "spgm/spgm.h"

static const char sheet[] =
    ":root{--ink:#1c1e21;--soft:#5c6370;--paper:#ffffff;--panel:#f6f7f9;--edge:#d9dde3;--good:#e6f2fb;--bad:#fbe3d6}\n"
    "@media (prefers-color-scheme: dark){:root{--ink:#e8eaed;--soft:#a2a9b4;--paper:#17191c;--panel:#1f2226;"
    "--edge:#3a3f46;--good:#17344a;--bad:#55301c}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--paper);margin:0 auto;padding:28px 24px 60px;max-width:1640px}\n"
    "h1{font-size:26px;line-height:1.25;margin:0 0 4px}\n"
    "h2{font-size:19px;margin:36px 0 8px}h3{font-size:16px;margin:24px 0 4px}\n"
    "p{max-width:78ch;margin:8px 0}.soft{color:var(--soft)}code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;"
    "font-size:13px;overflow-wrap:anywhere}\n"
    ".facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;background:var(--panel);border:1px solid "
    "var(--edge);border-radius:8px;padding:12px 16px;margin:14px 0}\n"
    ".facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}\n"
    ".row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,500px),1fr));gap:14px;align-items:start}\n"
    ".small{grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr))}\n"
    "@media (min-width:1040px){.two{grid-template-columns:1fr 1fr}}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px;margin:10px 0}\n"
    "th,td{padding:3px 11px;text-align:right;border-bottom:1px solid var(--edge);white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:600}th.left,td.left{text-align:left}td.wrap{white-space:normal;min-width:22ch;"
    "max-width:60ch}\n"
    ".wide th{white-space:normal;vertical-align:bottom}\n"
    "tr.group td{padding-top:14px;font-weight:700;text-align:left}\n"
    "td.best{background:var(--good);font-weight:700}td.bad{background:var(--bad);font-weight:700}\n"
    ".big{display:flex;flex-wrap:wrap;gap:14px;margin:14px 0}\n"
    ".big div{background:var(--panel);border:1px solid var(--edge);border-radius:8px;padding:10px "
    "18px;flex:1 1 170px}\n"
    ".big b{display:block;font-size:25px;line-height:1.3}.big span{color:var(--soft);font-size:13px}\n"
    ".chart{width:100%;height:auto;background:var(--paper);border:1px solid var(--edge);border-radius:8px}\n"
    ".chart text{font-size:12px;fill:var(--ink)}.chart .title{font-size:13.5px;font-weight:600}\n"
    ".chart .number,.chart .name{fill:var(--soft);font-size:11.5px}\n"
    ".chart .label{fill:currentColor;font-size:12px}.chart .strong .label{font-weight:700}\n"
    ".chart .axis,.chart .tick{stroke:var(--soft);stroke-width:1}.chart .grid{stroke:var(--edge);stroke-width:1}\n"
    ".chart .line{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linejoin:round}\n"
    ".chart .strong .line{stroke-width:3}.chart .mark{fill:currentColor}\n"
    ".chart .hollow{fill:var(--paper);stroke:currentColor;stroke-width:1.6}\n"
    ".chart .cross{fill:none;stroke:currentColor;stroke-width:2}\n"
    ".chart .spread{stroke:currentColor;stroke-width:1.2;opacity:.55}\n"
    ".chart .range{stroke:currentColor;stroke-width:5;opacity:.3;stroke-linecap:round}\n"
    ".chart .leader{fill:none;stroke:currentColor;stroke-width:.8;opacity:.6}\n"
    ".method{font-weight:600;white-space:nowrap}\n"
    "@media print{body{max-width:none;padding:0}}\n";

void page_begin(FILE *file, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          file);
    page_text(file, title);
    fprintf(file, "</title>\n<style>\n%s", sheet);
    style_sheet(file);
    fputs("</style>\n</head>\n<body>\n", file);
}

void page_end(FILE *file) {
    fprintf(file,
            "<p class=\"soft\">Made by spgm %s. Rest the pointer on a mark for its numbers.</p>\n</body>\n</html>\n",
            spgm_version());
}

void page_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

void page_fact(FILE *file, const char *name, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs("<dt>", file);
    page_text(file, name);
    fputs("</dt><dd>", file);
    page_text(file, text);
    fputs("</dd>\n", file);
}

void page_paragraph(FILE *file, const char *format, ...) {
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs("<p>", file);
    page_text(file, text);
    fputs("</p>\n", file);
}

void page_named(FILE *file, const char *name, int style) {
    fprintf(file, "<span class=\"method s%d\">", style);
    page_text(file, name);
    fputs("</span>", file);
}

void page_method(FILE *file, const char *method) {
    page_named(file, method, style_of(method));
}

/* ---- the machine ----------------------------------------------------------------------------------------- */

static void processor_name(char *text, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%s", colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

const char *machine_text(char *text, int size) {
    char processor[200];
    struct utsname system;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    processor_name(processor, sizeof processor);
    if (uname(&system)) {
        snprintf(text, (size_t)size, "%s, %ld cores", processor, cores);
    } else {
        snprintf(text, (size_t)size, "%s, %ld cores, %s %s", processor, cores, system.sysname, system.machine);
    }
    return text;
}

const char *machine_date(char text[32]) {
    time_t now = time(NULL);
    struct tm local;
    text[0] = '\0';
    if (localtime_r(&now, &local)) {
        strftime(text, 32, "%Y-%m-%d %H:%M", &local);
    }
    return text;
}
