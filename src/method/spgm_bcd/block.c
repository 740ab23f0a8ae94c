#include "method/spgm_bcd/block.h"
#include "method/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"

void block_init(struct block *block, int64_t capacity, struct workspace *workspace) {
    block->capacity = capacity;
    block->H = workspace_doubles(workspace, capacity * capacity);
    block->g = workspace_doubles(workspace, capacity);
    block->x = workspace_doubles(workspace, capacity);
    block->change = workspace_doubles(workspace, capacity);
    block->row = workspace_doubles(workspace, capacity * capacity);
    block->pivot = workspace_doubles(workspace, (capacity + 1) * capacity);
    block->rest = workspace_doubles(workspace, (capacity + 1) * capacity);
    block->gain = workspace_doubles(workspace, capacity + 1);
    block->least = workspace_doubles(workspace, capacity);
    block->path = workspace_integers(workspace, capacity);
    block->best = workspace_integers(workspace, capacity);
    block->L = workspace_doubles(workspace, capacity * capacity);
    block->inverse = workspace_doubles(workspace, capacity);
    block->right = workspace_doubles(workspace, capacity);
}

void block_init_within(struct block *block, struct workspace *workspace) {
    int64_t capacity = block->capacity;

    block->lower = workspace_doubles(workspace, capacity);
    block->upper = workspace_doubles(workspace, capacity);
    block->item_start = workspace_integers(workspace, capacity + 1);
    block->item_cap = workspace_integers(workspace, capacity);
    block->cap_room = workspace_integers(workspace, capacity);
    block->item_path = workspace_integers(workspace, capacity);
    block->item_depth = workspace_integers(workspace, capacity);
    block->S = workspace_doubles(workspace, capacity * capacity);
    block->Sp = workspace_doubles(workspace, capacity);
    block->Slower = workspace_doubles(workspace, capacity);
    block->Supper = workspace_doubles(workspace, capacity);
    block->z = workspace_doubles(workspace, capacity);
    block->best_z = workspace_doubles(workspace, capacity);
    box_init(&block->box, capacity, workspace);
}

/* The root: no coordinate chosen, p = H x_B - g. */
static void plant(struct block *block, int64_t k) {
    const double *restrict H = block->H;

    for (int64_t i = 0; i < k; i++) {
        double p = -block->g[i];

        for (int64_t j = 0; j < k; j++) {
            p += H[i * k + j] * block->x[j];
        }
        block->rest[i] = p;
        block->pivot[i] = H[i * k + i];
        block->least[i] = BLOCK_TINY * H[i * k + i];
    }
    block->gain[0] = 0;
    block->best_gain = -1;
}

/* Go from depth e to e + 1 by coordinate j: the row of every later coordinate gets one more entry. */
static void grow(struct block *block, int64_t k, int64_t e, int64_t j) {
    int64_t ld = block->capacity;
    const double *restrict column = block->H + j * k;
    const double *restrict old_pivot = block->pivot + e * ld;
    const double *restrict old_rest = block->rest + e * ld;
    double *restrict row = block->row + e * ld;
    double *restrict pivot = block->pivot + (e + 1) * ld;
    double *restrict rest = block->rest + (e + 1) * ld;
    double inverse = old_pivot[j] > block->least[j] ? 1 / old_pivot[j] : 0;
    double w = old_rest[j] * inverse;

    for (int64_t i = j + 1; i < k; i++) {
        row[i] = column[i];
    }
    for (int64_t f = 0; f < e; f++) { /* H_ij - sum_f row_if row_jf / pivot_f */
        const double *restrict above = block->row + f * ld;
        double factor = above[j] * block->inverse[f];

        for (int64_t i = j + 1; i < k; i++) {
            row[i] -= factor * above[i];
        }
    }
    for (int64_t i = j + 1; i < k; i++) {
        pivot[i] = old_pivot[i] - row[i] * row[i] * inverse;
        rest[i] = old_rest[i] - row[i] * w;
    }
    block->inverse[e] = inverse;
    block->path[e] = j;
    block->gain[e + 1] = block->gain[e] + old_rest[j] * w;
}

static void keep_leaf(struct block *block, int64_t depth, int64_t last, double gain) {
    if (isgreater(gain, block->best_gain)) {
        block->best_gain = gain;
        memcpy(block->best, block->path, (size_t)depth * sizeof *block->best);
        if (last >= 0) {
            block->best[depth] = last;
        }
    }
}

/* Evaluate the children of a node one level above the leaves, without visiting them. */
static void try_leaves(struct block *block, int64_t k, int64_t e, int64_t first) {
    const double *restrict pivot = block->pivot + e * block->capacity;
    const double *restrict rest = block->rest + e * block->capacity;

    for (int64_t i = first; i < k; i++) {
        double gain = pivot[i] > block->least[i] ? rest[i] * rest[i] / pivot[i] : 0;

        keep_leaf(block, e, i, block->gain[e] + gain);
    }
}

/* Try all subsets of size `depth` that contain the first `mandatory` coordinates. */
static void try_subsets(struct block *block, int64_t k, int64_t mandatory, int64_t depth) {
    int64_t e = mandatory; /* depth of the current node              */
    int64_t j = mandatory; /* the next child to visit below the node */

    if (depth == mandatory) {
        keep_leaf(block, depth, -1, block->gain[depth]);
        return;
    }
    for (;;) {
        if (e == depth - 1) {
            try_leaves(block, k, e, j);
            j = k;
        }
        if (j <= k - (depth - e)) { /* enough coordinates are left to reach the leaves */
            grow(block, k, e, j);
            e++;
            j++;
        } else if (e == mandatory) {
            return;
        } else {
            e--;
            j = block->path[e] + 1;
        }
    }
}

/*
 * The change of x_B that moves the support to `best`: -x outside; inside H_SS z_S = H_{S,S^c} x_{S^c} - g_S, which has
 * no cancellation if no column leaves the support.
 */
static void solve_best(struct block *block, int64_t k, int64_t size) {
    double *z = block->change;
    double *right = block->right;
    int64_t *in = block->path; /* the coordinates of `best` whose pivots are not rounding */
    int64_t rank = 0;

    for (int64_t i = 0; i < size; i++) {
        int64_t j = block->best[i];

        for (int64_t f = 0; f < rank; f++) {
            right[f] = block->H[j * k + in[f]];
        }
        if (cholesky_append(rank, block->L, block->capacity, right, block->H[j * k + j], BLOCK_TINY)) {
            in[rank++] = j;
        }
    }
    for (int64_t i = 0; i < k; i++) {
        z[i] = -block->x[i];
    }
    for (int64_t f = 0; f < rank; f++) {
        z[in[f]] = 0;
    }
    for (int64_t f = 0; f < rank; f++) {
        right[f] = -block->g[in[f]];
        for (int64_t i = 0; i < k; i++) {
            right[f] -= block->H[in[f] * k + i] * z[i];
        }
    }
    cholesky_solve(rank, block->L, block->capacity, right);
    for (int64_t f = 0; f < rank; f++) {
        z[in[f]] = right[f];
    }
}

/* 1/2 z'H z + g'z */
static double majoriser(const struct block *block, int64_t k) {
    const double *z = block->change;
    double sum = 0;

    for (int64_t i = 0; i < k; i++) {
        double Hz = 0;

        for (int64_t j = 0; j < k; j++) {
            Hz += block->H[i * k + j] * z[j];
        }
        sum += z[i] * (Hz / 2 + block->g[i]);
    }
    return sum;
}

double block_minimise(struct block *block, int64_t k, int64_t mandatory, int64_t budget) {
    int64_t depth = budget < k - mandatory ? mandatory + budget : k;
    double change = 0;

    plant(block, k);
    for (int64_t e = 0; e < mandatory; e++) {
        grow(block, k, e, e);
    }
    try_subsets(block, k, mandatory, depth);
    if (block->best_gain >= 0) {
        solve_best(block, k, depth);
        change = majoriser(block, k);
    }
    if (!isless(change, 0)) { /* this is rounding at the minimum */
        memset(block->change, 0, (size_t)k * sizeof *block->change);
        return 0;
    }
    return change;
}

/* ---- items, caps and bounds -------------------------------------------------------------------------------------- */

/* The minimum within bounds over the path of size e, with x_B = 0 elsewhere, kept if it is the best. Gains are twice
 * the decrease from 0. */
static void try_box(struct block *block, int64_t k, int64_t e) {
    double gain = 0;

    if (!isgreater(block->gain[e], block->best_gain) || block->boxes >= BLOCK_MOST_BOXES) {
        return;
    }
    block->boxes++;
    for (int64_t f = 0; f < e; f++) {
        int64_t i = block->path[f];

        for (int64_t l = 0; l < e; l++) {
            block->S[f * e + l] = block->H[i * k + block->path[l]];
        }
        block->Sp[f] = block->rest[i]; /* of the root: p */
        block->Slower[f] = block->lower[i];
        block->Supper[f] = block->upper[i];
        block->z[f] = block->x[i];
    }
    box_minimise(&block->box, e, block->S, e, block->Sp, block->Slower, block->Supper, block->z);
    for (int64_t f = 0; f < e; f++) { /* 2 p'z - z'S z */
        double Sz = 0;

        for (int64_t l = 0; l < e; l++) {
            Sz += block->S[f * e + l] * block->z[l];
        }
        gain += block->z[f] * (2 * block->Sp[f] - Sz);
    }
    if (isgreater(gain, block->best_gain)) {
        block->best_gain = gain;
        block->best_size = e;
        memcpy(block->best, block->path, (size_t)e * sizeof *block->best);
        memcpy(block->best_z, block->z, (size_t)e * sizeof *block->best_z);
    }
}

static void visit_leaf(struct block *block, int64_t k, int64_t e) {
    if (block->is_bounded) {
        try_box(block, k, e);
    } else if (isgreater(block->gain[e], block->best_gain)) {
        keep_leaf(block, e, -1, block->gain[e]);
        block->best_size = e;
    }
}

static int has_room(const struct block *block, int64_t item) {
    return block->item_cap[item] < 0 || block->cap_room[block->item_cap[item]] > 0;
}

static void use_room(struct block *block, int64_t item, int64_t change) {
    if (block->item_cap[item] >= 0) {
        block->cap_room[block->item_cap[item]] -= change;
    }
}

/* The number of items in the largest sets. */
static int64_t largest_set(struct block *block, int64_t budget) {
    int64_t size = 0;

    for (int64_t i = 0; i < block->items && size < budget; i++) {
        if (has_room(block, i)) {
            use_room(block, i, 1);
            block->item_path[size++] = i;
        }
    }
    for (int64_t i = 0; i < size; i++) {
        use_room(block, block->item_path[i], -1);
    }
    return size;
}

/* Try all sets of `size` items, from depth e of the coordinates. */
static void try_items(struct block *block, int64_t k, int64_t e, int64_t size) {
    int64_t taken = 0, item = 0;

    for (;;) {
        while (taken < size && item <= block->items - (size - taken) && !has_room(block, item)) {
            item++;
        }
        if (taken < size && item <= block->items - (size - taken)) {
            use_room(block, item, 1);
            block->item_path[taken] = item;
            block->item_depth[taken++] = e;
            for (int64_t j = block->item_start[item]; j < block->item_start[item + 1]; j++) {
                grow(block, k, e++, j);
            }
            item++;
            continue;
        }
        if (taken == size) {
            visit_leaf(block, k, e);
        }
        if (taken == 0) {
            return;
        }
        item = block->item_path[--taken];
        e = block->item_depth[taken];
        use_room(block, item, -1);
        item++;
    }
}

/* z from the best leaf within bounds. */
static void leave_best(struct block *block, int64_t k) {
    for (int64_t i = 0; i < k; i++) {
        block->change[i] = -block->x[i];
    }
    for (int64_t f = 0; f < block->best_size; f++) {
        block->change[block->best[f]] = block->best_z[f] - block->x[block->best[f]];
    }
}

/* Whether the change stays within the bounds. */
static int is_within(const struct block *block, int64_t k) {
    for (int64_t i = 0; i < k; i++) {
        double x = block->x[i] + block->change[i];

        if (!(x >= block->lower[i] && x <= block->upper[i])) {
            return 0;
        }
    }
    return 1;
}

/* The minimum over all largest sets of items, within bounds if is_bounded. */
static double minimise_items(struct block *block, int64_t k, int64_t mandatory, int64_t budget) {
    double change = 0;

    plant(block, k);
    for (int64_t e = 0; e < mandatory; e++) {
        grow(block, k, e, e);
    }
    block->boxes = 0;
    try_items(block, k, mandatory, largest_set(block, budget));
    if (block->best_gain >= 0) {
        if (block->is_bounded) {
            leave_best(block, k);
        } else {
            solve_best(block, k, block->best_size);
        }
        change = majoriser(block, k);
    }
    if (!isless(change, 0)) {
        memset(block->change, 0, (size_t)k * sizeof *block->change);
        return 0;
    }
    return change;
}

double block_minimise_within(struct block *block, int64_t k, int64_t mandatory, int64_t budget) {
    int is_bounded = block->is_bounded;
    double change;

    block->is_bounded = 0; /* usually the minimum without bounds satisfies them */
    change = block->caps == 0 && block->items == k - mandatory ? block_minimise(block, k, mandatory, budget)
                                                               : minimise_items(block, k, mandatory, budget);
    block->is_bounded = is_bounded;
    return is_bounded && !is_within(block, k) ? minimise_items(block, k, mandatory, budget) : change;
}
