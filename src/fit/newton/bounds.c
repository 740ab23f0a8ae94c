/*
 * Bounds on x as an active set: a step ends at the first bound that it meets, which is then held until its multiplier
 * has the wrong sign.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"

void bounds_clip(struct fit_state *s) {
    for (int64_t i = 0; newton_has_bounds(s) && i < s->size; i++) {
        s->x[i] = problem_clip(s->problem, s->columns[i], s->x[i]);
    }
}

void bounds_enter(struct newton *n) {
    bounds_clip(n->state);
    memset(n->face.state, MOVES, (size_t)n->state->size);
}

void bounds_hold(struct newton *n) {
    const struct fit_state *s = n->state;

    for (int64_t i = 0; newton_has_bounds(s) && i < s->size; i++) {
        if (s->x[i] <= newton_lower(s, i) && n->gradient[i] >= 0) {
            n->face.state[i] = AT_LOWER;
        } else if (s->x[i] >= newton_upper(s, i) && n->gradient[i] <= 0) {
            n->face.state[i] = AT_UPPER;
        }
    }
}

double bounds_room(const struct newton *n, double furthest, int64_t *meets) {
    const struct fit_state *s = n->state;

    *meets = -1;
    for (int64_t i = 0; newton_has_bounds(s) && i < s->size; i++) {
        double edge = n->d[i] < 0 ? newton_lower(s, i) : newton_upper(s, i);
        double way = n->d[i] != 0 && isfinite(edge) ? (edge - s->x[i]) / n->d[i] : INFINITY;

        if (way < furthest) {
            furthest = fmax(way, 0);
            *meets = i;
        }
    }
    return furthest;
}

void bounds_meet(struct newton *n, int64_t position) {
    face_remove(n, position);
    n->face.state[position] = n->d[position] < 0 ? AT_LOWER : AT_UPPER;
    for (int64_t i = 0; i < n->state->size; i++) {
        if (n->face.state[i] == RESTS) {
            face_append(n, i);
        }
    }
}

/* By how much the multiplier of a bound is violated; 0: not at all, or the bound cannot be released. */
static double wrongness(const struct newton *n, int64_t i) {
    double slope = n->face.state[i] == AT_LOWER ? -n->gradient[i] : n->face.state[i] == AT_UPPER ? n->gradient[i] : 0;

    return slope > 0 && newton_lower(n->state, i) < newton_upper(n->state, i) ? slope : 0;
}

/* The bound whose release promises the largest decrease, and that decrease; is_exact: with the curvature that the
 * moving columns leave. */
static int64_t worst_bound(struct newton *n, int is_exact, double *most) {
    const struct fit_state *s = n->state;
    int64_t worst = -1;

    *most = 0;
    for (int64_t i = 0; newton_has_bounds(s) && i < s->size; i++) {
        double wrong = wrongness(n, i), gain, bend;

        if (wrong > 0) {
            bend = is_exact ? face_pivot(n, i) : normal_entry(n, i, i);
            gain = wrong * (newton_upper(s, i) - newton_lower(s, i));
            gain = bend > 0 ? fmin(gain, wrong * (wrong / bend)) : gain;
            worst = gain > *most ? i : worst;
            *most = fmax(*most, gain);
        }
    }
    return worst;
}

int bounds_release(struct newton *n, double least) {
    double enough = fmax(NEWTON_ENOUGH * newton_size(n->state), least), most;
    int64_t worst = worst_bound(n, 0, &most);

    /* columns that nearly depend on others may still give a large decrease */
    if (least == 0 && worst >= 0 && !isgreater(most, enough)) {
        worst = worst_bound(n, 1, &most);
    }
    return worst >= 0 && isgreater(most, enough) && face_append(n, worst);
}
