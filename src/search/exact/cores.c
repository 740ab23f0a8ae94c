/*
 * Nodes with three units left or more, split by a core: a set of columns without which the node is refused (linf only).
 *
 * HOW IT WORKS: F over the columns that are in and all open columns is below the cutoff, or the node would be closed.
 * The heaviest open column is taken out, and the next, until F over the columns left, R, reaches the cutoff. A larger
 * subset never has a higher minimum, so every support of the node that matters contains a column that was taken out:
 * these form the core. Then columns are put back as long as R stays refused. Each child has one column of the core in
 * and those before it out; there is no child without all of them.
 *
 * R is refused wherever no other columns are allowed, because its proof uses the boxes of the root. So a node whose
 * columns in are all in R is split by its open columns outside R, at no cost.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/exact/internal.h"

#define BIT(j) (UINT64_C(1) << (j))

/* Only where few rows decide, since fits over many columns are cheap there. For sums over rows they take as long as the
 * nodes that are saved. */
int cores_apply(const struct tree *tree) {
    return pairs_apply(tree) && tree->has_boxes && tree->problem->h.kind->is_peaked && tree->n <= CORE_COLUMNS &&
           tree->whole_rows <= CORE_ROWS;
}

void cores_take(struct slot *slot) {
    struct workspace *w = &slot->workspace;
    int64_t room = leaf_capacity(slot->tree) + 2;

    if (!cores_apply(slot->tree)) {
        return;
    }
    slot->cores.x = workspace_doubles(w, slot->tree->n);
    vector_copy(w->failed ? 0 : slot->tree->n, slot->tree->run->best_x, slot->cores.x);
    slot->cores.u = workspace_array(w, CORE_MOST * slot->tree->m, sizeof *slot->cores.u);
    slot->cores.z = workspace_array(w, CORE_MOST * slot->tree->n, sizeof *slot->cores.z);
    slot->cores.active.rows = workspace_integers(w, room);
    slot->cores.active.signs = workspace_array(w, room, 1);
}

void cores_merge(struct tree *tree, const struct slot *slot) {
    for (int64_t i = 0; i < slot->cores.count && tree->refused_count < CORE_SETS; i++) {
        tree->refused[tree->refused_count++] = slot->cores.refused[i];
    }
}

static uint64_t columns_that_are(const struct slot *slot, unsigned char state) {
    uint64_t set = 0;

    for (int64_t i = 0; i < slot->tree->count; i++) {
        int64_t j = slot->tree->columns[i];

        set |= slot->now.state[j] == state ? BIT(j) : 0;
    }
    return set;
}

static int64_t count_of(uint64_t set) {
    int64_t count = 0;

    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The open columns outside the refused set for which they are fewest; all open columns if there is no such set. */
static uint64_t known_core(const struct slot *slot, uint64_t in, uint64_t open) {
    const struct tree *tree = slot->tree;
    uint64_t best = open;
    int64_t least = count_of(open);

    for (int64_t i = 0; i < tree->refused_count + slot->cores.count; i++) {
        uint64_t set = i < tree->refused_count ? tree->refused[i] : slot->cores.refused[i - tree->refused_count];
        int64_t count = (in & ~set) != 0 ? least : count_of(open & ~set);

        if (count < least) {
            least = count;
            best = open & ~set;
        }
    }
    return best;
}

/* Whether F over the set reaches the cutoff, within the boxes of the root. */
static int is_refused(struct slot *slot, uint64_t set) {
    struct node *now = &slot->now;
    double *low = now->low, *high = now->high;
    int64_t size = 0;
    int is_closed;

    for (int64_t i = 0; i < slot->tree->count; i++) {
        if ((set & BIT(slot->tree->columns[i])) != 0) {
            slot->fits.support[size++] = slot->tree->columns[i];
        }
    }
    vector_copy(slot->tree->n, slot->cores.x, slot->fits.x);
    fit_set_active(slot->fits.leaf, &slot->cores.active);
    now->low = slot->tree->root.low;
    now->high = slot->tree->root.high;
    is_closed = slot_refuses(slot, size);
    now->low = low;
    now->high = high;
    return is_closed;
}

/* The column of the set with the largest |x_j| in standard errors. */
static int64_t heaviest_of(const struct slot *slot, const double *x, uint64_t set) {
    int64_t best = -1;
    double top = -1;

    for (int64_t i = 0; i < slot->tree->count; i++) {
        int64_t j = slot->tree->columns[i];
        double weight = fabs(x[j]) / slot->split.unsure[j];

        if ((set & BIT(j)) != 0 && weight > top) {
            top = weight;
            best = j;
        }
    }
    return best;
}

/* Keep the last fit, which was not refused: the next fit and child k of the core begin at it. */
static void keep_fit(struct slot *slot, int64_t k) {
    const struct tree *tree = slot->tree;
    const double *alpha = fit_dual(slot->fits.leaf);

    vector_copy(tree->n, slot->fits.x, slot->cores.x);
    fit_get_active(slot->fits.leaf, &slot->cores.active);
    for (int64_t i = 0; i < tree->m; i++) {
        slot->cores.u[i + k * tree->m] = (float)(alpha[i] / tree->rho);
    }
    for (int64_t j = 0; j < tree->n; j++) {
        slot->cores.z[j + k * tree->n] = (float)slot->cores.x[j];
    }
}

/* ADMM of a child begins at the fit with the columns before it out; k < 0: where its parent's began. */
static void begin_child(const struct slot *slot, struct node *child, int64_t k) {
    size_t m = (size_t)slot->tree->m, n = (size_t)slot->tree->n;

    if (k >= 0) {
        memcpy(child->u, slot->cores.u + (size_t)k * m, m * sizeof *child->u);
        memcpy(child->z, slot->cores.z + (size_t)k * n, n * sizeof *child->z);
        memset(child->w, 0, n * sizeof *child->w);
    }
}

/* Take columns out of *left until it is refused, the heaviest first. Returns how many; negative: more than CORE_MOST.
 */
static int64_t take_out(struct slot *slot, uint64_t in, uint64_t *left, int64_t *core) {
    const double *x = slot->split.z;
    int64_t count = 0;

    slot->cores.from[0] = -1;
    do {
        core[count] = heaviest_of(slot, x, *left & ~in);
        *left &= ~BIT(core[count]);
        count++;
        if (is_refused(slot, *left)) {
            return count;
        }
        keep_fit(slot, count - 1);
        slot->cores.from[count] = count - 1;
        x = slot->cores.x;
    } while (count < CORE_MOST && (*left & ~in) != 0 && !slot_is_late(slot) && slot->error_code == SPGM_OK);
    return -count;
}

/* Put columns back, the last first, while the rest stays refused and that has succeeded often enough lately. Returns
 * how many are left in the core. */
static int64_t put_back(struct slot *slot, uint64_t *left, int64_t count, int64_t *core) {
    struct cores *cores = &slot->cores;

    for (int64_t i = count - 2; i >= 0 && !slot_is_late(slot) && slot->error_code == SPGM_OK; i--) {
        if (cores->successes + 1 < CORE_PAYS * cores->tries) {
            return count;
        }
        cores->tries = CORE_FADES * cores->tries + 1;
        cores->successes *= CORE_FADES;
        if (is_refused(slot, *left | BIT(core[i]))) {
            cores->successes++;
            *left |= BIT(core[i]);
            memmove(cores->from + i, cores->from + i + 1, (size_t)(count - i - 1) * sizeof *core);
            memmove(core + i, core + i + 1, (size_t)(count - i - 1) * sizeof *core);
            count--;
        }
    }
    return count;
}

static void set_column(struct slot *slot, struct node *node, int64_t column, unsigned char state) {
    node_set_unit(slot, node, slot->tree->problem->set.unit_of[column], state);
}

/* Make the children that have a column of the core in and, with `is_open`, also the one that has none in. */
static void make_children(struct slot *slot, int64_t count, const int64_t *core, int is_open) {
    int64_t first = slot->child_count;

    split_store(slot, &slot->now);
    slot->now.bound = slot->dual.best;
    slot->now.depth++;
    slot->now.origin = -2 - slot->record;
    for (int64_t i = 0; i < count; i++) {
        struct node *child = &slot->children[slot->child_count++];

        slot->now.decided = core[i];
        slot->now.is_in = slot->now.is_same = 1;
        node_copy(slot->tree, &slot->now, child);
        begin_child(slot, child, slot->cores.from[i]);
        set_column(slot, child, core[i], COLUMN_IN);
        set_column(slot, &slot->now, core[i], COLUMN_OUT);
    }
    slot->now.is_in = slot->now.is_same = 0;
    if (is_open) {
        node_copy(slot->tree, &slot->now, &slot->children[slot->child_count++]);
    }
    node_copy(slot->tree, &slot->children[first], &slot->now); /* the dive continues with this child */
    slot->child_count--;
    if (slot->child_count > first) {
        node_copy(slot->tree, &slot->children[slot->child_count], &slot->children[first]);
    }
}

static void note(struct slot *slot, uint64_t set) {
    if (slot->cores.count < CORE_NEW) {
        slot->cores.refused[slot->cores.count++] = set;
    }
}

/* Find a new core; returns its size, negative if it would have more than CORE_MOST columns. */
static int64_t find_core(struct slot *slot, uint64_t in, uint64_t open, int64_t *core) {
    uint64_t left = in | open;
    int64_t count = take_out(slot, in, &left, core);

    if (count > 0) {
        count = put_back(slot, &left, count, core);
        note(slot, left);
    }
    return count;
}

/* List the columns of a known core, the heaviest first. */
static int64_t list_core(struct slot *slot, uint64_t set, int64_t *core) {
    int64_t count = 0;

    for (; set != 0; set &= ~BIT(core[count - 1])) {
        slot->cores.from[count] = -1;
        core[count++] = heaviest_of(slot, slot->split.z, set);
    }
    return count;
}

int cores_split(struct slot *slot) {
    uint64_t in, open, known;
    int64_t core[CORE_MOST], count;

    if (!cores_apply(slot->tree) || slot->tree->nodes == 0 || slot->tree->s - node_units_in(slot) < 3) {
        return CORES_NONE;
    }
    in = columns_that_are(slot, COLUMN_IN);
    open = columns_that_are(slot, COLUMN_OPEN);
    known = known_core(slot, in, open);
    if (known == 0) {
        return CORES_CLOSED;
    }
    count = count_of(known) <= CORE_KNOWN ? list_core(slot, known, core) : find_core(slot, in, open, core);
    if (slot->is_stopped || slot->error_code != SPGM_OK) {
        return CORES_NONE;
    }
    make_children(slot, count > 0 ? count : -count, core, count < 0);
    return CORES_SPLIT;
}
