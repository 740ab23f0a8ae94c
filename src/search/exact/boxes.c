/*
 * The first boxes: bounds on x_j that hold wherever F(x) < cutoff.
 *
 * HOW IT WORKS: a column may have bounds of the user, or a ridge bounds it, because the rest of F is bounded below. For
 * the columns K without either, let w_j = W A_K (A_K'W A_K)^-1 e_j, where W is the squared room around a centre of dom
 * h* with A_K'centre + p_K = 0. Then alpha = centre +- tau w_j has t = +-tau e_j up to rounding. So tau |x_j| <= C_j +
 * sum_k |t_k| |x_k|, where the sum is over the support of x and tiny. With e the largest sum of |t_k| / tau over any
 * support, in units of omega_k = 1 / ||a_k||, every x with F(x) < cutoff has max |x_k| / omega_k <= max_j C_j / (tau
 * omega_j) / (1 - e_j). This box is rough but proven. With it the same alphas give better boxes by dual.c, and so do
 * alphas around a centre near the dual vector of the fit over all columns, whose own bound is that of leaps and bounds.
 *
 * If A_K has more columns than rows, or dependent ones, the diagonal of A_K'W A_K is damped. Then t is not tau e_j:
 * some of it leaks to other columns, but a support has few of these. With n = m + 1 random columns e is about 0.02 s;
 * with n = 2 m it is above 1 for all but the smallest s, and there is no box.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/boxes.h"

static const double dampings[] = DAMPINGS;

/* ---- ridge ------------------------------------------------------------------------------------------ */

/* The minimum of p'x + ridge alone; -INFINITY if a column with a slope has neither ridge nor box. */
static double least_of_linear(const struct tree *tree, const double *low, const double *high) {
    double least = 0;

    for (int64_t i = 0; i < tree->count && tree->problem->f.linear != NULL; i++) {
        int64_t j = tree->columns[i];
        double p = fabs(tree->problem->f.linear[j]) * (1 + 8 * DBL_EPSILON);
        double far = fmax(-low[j], high[j]);
        double by_ridge = tree->ridge[j] > 0 ? p * p / (2 * tree->ridge[j]) : INFINITY;

        least -= p == 0 ? 0 : fmin(by_ridge, p * far);
    }
    return least - fabs(least) * 1e-12;
}

/* Boxes from lambda x^2 / 2 + p x <= cutoff - the minimum of the rest of F. */
static void box_by_ridge(struct tree *tree, struct node *root) {
    double slack = tree->cutoff - least_of_linear(tree, root->low, root->high);

    slack += 1e-12 * fabs(slack);
    for (int64_t i = 0; i < tree->count && isfinite(slack); i++) {
        int64_t j = tree->columns[i];
        double p = tree->problem->f.linear == NULL ? 0 : fabs(tree->problem->f.linear[j]) * (1 + 8 * DBL_EPSILON);
        double ridge = tree->ridge[j];

        if (ridge > 0) {
            double far = (p + sqrt(p * p + 2 * ridge * fmax(slack, 0))) / ridge * (1 + 1e-12);

            root->low[j] = fmax(root->low[j], -far);
            root->high[j] = fmin(root->high[j], far);
        }
    }
}

/* ---- columns without ridge and bounds --------------------------------------------------------------------- */

static void take(struct bare *k) {
    struct workspace *w = &k->workspace;
    int64_t m = k->tree->m;

    k->columns = workspace_integers(w, k->count);
    k->inverse = workspace_doubles(w, k->count <= INT32_MAX ? k->count * k->count : -1);
    k->scratch = workspace_doubles(w, k->count <= INT32_MAX ? k->count * k->count : -1);
    k->centre = workspace_doubles(w, m);
    k->middle = workspace_doubles(w, m);
    k->room = workspace_doubles(w, m);
    k->w = workspace_doubles(w, m);
    k->from = workspace_doubles(w, m);
    k->weights = workspace_doubles(w, m);
    k->live = workspace_doubles(w, m);
    k->tau = workspace_doubles(w, 2 * k->count);
    k->reach = workspace_doubles(w, 2 * k->count);
    k->g = workspace_doubles(w, k->count);
    k->h = workspace_doubles(w, k->count);
    k->t_centre = workspace_doubles(w, k->tree->n);
    k->t_w = workspace_doubles(w, k->tree->n);
}

/* (A_K'W A_K + damping)^-1. Returns 0 if it is nearly singular or the time is up: thousands of columns take seconds. */
static int invert(struct bare *k, const double *weights) {
    struct stop stop = {.must_stop = slot_is_late, .context = k->slot};

    if (!linop_gram_until(k->tree->problem->A, k->count, k->columns, weights, k->inverse, &stop)) {
        return 0;
    }
    for (int64_t i = 0; i < k->count; i++) {
        k->inverse[i + i * k->count] *= 1 + k->damping;
    }
    return dense_factor_until(k->count, k->inverse, k->count, &stop) &&
           dense_invert_until(k->count, k->inverse, k->scratch, &stop);
}

/* Products of A and b with the centre. */
static void look_from_centre(struct bare *k) {
    const struct tree *tree = k->tree;

    linop_transpose_columns(tree->problem->A, tree->count, tree->columns, k->centre, k->t_centre);
    for (int64_t i = 0; i < tree->count; i++) {
        k->t_centre[i] += tree->slope[tree->columns[i]];
    }
    k->b_centre = vector_dot(tree->m, tree->problem->b, k->centre);
}

/* The room around the centre, into k->from, and the inverse for it. Returns 0 if there is hardly any room. */
static int weigh_rows(struct bare *k) {
    double size = fmax(2 * vector_norm_inf(k->tree->m, k->centre), k->size), largest; /* the centre itself may be no
                                                                                         more than rounding */

    if (!boxes_has_room(k, k->centre, size)) {
        return 0;
    }
    look_from_centre(k);
    vector_copy(k->tree->m, k->room, k->from);
    largest = vector_norm_inf(k->tree->m, k->from);
    for (int64_t i = 0; i < k->tree->m; i++) {
        k->weights[i] = k->from[i] / largest * (k->from[i] / largest);
    }
    return invert(k, k->weights);
}

/* k->w = W A_K (A_K'W A_K)^-1 e_i */
static void make_direction(struct bare *k, int64_t i) {
    memset(k->w, 0, (size_t)k->tree->m * sizeof *k->w);
    linop_add_columns(k->tree->problem->A, k->count, k->columns, k->inverse + i * k->count, k->w);
    for (int64_t row = 0; row < k->tree->m; row++) {
        k->w[row] *= k->weights[row];
    }
    linop_transpose_columns(k->tree->problem->A, k->tree->count, k->tree->columns, k->w, k->t_w);
    k->b_w = vector_dot(k->tree->m, k->tree->problem->b, k->w);
}

/* Set slot->dual.alpha = centre + tau w. */
static void step_to(struct bare *k, double tau) {
    for (int64_t i = 0; i < k->tree->m; i++) {
        k->slot->dual.alpha[i] = k->centre[i] + tau * k->w[i];
    }
}

/* Returns 0 if it is outside dom h*. */
static int measure_at(struct bare *k, double tau) {
    step_to(k, tau);
    return dual_measure_inside(k->slot);
}

/* C_j / |t_j| for the measured alpha; INFINITY if t_j is zero up to rounding. */
static double ratio_of(const struct bare *k, int64_t j) {
    const struct slot *slot = k->slot;
    double sum = k->tree->cutoff - slot->dual.base, size = fabs(k->tree->cutoff) + fabs(slot->dual.base);
    double t = fabs(slot->dual.t[j]) - slot->dual.error[j];

    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t l = slot->active[i];
        double far = fmax(-slot->now.low[l], slot->now.high[l]);

        if (isfinite(far)) {
            double v = far * (fabs(slot->dual.t[l]) + slot->dual.error[l]);

            sum += v;
            size += v;
        }
    }
    sum += 1e-12 * size;
    return t > 0 ? fmax(sum, 0) / t : INFINITY;
}

/* The largest sum over a support that contains j of |t_k| omega_k / (|t_j| omega_j), over k in K other than j. */
static double leak_of(const struct bare *k, int64_t j) {
    const struct tree *tree = k->tree;
    const struct feasible *set = &tree->problem->set;
    struct slot *slot = k->slot;
    double sum = 0, all = 1;
    int64_t size;

    memset(slot->dual.gain, 0, (size_t)tree->n * sizeof *slot->dual.gain);
    for (int64_t i = 0; i < k->count; i++) {
        int64_t l = k->columns[i];
        double leak = l == j ? 0 : (fabs(slot->dual.t[l]) + slot->dual.error[l]) / tree->norm[l];

        if (slot->now.state[l] == COLUMN_IN) {
            sum += leak;
        } else {
            slot->dual.gain[l] = leak;
            all += leak;
        }
    }
    if (slot->now.state[j] == COLUMN_OPEN) {
        slot->dual.gain[j] = all;
        sum -= all;
    }
    size = set->rule->choose(set, tree->s, tree->n, NULL, slot->dual.gain, &slot->dual.feasible, slot->dual.chosen);
    for (int64_t i = 0; i < size; i++) {
        sum += slot->dual.gain[slot->dual.chosen[i]];
    }
    return (sum + 1e-12 * all) * tree->norm[j] / (fabs(slot->dual.t[j]) - slot->dual.error[j]);
}

/* An estimate of ratio_of at tau from products with the centre and w, without a pass over the columns. */
static double guess_ratio(struct bare *k, int64_t j, double tau) {
    const struct loss *h = &k->tree->problem->h;
    const struct slot *slot = k->slot;
    double sum = k->tree->cutoff + k->b_centre + tau * k->b_w, own = 0;

    step_to(k, tau);
    sum += h->ops->conjugate(h, slot->dual.alpha);
    for (int64_t i = 0; i < k->tree->count; i++) {
        int64_t l = k->tree->columns[i];
        double t = fabs(k->t_centre[i] + tau * k->t_w[i]), far = fmax(-slot->now.low[l], slot->now.high[l]);

        sum += isfinite(far) && slot->now.state[l] != COLUMN_OUT ? far * t : 0;
        own = l == j ? t : own;
    }
    return own > 0 && isfinite(sum) ? fmax(sum, 0) / own : (double)INFINITY;
}

/* The best tau for a direction and a sign, starting from one whose alpha is certainly inside. Returns 0 if there is
 * none. */
static int find_tau(struct bare *k, int64_t i, int sign) {
    double sum = 0, tau, best = INFINITY;

    for (int64_t row = 0; row < k->tree->m; row++) {
        double part = k->from[row] > 0 ? k->w[row] / k->from[row] : 0;

        sum += part * part;
    }
    tau = sum > 0 ? CENTRE_INSIDE / sqrt(sum) : 0;
    for (int step = 0; step < DOUBLINGS && tau > 0; step++, tau *= 2) {
        double ratio = guess_ratio(k, k->columns[i], sign * tau);

        if (!(ratio < best)) {
            break;
        }
        best = ratio;
        k->tau[2 * i + (sign > 0)] = sign * tau;
    }
    return isfinite(best);
}

/* The rough box. Returns 0 if there is none. */
static int box_roughly(struct bare *k) {
    struct slot *slot = k->slot;
    double reach = 0;

    for (int64_t i = 0; i < k->count; i++) {
        int64_t j = k->columns[i];

        make_direction(k, i);
        for (int sign = -1; sign <= 1; sign += 2) {
            double ratio, leak;

            if (slot_is_late(slot) || !find_tau(k, i, sign) || !measure_at(k, k->tau[2 * i + (sign > 0)])) {
                return 0;
            }
            if (!(sign * slot->dual.t[j] > 0)) { /* with damping, both signs of tau may give the same sign of t_j */
                return 0;
            }
            dual_record(slot, j);
            ratio = ratio_of(k, j);
            leak = leak_of(k, j);
            if (!isfinite(ratio) || !(leak < MOST_LEAK)) {
                return 0;
            }
            reach = fmax(reach, ratio * k->tree->norm[j] / (1 - leak));
        }
    }
    for (int64_t i = 0; i < k->count; i++) {
        int64_t j = k->columns[i];

        double far = reach / k->tree->norm[j] * (1 + 1e-12);

        slot->now.high[j] = fmin(slot->now.high[j], far);
        slot->now.low[j] = fmax(slot->now.low[j], -far);
    }
    return 1;
}

/* Tighten by the vectors around the centre, once there is a box. Returns 0 if the node is empty. */
static int tighten_all(struct bare *k, int is_new) {
    for (int64_t i = 0; i < k->count && !slot_is_late(k->slot); i++) {
        make_direction(k, i);
        for (int side = 0; side < 2; side++) {
            int is_found = !is_new || find_tau(k, i, 2 * side - 1);

            if (is_found && measure_at(k, k->tau[2 * i + side])) {
                double D = dual_bound(k->slot);

                if (isinf(D) && D > 0) {
                    k->slot->now.bound = INFINITY;
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* The same by the vectors of the rough box, which a certificate has already. */
static int tighten_known(struct bare *k) {
    struct ledger *ledger = k->slot->ledger;
    int is_full;

    k->slot->ledger = NULL;
    is_full = tighten_all(k, 0);
    k->slot->ledger = ledger;
    if (ledger != NULL) {
        ledger->rough = ledger->steps;
    }
    return is_full;
}

/* Tighten around centres that approach the dual vector of the fit over all columns. */
static spgm_error tighten_near_fit(struct bare *k, spgm_status *status) {
    static const double nearness[] = {CENTRE_INSIDE, CENTRE_INSIDE_LATE};
    struct slot *slot = k->slot;
    struct fit *fit = fit_new(k->tree->problem, k->tree->count);
    spgm_error error = fit == NULL ? status_memory(status, fit_bytes(k->tree->problem, k->tree->count)) : SPGM_OK;

    if (error == SPGM_OK) {
        fit_set_stop(fit, slot_is_late, slot);
        fit_set_support(fit, k->tree->count, k->tree->columns);
        fit_gather(fit, k->tree->run->best_x);
        if (k->tree->count <= FEW_WARM) {
            fit_warm(fit, INFINITY);
        } else {
            fit_cold(fit);
        }
        error = fit_error(fit, status);
        if (error == SPGM_OK) {
            k->tree->lowest = workspace_doubles(&k->tree->workspace, k->tree->m);
            error = k->tree->lowest == NULL ? status_memory(status, k->tree->workspace.bytes) : SPGM_OK;
        }
        if (error == SPGM_OK) {
            vector_copy(k->tree->m, fit_residual(fit), k->tree->lowest);
        }
    }
    for (size_t i = 0; error == SPGM_OK && i < sizeof nearness / sizeof *nearness && !slot_is_late(slot); i++) {
        double part = nearness[i];

        for (int64_t row = 0; row < k->tree->m; row++) {
            k->centre[row] = (1 - part) * k->middle[row] + part * fit_dual(fit)[row];
        }
        if (!weigh_rows(k) || !tighten_all(k, 1)) {
            break;
        }
    }
    if (error == SPGM_OK && !(isinf(slot->now.bound) && slot->now.bound > 0)) {
        vector_copy(k->tree->m, fit_dual(fit), slot->dual.alpha);
        if (dual_measure(slot)) {
            double D = dual_bound(slot);

            slot->now.bound = fmax(slot->now.bound, D);
        }
    }
    fit_free(fit);
    return error;
}

/* Whether no column nearly depends on the others, by the current inverse. */
static int is_well_conditioned(const struct bare *k) {
    double most = 0;

    for (int64_t i = 0; i < k->count; i++) {
        most = fmax(most, k->inverse[i + i * k->count] * k->tree->square[k->columns[i]]);
    }
    return isless(most, WELL_CONDITIONED);
}

static int try_damping(struct bare *k, double damping) {
    k->damping = damping;
    boxes_find_middle(k);
    if (k->slot->ledger != NULL) {
        k->slot->ledger->steps = 0; /* discard the steps of a failed attempt */
    }
    if (!invert(k, k->live)) {
        return 0;
    }
    k->is_stuck = damping == 0 && is_well_conditioned(k);
    if (!boxes_find_centre(k)) {
        return 0;
    }
    k->is_stuck = 0;
    return weigh_rows(k) && box_roughly(k);
}

/* The boxes without columns that have no end, and then boxes for these. */
static int box_endless(struct bare *k) {
    struct endless *endless = &k->endless;

    endless_take(endless, k->slot, k->count, &k->workspace);
    if (k->workspace.failed) {
        return 0; /* the error is reported by boxes_init */
    }
    endless_find(endless, k->tree, k->columns, &k->count);
    return endless->count > 0 && k->count > 0 && try_damping(k, 0) && endless_limit(endless, k->tree);
}

static int box_bare(struct bare *k) {
    struct tree *tree = k->tree;
    int has_box;

    k->size = 2 * vector_norm_inf(tree->m, k->slot->dual.alpha);
    k->size = k->size > 0 ? k->size : 1;
    for (int64_t i = 0, at = 0; i < tree->count; i++) {
        int64_t j = tree->columns[i];

        if (!isfinite(k->slot->now.low[j]) || !isfinite(k->slot->now.high[j])) {
            k->columns[at++] = j;
        }
    }
    has_box = k->count <= tree->m && try_damping(k, 0);
    /* Independent columns without a centre separate the labels. Trying larger damping helped in 3 of 600 such problems.
     */
    for (size_t i = 0; i < sizeof dampings / sizeof *dampings && !has_box && !k->is_stuck && !slot_is_late(k->slot);
         i++) {
        has_box = try_damping(k, dampings[i]);
    }
    if (!has_box && endless_applies(tree) && !slot_is_late(k->slot)) {
        has_box = box_endless(k);
    }
    vector_copy(tree->m, k->centre, k->middle);
    return has_box;
}

spgm_error boxes_init(struct tree *tree, struct slot *slot, spgm_status *status) {
    struct bare k = {.tree = tree, .slot = slot, .workspace.memory = tree->problem->A->memory};
    spgm_error error = SPGM_OK;

    box_by_ridge(tree, &slot->now);
    for (int64_t i = 0; i < tree->count; i++) {
        int64_t j = tree->columns[i];

        k.count += !isfinite(slot->now.low[j]) || !isfinite(slot->now.high[j]);
    }
    tree->has_boxes = k.count == 0;
    if (k.count == 0 || k.count > WIDEST * tree->m) {
        return SPGM_OK;
    }
    take(&k);
    if (k.workspace.failed) {
        error = status_memory(status, k.workspace.bytes);
    } else {
        tree->has_boxes = box_bare(&k);
        if (k.workspace.failed) {
            error = status_memory(status, k.workspace.bytes);
        } else if (tree->has_boxes && !tree->limits.is_quick && tighten_known(&k) && k.damping == 0) {
            error = tighten_near_fit(&k, status);
        }
        if (error == SPGM_OK && tree->has_boxes && k.endless.count > 0) {
            tree->has_boxes = endless_limit(&k.endless, tree); /* the boxes of the other columns are smaller now */
        }
    }
    workspace_free(&k.workspace);
    return error;
}
