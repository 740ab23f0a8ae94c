/* f(x) = 1/2 sum_j ridge_j x_j^2 + p'x + phi(x): the sum of the parts. */
#include "model/smooth.h"

int64_t smooth_state_size(const struct smooth *f) {
    return f->term == NULL ? 0 : f->term->state_size(f);
}

void smooth_refresh(const struct smooth *f, const double *x, double *state) {
    if (f->term != NULL)
        f->term->refresh(f, x, state);
}

void smooth_refresh_columns(const struct smooth *f, int64_t k, const int64_t *columns, const double *z, double *state) {
    if (f->term != NULL) {
        f->term->reset(f, state);
        f->term->update(f, k, columns, z, state);
    }
}

void smooth_update(const struct smooth *f, int64_t k, const int64_t *columns, const double *change, double *state) {
    if (f->term != NULL)
        f->term->update(f, k, columns, change, state);
}

/* sum_j (ridge_j x_j / 2 + p_j) x_j */
static double separable_value(int64_t n, const double *ridge, const double *linear, const double *x) {
    double sum = 0;
    if (linear == NULL) {
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++)
            sum += ridge[j] / 2 * x[j] * x[j];
    } else {
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++)
            sum += (ridge[j] / 2 * x[j] + linear[j]) * x[j];
    }
    return sum;
}

double smooth_value(const struct smooth *f, const double *x, const double *state) {
    double value = separable_value(f->columns, f->ridge, f->linear, x);
    return f->term == NULL ? value : value + f->term->value(f, x, state);
}

double smooth_value_columns(const struct smooth *f, const double *x, const double *state, int64_t k,
                            const int64_t *columns) {
    double value = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        value += (f->ridge[j] / 2 * x[j] + (f->linear == NULL ? 0 : f->linear[j])) * x[j];
    }
    return f->term == NULL ? value : value + f->term->value(f, x, state);
}

void smooth_gradient(const struct smooth *f, const double *x, const double *state, double *g) {
    if (f->term != NULL)
        f->term->gradient(f, state, g);
    for (int64_t j = 0; j < f->columns; j++)
        g[j] = (f->term == NULL ? 0 : g[j]) + f->ridge[j] * x[j];
    for (int64_t j = 0; f->linear != NULL && j < f->columns; j++)
        g[j] += f->linear[j];
}

void smooth_gradient_columns(const struct smooth *f, const double *x, const double *state, int64_t k,
                             const int64_t *columns, double *g) {
    if (f->term != NULL)
        f->term->gradient_columns(f, state, k, columns, g);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        g[i] = (f->term == NULL ? 0 : g[i]) + f->ridge[j] * x[j];
        if (f->linear != NULL)
            g[i] += f->linear[j];
    }
}

void smooth_add_curvature(const struct smooth *f, int64_t k, const int64_t *columns, double *M) {
    smooth_add_curvature_until(f, k, columns, M, NULL);
}

int smooth_add_curvature_until(const struct smooth *f, int64_t k, const int64_t *columns, double *M,
                               struct stop *stop) {
    for (int64_t i = 0; i < k; i++)
        M[i + i * k] += f->ridge[columns[i]];
    if (f->term != NULL)
        f->term->add_curvature(f, k, columns, M, stop);
    return stop == NULL || !stop->stopped;
}

void smooth_add_cross(const struct smooth *f, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      double *G, int64_t ld) {
    if (f->term != NULL)
        f->term->add_cross(f, k, columns, l, right, G, ld);
}

double smooth_smoothness(const struct smooth *f, double *work, struct stop *stop) {
    double largest = 0;
    for (int64_t j = 0; j < f->columns; j++)
        largest = f->ridge[j] > largest ? f->ridge[j] : largest;
    return f->term == NULL ? largest : largest + f->term->smoothness(f, work, stop);
}
