#include "search/few_rows.h"

#include <math.h>

#include "linalg/select.h"
#include "search/constants.h"

static int64_t wanted(const struct run *run) {
    return FEW_ROWS + ROWS_BY_COLUMN * run_capacity(run);
}

int few_rows_are_of_use(const struct run *run) {
    const struct problem *p = run->problem;
    double m = (double)p->A->rows;

    return problem_is_of_few_rows(p) && !p->A->is_mapped && !p->A->is_implied &&
           m >= (double)FEWER_ROWS * (double)wanted(run) && m * (double)p->A->columns <= FEW_ROWS_ROOM;
}

/* Add the `count` rows with the largest sizes. */
static void add_largest(struct few_rows *f, int64_t count) {
    int64_t m = f->whole->A->rows;

    select_largest(m, f->size, count, f->chosen, f->spare);
    for (int64_t k = 0; k < count; k++) {
        f->is_in[f->chosen[k]] = 1;
    }
    f->count = 0;
    for (int64_t i = 0; i < m; i++) {
        if (f->is_in[i]) {
            f->rows[f->count++] = i;
        }
    }
}

static void measure(struct few_rows *f, const double *x) {
    point_set(&f->point, x);
    for (int64_t i = 0; i < f->whole->A->rows; i++) {
        f->size[i] = fabs(f->point.residual[i]);
    }
}

spgm_error few_rows_take(struct few_rows *f, const struct run *run, spgm_status *status) {
    struct workspace *w = &f->workspace;
    int64_t m = run->problem->A->rows;

    f->whole = run->problem;
    f->most = m / FEWER_ROWS;
    w->memory = run->problem->A->memory;
    point_init(&f->point, f->whole, w);
    f->rows = workspace_integers(w, f->most);
    f->is_in = workspace_array(w, m, sizeof *f->is_in);
    f->size = workspace_doubles(w, m);
    f->spare = workspace_doubles(w, m);
    f->chosen = workspace_integers(w, m);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    measure(f, run->best_x);
    add_largest(f, wanted(run));
    return SPGM_OK;
}

void few_rows_free(struct few_rows *f) {
    workspace_free(&f->workspace);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t few_rows_learn(struct few_rows *f, const double *x) {
    int64_t m = f->whole->A->rows, broken = 0;
    double largest = 0;

    measure(f, x);
    for (int64_t k = 0; k < f->count; k++) {
        largest = fmax(largest, f->size[f->rows[k]]);
    }
    for (int64_t i = 0; i < m; i++) {
        if (f->size[i] > largest * (1 + IMPROVES)) { /* holds for no row that is in */
            broken++;
        } else {
            f->size[i] = -1;
        }
    }
    if (broken > 0) {
        add_largest(f, smaller(smaller(broken, 1 + f->count / FEW_ROWS_STEP), f->most - f->count));
    }
    return broken;
}
