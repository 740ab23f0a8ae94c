/*
 * Fewer rows for the tree. F is replaced by a problem whose objective is nowhere above it (model/below.c): rows that
 * are far from their kinks are combined into one or, for linf, left out. Every bound for that problem is a bound on F.
 * A leaf that it does not refuse is fitted on all rows.
 *
 * HOW IT WORKS: only x between the incumbent and the minimum over all columns, and supports like these, matter. The
 * residuals of the two differ by d in the root mean square, and a row is kept if it comes nearer to a kink than
 * FEW_REACH d at one of them. Leaving out a row that should have been kept makes bounds lower, and so the tree larger,
 * but never wrong.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/exact/internal.h"

/* List the rows to be kept, ascending; returns how many. reach [2 m] is scratch. */
static int64_t choose(const struct tree *tree, const double *r, double *reach, int64_t *rows) {
    int64_t m = tree->m, count = 0;
    double *other = reach + m, spread = 0;

    for (int64_t i = 0; i < m; i++) {
        spread += (r[i] - tree->lowest[i]) * (r[i] - tree->lowest[i]);
    }
    spread = FEW_REACH * sqrt(spread / (double)m);
    problem_reaches(tree->problem, r, reach);
    problem_reaches(tree->problem, tree->lowest, other);
    for (int64_t i = 0; i < m; i++) {
        rows[count] = i;
        count += fmin(reach[i], other[i]) <= spread;
    }
    return count;
}

/* The dual vector of the slot on the rows that are kept. */
static void carry_over(const struct tree *tree, struct slot *slot, int64_t count, const int64_t *rows) {
    for (int64_t k = 0; k < count; k++) {
        slot->dual.alpha[k] = slot->dual.alpha[rows[k]];
    }
    if (tree->below.is_there) {
        slot->dual.alpha[count] = 1;
    }
}

/* Replace the tree's problem by that on these rows. */
static void change(struct tree *tree, struct slot *slot, int64_t count, const int64_t *rows) {
    problem_below(tree->problem, count, rows, fit_residual(slot->fits.leaf), &tree->workspace, &tree->few,
                  &tree->below);
    tree->weight = workspace_doubles(&tree->workspace, count + 1);
    if (tree->workspace.failed) {
        linop_free(tree->few.A);
        return;
    }
    tree->whole = tree->problem;
    tree->problem = &tree->few;
    tree->m = tree->few.A->rows;
    carry_over(tree, slot, count, rows);
    for (int64_t k = 0; k < count; k++) {
        tree->weight[k] = 1;
    }
    for (int64_t j = 0; j < tree->n; j++) {
        linop_weighted_squares(tree->few.A, 1, &j, tree->weight, &tree->square[j]);
        tree->square[j] = tree->square[j] > 0 ? tree->square[j] : 1;
    }
    slot->fits.all = slot->fits.leaf;
    slot->fits.leaf = fit_new(tree->problem, leaf_capacity(tree));
    if (slot->fits.leaf != NULL) {
        fit_set_stop(slot->fits.leaf, slot_is_late, slot);
    }
}

spgm_error rows_reduce(struct tree *tree, struct slot *slot, spgm_status *status) {
    struct workspace scratch = {.memory = tree->problem->A->memory};
    int64_t m = tree->m, count, *rows;
    double *reach;

    if (tree->lowest == NULL || slot->ledger != NULL || !fit_is_warm(tree->problem) ||
        !problem_has_below(tree->problem)) {
        return SPGM_OK;
    }
    rows = workspace_integers(&scratch, m + 1);
    reach = workspace_doubles(&scratch, 2 * m);
    if (scratch.failed) {
        workspace_free(&scratch);
        return status_memory(status, scratch.bytes);
    }
    count = choose(tree, fit_residual(slot->fits.leaf), reach, rows);
    if ((double)count <= FEW_ENOUGH * (double)m && count >= tree->count) {
        change(tree, slot, count, rows);
    }
    workspace_free(&scratch);
    return tree->workspace.failed || slot->fits.leaf == NULL ? status_memory(status, tree->workspace.bytes) : SPGM_OK;
}

void rows_free(struct tree *tree) {
    if (tree->whole != NULL) { /* passes over the copy count as passes over A */
        const struct linop *A = tree->few.A;

        linop_count(tree->whole->A, 0, (int64_t)(linop_passes(A) * (double)A->columns * (double)A->rows));
        linop_free(tree->few.A);
    }
}
