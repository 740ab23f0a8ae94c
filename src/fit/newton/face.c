/*
 * A Cholesky factor of the normal matrix over the columns that may move, updated one column at a time in O(size^2). A
 * column whose pivot is negligible depends on the others and rests where it is. Nothing is lost by that if the
 * dependence is exact; otherwise qr.c takes over.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

/* Column `count` of R for the position, except its diagonal entry. */
double face_pivot(struct newton *n, int64_t position) {
    struct face *face = &n->face;
    int64_t k = face->count, ld = n->state->capacity;
    double *column = face->R + k * ld;

    for (int64_t i = 0; i < k; i++) {
        column[i] = normal_entry(n, face->order[i], position);
    }
    dense_solve_upper_transposed(k, face->R, ld, column);
    return normal_entry(n, position, position) - vector_dot(k, column, column);
}

/* Returns 0 if the column depends on the others. */
int face_append(struct newton *n, int64_t position) {
    struct face *face = &n->face;
    int64_t k = face->count;
    double *column = face->R + k * n->state->capacity;
    double whole = normal_entry(n, position, position), pivot = face_pivot(n, position);

    if (!isgreater(pivot, FACE_DEPENDENT * whole)) {
        face->state[position] = RESTS;
        face->least = 0;
        return 0;
    }
    face->least = fmin(face->least, pivot / whole);
    column[k] = sqrt(pivot);
    face->order[k] = position;
    face->state[position] = MOVES;
    face->count++;
    return 1;
}

/* Rotate rows i and i + 1 of the columns from i + 1 on so that the entry below the diagonal vanishes. */
static void turn(double *R, int64_t ld, int64_t i, int64_t count) {
    double a = R[i + i * ld], b = R[i + 1 + i * ld], length = hypot(a, b);
    double cosine = length > 0 ? a / length : 1, sine = length > 0 ? b / length : 0;

    R[i + i * ld] = length;
    R[i + 1 + i * ld] = 0;
    for (int64_t j = i + 1; j < count; j++) {
        double upper = R[i + j * ld], lower = R[i + 1 + j * ld];

        R[i + j * ld] = cosine * upper + sine * lower;
        R[i + 1 + j * ld] = cosine * lower - sine * upper;
    }
}

void face_remove(struct newton *n, int64_t position) {
    struct face *face = &n->face;
    int64_t ld = n->state->capacity, at = 0;

    while (at < face->count && face->order[at] != position) {
        at++;
    }
    if (at == face->count) {
        return;
    }
    face->count--;
    for (int64_t j = at; j < face->count; j++) {
        face->order[j] = face->order[j + 1];
        vector_copy(j + 2, face->R + (j + 1) * ld, face->R + j * ld);
    }
    face->least = 1;
    for (int64_t i = 0; i < face->count; i++) {
        double whole = normal_entry(n, face->order[i], face->order[i]), pivot;

        if (i >= at) {
            turn(face->R, ld, i, face->count);
        }
        pivot = face->R[i + i * ld];
        face->least = fmin(face->least, pivot * (pivot / whole));
    }
}

/* Factor all at once, if no column depends on others. Returns 0 if one does, or if stopped. */
static int factor_at_once(struct newton *n) {
    struct face *face = &n->face;
    struct fit_state *s = n->state;
    int64_t k = 0;

    for (int64_t i = 0; i < s->size; i++) {
        if (face->state[i] != AT_LOWER && face->state[i] != AT_UPPER) {
            face->state[i] = MOVES;
            face->order[k++] = i;
        }
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i <= j; i++) {
            face->R[i + j * s->capacity] = normal_entry(n, face->order[i], face->order[j]);
        }
    }
    if (!dense_factor_until(k, face->R, s->capacity, &s->stop)) {
        return 0;
    }
    face->least = 1;
    for (int64_t j = 0; j < k; j++) {
        double whole = normal_entry(n, face->order[j], face->order[j]), pivot = face->R[j + j * s->capacity];

        face->least = fmin(face->least, pivot * (pivot / whole));
    }
    face->count = k;
    return isgreater(face->least, FACE_DEPENDENT); /* smaller pivots are rounding */
}

int face_factor(struct newton *n) {
    struct face *face = &n->face;
    struct fit_state *s = n->state;

    face->c = n->normal.c;
    if (factor_at_once(n)) {
        return 1;
    }
    face->count = 0;
    face->least = 1;
    for (int64_t i = 0; i < s->size && !s->stop.stopped; i++) {
        if (face->state[i] != AT_LOWER && face->state[i] != AT_UPPER) {
            face_append(n, i);
            stop_after(&s->stop, face->count * face->count);
        }
    }
    return !s->stop.stopped;
}

double face_step(struct newton *n, const double *g, double *d) {
    struct face *face = &n->face;
    int64_t k = face->count, ld = n->state->capacity;
    double decrement;

    for (int64_t i = 0; i < k; i++) {
        face->rhs[i] = -g[face->order[i]];
    }
    dense_solve_upper_transposed(k, face->R, ld, face->rhs);
    decrement = vector_sum_squares(k, face->rhs);
    dense_solve_upper(k, face->R, ld, face->rhs);
    memset(d, 0, (size_t)n->state->size * sizeof *d);
    for (int64_t i = 0; i < k; i++) {
        d[face->order[i]] = face->rhs[i];
    }
    return decrement;
}

/*
 * Entries of d of the size of rounding are set to zero: along an unbounded direction they would meet a bound far away.
 */
void face_give_way(struct newton *n, int64_t position, double *d) {
    struct face *face = &n->face;
    int64_t k = face->count, ld = n->state->capacity;
    double whole = sqrt(normal_entry(n, position, position));

    for (int64_t i = 0; i < k; i++) {
        face->rhs[i] = -normal_entry(n, face->order[i], position);
    }
    dense_solve_upper_transposed(k, face->R, ld, face->rhs);
    dense_solve_upper(k, face->R, ld, face->rhs);
    memset(d, 0, (size_t)n->state->size * sizeof *d);
    for (int64_t i = 0; i < k; i++) {
        double size = fabs(face->rhs[i]) * sqrt(normal_entry(n, face->order[i], face->order[i]));

        d[face->order[i]] = size > FACE_ROUNDING * whole ? face->rhs[i] : 0;
    }
    d[position] = 1;
}
