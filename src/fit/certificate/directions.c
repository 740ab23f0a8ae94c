/*
 * How far u must move until the slopes of the pinned columns are exact, and a proof that it need not move further.
 *
 * For directions B [rows x count], weights t and defects e the shortest change t q of u with B't q = -e has
 * ||q||^2 = e'(B't^2 B)^-1 e <= ||D e||^2 / lambda, lambda any lower bound on the eigenvalues of S = D B't^2 B D.
 *
 * THE BOUND ON EIGENVALUES (Rump, BIT 46, 2006): if the factorisation of the computed S less tau I runs to its end, its
 * eigenvalues are above -(count + 1) eps trace / (1 - ...); the computed S is within count times the rounding of a
 * scalar product of the exact one, for its diagonal is 1 and by Cauchy and Schwarz no sum of sizes is larger.
 *
 * NEARLY DEPENDENT COLUMNS: A_M'v = 0 is the same as (A_M C)'v = 0 for every regular C. With C from an orthogonal
 * factor the columns of B = A_M C are nearly orthonormal, and their entries, long sums that cancel, are computed in
 * long double, with a bound on what rounding did to each. Columns that depend on others exactly (duplicates, indicators
 * that sum to one) need no direction of their own: that is checked in the data, operation by operation.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fit/certificate/internal.h"
#include "fit/constants.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

static double dot(const struct certificate *c, const double *x, const double *y) {
    const struct linop *A = c->fit->problem->A;
    double sum = 0;

    for (int64_t i = 0; i < A->rows; i++) {
        sum += c->weight[i] * x[i] * y[i];
    }
    reduce_sum(A->reduce, &sum, 1);
    return sum;
}

/* ---- the least eigenvalue -------------------------------------------------------------------------------------- */

/* D, and the Gram matrix scaled to unit diagonal. Returns 0 if a column is negligible. */
static int scale_gram(struct directions *d) {
    int64_t k = d->count;

    for (int64_t j = 0; j < k; j++) {
        double square = d->gram[j + j * k];

        if (!isgreater(square, LEAST_SQUARE) || !isfinite(square)) {
            return 0;
        }
        d->scale[j] = 1 / sqrt(square);
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) {
            d->gram[i + j * k] *= d->scale[i] * d->scale[j];
        }
        d->gram[j + j * k] = 1;
    }
    return 1;
}

static int factor_shifted(struct certificate *c, double shift) {
    struct directions *d = &c->directions;

    memcpy(d->factor, d->gram, (size_t)(d->count * d->count) * sizeof *d->factor);
    for (int64_t j = 0; j < d->count; j++) {
        d->factor[j + j * d->count] -= shift;
    }
    return dense_factor_until(d->count, d->factor, d->count, &c->fit->stop);
}

/* ||t dB D|| */
static double blur(const struct directions *d) {
    double sum = 0;

    for (int64_t l = 0; d->is_block && l < d->count; l++) {
        sum += d->scale[l] * d->blur[l] * (d->scale[l] * d->blur[l]);
    }
    return sqrt(sum) * (1 + rounding_of((double)d->count + 8));
}

/* Compute `least` from the largest of a few shifts that succeeds, and the factor without a shift. Returns 0 if nothing
 * is proven. */
static int prove_least(struct certificate *c) {
    struct directions *d = &c->directions;
    double k = (double)d->count;
    double slack = k * (rounding_of(c->rows + c->term_rows + c->parts + 32) + rounding_of(2 * k + 16));

    d->least = 0;
    for (double shift = DIRECTION_SHIFT; shift >= 4 * slack && !c->fit->stop.stopped; shift /= DIRECTION_SMALLER) {
        if (factor_shifted(c, shift)) {
            d->least = sqrt((shift - slack) * (1 - 1e-12)) * (1 - 1e-12) - blur(d);
            break;
        }
    }
    return isgreater(d->least, 0) && factor_shifted(c, 0);
}

/* ---- the columns themselves ------------------------------------------------------------------------------------ */

/* gram += the Hessian of phi, if that is exactly symmetric: its square root then acts like further rows of A. */
static int add_term(struct certificate *c) {
    struct directions *d = &c->directions;
    const struct smooth *f = &c->fit->problem->f;
    int64_t k = d->count;

    d->has_term = f->term != NULL;
    if (!d->has_term) {
        return 1;
    }
    memset(d->factor, 0, (size_t)(k * k) * sizeof *d->factor);
    f->term->add_curvature(f, k, d->columns, d->factor, &c->fit->stop);
    for (int64_t i = 0; i < k * k; i++) {
        d->has_term &= d->factor[i] == d->factor[i / k + i % k * k];
    }
    vector_axpy(k * k, d->has_term, d->factor, d->gram);
    return !c->fit->stop.stopped;
}

static int form_columns(struct certificate *c) {
    struct directions *d = &c->directions;

    d->is_block = 0;
    d->count = c->pin_count;
    for (int64_t l = 0; l < d->count; l++) {
        d->kept[l] = c->pins[l];
        d->columns[l] = c->fit->columns[c->pins[l]];
    }
    c->fit->spent += (double)c->fit->problem->A->rows * (double)d->count * (double)(d->count + 1) / 2;
    return linop_gram_until(c->fit->problem->A, d->count, d->columns, c->weight, d->gram, &c->fit->stop) &&
           add_term(c) && scale_gram(d);
}

int directions_by_columns(struct certificate *c) {
    return form_columns(c) && prove_least(c);
}

int directions_by_force(struct certificate *c) {
    struct directions *d = &c->directions;

    d->least = 1;
    for (double shift = form_columns(c) ? DIRECTION_FORCE : 1; shift < 1 && !c->fit->stop.stopped;
         shift *= DIRECTION_MORE_FORCE) {
        if (factor_shifted(c, -shift)) {
            return 1;
        }
    }
    return 0;
}

/* ---- an orthonormal basis -------------------------------------------------------------------------------------- */

static int take_block(struct certificate *c) {
    struct directions *d = &c->directions;
    int64_t rows = c->fit->problem->A->rows, k = c->fit->capacity;

    if (d->block == NULL) {
        double *block = workspace_doubles(&c->workspace, rows > 0 && k > INT64_MAX / rows ? -1 : rows * k);

        d->C = workspace_doubles(&c->workspace, k * k);
        d->block = c->workspace.failed ? NULL : block;
        c->is_short |= c->workspace.failed;
        c->workspace.failed = 0; /* the arrays taken earlier are all there */
    }
    return d->block != NULL;
}

/* coefficients [count] += basis't^2 v, and subtract that part from v */
static void orthogonalise(struct certificate *c, int64_t count, double *v, double *coefficients) {
    struct directions *d = &c->directions;
    const struct linop *A = c->fit->problem->A;
    int64_t rows = A->rows;

    for (int64_t i = 0; i < rows; i++) {
        c->scratch[i] = c->weight[i] * v[i];
    }
    dense_dot_columns(rows, count, d->block, rows, c->scratch, d->work);
    reduce_sum(A->reduce, d->work, count);
    for (int64_t l = 0; l < count; l++) {
        vector_axpy(rows, -d->work[l], d->block + l * rows, v);
        coefficients[l] += d->work[l];
    }
}

/* sum_i += factor v_i where u may be nonzero. Returns zero if any operation rounded. */
static int add_exactly(const struct certificate *c, double factor, const double *v, double *sum) {
    for (int64_t i = 0; i < c->fit->problem->A->rows; i++) {
        double term = factor * v[i], next = sum[i] + term, back = next - sum[i];

        if ((c->weight[i] > 0 || c->u[i] != 0) &&
            (fma(factor, v[i], -term) != 0 || (sum[i] - (next - back)) + (term - back) != 0)) {
            return 0;
        }
        sum[i] = next;
    }
    return 1;
}

/* Whether the column is exact apart from the rounding of its scale, which can be taken out, and has nothing but A'u in
 * its slope. */
static int is_plain(const struct certificate *c, int64_t position, double scale) {
    const struct problem *p = c->fit->problem;
    int64_t j = c->fit->columns[position];

    return (problem_rounding(p, j) == 0 || scale == p->scale[j]) && c->smooth[position].value == 0 &&
           c->smooth[position].error == 0 && c->target[position] == 0;
}

/* The least q for which q times the coefficients are nearly multiples of 1 / DIRECTION_GRID; 0: none. */
static double common_denominator(int64_t count, const double *coefficients) {
    for (int q = 1; q <= MOST_PARTS; q++) {
        double off = 0;

        for (int64_t l = 0; l < count; l++) {
            double multiple = q * coefficients[l] * DIRECTION_GRID;

            off = fmax(off, fabs(multiple - rint(multiple)));
        }
        if (off < DIRECTION_OFF) {
            return q;
        }
    }
    return 0;
}

/* Whether a pinned column is an exact combination of the `count` kept ones in the unscaled data; R'R = their Gram
 * matrix. The coefficients are in the column of R, and are destroyed. */
static int depends_exactly(struct certificate *c, int64_t position, int64_t count, const double *R, int64_t ld,
                           double *coefficients) {
    const struct linop *A = c->fit->problem->A;
    double scale = linop_unscaled(A, c->fit->columns[position], c->column);
    double is_wrong = !is_plain(c, position, scale), *sum = c->scratch, q;

    dense_solve_upper(count, R, ld, coefficients);
    for (int64_t l = 0; l < count; l++) {
        coefficients[l] *= linop_unscaled(A, c->directions.columns[l], NULL) / scale;
    }
    q = common_denominator(count, coefficients);
    memset(sum, 0, (size_t)A->rows * sizeof *sum);
    is_wrong = is_wrong || q == 0 || !add_exactly(c, q, c->column, sum);
    for (int64_t l = 0; l < count && is_wrong == 0; l++) {
        double factor = rint(q * coefficients[l] * DIRECTION_GRID) / DIRECTION_GRID;

        if (factor != 0) {
            scale = linop_unscaled(A, c->directions.columns[l], c->column);
            is_wrong = !is_plain(c, c->directions.kept[l], scale) || !add_exactly(c, -factor, c->column, sum);
        }
    }
    for (int64_t i = 0; i < A->rows && is_wrong == 0; i++) {
        is_wrong = sum[i] != 0 && (c->weight[i] > 0 || c->u[i] != 0);
    }
    reduce_max(A->reduce, &is_wrong, 1);
    return is_wrong == 0;
}

/* R in `gram` (ld capacity) by Gram-Schmidt, each column twice. Returns 0 if a column seems to depend on others, but
 * not provably, or if stopped. */
static int orthonormalise(struct certificate *c) {
    struct directions *d = &c->directions;
    struct fit_state *s = c->fit;
    int64_t rows = s->problem->A->rows, ld = s->capacity;

    d->count = 0;
    for (int64_t l = 0; l < c->pin_count; l++) {
        double *v = d->block + d->count * rows, *column = d->gram + d->count * ld, whole, left;

        s->spent += 4 * (double)rows * (double)(d->count + 1);
        if (s->problem->A->reduce == NULL && stop_after(&s->stop, 4 * rows * (d->count + 1))) {
            return 0;
        }
        linop_gather(s->problem->A, 1, s->columns + c->pins[l], v, rows);
        memset(column, 0, (size_t)d->count * sizeof *column);
        whole = sqrt(dot(c, v, v));
        orthogonalise(c, d->count, v, column);
        orthogonalise(c, d->count, v, column);
        left = sqrt(dot(c, v, v));
        if (isgreater(left, DIRECTION_VANISHED * whole) && left * left > LEAST_SQUARE) {
            vector_scale(rows, 1 / left, v);
            column[d->count] = left;
            d->kept[d->count] = c->pins[l];
            d->columns[d->count++] = s->columns[c->pins[l]];
        } else if (!depends_exactly(c, c->pins[l], d->count, d->gram, ld, column)) {
            return 0;
        }
    }
    return 1;
}

/* C = R^-1, both with ld capacity. Returns 0 if it is not finite. */
static int invert(struct directions *d, int64_t ld) {
    for (int64_t l = 0; l < d->count; l++) {
        memset(d->C + l * ld, 0, (size_t)d->count * sizeof *d->C);
        d->C[l + l * ld] = 1;
        dense_solve_upper(l + 1, d->gram, ld, d->C + l * ld);
        if (vector_first_bad(l + 1, d->C + l * ld) >= 0 || d->C[l + l * ld] == 0) {
            return 0;
        }
    }
    return 1;
}

/* Row i of B = A C from row i of A, last entry first, and a bound on its rounding error. */
static void multiply_row(struct certificate *c, int64_t i, double relative) {
    struct directions *d = &c->directions;
    int64_t rows = c->fit->problem->A->rows, ld = c->fit->capacity;
    double most = fabs(c->from[i]) + c->room[i];

    for (int64_t l = d->count - 1; l >= 0; l--) {
        long double value = 0, size = 0;
        double error;

        for (int64_t j = 0; j <= l; j++) {
            long double term = (long double)d->block[i + j * rows] * d->C[j + l * ld];

            value += term;
            size += fabsl(term);
        }
        error = (double)(size * ((long double)(l + 5) * LDBL_EPSILON + relative) + fabsl(value) * DBL_EPSILON);
        d->block[i + l * rows] = (double)value;
        d->blur[l] += c->weight[i] * error * error;
        d->hidden[l] += most * error;
    }
}

/* B = A C in the block, and its Gram matrix. Returns 0 if stopped. */
static int form_basis(struct certificate *c) {
    struct directions *d = &c->directions;
    struct fit_state *s = c->fit;
    const struct linop *A = s->problem->A;
    double relative = 0, more = 1 + rounding_of(c->rows + c->parts + 32);

    s->spent += (double)A->rows * (double)d->count * (double)d->count;
    linop_gather(A, d->count, d->columns, d->block, A->rows);
    for (int64_t l = 0; l < d->count; l++) {
        relative = fmax(relative, problem_rounding(s->problem, d->columns[l]));
        d->blur[l] = d->hidden[l] = 0;
    }
    for (int64_t i = 0; i < A->rows; i++) {
        if (A->reduce == NULL && stop_after(&s->stop, d->count * d->count)) {
            return 0;
        }
        multiply_row(c, i, relative);
    }
    reduce_sum(A->reduce, d->blur, d->count);
    reduce_sum(A->reduce, d->hidden, d->count);
    for (int64_t l = 0; l < d->count; l++) {
        d->blur[l] = sqrt(d->blur[l]) * more;
        d->hidden[l] *= more;
        for (int64_t i = 0; i < A->rows; i++) {
            c->scratch[i] = c->weight[i] * d->block[i + l * A->rows];
        }
        dense_dot_columns(A->rows, l + 1, d->block, A->rows, c->scratch, d->gram + l * d->count);
        reduce_sum(A->reduce, d->gram + l * d->count, l + 1);
    }
    return 1;
}

int directions_by_basis(struct certificate *c) {
    struct directions *d = &c->directions;

    d->is_block = 1;
    d->has_term = 0;
    return take_block(c) && orthonormalise(c) && invert(d, c->fit->capacity) && form_basis(c) && scale_gram(d) &&
           prove_least(c);
}

/* ---- u --------------------------------------------------------------------------------------------------------- */

/* The slope of a pinned column without A'u, minus its required value. */
static struct number rest_of(const struct certificate *c, int64_t position) {
    return number_add(c->smooth[position], 1, (struct number){c->target[position], 0});
}

void directions_measure(struct certificate *c) {
    struct directions *d = &c->directions;
    const struct linop *A = c->fit->problem->A;

    for (int64_t l = 0; l < d->count; l++) {
        int64_t position = d->kept[l];

        if (!d->is_block) {
            d->defect[l] = number_add(c->slope[position], 1, (struct number){c->target[position], 0});
            continue;
        }
        d->defect[l] = sum_close(sum_dot(A->rows, d->block + l * A->rows, c->u), 0, A->reduce);
        d->defect[l].error += d->hidden[l];
        for (int64_t j = 0; j <= l; j++) {
            d->defect[l] = number_add(d->defect[l], d->C[j + l * c->fit->capacity], rest_of(c, d->kept[j]));
        }
    }
}

double directions_length(const struct certificate *c) {
    const struct directions *d = &c->directions;
    long double sum = 0;

    for (int64_t l = 0; l < d->count; l++) {
        long double most = d->scale[l] * (fabsl(d->defect[l].value) + d->defect[l].error);

        sum += most * most;
    }
    return (double)(sqrtl(sum) / d->least) * (1 + rounding_of((double)d->count + 16));
}

void directions_correct(struct certificate *c) {
    struct directions *d = &c->directions;
    const struct linop *A = c->fit->problem->A;

    for (int64_t l = 0; l < d->count; l++) {
        d->more[l] = d->scale[l] * (double)d->defect[l].value;
    }
    dense_solve_upper_transposed(d->count, d->factor, d->count, d->more);
    dense_solve_upper(d->count, d->factor, d->count, d->more);
    for (int64_t l = 0; l < d->count; l++) {
        d->more[l] *= d->scale[l];
    }
    memset(c->column, 0, (size_t)A->rows * sizeof *c->column);
    if (d->is_block) {
        dense_add_columns(A->rows, d->count, d->block, A->rows, d->more, c->column);
    } else {
        linop_add_columns(A, d->count, d->columns, d->more, c->column);
    }
    for (int64_t i = 0; i < A->rows; i++) {
        c->u[i] -= c->weight[i] * c->column[i];
    }
    if (d->has_term) {
        vector_scale(d->count, -1, d->more);
        for (int64_t l = 0; l < d->count; l++) {
            c->at[d->kept[l]] += d->more[l];
        }
        c->fit->problem->f.term->update(&c->fit->problem->f, d->count, d->columns, d->more, c->state);
        certificate_touch(c);
    }
}
