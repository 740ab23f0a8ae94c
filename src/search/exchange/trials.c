/* Trials: the best exchanges by the surrogate, and for these the true F minimised along the surrogate's line, in
 * O(rows) each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "model/line.h"
#include "search/exchange/internal.h"

/* ---- the best exchanges by the surrogate ------------------------------------------------------------------------- */

/* Move the `want` trials with the lowest change to the front, unordered. */
static void select_trials(struct trial *list, int64_t count, int64_t want) {
    int64_t low = 0, high = count;

    while (high - low > 1 && want > low && want < high) {
        double pivot = list[low + (high - low) / 2].change;
        int64_t i = low, j = high - 1;

        while (i <= j) {
            while (list[i].change < pivot) {
                i++;
            }
            while (list[j].change > pivot) {
                j--;
            }
            if (i <= j) {
                struct trial other = list[i];
                list[i++] = list[j];
                list[j--] = other;
            }
        }
        if (want <= j + 1) {
            high = j + 1;
        } else if (want >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Cut the list to the TRIALS best; returns the worst change among these. */
static double cut_trials(struct trials *t) {
    double worst = -INFINITY;

    select_trials(t->list, t->count, TRIALS);
    t->count = TRIALS;
    for (int64_t i = 0; i < TRIALS; i++) {
        worst = fmax(worst, t->list[i].change);
    }
    return worst;
}

/* The change for candidate c with every unit of S, in order of the units; returns the lowest. */
static double single_changes(struct exchange *a, int64_t c) {
    const struct current *now = &a->current;
    struct surrogate *s = &a->surrogate;
    const double *v = s->V + c * now->size;
    double price = now->price[s->column[c]], inverse = 1 / s->schur[c], lowest = INFINITY;
    int64_t free = a->problem->free_count;

    for (int64_t j = free; j < now->size; j++) {
        double x = now->x[j] + v[j] * price * inverse;
        double room = s->M[j * now->size + j] + v[j] * v[j] * inverse;
        double change = 0.5 * (x * x / room - price * price * inverse);

        s->value[j - free] = change;
        lowest = change < lowest ? change : lowest;
    }
    return lowest;
}

static double block_changes(struct exchange *a, int64_t c) {
    double lowest = INFINITY;

    if (!blocks_factor(a, c)) {
        return INFINITY;
    }
    for (int64_t i = 0; i < a->current.unit_count; i++) {
        a->surrogate.value[i] = blocks_change(a, c, a->current.units[i]);
        lowest = fmin(lowest, a->surrogate.value[i]);
    }
    return lowest;
}

/* Whether a candidate of one column nearly depends on the support. */
static int is_dependent(const struct exchange *a, int64_t c) {
    const struct surrogate *s = &a->surrogate;

    return !isgreater(s->schur[c], DEPENDENT_ENTRY * s->norm[s->column[c]]);
}

static int is_open(const struct exchange *a, int64_t c) {
    return a->tabu.enter[a->surrogate.unit[c]] <= a->tabu.step && !(a->is_single && is_dependent(a, c));
}

/* Whether the feasible set and the tabu list allow the candidate to replace the unit. */
static int may_exchange(const struct exchange *a, int64_t c, int64_t out) {
    return a->tabu.leave[out] <= a->tabu.step &&
           (a->set->is_plain || a->set->rule->may_enter(a->set, a->current.used, a->surrogate.unit[c], out));
}

void trials_score(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    int64_t units = a->current.unit_count;
    double *best = a->trials.x0;

    for (int64_t i = 0; i < units; i++) {
        best[i] = INFINITY;
    }
    for (int round = 0; round < 2; round++) {
        for (int64_t c = 0; c < s->count; c++) {
            double worse = INFINITY;

            if (is_dependent(a, c)) {
                s->score[c] = -INFINITY;
                continue;
            }
            single_changes(a, c);
            for (int64_t i = 0; i < units; i++) {
                best[i] = fmin(best[i], s->value[i]);
                worse = fmin(worse, s->value[i] - best[i]);
            }
            s->score[c] = -worse;
        }
    }
}

void trials_choose(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    struct trials *t = &a->trials;
    double limit = INFINITY;

    t->count = 0;
    for (int64_t c = 0; c < s->count; c++) {
        if (!is_open(a, c) || (a->is_single ? single_changes(a, c) : block_changes(a, c)) >= limit) {
            continue;
        }
        for (int64_t i = 0; i < a->current.unit_count; i++) {
            if (s->value[i] < limit && may_exchange(a, c, a->current.units[i])) {
                t->list[t->count++] = (struct trial){.change = s->value[i], .out = a->current.units[i], .in = c};
                if (t->count == 4 * TRIALS) {
                    limit = cut_trials(t);
                }
            }
        }
    }
    if (t->count > TRIALS) {
        cut_trials(t);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* For a single column alpha is its coefficient. */
static void single_line(const struct exchange *a, const struct trial *trial, double *x0, double *dx) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    int64_t size = c->size, j = c->position[unit_first(a, trial->out)];
    const double *v = s->V + trial->in * size, *Mj = s->M + j * size;

    for (int64_t k = 0; k < size; k++) {
        x0[k] = c->x[k] - c->x[j] / Mj[j] * Mj[k];
        dx[k] = -v[k] + v[j] / Mj[j] * Mj[k];
    }
    x0[j] = dx[j] = x0[size] = 0;
    dx[size] = 1;
}

void trials_line(struct exchange *a, const struct trial *trial, double *x0, double *dx) {
    if (a->is_single) {
        single_line(a, trial, x0, dx);
    } else {
        blocks_line(a, trial, x0, dx);
    }
}

/* f along the line x0 + alpha dx of a trial, by position and then the columns that enter. */
static struct parabola smooth_on_line(struct exchange *a, const struct trial *trial) {
    const struct smooth *f = &a->problem->f;
    const struct surrogate *s = &a->surrogate;
    const struct trials *t = &a->trials;
    int64_t size = a->current.size, all = size + s->first[trial->in + 1] - s->first[trial->in];
    struct parabola sum = {0, 0, 0};
    double at[3];

    for (int64_t k = 0; k < all; k++) {
        int64_t q = k < size ? a->current.columns[k] : s->column[s->first[trial->in] + k - size];
        double linear = f->linear == NULL ? 0 : f->linear[q];

        t->list_columns[k] = q;
        sum.constant += (0.5 * f->ridge[q] * t->x0[k] + linear) * t->x0[k];
        sum.linear += (f->ridge[q] * t->x0[k] + linear) * t->dx[k];
        sum.quadratic += f->ridge[q] * t->dx[k] * t->dx[k];
    }
    if (f->term == NULL) {
        return sum;
    }
    for (int point = 0; point < 3; point++) { /* three points determine a parabola */
        memset(a->all, 0, (size_t)a->columns * sizeof *a->all);
        for (int64_t k = 0; k < all; k++) {
            a->all[t->list_columns[k]] = t->x0[k] + point * t->dx[k];
        }
        smooth_refresh(f, a->all, a->state);
        at[point] = f->term->value(f, a->all, a->state);
    }
    sum.constant += at[0];
    sum.quadratic += at[2] - 2 * at[1] + at[0];
    sum.linear += at[1] - at[0] - (at[2] - 2 * at[1] + at[0]) / 2;
    return sum;
}

/* The images that trials of single columns need: a_q - A_S v_q for entering columns, A_S M_j for leaving ones. */
static void gather_images(struct exchange *a, int64_t first, int64_t last) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    struct trials *t = &a->trials;
    int64_t entering = 0, leaving = 0;

    for (int64_t i = first; i < last; i++) {
        int64_t in = s->column[t->list[i].in], out = unit_first(a, t->list[i].out);

        if (t->slot[in] < 0) {
            linop_gather(a->problem->A, 1, &in, t->entering + entering * a->rows, a->rows);
            vector_copy(c->size, s->V + t->list[i].in * c->size, t->Vb + entering * c->size);
            t->slot[in] = entering++;
        }
        if (t->slot[out] < 0) {
            vector_copy(c->size, s->M + c->position[out] * c->size, t->Mb + leaving * c->size);
            t->slot[out] = leaving++;
        }
    }
    memset(t->leaving, 0, (size_t)(a->rows * leaving) * sizeof *t->leaving);
    dense_multiply(a->rows, entering, c->size, -1, c->block, a->rows, t->Vb, c->size, t->entering, a->rows);
    dense_multiply(a->rows, leaving, c->size, 1, c->block, a->rows, t->Mb, c->size, t->leaving, a->rows);
}

static void forget_images(struct exchange *a, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++) {
        a->trials.slot[a->surrogate.column[a->trials.list[i].in]] = -1;
        a->trials.slot[unit_first(a, a->trials.list[i].out)] = -1;
    }
}

/* The residual along the line, from these images. */
static void single_image(struct exchange *a, const struct trial *trial) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    struct trials *t = &a->trials;
    int64_t q = s->column[trial->in], out = unit_first(a, trial->out), j = c->position[out];
    const double *v = s->V + trial->in * c->size;
    const double *f = t->leaving + t->slot[out] * a->rows, *e = t->entering + t->slot[q] * a->rows;
    double Mjj = s->M[j * c->size + j], back = c->x[j] / Mjj, along = v[j] / Mjj;

    for (int64_t i = 0; i < a->rows; i++) {
        t->line_r[i] = c->r[i] - back * f[i];
        t->line_d[i] = e[i] + along * f[i];
    }
}

/* The minimum of the surrogate on the line. */
static double single_minimum(const struct exchange *a, const struct trial *trial) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    int64_t j = c->position[unit_first(a, trial->out)];
    const double *v = s->V + trial->in * c->size;
    double Mjj = s->M[j * c->size + j], inverse = 1 / s->schur[trial->in];
    double step = -c->price[s->column[trial->in]] * inverse;

    return step + v[j] * inverse * (c->x[j] - v[j] * step) / (Mjj + v[j] * v[j] * inverse);
}

/* The residual along the line, from the columns themselves. */
static void block_image(struct exchange *a, const struct trial *trial) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    struct trials *t = &a->trials;
    int64_t entering = s->first[trial->in + 1] - s->first[trial->in];

    for (int64_t i = 0; i < a->rows; i++) {
        t->line_r[i] = -a->problem->b[i];
        t->line_d[i] = 0;
    }
    current_add(a, t->x0, t->line_r);
    current_add(a, t->dx, t->line_d);
    linop_add_columns(a->problem->A, entering, s->column + s->first[trial->in], t->dx + c->size, t->line_d);
}

static void value_trial(struct exchange *a, struct trial *trial, double cutoff) {
    const struct problem *p = a->problem;
    struct trials *t = &a->trials;
    int64_t q = a->surrogate.column[a->surrogate.first[trial->in]];
    int is_bounded = a->is_single && p->lower != NULL;

    trials_line(a, trial, t->x0, t->dx);
    if (t->images > 0) {
        single_image(a, trial);
    } else {
        block_image(a, trial);
    }
    trial->alpha = a->is_single ? single_minimum(a, trial) : 1;
    trial->line =
        line_minimise(&p->h, t->line_r, t->line_d, smooth_on_line(a, trial), is_bounded ? p->lower[q] : -INFINITY,
                      is_bounded ? p->upper[q] : INFINITY, a->habits->line_steps, cutoff, &trial->alpha);
}

static int compare_lines(const void *left, const void *right) {
    const struct trial *a = left, *b = right;

    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->in != b->in) {
        return a->in < b->in ? -1 : 1;
    }
    return a->out < b->out ? -1 : a->out > b->out;
}

/* The lowest values so far, ascending, as many as a descent may fit. A trial above the last of them need not be
 * evaluated further. */
struct lowest {
    int64_t count;
    double value[LOSS_LEVELS * MOST_TRIES];
};

static void lowest_keep(struct lowest *low, double value) {
    int64_t i = low->count - 1;

    if (!isless(value, low->value[i])) {
        return;
    }
    for (; i > 0 && low->value[i - 1] > value; i--) {
        low->value[i] = low->value[i - 1];
    }
    low->value[i] = value;
}

int64_t trials_wanted(const struct exchange *a) {
    return a->habits->tries * LOSS_LEVELS / a->problem->h.kind->levels; /* as many fits in all for every number of
                                                                           levels */
}

void trials_value(struct exchange *a) {
    struct trials *t = &a->trials;
    struct lowest low = {.count = trials_wanted(a)};

    for (int64_t i = 0; i < low.count; i++) {
        low.value[i] = INFINITY;
    }
    for (int64_t first = 0, last; first < t->count; first = last) {
        int64_t batch = t->images > 0 ? t->images : FEWEST_IMAGES;

        last = t->count - first > batch ? first + batch : t->count;
        if (t->images > 0) {
            gather_images(a, first, last);
        }
        for (int64_t i = first; i < last; i++) {
            value_trial(a, &t->list[i], low.value[low.count - 1]);
            lowest_keep(&low, t->list[i].line);
        }
        if (t->images > 0) {
            forget_images(a, first, last);
        }
        if (last < t->count && exchange_late(a)) {
            t->count = last;
        }
    }
    qsort(t->list, (size_t)t->count, sizeof *t->list, compare_lines);
}
