/* The certificate of a run of `exact` as text: docs/proof.md has the format, tools/check_certificate.py reads it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "search/ledger.h"
#include "solver.h"

enum { PIECE = 4096, WORD = 40 };

/* Text on its way out, in pieces. */
struct writer {
    spgm_write_function write;
    void *context;
    char piece[PIECE];
    size_t size;
    int failed;
};

static void flush(struct writer *w) {
    if (w->size > 0 && !w->failed) {
        w->failed = w->write(w->piece, w->size, w->context) != 0;
    }
    w->size = 0;
}

static void put(struct writer *w, const char *text) {
    size_t length = strlen(text);

    if (w->size + length > sizeof w->piece) {
        flush(w);
    }
    memcpy(w->piece + w->size, text, length);
    w->size += length;
}

static void put_number(struct writer *w, double value) {
    char text[WORD];

    if (isfinite(value)) {
        number_print(value, text, sizeof text);
    }
    put(w, isfinite(value) ? text : "null");
}

static void put_integer(struct writer *w, int64_t value) {
    char text[WORD];

    snprintf(text, sizeof text, "%lld", (long long)value);
    put(w, text);
}

static void put_name(struct writer *w, const char *name) {
    put(w, ", \"");
    put(w, name);
    put(w, "\": ");
}

static void put_numbers(struct writer *w, int64_t count, const double *values) {
    for (int64_t i = 0; i < count; i++) {
        put(w, i == 0 ? "[" : ", ");
        put_number(w, values[i]);
    }
    put(w, count == 0 ? "[]" : "]");
}

static void put_integers(struct writer *w, int64_t count, const int64_t *values) {
    for (int64_t i = 0; i < count; i++) {
        put(w, i == 0 ? "[" : ", ");
        put_integer(w, values[i]);
    }
    put(w, count == 0 ? "[]" : "]");
}

static void put_optional(struct writer *w, const char *name, int64_t count, const double *values) {
    if (values != NULL) {
        put_name(w, name);
        put_numbers(w, count, values);
    }
}

/* The columns that are marked. */
static void put_marked(struct writer *w, const char *name, int64_t count, const unsigned char *marks) {
    const char *separator = "[";

    if (marks == NULL) {
        return;
    }
    put_name(w, name);
    for (int64_t j = 0; j < count; j++) {
        if (marks[j]) {
            put(w, separator);
            put_integer(w, j);
            separator = ", ";
        }
    }
    put(w, *separator == '[' ? "[]" : "]");
}

/* ---- the parts ------------------------------------------------------------------------------------------------- */

static void put_problem(struct writer *w, const spgm_problem *p) {
    const struct spgm_options *o = &p->options;
    int64_t m = p->A.rows, n = p->A.columns;

    put(w, "{\"certificate\": 1, \"loss\": \"");
    put(w, p->loss->name);
    put(w, "\"");
    put_name(w, "rows");
    put_integer(w, m);
    put_name(w, "columns");
    put_integer(w, n);
    put_name(w, "quantile");
    put_number(w, o->quantile);
    put_name(w, "epsilon");
    put_number(w, o->epsilon);
    put_name(w, "delta");
    put_number(w, o->delta);
    put_name(w, "ridge");
    put_number(w, o->ridge);
    put_name(w, "has_intercept");
    put(w, o->intercept ? "true" : "false");
    put_optional(w, "weights", m, p->weights);
    put_optional(w, "up", m, p->up);
    put_optional(w, "down", m, p->down);
    put_optional(w, "dead", m, p->dead);
    put_optional(w, "linear", n, p->linear);
    put_optional(w, "lower", n, p->lower);
    put_optional(w, "upper", n, p->upper);
    put_marked(w, "free", n, p->is_free);
    put_marked(w, "excluded", n, p->is_excluded);
    if (p->group_of != NULL) {
        put_name(w, "groups");
        put_integers(w, n, p->group_of);
        put_name(w, "group_limit");
        put_integer(w, p->group_limit);
    }
}

static void put_claim(struct writer *w, const spgm_solver *solver) {
    put_name(w, "sparsity");
    put_integer(w, solver->sparsity);
    put_name(w, "support");
    put_integers(w, solver->count, solver->columns);
    put_name(w, "coefficients");
    put_numbers(w, solver->count, solver->values);
    put_name(w, "intercept");
    put_number(w, solver->intercept);
    put_name(w, "objective");
    put_number(w, solver->info.objective);
    put_name(w, "bound");
    put_number(w, fmin(solver->ledger->bound, solver->info.objective));
    put_optional(w, "centre", solver->problem->A.columns, solver->centre);
    put_name(w, "shift");
    put_number(w, solver->shift);
    put_name(w, "rough");
    put_integer(w, solver->ledger->rough);
    put(w, "}\n");
}

static void put_record(struct writer *w, const struct ledger *ledger, int64_t i) {
    const struct ledger_record *record = &ledger->record[i];
    int64_t last = i + 1 < ledger->records ? record[1].first : ledger->steps;

    put(w, "{\"parent\": ");
    put_integer(w, record->parent);
    put_name(w, "column");
    put_integer(w, record->column);
    put_name(w, "in");
    put(w, record->is_in ? "true" : "false");
    put_name(w, "branch");
    put_integer(w, record->branch);
    put_name(w, "columns");
    put_integers(w, last - record->first, ledger->column + record->first);
    put_name(w, "alphas");
    put(w, "[");
    for (int64_t k = record->first; k < last; k++) {
        put(w, k == record->first ? "" : ", ");
        put_numbers(w, ledger->rows, ledger->alpha + k * ledger->rows);
    }
    put(w, "]}\n");
}

/* ---- the way in ---------------------------------------------------------------------------------------------- */

void spgm_solver_keep_certificate(spgm_solver *solver, int keep) {
    solver->keeps_certificate = keep;
}

spgm_error spgm_solver_write_certificate(const spgm_solver *solver, spgm_write_function write, void *context,
                                         spgm_status *status) {
    struct writer w = {.write = write, .context = context};
    const struct ledger *ledger = solver->ledger;

    if (ledger == NULL || ledger->records == 0) {
        return ledger != NULL && ledger->is_lost
                   ? status_set(status, SPGM_ERROR_MEMORY,
                                "the certificate is larger than memory_limit allows, or than there is memory for")
                   : status_set(status, SPGM_ERROR_ARGUMENT,
                                "there is no certificate: run the method exact, with spgm_solver_keep_certificate "
                                "before it");
    }
    if (!ledger->has_boxes) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "there is no certificate: it needs a ridge, bounds on x, or independent columns, fewer than "
                          "the rows, that do not separate two classes");
    }
    if (solver->problem->term != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "there is no certificate for problems with a quadratic or a least-squares term");
    }
    put_problem(&w, solver->problem);
    put_claim(&w, solver);
    for (int64_t i = 0; i < ledger->records && !w.failed; i++) {
        put_record(&w, ledger, i);
    }
    flush(&w);
    return w.failed ? status_set(status, SPGM_ERROR_FILE, "the certificate could not be written to the end")
                    : status_clear(status);
}
