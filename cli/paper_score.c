/* What the runs say about the paper's claims: means, cells won, ratios, times. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/* ---- the published curves -------------------------------------------------------------------------------- */

static void clear_published(struct paper *paper) {
    for (int i = 0; i < PAPER_PANELS; i++) {
        for (int m = 0; m < PAPER_METHODS_MAX; m++) {
            for (int k = 0; k < PUBLISHED_SIZES; k++) {
                paper->published[i][m][k] = NAN;
            }
        }
    }
}

/* loss,dataset,method,s,objective; the method's name in any case. 0: not such a line. */
static int take_published(struct paper *paper, char *line) {
    char *field[5], *rest = line;
    for (int i = 0; i < 5; i++) {
        if (!(field[i] = strtok_r(i ? NULL : line, ",", &rest))) {
            return 0;
        }
    }
    for (char *c = field[2]; *c; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    char *end;
    double value = strtod(field[4], &end);
    int64_t s = strtoll(field[3], NULL, 10);
    int method = paper_method_index(paper, field[2]);
    if (end == field[4] || !isfinite(value)) {
        return 0;
    }
    for (int i = 0; i < paper->panels && method >= 0 && s % 10 == 0 && s >= 10 && s <= 90; i++) {
        if (strcmp(paper->panel[i].loss, field[0]) == 0 &&
            strcmp(paper_dataset(paper->panel[i].dataset), field[1]) == 0) {
            paper->published[i][method][s / 10 - 1] = value;
        }
    }
    return 1;
}

/* Whether the plan has a cell that the figures show. */
static int any_published(const struct paper *paper) {
    for (int64_t i = 0; i < paper->panels * paper->sizes * paper->methods; i++) {
        int64_t cell = i / paper->methods;
        if (isfinite(paper_mean(paper, (int)(cell / paper->sizes), cell % paper->sizes, (int)(i % paper->methods),
                                PAPER_PUBLISHED))) {
            return 1;
        }
    }
    return 0;
}

void published_builtin(struct paper *paper) {
    static const struct {
        const char *loss, *dataset, *method;
        double objective[PUBLISHED_SIZES];
    } curves[] = {
#include "published.inc"
    };
    clear_published(paper);
    for (size_t c = 0; c < sizeof curves / sizeof curves[0]; c++) {
        for (int k = 0; k < paper->panels * paper->methods; k++) {
            const struct paper_panel *panel = &paper->panel[k / paper->methods];
            int method = k % paper->methods;
            if (strcmp(panel->loss, curves[c].loss) == 0 &&
                strcmp(paper_dataset(panel->dataset), curves[c].dataset) == 0 &&
                strcmp(paper->method[method].name, curves[c].method) == 0) {
                memcpy(paper->published[k / paper->methods][method], curves[c].objective, sizeof curves[c].objective);
            }
        }
    }
    paper->has_published = 1;
    paper->has_published = any_published(paper);
}

int published_read(struct paper *paper, const char *path) {
    char line[512];
    int64_t number = 0;
    int result = CLI_DONE;
    FILE *file = fopen(path, "r");
    clear_published(paper);
    if (!file) {
        return cli_error("cannot open %s: %s", path, strerror(errno));
    }
    while (result == CLI_DONE && fgets(line, sizeof line, file)) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (number > 1 && *line && !take_published(paper, line)) {
            result = cli_error("%s line %lld is not loss,dataset,method,s,objective", path, (long long)number);
        }
    }
    fclose(file);
    paper->has_published = result == CLI_DONE;
    return result;
}

/* ---- means and scores --------------------------------------------------------------------------------------- */

double paper_mean(const struct paper *paper, int panel, int64_t size, int method, enum paper_value what) {
    int64_t s = paper->sparsity[size], done = 0;
    double sum = 0;
    if (what == PAPER_PUBLISHED) {
        int shown = paper->has_published && s % 10 == 0 && s >= 10 && s <= 90;
        return shown ? paper->published[panel][method][s / 10 - 1] : NAN;
    }
    for (int64_t k = 0; k < paper->starts; k++) {
        const struct paper_run *run =
            paper_at(paper, what == PAPER_PLAIN ? PROTOCOL_PLAIN : paper_main_protocol(paper), panel, size, method, k);
        if (run->state == TRIAL_DONE) {
            sum += what == PAPER_POLISHED ? run->polished : run->objective;
            done++;
        }
    }
    return done ? sum / (double)done : NAN;
}

/* Mean processor time over the starts. */
static double cell_time(const struct paper *paper, int panel, int64_t size, int method) {
    double sum = 0;
    for (int64_t k = 0; k < paper->starts; k++) {
        sum += paper_at(paper, paper_main_protocol(paper), panel, size, method, k)->processor_seconds;
    }
    return sum / (double)paper->starts;
}

static int is_own(const struct paper *paper, int method) {
    return strncmp(paper->method[method].key, "spgm-bcd", 8) == 0;
}

/* The method with the lowest F among the others that take at most `limit` seconds, -1: none. */
static int best_other_within(const struct paper *paper, int panel, int64_t size, enum paper_value what, int all,
                             double limit) {
    int best = -1;
    double least = HUGE_VAL;
    for (int m = 0; m < paper->methods; m++) {
        double value = paper_mean(paper, panel, size, m, what);
        if (!is_own(paper, m) && (all || paper->method[m].published) && value < least &&
            cell_time(paper, panel, size, m) <= limit) {
            least = value;
            best = m;
        }
    }
    return best;
}

static int best_other(const struct paper *paper, int panel, int64_t size, enum paper_value what, int all) {
    return best_other_within(paper, panel, size, what, all, HUGE_VAL);
}

struct paper_score paper_score(const struct paper *paper, int first, int last, enum paper_value what, int all) {
    struct paper_score score = {.ratio = NAN};
    int own = paper_method_index(paper, "spgm-bcd");
    double sum = 0;
    for (int panel = first; panel < last && own >= 0; panel++) {
        for (int64_t i = 0; i < paper->sizes; i++) {
            int other = best_other(paper, panel, i, what, all);
            double value = paper_mean(paper, panel, i, own, what);
            if (paper->sparsity[i] < 10 || other < 0 || !(value > 0)) {
                continue;
            }
            double least = paper_mean(paper, panel, i, other, what);
            score.cells++;
            score.wins += value <= least;
            score.lost_to[other] += value > least;
            sum += log(value / least);
        }
    }
    score.ratio = score.cells ? exp(sum / score.cells) : NAN;
    return score;
}

/* The rank of method m among those of the paper that have both values: one more than the number of lower ones, ties
 * count half. */
static double rank_of(const struct paper *paper, int panel, int64_t size, int m, enum paper_value what) {
    double own = paper_mean(paper, panel, size, m, what), rank = 1;
    for (int k = 0; k < paper->methods; k++) {
        double value = paper_mean(paper, panel, size, k, what);
        enum paper_value other = what == PAPER_PUBLISHED ? PAPER_RAW : PAPER_PUBLISHED;
        if (k != m && paper->method[k].published && isfinite(paper_mean(paper, panel, size, k, other))) {
            rank += value < own ? 1 : value == own ? 0.5 : 0;
        }
    }
    return rank;
}

/* Spearman's rank correlation in one cell, NAN with fewer than three methods; *same: the lowest is the same. */
static double cell_correlation(const struct paper *paper, int panel, int64_t size, enum paper_value what, int *same) {
    double x[PAPER_METHODS_MAX], y[PAPER_METHODS_MAX], mean, xy = 0, xx = 0, yy = 0;
    int count = 0, first[2] = {0, 0};
    for (int m = 0; m < paper->methods; m++) {
        if (paper->method[m].published && isfinite(paper_mean(paper, panel, size, m, what)) &&
            isfinite(paper_mean(paper, panel, size, m, PAPER_PUBLISHED))) {
            x[count] = rank_of(paper, panel, size, m, what);
            y[count] = rank_of(paper, panel, size, m, PAPER_PUBLISHED);
            first[0] = x[count] < x[first[0]] ? count : first[0];
            first[1] = y[count] < y[first[1]] ? count : first[1];
            count++;
        }
    }
    mean = (count + 1) / 2.0;
    for (int i = 0; i < count; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    *same = count && first[0] == first[1];
    return count < 3 || xx <= 0 || yy <= 0 ? NAN : xy / sqrt(xx * yy);
}

struct paper_agreement paper_agreement(const struct paper *paper, int first, int last, enum paper_value what) {
    struct paper_agreement agreement = {.correlation = NAN};
    double sum = 0;
    for (int panel = first; panel < last; panel++) {
        for (int64_t i = 0; i < paper->sizes; i++) {
            int same;
            double correlation = cell_correlation(paper, panel, i, what, &same);
            if (isfinite(correlation)) {
                agreement.cells++;
                agreement.same += same;
                sum += correlation;
            }
        }
    }
    agreement.correlation = agreement.cells ? sum / agreement.cells : NAN;
    return agreement;
}

double paper_ratio(const struct paper *paper, int method, enum paper_value what) {
    int own = paper_method_index(paper, "spgm-bcd"), count = 0;
    double sum = 0;
    for (int64_t i = 0; i < paper->panels * paper->sizes && own >= 0; i++) {
        int panel = (int)(i / paper->sizes);
        int64_t size = i % paper->sizes;
        double ratio = paper_mean(paper, panel, size, method, what) / paper_mean(paper, panel, size, own, what);
        if (paper->sparsity[size] >= 10 && isfinite(ratio) && ratio > 0) {
            sum += log(ratio);
            count++;
        }
    }
    return count ? exp(sum / count) : NAN;
}

double paper_time_ratio(const struct paper *paper, int method) {
    int own = paper_method_index(paper, "spgm-bcd"), count = 0;
    double sum = 0;
    for (int64_t i = 0; i < paper->panels * paper->sizes && own >= 0; i++) {
        int panel = (int)(i / paper->sizes);
        int64_t size = i % paper->sizes;
        double ratio = cell_time(paper, panel, size, method) / cell_time(paper, panel, size, own);
        if (paper->sparsity[size] >= 10 && isfinite(ratio) && ratio > 0) {
            sum += log(ratio);
            count++;
        }
    }
    return count ? exp(sum / count) : NAN;
}

/* F of the best start. */
static double cell_best(const struct paper *paper, int panel, int64_t size, int method) {
    double least = HUGE_VAL;
    for (int64_t k = 0; k < paper->starts; k++) {
        const struct paper_run *run = paper_at(paper, paper_main_protocol(paper), panel, size, method, k);
        least = run->state == TRIAL_DONE ? fmin(least, run->objective) : least;
    }
    return least;
}

struct paper_budget paper_budget(const struct paper *paper, double factor) {
    struct paper_budget budget = {0};
    int own = paper_method_index(paper, "spgm-bcd");
    for (int64_t i = 0; i < paper->panels * paper->sizes && own >= 0; i++) {
        int panel = (int)(i / paper->sizes);
        int64_t size = i % paper->sizes;
        double limit = factor * cell_time(paper, panel, size, own), value;
        int any = best_other(paper, panel, size, PAPER_RAW, 0);
        int quick = best_other_within(paper, panel, size, PAPER_RAW, 0, limit);
        value = paper_mean(paper, panel, size, own, PAPER_RAW);
        if (paper->sparsity[size] < 10 || any < 0 || !(value > 0)) {
            continue;
        }
        budget.cells++;
        budget.with_rival += quick >= 0;
        budget.wins += quick >= 0 && value <= paper_mean(paper, panel, size, quick, PAPER_RAW);
        budget.best_wins += cell_best(paper, panel, size, own) <= paper_mean(paper, panel, size, any, PAPER_RAW);
    }
    return budget;
}

int paper_passes(const struct paper *paper, int method, double *used, double *allowed) {
    int64_t count = 0;
    *used = *allowed = 0;
    for (int64_t i = 0; i < paper->count; i++) {
        struct paper_place place = paper_place(paper, i);
        if (place.method == method && place.protocol == PROTOCOL_TUNED && paper->runs[i].state == TRIAL_DONE) {
            *used += paper->runs[i].passes;
            *allowed += paper->runs[i].allowed;
            count++;
        }
    }
    *used /= count ? (double)count : 1;
    *allowed /= count ? (double)count : 1;
    return count > 0;
}

int paper_recovered(const struct paper *paper) {
    int own = paper_method_index(paper, "spgm-bcd"), count = 0;
    for (int panel = 0; panel < paper->panels && own >= 0; panel++) {
        for (int64_t i = 0; i < paper->sizes; i++) {
            int raw = best_other(paper, panel, i, PAPER_RAW, 0), exact = best_other(paper, panel, i, PAPER_POLISHED, 0);
            count +=
                paper->sparsity[i] >= 10 && raw >= 0 && exact >= 0 &&
                paper_mean(paper, panel, i, own, PAPER_RAW) > paper_mean(paper, panel, i, raw, PAPER_RAW) &&
                paper_mean(paper, panel, i, own, PAPER_POLISHED) <= paper_mean(paper, panel, i, exact, PAPER_POLISHED);
        }
    }
    return count;
}

/* ---- times ---------------------------------------------------------------------------------------------------- */

double published_time(int dataset, const char *method) {
    static const char *const names[] = {"psgd", "admm-iht", "diht", "cvx-l1", "ncvx-lp", "spgm-iht", "spgm-bcd"};
    static const double seconds[4][7] = {
        {1, 2, 1, 4, 2, 2, 14}, {1, 2, 3, 3, 2, 2, 15}, {4, 2, 2, 5, 4, 2, 21}, {5, 3, 3, 5, 4, 2, 22}};
    for (int i = 0; i < 7 && dataset < 4; i++) {
        if (strcmp(names[i], method) == 0) {
            return seconds[dataset][i];
        }
    }
    return NAN;
}

/* Mean over s of start k; NAN where a run is missing. */
static double time_of_start(const struct paper *paper, int panel, int method, int64_t start) {
    double sum = 0;
    for (int64_t i = 0; i < paper->sizes; i++) {
        const struct paper_run *run = paper_at(paper, paper_main_protocol(paper), panel, i, method, start);
        sum += run->state == TRIAL_DONE ? run->processor_seconds : NAN;
    }
    return sum / (double)paper->sizes;
}

int paper_time(const struct paper *paper, int dataset, int method, double *mean, double *deviation) {
    double value[3], sum = 0, square = 0;
    int count = 0;
    for (int panel = 0; panel < paper->panels; panel++) {
        if (paper->panel[panel].dataset != dataset || paper->panel[panel].figure != 1) {
            continue;
        }
        for (int64_t k = 0; k < paper->starts && k < 3; k++) {
            value[count] = time_of_start(paper, panel, method, k);
            sum += value[count];
            count += isfinite(value[count]) != 0;
        }
    }
    *mean = count ? sum / count : NAN;
    for (int k = 0; k < count; k++) {
        square += (value[k] - *mean) * (value[k] - *mean);
    }
    *deviation = count > 1 ? sqrt(square / (count - 1)) : 0;
    return isfinite(*mean) ? count : 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static const char *number(double value, char text[32]) {
    text[0] = '\0';
    return isfinite(value) ? screen_exact(value, text) : text;
}

void put_summary_csv(FILE *file, const struct paper *paper) {
    char text[4][32];
    fputs("loss,dataset,s,method,plain,raw,polished,published\n", file);
    for (int64_t i = 0; i < paper->count / paper->protocols; i += paper->starts) {
        struct paper_place at = paper_place(paper, i);
        const struct paper_panel *panel = &paper->panel[at.panel];
        fprintf(file, "%s,%s,%lld,%s,%s,%s,%s,%s\n", panel->loss, paper_dataset(panel->dataset),
                (long long)paper->sparsity[at.size], paper->method[at.method].key,
                number(paper_mean(paper, at.panel, at.size, at.method, PAPER_PLAIN), text[3]),
                number(paper_mean(paper, at.panel, at.size, at.method, PAPER_RAW), text[0]),
                number(paper_mean(paper, at.panel, at.size, at.method, PAPER_POLISHED), text[1]),
                number(paper_mean(paper, at.panel, at.size, at.method, PAPER_PUBLISHED), text[2]));
    }
}

void put_times_csv(FILE *file, const struct paper *paper) {
    char text[3][32];
    double mean, deviation;
    fputs("dataset,method,runs,processor_seconds,deviation,published\n", file);
    for (int dataset = 0; dataset < 4; dataset++) {
        for (int m = 0; m < paper->methods; m++) {
            int runs = paper_time(paper, dataset, m, &mean, &deviation);
            if (runs) {
                fprintf(file, "%s,%s,%d,%s,%s,%s\n", paper_dataset(dataset), paper->method[m].key, runs,
                        number(mean, text[0]), number(deviation, text[1]),
                        number(published_time(dataset, paper->method[m].key), text[2]));
            }
        }
    }
}

/* ---- findings in words ------------------------------------------------------------------------------------ */

static void say_score(const struct paper *paper, char *text, size_t size, const char *what, enum paper_value value,
                      int all) {
    struct paper_score ours = paper_score(paper, 0, paper->panels, value, all);
    struct paper_score theirs = paper_score(paper, 0, paper->panels, PAPER_PUBLISHED, 0);
    int at =
        snprintf(text, size, "%s: SPGM-BCD is lowest in %d of %d cells; F over the best other, geometric mean: %.3f",
                 what, ours.wins, ours.cells, ours.ratio);
    if (value != PAPER_POLISHED && !all && theirs.cells) {
        snprintf(text + at, size - (size_t)at, " (published, same panels: %d of %d and %.3f)", theirs.wins,
                 theirs.cells, theirs.ratio);
    }
}

static void say_losses(const struct paper *paper, const struct paper_score *score, char *text, size_t size) {
    size_t at =
        (size_t)snprintf(text, size, "Raw, the %d cells that SPGM-BCD does not win go to", score->cells - score->wins);
    const char *separator = " ";
    for (int m = 0; m < paper->methods && at + 40 < size; m++) {
        if (score->lost_to[m]) {
            at +=
                (size_t)snprintf(text + at, size - at, "%s%s (%d)", separator, paper->method[m].key, score->lost_to[m]);
            separator = ", ";
        }
    }
    at += (size_t)snprintf(text + at, size - at, "; %d of them SPGM-BCD wins after polish", paper_recovered(paper));
    int most = 0;
    for (int m = 0; m < paper->methods; m++) {
        most = score->lost_to[m] > most ? score->lost_to[m] : most;
    }
    snprintf(text + at, size - at, "%s",
             score->wins > most    ? ". No other method is lowest in so many cells"
             : score->wins == most ? ". Another method is lowest in as many cells"
                                   : ". Another method is lowest in more cells than SPGM-BCD");
}

/* The baselines take longer than SPGM-BCD: report who wins in its time, or when it gets theirs. */
static void say_budget(const struct paper *paper, char *text, size_t size) {
    struct paper_budget budget = paper_budget(paper, 2);
    double least = HUGE_VAL, most = 0;
    for (int m = 0; m < paper->methods; m++) {
        double ratio = paper_time_ratio(paper, m);
        if (paper->method[m].published && !is_own(paper, m) && isfinite(ratio)) {
            least = fmin(least, ratio);
            most = fmax(most, ratio);
        }
    }
    int at = snprintf(
        text, size,
        "At equal time: the other methods of the paper take %.1f to %.1f times the processor time of SPGM-BCD. "
        "Among those within twice its time in the cell it is lowest in %d of %d cells",
        least, most, budget.wins, budget.with_rival);
    if (budget.with_rival < budget.cells) {
        at +=
            snprintf(text + at, size - (size_t)at, " (in %d no other is that quick)", budget.cells - budget.with_rival);
    }
    if (paper->starts > 1) {
        snprintf(text + at, size - (size_t)at,
                 "; the best of its %lld starts is at or below the mean of every other method in %d of %d",
                 (long long)paper->starts, budget.best_wins, budget.cells);
    }
}

/* Who wins on average in each panel, here and in the paper; and which methods' strength explains the difference. */
static void say_agreement(const struct paper *paper, char *text, size_t size) {
    int agree = 0, compared = 0;
    const char *separator = " ";
    for (int i = 0; i < paper->panels; i++) {
        struct paper_score ours = paper_score(paper, i, i + 1, PAPER_RAW, 0);
        struct paper_score theirs = paper_score(paper, i, i + 1, PAPER_PUBLISHED, 0);
        compared += ours.cells && theirs.cells;
        agree += ours.cells && theirs.cells && (ours.ratio < 1) == (theirs.ratio < 1);
    }
    text[0] = '\0';
    if (!compared) {
        return;
    }
    size_t at = (size_t)snprintf(text, size,
                                 "Agreement: on whether SPGM-BCD or the best other is lower on average, ours and the "
                                 "published curves agree in %d of %d panels.",
                                 agree, compared);
    for (int m = 0; m < paper->methods && agree < compared && at + 60 < size; m++) {
        double ours = paper_ratio(paper, m, PAPER_RAW), theirs = paper_ratio(paper, m, PAPER_PUBLISHED);
        if (ours < 0.9 * theirs) {
            at += (size_t)snprintf(text + at, size - at, "%s%s (%.2f, published %.2f)",
                                   *separator == ' '
                                       ? " They differ because these are stronger here, by F over that of SPGM-BCD: "
                                       : separator,
                                   paper->method[m].key, ours, theirs);
            separator = ", ";
        }
    }
}

/* The least factor by which a method is faster than published, and in how many cases it reaches fifty. */
static void say_times(const struct paper *paper, char *text, size_t size) {
    double least = HUGE_VAL, mean, deviation;
    int slow_method = 0, slow_dataset = 0, cases = 0, fast = 0;
    for (int i = 0; i < 4 * paper->methods; i++) {
        int dataset = i / paper->methods, m = i % paper->methods;
        double published = published_time(dataset, paper->method[m].key);
        if (!isfinite(published) || !paper_time(paper, dataset, m, &mean, &deviation)) {
            continue;
        }
        cases++;
        fast += published / mean >= 50;
        if (published / mean < least) {
            least = published / mean;
            slow_method = m;
            slow_dataset = dataset;
        }
    }
    text[0] = '\0';
    if (cases) {
        snprintf(
            text, size,
            "Times: in %d of %d cases (method and dataset) a run takes at most a fiftieth of the published time; the "
            "least factor is %.0f, %s on %s",
            fast, cases, least, paper->method[slow_method].key, paper_dataset(slow_dataset));
    }
}

/* Nonzero when the plan has methods that are not in the paper. */
static int has_more(const struct paper *paper) {
    for (int m = 0; m < paper->methods; m++) {
        if (!paper->method[m].published && strncmp(paper->method[m].key, "spgm-bcd", 8) != 0) {
            return 1;
        }
    }
    return 0;
}

/* The question that the plain protocol answers. */
static void say_plain(const struct paper *paper, char *text, size_t size) {
    struct paper_agreement agreement = paper_agreement(paper, 0, paper->panels, PAPER_PLAIN);
    say_score(paper, text, size, "Plain, one textbook setting of each method", PAPER_PLAIN, 0);
    if (agreement.cells) {
        size_t at = strlen(text);
        snprintf(text + at, size - at,
                 ". The lowest method is the published one in %d of %d cells; rank correlation of the methods with the "
                 "published order, mean: %.2f",
                 agreement.same, agreement.cells, agreement.correlation);
    }
}

void put_findings(FILE *file, const struct paper *paper, void (*line)(FILE *file, const char *text)) {
    char text[1024];
    struct paper_score raw = paper_score(paper, 0, paper->panels, PAPER_RAW, 0);
    if (raw.cells && paper->protocol[0] == PROTOCOL_PLAIN) {
        say_plain(paper, text, sizeof text);
        line(file, text);
    }
    if (raw.cells && paper->protocols > 1) {
        line(
            file,
            "What follows is of the tuned protocol: every method has trials and stages, and twice the passes over A of "
            "its plain run.");
    }
    if (raw.cells) {
        say_score(paper, text, sizeof text, "Raw, against the methods of the paper", PAPER_RAW, 0);
        line(file, text);
        if (!paper->reproducible) {
            say_budget(paper, text, sizeof text);
            line(file, text);
        }
        say_score(paper, text, sizeof text, "Polished, against the same", PAPER_POLISHED, 0);
        line(file, text);
        say_agreement(paper, text, sizeof text);
        if (*text) {
            line(file, text);
        }
    }
    if (raw.cells && has_more(paper)) {
        say_score(paper, text, sizeof text, "Raw, also against methods that are not in the paper", PAPER_RAW, 1);
        line(file, text);
        say_score(paper, text, sizeof text, "Polished, also against those", PAPER_POLISHED, 1);
        line(file, text);
    }
    if (raw.wins < raw.cells) {
        say_losses(paper, &raw, text, sizeof text);
        line(file, text);
    }
    say_times(paper, text, sizeof text);
    if (*text && !paper->reproducible) {
        line(file, text);
    }
}
