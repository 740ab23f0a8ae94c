/* Memory, columns, products, values and the way in. */
#include "search/refit/refit.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/refit/internal.h"

/* Weight of the proximal term in units of the curvature a column would have if every row were bent. */
#define PROXIMAL_WEIGHT 1e-6
/* Keep lists of nonzeros when less than this share of A is stored. */
#define LIST_DENSITY 0.25

int refit_applies(const struct problem *problem) {
    int known = problem->h.kind->separable || strcmp(problem->h.kind->name, "linf") == 0;

    return known && problem->f.term == NULL && problem->f.linear == NULL && problem->A->reduce == NULL;
}

static int is_separable(const struct refit *p) {
    return p->problem->h.kind->separable;
}

static void add_kink(struct refit *p, int64_t row, double place, double up, double down) {
    if (up + down > 0) {
        p->kink_row[p->kinks] = row;
        p->place[p->kinks] = place;
        p->up[p->kinks] = up;
        p->down[p->kinks++] = down;
    }
}

static void make_kinks(struct refit *p) {
    const struct loss *h = &p->problem->h;
    const double *b = p->problem->b;

    for (int64_t i = 0; is_separable(p) && i < p->rows; i++) {
        if (h->dead[i] > 0) {
            add_kink(p, i, b[i] + h->dead[i], h->up[i], 0);
            add_kink(p, i, b[i] - h->dead[i], 0, h->down[i]);
        } else {
            add_kink(p, i, b[i], h->up[i], h->down[i]);
        }
    }
}

/* Sizes of b and of the loss at x = 0, which say what is small. */
static void measure_target(struct refit *p) {
    const double *b = p->problem->b;
    double slopes = is_separable(p) ? 0 : 2;
    double mean = vector_norm1(p->rows, b) / (double)(p->rows > 0 ? p->rows : 1);

    p->b_max = vector_norm_inf(p->rows, b);
    p->b_length = sqrt(vector_sum_squares(p->rows, b));
    for (int64_t i = 0; i < p->rows; i++) {
        slopes += is_separable(p) ? p->problem->h.up[i] + p->problem->h.down[i] : 0;
        p->residual[i] = -b[i];
    }
    p->zero_objective = p->problem->h.ops->value(&p->problem->h, p->residual);
    p->unit = 0.5 * slopes / (mean > 0 ? mean : 1);
}

static void take_columns(struct refit *p, struct workspace *workspace) {
    int64_t n = p->capacity;

    p->At = workspace_doubles(workspace, p->rows * n);
    p->columns = workspace_integers(workspace, n);
    p->dense = workspace_doubles(workspace, p->rows);
    p->ridge = workspace_doubles(workspace, n);
    p->H = workspace_doubles(workspace, n);
    p->scale = workspace_doubles(workspace, n);
    p->norm = workspace_doubles(workspace, n);
    if (p->lists) {
        p->list_row = workspace_array(workspace, n * p->rows, sizeof *p->list_row);
        p->list_value = workspace_doubles(workspace, n * p->rows);
        p->list_size = workspace_integers(workspace, n);
    }
}

static void take_vectors(struct refit *p, int64_t kinks, struct workspace *workspace) {
    int64_t n = p->capacity + 2;
    int64_t most = kinks > p->rows ? kinks : p->rows;

    p->kink_row = workspace_integers(workspace, kinks);
    p->place = workspace_doubles(workspace, kinks);
    p->up = workspace_doubles(workspace, kinks);
    p->down = workspace_doubles(workspace, kinks);
    p->offset = workspace_doubles(workspace, kinks);
    p->side = workspace_array(workspace, kinks, 1);
    p->x = workspace_doubles(workspace, n);
    p->x_out = workspace_doubles(workspace, n);
    p->centre = workspace_doubles(workspace, n);
    p->g = workspace_doubles(workspace, n);
    p->v = workspace_doubles(workspace, n);
    p->y = workspace_doubles(workspace, n);
    p->direction = workspace_doubles(workspace, n);
    p->image = workspace_doubles(workspace, p->rows);
    p->Q = workspace_doubles(workspace, n * n);
    p->R = workspace_doubles(workspace, n * n);
    p->householder = workspace_doubles(workspace, n);
    p->Z = workspace_integers(workspace, n);
    p->sign = workspace_array(workspace, n, 1);
    p->multiplier = workspace_doubles(workspace, n);
    p->rate = workspace_doubles(workspace, n);
    p->break_at = workspace_doubles(workspace, most + n);
    p->break_jump = workspace_doubles(workspace, most + n);
    p->order = workspace_integers(workspace, most + n);
    p->residual = workspace_doubles(workspace, p->rows);
    p->dual = workspace_doubles(workspace, p->rows);
    p->work = workspace_doubles(workspace, p->rows > n ? p->rows : n);
    p->full_x = workspace_doubles(workspace, p->problem->A->columns);
    p->out_rows = workspace_integers(workspace, n);
    p->out_signs = workspace_array(workspace, n, 1);
}

struct refit *refit_new(const struct problem *problem, int64_t capacity) {
    struct refit *p = memory_array(1, sizeof *p);
    const struct linop *A = problem->A;

    if (p == NULL) {
        return NULL;
    }
    p->problem = problem;
    p->rows = A->rows;
    p->capacity = capacity > 0 ? capacity : 1;
    p->lists = (double)A->nonzeros < LIST_DENSITY * (double)A->rows * (double)A->columns;
    take_columns(p, &p->workspace);
    take_vectors(p, is_separable(p) ? 2 * p->rows : 0, &p->workspace);
    p->polish = polish_new(problem, p->capacity);
    if (p->workspace.failed || p->polish == NULL) {
        refit_free(p);
        return NULL;
    }
    make_kinks(p);
    measure_target(p);
    return p;
}

void refit_free(struct refit *p) {
    if (p != NULL) {
        polish_free(p->polish);
        workspace_free(&p->workspace);
        memory_free(p);
    }
}

void refit_set_stop(struct refit *p, int (*must_stop)(void *context), void *context) {
    p->must_stop = must_stop;
    p->stop_context = context;
    polish_set_stop(p->polish, must_stop, context);
}

int refit_must_stop(const struct refit *p) {
    return p->must_stop != NULL && p->must_stop(p->stop_context);
}

/* ---- columns ----------------------------------------------------------------------------------------- */

void refit_set_size(struct refit *p, int64_t size) {
    p->size = size;
}

static void list_nonzeros(struct refit *p, int64_t position) {
    int32_t *row = p->list_row + position * p->rows;
    double *value = p->list_value + position * p->rows;
    int64_t count = 0;

    for (int64_t i = 0; i < p->rows; i++) {
        if (p->dense[i] != 0) {
            row[count] = (int32_t)i;
            value[count++] = p->dense[i];
        }
    }
    p->list_size[position] = count;
}

void refit_set_column(struct refit *p, int64_t position, int64_t column) {
    double ridge = p->problem->f.ridge[column];
    double square, weight;

    linop_gather(p->problem->A, 1, &column, p->dense, p->rows);
    square = vector_sum_squares(p->rows, p->dense);
    weight = PROXIMAL_WEIGHT * (square > 0 ? square / (double)p->rows : 1) * p->unit;
    p->columns[position] = column;
    p->ridge[position] = ridge;
    p->H[position] = fmax(ridge, weight);
    p->scale[position] = 1 / sqrt(p->H[position]);
    p->norm[position] = sqrt(square);
    for (int64_t i = 0; i < p->rows; i++) {
        p->At[i * p->capacity + position] = p->scale[position] * p->dense[i];
    }
    if (p->lists) {
        list_nonzeros(p, position);
    }
}

void refit_drop_column(struct refit *p, int64_t position) {
    int64_t last = --p->size;

    if (position != last) {
        refit_set_column(p, position, p->columns[last]);
        p->x_out[position] = p->x_out[last];
    }
}

void refit_set_x(struct refit *p, const double *x) {
    vector_copy(p->size, x, p->x_out);
}

void refit_set_active(struct refit *p, int64_t count, const int64_t *rows, const signed char *signs) {
    p->out_count = count;
    memcpy(p->out_rows, rows, (size_t)count * sizeof *rows);
    memcpy(p->out_signs, signs, (size_t)count);
}

/* ---- products ---------------------------------------------------------------------------------------- */

/* Lists pay when an entry of theirs, three times as dear as a dense one, is rare enough. */
static void choose_products(struct refit *p) {
    int64_t stored = 0;

    for (int64_t j = 0; p->lists && j < p->size; j++) {
        stored += 3 * p->list_size[j];
    }
    p->sparse = p->lists && (double)stored < 0.8 * (double)p->rows * (double)p->size;
}

void refit_multiply(const struct refit *p, const double *v, double *out) {
    if (!p->sparse) {
        dense_dot_columns(p->size, p->rows, p->At, p->capacity, v, out);
        return;
    }
    memset(out, 0, (size_t)p->rows * sizeof *out);
    for (int64_t j = 0; j < p->size; j++) {
        const int32_t *row = p->list_row + j * p->rows;
        const double *value = p->list_value + j * p->rows;
        double factor = v[j] * p->scale[j];

        for (int64_t t = 0; factor != 0 && t < p->list_size[j]; t++) {
            out[row[t]] += factor * value[t];
        }
    }
}

void refit_transpose(const struct refit *p, const double *v, double *out) {
    if (!p->sparse) {
        memset(out, 0, (size_t)p->size * sizeof *out);
        dense_add_columns(p->size, p->rows, p->At, p->capacity, v, out);
        return;
    }
    for (int64_t j = 0; j < p->size; j++) {
        const int32_t *row = p->list_row + j * p->rows;
        const double *value = p->list_value + j * p->rows;
        double sum = 0;

        for (int64_t t = 0; t < p->list_size[j]; t++) {
            sum += value[t] * v[row[t]];
        }
        out[j] = sum * p->scale[j];
    }
}

/* ---- values ------------------------------------------------------------------------------------------ */

void refit_evaluate(struct refit *p) {
    double ridge = 0;

    for (int64_t j = 0; j < p->size; j++) {
        p->x_out[j] = p->x[j] * p->scale[j];
        ridge += 0.5 * p->ridge[j] * p->x_out[j] * p->x_out[j];
    }
    refit_multiply(p, p->x, p->residual);
    vector_axpy(p->rows, -1, p->problem->b, p->residual);
    p->objective = ridge + p->problem->h.ops->value(&p->problem->h, p->residual);
}

/*
 * The most that e x' + ridge x'^2 / 2 can fall below zero, for column j with e = a_j'u: e^2 / (2 ridge). Where there is
 * no ridge (or next to none) the gradient g = e + ridge x must vanish; what rounding leaves of it is charged over the
 * reach of x' - x, as in polish, and a g above rounding proves nothing.
 */
static double charge(const struct refit *p, int64_t j, double e, double length) {
    double w = p->ridge[j];
    double x = p->x_out[j];
    double g = fabs(e + w * x);
    double by_ridge = w > 0 ? 0.5 * e * e / w : (e == 0 ? 0.0 : INFINITY);
    double reach;

    if (w >= p->H[j] || isgreater(g, 1e-9 * p->norm[j] * length)) {
        return by_ridge;
    }
    reach = p->norm[j] > 0 ? p->b_length / p->norm[j] : 0;
    return fmin(by_ridge, 10 * g * (reach + fabs(x)) - e * x - 0.5 * w * x * x);
}

/* F(x) >= u'(A x - b) - h*(u) + ridge(x) for every x, minimised over x column by column. */
double refit_dual_value(struct refit *p, double linear) {
    double length = sqrt(vector_sum_squares(p->rows, p->dual));

    refit_transpose(p, p->dual, p->y);
    for (int64_t j = 0; j < p->size; j++) {
        linear -= charge(p, j, p->y[j] / p->scale[j], length);
    }
    return isnan(linear) ? 0 : fmin(fmax(linear, 0), p->objective); /* F >= 0 always */
}

void refit_set_centre(struct refit *p) {
    for (int64_t j = 0; j < p->size; j++) {
        p->centre[j] = p->ridge[j] < p->H[j] ? (1 - p->ridge[j] / p->H[j]) * p->x[j] : 0;
    }
}

int refit_is_proximal(const struct refit *p) {
    for (int64_t j = 0; j < p->size; j++) {
        if (p->ridge[j] < p->H[j]) {
            return 1;
        }
    }
    return 0;
}

/* A perfect fit has F near 0: then the gap is measured against 1e-3 of the loss at x = 0. */
int refit_is_good(const struct refit *p) {
    return islessequal(p->objective - p->bound, REFIT_GAP * fmax(p->objective, 1e-3 * p->zero_objective));
}

/* Quickselect with an insertion sort of what is asked for at the end. */
void refit_smallest(const double *keys, int64_t *order, int64_t count, int64_t want) {
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

/* The interior point of polish: x, objective, bound and dual of the support; x scaled as well. */
static enum refit_outcome solve_by_polish(struct refit *p) {
    struct polish_report report;

    memset(p->full_x, 0, (size_t)p->problem->A->columns * sizeof *p->full_x);
    if (polish_run(p->polish, p->size, p->columns, p->full_x, &report, NULL) != SPGM_OK) {
        return REFIT_INEXACT;
    }
    for (int64_t j = 0; j < p->size; j++) {
        p->x[j] = p->full_x[p->columns[j]] / p->scale[j];
    }
    refit_evaluate(p);
    vector_copy(p->rows, polish_dual(p->polish), p->dual);
    p->bound = fmin(report.bound, p->objective);
    p->out_count = 0;
    return refit_is_good(p) ? REFIT_OPTIMAL : REFIT_INEXACT;
}

static enum refit_outcome solve_from_x(struct refit *p, double cutoff) {
    int64_t want = p->size + 1 < p->rows ? p->size + 1 : p->rows;

    if (is_separable(p)) {
        return separable_solve(p);
    }
    if (p->out_count > 0) {
        return maximum_solve(p, p->out_count, p->out_rows, p->out_signs, cutoff);
    }
    maximum_rows(p, want, p->out_signs);
    return maximum_solve(p, want, p->order, p->out_signs, cutoff);
}

/* No columns: F is the loss of -b. */
static enum refit_outcome solve_nothing(struct refit *p) {
    for (int64_t i = 0; i < p->rows; i++) {
        p->residual[i] = -p->problem->b[i];
    }
    p->problem->h.ops->subgradient(&p->problem->h, p->residual, p->dual);
    p->objective = p->zero_objective;
    p->bound = p->zero_objective;
    p->out_count = 0;
    return REFIT_OPTIMAL;
}

enum refit_outcome refit_solve_cold(struct refit *p) {
    enum refit_outcome outcome;
    double objective;

    if (p->size == 0) {
        return solve_nothing(p);
    }
    choose_products(p);
    outcome = solve_by_polish(p);
    objective = p->objective;
    if (refit_must_stop(p)) {
        return REFIT_INEXACT;
    }
    if (objective == 0 || solve_from_x(p, INFINITY) != REFIT_OPTIMAL || p->objective > objective) {
        outcome = solve_by_polish(p);
    } else {
        outcome = REFIT_OPTIMAL;
    }
    return outcome;
}

enum refit_outcome refit_solve_warm(struct refit *p, double cutoff) {
    enum refit_outcome outcome;

    if (p->size == 0) {
        return solve_nothing(p);
    }
    choose_products(p);
    for (int64_t j = 0; j < p->size; j++) {
        p->x[j] = p->x_out[j] / p->scale[j];
    }
    if (!is_separable(p) && p->out_count == 0) {
        refit_evaluate(p); /* for the largest residuals */
    }
    outcome = solve_from_x(p, cutoff);
    if (outcome == REFIT_INEXACT && refit_must_stop(p)) {
        refit_evaluate(p);
        p->bound = 0; /* F >= 0 */
        p->out_count = 0;
        return REFIT_INEXACT;
    }
    return outcome == REFIT_INEXACT ? refit_solve_cold(p) : outcome;
}

/* ---- views ------------------------------------------------------------------------------------------- */

const double *refit_x(const struct refit *p) {
    return p->x_out;
}

const double *refit_residual(const struct refit *p) {
    return p->residual;
}

const double *refit_dual(const struct refit *p) {
    return p->dual;
}

double refit_objective(const struct refit *p) {
    return p->objective;
}

double refit_bound(const struct refit *p) {
    return p->bound;
}

int64_t refit_active(const struct refit *p, const int64_t **rows, const signed char **signs) {
    *rows = p->out_rows;
    *signs = p->out_signs;
    return p->out_count;
}

int64_t refit_pivots(const struct refit *p) {
    return p->pivots;
}
