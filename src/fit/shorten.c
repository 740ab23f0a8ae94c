/*
 * Back from far out: a point that is good in the numbers of the frame may have no digits left in those of the data.
 *
 * HOW IT WORKS: in the frame a column that hardly differs from a constant is centred. Where it tells a few rows of one
 * label apart its coefficient has no end, and a fit goes much further than is of use. In the data's units a_ij x_j and
 * the intercept then cancel, and F is their rounding. The support is fitted anew in ever smaller boxes; the x stays
 * whose F, from the raw data, is lowest. Rounding falls with the box, and what the rows lose that were moved is nothing
 * for a long time.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/fit.h"
#include "linalg/vector.h"

struct boxed {
    struct problem problem; /* the frame, with the box as its bounds */
    double *low, *high, *z; /* [columns]                             */
    double *x;              /* in the data's units [data columns]    */
    int64_t size, *support;
};

int fit_has_drowned(const struct spgm_problem *problem, double framed, double objective) {
    double lost = objective - framed, zero = 0;

    if (islessequal(lost, SHORTEN_LOST * fabs(framed)) || !isfinite(framed)) {
        return 0;
    }
    problem_evaluate(problem, 0, NULL, NULL, 0, &zero, NULL, NULL, NULL);
    return !islessequal(lost, SHORTEN_LOST * fabs(framed) + SHORTEN_LOST_ZERO * fabs(zero));
}

static int is_asked(void *interrupted) {
    const atomic_int *flag = *(const atomic_int **)interrupted;

    return flag != NULL && *flag;
}

static void set_box(struct boxed *box, const struct problem *framed, double limit) {
    for (int64_t k = 0; k < framed->A->columns; k++) {
        int has_end = k < framed->data->columns;

        box->low[k] = fmax(framed->lower == NULL ? -INFINITY : framed->lower[k], has_end ? -limit : -INFINITY);
        box->high[k] = fmin(framed->lower == NULL ? INFINITY : framed->upper[k], has_end ? limit : INFINITY);
        box->z[k] = fmin(fmax(box->z[k], box->low[k]), box->high[k]);
    }
}

/* The fit in the box from box->z, and its F from the raw data. */
static spgm_error fit_within(const struct spgm_problem *problem, const struct problem *framed, struct boxed *box,
                             double *objective, const atomic_int *interrupted, spgm_status *status) {
    spgm_error error = fit_once(&box->problem, box->size, box->support, box->z, NULL, is_asked, &interrupted, status);
    double intercept;

    if (error == SPGM_OK) {
        problem_unscale(framed, box->z, box->x, &intercept);
        error = spgm_problem_evaluate(problem, box->x, intercept, objective, NULL, NULL, status);
    }
    return error;
}

static spgm_error shorten(const struct spgm_problem *problem, const struct problem *framed, struct boxed *box,
                          double objective, double *z, const atomic_int *interrupted, spgm_status *status) {
    double limit = vector_norm_inf(framed->data->columns, z);
    spgm_error error = SPGM_OK;

    box->problem = *framed;
    box->problem.lower = box->low;
    box->problem.upper = box->high;
    box->size = fit_support_of(framed, z, box->support);
    for (int box_number = 0; box_number < SHORTEN_BOXES && error == SPGM_OK && !is_asked(&interrupted); box_number++) {
        double now = INFINITY;

        limit *= SHORTEN_FACTOR;
        vector_copy(framed->A->columns, z, box->z);
        set_box(box, framed, limit);
        error = fit_within(problem, framed, box, &now, interrupted, status);
        if (error == SPGM_OK && isless(now, objective)) {
            objective = now;
            vector_copy(framed->A->columns, box->z, z);
        }
    }
    return error;
}

spgm_error fit_shorten(const struct spgm_problem *problem, const struct problem *framed, double objective, double *z,
                       const atomic_int *interrupted, spgm_status *status) {
    struct workspace workspace = {.memory = framed->A->memory};
    struct boxed box;
    spgm_error error;

    interrupted = framed->A->reduce == NULL ? interrupted : NULL; /* processes must do the same */
    box.low = workspace_doubles(&workspace, framed->A->columns);
    box.high = workspace_doubles(&workspace, framed->A->columns);
    box.z = workspace_doubles(&workspace, framed->A->columns);
    box.x = workspace_doubles(&workspace, framed->data_columns);
    box.support = workspace_integers(&workspace, framed->A->columns);
    error = workspace.failed ? status_memory(status, workspace.bytes)
                             : shorten(problem, framed, &box, objective, z, interrupted, status);
    workspace_free(&workspace);
    return error;
}
