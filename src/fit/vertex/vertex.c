/*
 * The engine for piecewise linear losses and a ridge: from the active rows of a neighbouring support it needs a few
 * pivots of O(m s). This file has memory, columns, products, values and the engine's functions; README.md has the
 * mathematics.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/vertex/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

static int vertex_applies(const struct problem *problem) {
    int is_known = problem->h.kind->engine == LOSS_BY_KINKS ||
                   (problem->h.kind->engine == LOSS_BY_LEVEL && problem->lower == NULL);

    return is_known && problem->f.term == NULL && problem->f.linear == NULL && problem->A->reduce == NULL;
}

static int is_separable(const struct vertex *p) {
    return p->fit->problem->h.kind->engine == LOSS_BY_KINKS;
}

static void add_kink(struct vertex *p, int64_t row, double place, double up, double down) {
    if (up + down > 0) {
        p->kinks.row[p->kinks.count] = row;
        p->kinks.place[p->kinks.count] = place;
        p->kinks.up[p->kinks.count] = up;
        p->kinks.down[p->kinks.count++] = down;
    }
}

static void make_kinks(struct vertex *p) {
    const struct loss *h = &p->fit->problem->h;
    const double *b = p->fit->problem->b;

    for (int64_t i = 0; is_separable(p) && i < p->rows; i++) {
        if (h->dead[i] > 0) {
            add_kink(p, i, b[i] + h->dead[i], h->up[i], 0);
            add_kink(p, i, b[i] - h->dead[i], 0, h->down[i]);
        } else {
            add_kink(p, i, b[i], h->up[i], h->down[i]);
        }
    }
    p->kinks.of_rows = p->kinks.count;
}

static void set_kink(struct vertex *p, int64_t k, int64_t row, double place, double up, double down) {
    p->kinks.row[k] = row;
    p->kinks.place[k] = place;
    p->kinks.up[k] = up;
    p->kinks.down[k] = down;
}

/* The kinks of the bounds on a column, and its unit row. `steep` exceeds every subgradient of the loss in x_j, and a
 * ridge pulls towards zero, which lies between the bounds. */
static void bound_column(struct vertex *p, int64_t position) {
    const struct problem *problem = p->fit->problem;
    int64_t column = p->fit->columns[position], k = p->kinks.of_rows + 2 * position, row = p->rows + position;
    double low = problem->lower[column], high = problem->upper[column], steep = 0;

    for (int64_t i = 0; i < p->rows; i++) {
        steep += fabs(p->products.dense[i]) * fmax(problem->h.up[i], problem->h.down[i]);
    }
    steep = steep > 0 ? 2 * steep : 1;
    set_kink(p, k, row, low, low == high ? steep : 0, steep);
    set_kink(p, k + 1, row, low == high ? (double)INFINITY : high, steep, 0);
    if (p->products.At != NULL) {
        p->products.At[row * p->fit->capacity + position] = p->products.scale[position];
    }
}

static void measure_target(struct vertex *p) {
    const double *b = p->fit->problem->b;
    double slopes = is_separable(p) ? 0 : 2;
    double mean = vector_norm1(p->rows, b) / (double)(p->rows > 0 ? p->rows : 1);

    p->target.largest = vector_norm_inf(p->rows, b);
    p->target.length = sqrt(vector_sum_squares(p->rows, b));
    for (int64_t i = 0; i < p->rows; i++) {
        slopes += is_separable(p) ? p->fit->problem->h.up[i] + p->fit->problem->h.down[i] : 0;
    }
    p->target.unit = 0.5 * slopes / (mean > 0 ? mean : 1);
}

static int64_t rows_kept(const struct problem *problem, int64_t capacity) {
    return problem->A->rows + (problem->lower == NULL ? 0 : capacity);
}

static int is_kept(const struct problem *problem, int64_t capacity) {
    return (double)rows_kept(problem, capacity) * (double)capacity <= MOST_KEPT;
}

static int has_short_rows(const struct problem *problem, int64_t capacity) {
    double entries = (double)rows_kept(problem, capacity) * (double)capacity;

    return is_kept(problem, capacity) && (capacity <= SHORT_ROW || entries <= SHORT_ROOM);
}

static int has_lists(const struct problem *problem, int64_t capacity) {
    const struct linop *A = problem->A;

    return is_kept(problem, capacity) && (double)A->nonzeros < LIST_DENSITY * (double)A->rows * (double)A->columns;
}

static void take_columns(struct vertex *p, struct workspace *workspace) {
    int64_t n = p->fit->capacity;

    if (is_kept(p->fit->problem, n)) {
        p->products.At = workspace_doubles(workspace, rows_kept(p->fit->problem, n) * n);
    }
    if (has_short_rows(p->fit->problem, n)) {
        p->products.short_columns = workspace_doubles(workspace, p->rows * n);
    }
    p->products.row = workspace_doubles(workspace, n);
    p->products.scaled = workspace_doubles(workspace, n);
    p->products.dense = workspace_doubles(workspace, p->rows);
    p->products.ridge = workspace_doubles(workspace, n);
    p->products.H = workspace_doubles(workspace, n);
    p->products.scale = workspace_doubles(workspace, n);
    p->products.norm = workspace_doubles(workspace, n);
    if (p->products.lists) {
        p->products.list_row = workspace_array(workspace, n * p->rows, sizeof *p->products.list_row);
        p->products.list_value = workspace_doubles(workspace, n * p->rows);
        p->products.list_size = workspace_integers(workspace, n);
    }
}

static void take_vectors(struct vertex *p, int64_t kinks, struct workspace *workspace) {
    int64_t n = p->fit->capacity + 2;
    int64_t most = kinks > p->rows ? kinks : p->rows;
    int64_t rows = p->rows + (p->is_bounded ? n : 0);

    p->kinks.row = workspace_integers(workspace, kinks);
    p->kinks.place = workspace_doubles(workspace, kinks);
    p->kinks.kept_place = workspace_doubles(workspace, kinks);
    p->kinks.up = workspace_doubles(workspace, kinks);
    p->kinks.down = workspace_doubles(workspace, kinks);
    p->kinks.offset = workspace_doubles(workspace, kinks);
    p->kinks.side = workspace_array(workspace, kinks, 1);
    p->x = workspace_doubles(workspace, n);
    p->start = workspace_doubles(workspace, n);
    p->centre = workspace_doubles(workspace, n);
    p->g = workspace_doubles(workspace, n);
    p->v = workspace_doubles(workspace, n);
    p->y = workspace_doubles(workspace, n);
    p->line.direction = workspace_doubles(workspace, n);
    p->line.image = workspace_doubles(workspace, rows);
    p->factor.Q = workspace_doubles(workspace, n <= INT32_MAX ? n * n : -1);
    p->factor.R = workspace_doubles(workspace, n <= INT32_MAX ? n * n : -1);
    p->factor.householder = workspace_doubles(workspace, n);
    p->set.Z = workspace_integers(workspace, n);
    p->set.sign = workspace_array(workspace, n, 1);
    p->set.multiplier = workspace_doubles(workspace, n);
    p->set.rate = workspace_doubles(workspace, n);
    p->line.break_at = workspace_doubles(workspace, most + n);
    p->line.break_jump = workspace_doubles(workspace, most + n);
    p->line.order = workspace_integers(workspace, most + n);
    p->work = workspace_doubles(workspace, rows > n ? rows : n);
}

static void vertex_destroy(void *engine) {
    struct vertex *p = engine;

    if (p != NULL) {
        workspace_free(&p->workspace);
        memory_free(p);
    }
}

static void *vertex_create(struct fit_state *fit) {
    struct vertex *p = memory_array(1, sizeof *p);

    if (p == NULL) {
        return NULL;
    }
    p->workspace.memory = fit->problem->A->memory;
    p->fit = fit;
    p->rows = fit->problem->A->rows;
    p->products.lists = has_lists(fit->problem, fit->capacity);
    p->is_bounded = fit->problem->lower != NULL;
    take_columns(p, &p->workspace);
    take_vectors(p, is_separable(p) ? 2 * (p->rows + (p->is_bounded ? fit->capacity : 0)) : 0, &p->workspace);
    if (p->workspace.failed) {
        vertex_destroy(p);
        return NULL;
    }
    make_kinks(p);
    measure_target(p);
    return p;
}

static size_t vertex_bytes(const struct problem *problem, int64_t capacity) {
    double k = (double)capacity + 2;
    double m = (double)problem->A->rows + (problem->lower == NULL ? 0 : k);
    double kept = !is_kept(problem, capacity) ? 0 : has_lists(problem, capacity) ? 2.5 : 1;

    kept += has_short_rows(problem, capacity);
    return (size_t)(sizeof(double) * (m * k * kept + 2 * k * k + 18 * k + 17 * m));
}

int vertex_must_stop(struct vertex *p) {
    int64_t work = (p->rows + 4 * p->fit->size) * p->fit->size;

    p->fit->spent += (double)work;
    return stop_after(&p->fit->stop, work);
}

/* ---- columns ----------------------------------------------------------------------------------------- */

static void list_nonzeros(struct vertex *p, int64_t position) {
    int32_t *row = p->products.list_row + position * p->rows;
    double *value = p->products.list_value + position * p->rows;
    int64_t count = 0;

    for (int64_t i = 0; i < p->rows; i++) {
        if (p->products.dense[i] != 0) {
            row[count] = (int32_t)i;
            value[count++] = p->products.dense[i];
        }
    }
    p->products.list_size[position] = count;
}

static void vertex_set_column(void *engine, int64_t position) {
    struct vertex *p = engine;
    int64_t column = p->fit->columns[position];
    double ridge = p->fit->problem->f.ridge[column];
    double square, weight;

    linop_gather(p->fit->problem->A, 1, &column, p->products.dense, p->rows);
    square = vector_sum_squares(p->rows, p->products.dense);
    weight = PROXIMAL_WEIGHT * (square > 0 ? square / (double)p->rows : 1) * p->target.unit;
    p->products.ridge[position] = ridge;
    p->products.H[position] = fmax(ridge, weight);
    p->products.scale[position] = 1 / sqrt(p->products.H[position]);
    p->products.norm[position] = sqrt(square);
    for (int64_t i = 0; p->products.At != NULL && i < p->rows; i++) {
        p->products.At[i * p->fit->capacity + position] = p->products.scale[position] * p->products.dense[i];
    }
    if (p->products.short_columns != NULL) {
        vector_copy(p->rows, p->products.dense, p->products.short_columns + position * p->rows);
        vector_scale(p->rows, p->products.scale[position], p->products.short_columns + position * p->rows);
    }
    if (p->products.lists) {
        list_nonzeros(p, position);
    }
    if (p->is_bounded) {
        bound_column(p, position);
    }
}

/* ---- products ---------------------------------------------------------------------------------------- */

/* Lists pay if nonzeros are rare enough; an entry of a list costs three times as much as a dense one. */
static void choose_products(struct vertex *p) {
    int64_t stored = 0;

    for (int64_t j = 0; p->products.lists && j < p->fit->size; j++) {
        stored += 3 * p->products.list_size[j];
    }
    p->products.sparse = p->products.lists && (double)stored < LIST_PAYS * (double)p->rows * (double)p->fit->size;
}

const double *vertex_row(const struct vertex *p, int64_t i) {
    double *row = p->products.row;

    if (p->products.At != NULL) {
        return p->products.At + i * p->fit->capacity;
    }
    if (i >= p->rows) { /* of a bound */
        memset(row, 0, (size_t)p->fit->size * sizeof *row);
        row[i - p->rows] = p->products.scale[i - p->rows];
        return row;
    }
    linop_row(p->fit->problem->A, i, p->fit->size, p->fit->columns, row);
    for (int64_t j = 0; j < p->fit->size; j++) {
        row[j] *= p->products.scale[j];
    }
    return row;
}

/* The same without a copy of the columns. */
static void multiply_in_place(const struct vertex *p, const double *v, double *out) {
    for (int64_t j = 0; j < p->fit->size; j++) {
        p->products.scaled[j] = v[j] * p->products.scale[j];
    }
    memset(out, 0, (size_t)p->rows * sizeof *out);
    linop_add_columns(p->fit->problem->A, p->fit->size, p->fit->columns, p->products.scaled, out);
}

static void transpose_in_place(const struct vertex *p, const double *v, double *out) {
    linop_transpose_columns(p->fit->problem->A, p->fit->size, p->fit->columns, v, out);
    for (int64_t j = 0; j < p->fit->size; j++) {
        out[j] *= p->products.scale[j];
    }
}

void vertex_multiply(const struct vertex *p, const double *v, double *out) {
    if (p->products.At == NULL) {
        multiply_in_place(p, v, out);
        return;
    }
    linop_count(p->fit->problem->A, p->fit->size, 0);
    if (!p->products.sparse && p->products.short_columns == NULL) {
        dense_dot_columns(p->fit->size, p->rows, p->products.At, p->fit->capacity, v, out);
        return;
    }
    memset(out, 0, (size_t)p->rows * sizeof *out);
    if (!p->products.sparse) {
        dense_add_columns(p->rows, p->fit->size, p->products.short_columns, p->rows, v, out);
        return;
    }
    for (int64_t j = 0; j < p->fit->size; j++) {
        const int32_t *row = p->products.list_row + j * p->rows;
        const double *value = p->products.list_value + j * p->rows;
        double factor = v[j] * p->products.scale[j];

        for (int64_t t = 0; factor != 0 && t < p->products.list_size[j]; t++) {
            out[row[t]] += factor * value[t];
        }
    }
}

void vertex_image(const struct vertex *p, const double *v, double *out) {
    vertex_multiply(p, v, out);
    for (int64_t j = 0; p->is_bounded && j < p->fit->size; j++) {
        out[p->rows + j] = p->products.scale[j] * v[j];
    }
}

void vertex_transpose(const struct vertex *p, const double *v, double *out) {
    if (p->products.At == NULL) {
        transpose_in_place(p, v, out);
        return;
    }
    linop_count(p->fit->problem->A, p->fit->size, 0);
    if (!p->products.sparse && p->products.short_columns != NULL) {
        dense_dot_columns(p->rows, p->fit->size, p->products.short_columns, p->rows, v, out);
        return;
    }
    if (!p->products.sparse) {
        memset(out, 0, (size_t)p->fit->size * sizeof *out);
        dense_add_columns(p->fit->size, p->rows, p->products.At, p->fit->capacity, v, out);
        return;
    }
    for (int64_t j = 0; j < p->fit->size; j++) {
        const int32_t *row = p->products.list_row + j * p->rows;
        const double *value = p->products.list_value + j * p->rows;
        double sum = 0;

        for (int64_t t = 0; t < p->products.list_size[j]; t++) {
            sum += value[t] * v[row[t]];
        }
        out[j] = sum * p->products.scale[j];
    }
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* x_j clipped to its bounds, and moved onto a bound that it equals up to rounding. */
static double within(const struct vertex *p, int64_t j, double x) {
    const struct problem *problem = p->fit->problem;
    int64_t column = p->fit->columns[j];
    double low, high;

    if (!p->is_bounded) {
        return x;
    }
    low = problem->lower[column];
    high = problem->upper[column];
    if (isfinite(low) && x - low <= 0x1p-50 * fabs(low)) {
        return low;
    }
    return isfinite(high) && high - x <= 0x1p-50 * fabs(high) ? high : x;
}

void vertex_evaluate(struct vertex *p) {
    double ridge = 0;

    for (int64_t j = 0; j < p->fit->size; j++) {
        p->fit->x[j] = within(p, j, p->x[j] * p->products.scale[j]);
        p->x[j] = p->is_bounded ? p->fit->x[j] / p->products.scale[j] : p->x[j];
        ridge += 0.5 * p->products.ridge[j] * p->fit->x[j] * p->fit->x[j];
    }
    vertex_multiply(p, p->x, p->fit->residual);
    vector_axpy(p->rows, -1, p->fit->problem->b, p->fit->residual);
    p->fit->objective = ridge + p->fit->problem->h.ops->value(&p->fit->problem->h, p->fit->residual);
}

/* The largest decrease of e x' + ridge x'^2 / 2 below zero over the feasible x' of column j: e^2 / (2 ridge), or less
 * within bounds. */
static double fall(const struct vertex *p, int64_t j, double e) {
    const struct problem *problem = p->fit->problem;
    int64_t column = p->fit->columns[j];
    double w = p->products.ridge[j];
    double room = !p->is_bounded ? (double)INFINITY : e > 0 ? -problem->lower[column] : problem->upper[column];

    if (w > 0 && fabs(e) <= w * room) {
        return 0.5 * e * e / w;
    }
    return e == 0 ? 0 : fabs(e) * room - (isinf(room) ? 0 : 0.5 * w * room * room);
}

/*
 * The same for an estimate of the gap, e = a_j'u. Without a bound and with (almost) no ridge the gradient g = e + ridge
 * x must vanish. A g of the size of rounding is charged over the reach of x' - x; a larger one gives no bound.
 */
static double charge(const struct vertex *p, int64_t j, double e, double length) {
    double w = p->products.ridge[j];
    double x = p->fit->x[j];
    double g = fabs(e + w * x);
    double by_ridge = fall(p, j, e);
    double reach;

    if (w >= p->products.H[j] || isgreater(g, SLOPE_ROUNDING * p->products.norm[j] * length)) {
        return by_ridge;
    }
    reach = p->products.norm[j] > 0 ? p->target.length / p->products.norm[j] : 0;
    return fmin(by_ridge, SLOPE_REACH * g * (reach + fabs(x)) - e * x - 0.5 * w * x * x);
}

/* F(x) >= u'(A x - b) - h*(u) + ridge(x) for every x, minimised over x column by column. */
double vertex_dual_value(struct vertex *p, double linear) {
    double length = sqrt(vector_sum_squares(p->rows, p->fit->dual));

    vertex_transpose(p, p->fit->dual, p->y);
    for (int64_t j = 0; j < p->fit->size; j++) {
        linear -= charge(p, j, p->y[j] / p->products.scale[j], length);
    }
    return isnan(linear) ? 0 : fmin(fmax(linear, 0), p->fit->objective); /* F >= 0 always */
}

double vertex_value_within(const struct vertex *p, double value, const double *e) {
    for (int64_t j = 0; j < p->fit->size; j++) {
        int64_t column = p->fit->columns[j];
        double t = e[j] / p->products.scale[j], ridge = p->products.ridge[j];
        double low = p->fit->low[column], high = p->fit->high[column];
        double z = ridge > 0 ? -t / ridge : t > 0 ? low : high;

        z = fmin(fmax(z, low), high);
        value += t * (z - p->x[j] * p->products.scale[j]) + 0.5 * ridge * z * z;
    }
    return value;
}

void vertex_set_centre(struct vertex *p) {
    for (int64_t j = 0; j < p->fit->size; j++) {
        p->centre[j] =
            p->products.ridge[j] < p->products.H[j] ? (1 - p->products.ridge[j] / p->products.H[j]) * p->x[j] : 0;
    }
}

int vertex_is_proximal(const struct vertex *p) {
    for (int64_t j = 0; j < p->fit->size; j++) {
        if (p->products.ridge[j] < p->products.H[j]) {
            return 1;
        }
    }
    return 0;
}

/* Quickselect, with an insertion sort of the selected keys at the end. */
void vertex_smallest(const double *keys, int64_t *order, int64_t count, int64_t want) {
    int64_t low = 0;
    int64_t high = count;

    while (high - low > 8 && want > low && want < high) {
        double pivot = keys[order[low + (high - low) / 2]];
        int64_t i = low;
        int64_t j = high - 1;

        while (i <= j) {
            while (keys[order[i]] < pivot) {
                i++;
            }
            while (keys[order[j]] > pivot) {
                j--;
            }
            if (i <= j) {
                int64_t swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (want <= j + 1) {
            high = j + 1;
        } else if (want >= i) {
            low = i;
        } else {
            break;
        }
    }
    if (high < want) {
        high = want;
    }
    for (int64_t i = 1; i < high; i++) {
        for (int64_t j = i; j > 0 && keys[order[j]] < keys[order[j - 1]]; j--) {
            int64_t swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
}

/* ---- the way in -------------------------------------------------------------------------------------- */

static void vertex_begin(void *engine) {
    struct vertex *p = engine;

    choose_products(p);
    for (int64_t j = 0; j < p->fit->size; j++) {
        p->x[j] = p->fit->x[j] / p->products.scale[j];
    }
    vector_copy(p->fit->size, p->x, p->start);
}

static enum fit_outcome vertex_adopt(void *engine) {
    struct vertex *p = engine;

    vertex_begin(p);
    vertex_evaluate(p);
    p->fit->bound = fmin(p->fit->bound, p->fit->objective);
    p->fit->active.count = 0;
    return fit_is_good(p->fit) ? FIT_OPTIMAL : FIT_INEXACT;
}

static enum fit_outcome pivot_maximum(struct vertex *p, double cutoff) {
    int64_t want = p->fit->size + 1 < p->rows ? p->fit->size + 1 : p->rows;

    if (p->fit->active.count > 0) {
        return maximum_solve(p, p->fit->active.count, p->fit->active.rows, p->fit->active.signs, cutoff);
    }
    vertex_evaluate(p); /* for the largest residuals */
    maximum_rows(p, want, p->fit->active.signs);
    return maximum_solve(p, want, p->line.order, p->fit->active.signs, cutoff);
}

static enum fit_outcome vertex_pivot(void *engine, double cutoff) {
    struct vertex *p = engine;
    enum fit_outcome outcome;

    if (is_separable(p)) {
        return separable_solve(p, cutoff);
    }
    outcome = pivot_maximum(p, cutoff);
    if (outcome == FIT_INEXACT) {
        p->fit->objective = INFINITY;
    }
    return outcome;
}

static void settle_at(struct vertex *p, const double *x) {
    vector_copy(p->fit->size, x, p->x);
    vertex_evaluate(p);
}

/* Keep the best of the current x, the start and x = 0: before it ends, a dual method may be no better than these. */
static void vertex_settle(void *engine) {
    struct vertex *p = engine;
    const struct loss *h = &p->fit->problem->h;
    double here;

    vertex_evaluate(p);
    here = p->fit->objective;
    vector_copy(p->fit->size, p->x, p->v);
    settle_at(p, p->start);
    if (isless(here, p->fit->objective)) {
        settle_at(p, p->v);
    }
    if (!islessequal(p->fit->objective, p->fit->zero_objective)) {
        memset(p->v, 0, (size_t)p->fit->size * sizeof *p->v);
        settle_at(p, p->v);
    }
    h->ops->subgradient(h, p->fit->residual, p->fit->dual);
    p->fit->bound = 0; /* F >= 0 */
    p->fit->active.count = 0;
}

/* Whether there are fewer active normals than columns, or one nearly depends on the others. */
static int vertex_is_doubtful(const void *engine) {
    const struct vertex *p = engine;
    int64_t s = p->fit->size, k = p->set.count - (is_separable(p) ? 0 : 1);

    for (int64_t t = 0; k == s && t < k; t++) {
        const double *column = p->factor.R + t * s;

        if (!isgreater(column[t] * column[t], DOUBTFUL * DOUBTFUL * vector_sum_squares(t + 1, column))) {
            return 1;
        }
    }
    return k < s;
}

/* The cost of a few pivots. */
static double vertex_work(const struct problem *problem, int64_t size, int is_warm) {
    (void)is_warm;
    double k = (double)size;

    return (double)problem->A->rows * k * (10 + k / 2);
}

const struct fit_engine fit_vertex = {
    .name = "vertex",
    .applies = vertex_applies,
    .bytes = vertex_bytes,
    .create = vertex_create,
    .destroy = vertex_destroy,
    .work = vertex_work,
    .set_column = vertex_set_column,
    .begin = vertex_begin,
    .adopt = vertex_adopt,
    .pivot = vertex_pivot,
    .settle = vertex_settle,
    .is_doubtful = vertex_is_doubtful,
};
