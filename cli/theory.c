/* spgm paper --theory: collects what the parts find, and writes it. */
#include "theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/* Room for one more of `size` bytes; NULL: out of memory, which has been said. */
static void *room_for(void *array, int64_t count, int64_t *room, size_t size) {
    if (count < *room) {
        return array;
    }
    int64_t more = 2 * *room + 16;
    void *grown = realloc(array, (size_t)more * size);
    if (!grown) {
        cli_out_of_memory();
        return NULL;
    }
    *room = more;
    return grown;
}

int theory_claim(struct theory *theory, struct theory_claim claim) {
    void *grown = room_for(theory->claims, theory->claim_count, &theory->claim_room, sizeof claim);
    if (!grown) {
        return CLI_FAILED;
    }
    theory->claims = grown;
    theory->claims[theory->claim_count++] = claim;
    return CLI_DONE;
}

int theory_curves(struct theory *theory, const struct theory_curves *curves) {
    void *grown = room_for(theory->curves, theory->curve_count, &theory->curve_room, sizeof *curves);
    if (!grown) {
        return CLI_FAILED;
    }
    theory->curves = grown;
    theory->curves[theory->curve_count++] = *curves;
    return CLI_DONE;
}

int theory_holds(const struct theory_claim *claim) {
    double slack = 1e-9 * fabs(claim->proved);
    return claim->at_least ? claim->measured >= claim->proved - slack : claim->measured <= claim->proved + slack;
}

int theory_times(int64_t last, int64_t times[THEORY_POINTS]) {
    int count = 0;
    for (int k = 0; k < THEORY_POINTS; k++) {
        int64_t t = llround(pow((double)last, (double)k / (THEORY_POINTS - 1)));
        if (count == 0 || t > times[count - 1]) {
            times[count++] = t;
        }
    }
    return count;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

static void put_csv(FILE *file, const struct theory *theory) {
    fputs("label,statement,loss,target,variant,schedule,measured,relation,proved,holds\n", file);
    for (int64_t i = 0; i < theory->claim_count; i++) {
        const struct theory_claim *claim = &theory->claims[i];
        fprintf(file, "\"%s\",\"%s\",%s,%s,%s,%s,%.9g,%s,%.9g,%s\n", claim->label, claim->statement, claim->loss,
                claim->target, theory_variant_name(claim->variant), theory_schedule_name(claim->schedule),
                claim->measured, claim->at_least ? ">=" : "<=", claim->proved, theory_holds(claim) ? "yes" : "no");
    }
}

static int write_file(const struct theory *theory, const char *name, void (*put)(FILE *, const struct theory *)) {
    char path[4096];
    struct outfile out;
    snprintf(path, sizeof path, "%s/%s", theory->folder, name);
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    put(out.file, theory);
    outfile_failed(&out);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

static int write_all(const struct theory *theory) {
    int result = paper_make_folder(theory->folder);
    if (result == CLI_DONE) {
        result = write_file(theory, "theory.csv", put_csv);
    }
    if (result == CLI_DONE) {
        result = write_file(theory, "theory.html", put_theory);
    }
    if (result == CLI_DONE && !args_get(theory->args, "quiet")) {
        int64_t held = 0;
        for (int64_t i = 0; i < theory->claim_count; i++) {
            held += theory_holds(&theory->claims[i]);
        }
        fprintf(stderr, "%lld of %lld inequalities hold; %s/theory.html shows them, %s/theory.csv has every number\n",
                (long long)held, (long long)theory->claim_count, theory->folder, theory->folder);
    }
    return result;
}

int theory_run(const struct args *args, const char *folder) {
    struct theory theory = {.args = args, .folder = folder, .quick = args_get(args, "quick") != NULL};
    int result = theory_lemmas(&theory);
    if (result == CLI_DONE) {
        result = theory_rates(&theory);
    }
    if (result == CLI_DONE) {
        result = theory_count_kinds(&theory);
    }
    screen_erase();
    if (result == CLI_DONE) {
        result = write_all(&theory);
    }
    free(theory.claims);
    free(theory.curves);
    return result;
}
