/* A point and what follows it: support, residual, state of f. */
#include "model/point.h"

#include "linalg/vector.h"

void point_init(struct point *point, const struct problem *problem, struct workspace *workspace) {
    int64_t n = problem->A->columns;
    point->problem = problem;
    point->x = workspace_doubles(workspace, n);
    point->residual = workspace_doubles(workspace, problem->A->rows);
    point->state = workspace_doubles(workspace, smooth_state_size(&problem->f));
    point->support = workspace_integers(workspace, n);
    point->entering = workspace_integers(workspace, n);
    point->work = workspace_doubles(workspace, n);
    if (!workspace->failed)
        point_set(point, point->x);
}

static int in_support(const struct point *point, int64_t j) {
    return point->x[j] != 0 || point->problem->is_free[j];
}

static void set_support_size(struct point *point, int64_t size) {
    point->support_size = size;
    point->counted = size - point->problem->free_count; /* free columns are always in */
}

void point_set(struct point *point, const double *x) {
    int64_t n = point->problem->A->columns, size = 0;
    if (x != point->x)
        vector_copy(n, x, point->x);
    for (int64_t j = 0; j < n; j++)
        if (in_support(point, j))
            point->support[size++] = j;
    set_support_size(point, size);
    point_refresh(point);
}

void point_set_columns(struct point *point, int64_t k, const int64_t *columns, const double *values) {
    int64_t size = 0;
    for (int64_t i = 0; i < point->support_size; i++)
        point->x[point->support[i]] = 0;
    for (int64_t i = 0; i < k; i++) {
        point->x[columns[i]] = values[i];
        point->support[size] = columns[i];
        size += in_support(point, columns[i]);
    }
    set_support_size(point, size);
    point_refresh(point);
}

void point_refresh(struct point *point) {
    const struct problem *problem = point->problem;
    for (int64_t i = 0; i < problem->A->rows; i++)
        point->residual[i] = -problem->b[i];
    for (int64_t i = 0; i < point->support_size; i++)
        point->work[i] = point->x[point->support[i]];
    linop_add_columns(problem->A, point->support_size, point->support, point->work, point->residual);
    smooth_refresh(&problem->f, point->x, point->state);
}

/* Sort ascending; nearly sorted lists, which are usual, take one pass. */
static void sort_columns(int64_t k, int64_t *columns) {
    for (int64_t i = 1; i < k; i++) {
        int64_t column = columns[i], j = i;
        for (; j > 0 && columns[j - 1] > column; j--)
            columns[j] = columns[j - 1];
        columns[j] = column;
    }
}

/* Remove what left the support and merge what entered, from the back, in place. */
static void merge_support(struct point *point, int64_t entered) {
    int64_t *support = point->support, *entering = point->entering;
    int64_t kept = 0, arrived = 0;
    sort_columns(entered, entering);
    for (int64_t i = 0; i < entered; i++)
        if (in_support(point, entering[i]) && (arrived == 0 || entering[arrived - 1] != entering[i]))
            entering[arrived++] = entering[i];
    for (int64_t i = 0; i < point->support_size; i++)
        if (in_support(point, support[i]))
            support[kept++] = support[i];
    set_support_size(point, kept + arrived);
    for (int64_t end = kept + arrived; arrived > 0; end--)
        support[end - 1] =
            kept > 0 && support[kept - 1] > entering[arrived - 1] ? support[--kept] : entering[--arrived];
}

void point_change(struct point *point, int64_t k, const int64_t *columns, const double *change) {
    const struct problem *problem = point->problem;
    int64_t entered = 0, left = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        int was_in = in_support(point, j);
        point->x[j] += change[i];
        if (!was_in && in_support(point, j))
            point->entering[entered++] = j;
        left += was_in && !in_support(point, j);
    }
    if (entered > 0 || left > 0)
        merge_support(point, entered);
    linop_add_columns(problem->A, k, columns, change, point->residual);
    smooth_update(&problem->f, k, columns, change, point->state);
}

double point_smooth_value(const struct point *point) {
    return smooth_value_columns(&point->problem->f, point->x, point->state, point->support_size, point->support);
}

double point_objective(const struct point *point) {
    const struct loss *h = &point->problem->h;
    return point_smooth_value(point) + h->ops->value(h, point->residual);
}
