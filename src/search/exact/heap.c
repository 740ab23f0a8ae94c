/*
 * The open nodes as a heap, lowest bound first. Ties go to the lower number, so that the order does not depend on
 * threads.
 */
#include "search/exact/internal.h"

enum { CHUNK = 64 }; /* nodes that are allocated at once */

static int is_before(const struct node *a, const struct node *b) {
    return a->bound < b->bound || (a->bound == b->bound && a->number < b->number);
}

static void sift_up(struct tree *tree, int64_t at) {
    struct node *node = tree->heap[at];

    for (; at > 0 && is_before(node, tree->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        tree->heap[at] = tree->heap[(at - 1) / 2];
    }
    tree->heap[at] = node;
}

static void sift_down(struct tree *tree, int64_t at) {
    struct node *node = tree->heap[at];

    for (;;) {
        int64_t child = 2 * at + 1;

        child += child + 1 < tree->open && is_before(tree->heap[child + 1], tree->heap[child]);
        if (child >= tree->open || !is_before(tree->heap[child], node)) {
            break;
        }
        tree->heap[at] = tree->heap[child];
        at = child;
    }
    tree->heap[at] = node;
}

static size_t bytes_of_node(const struct tree *tree) {
    return sizeof(struct node) + (size_t)tree->n * (1 + 2 * sizeof(double) + 2 * sizeof(float)) +
           (size_t)tree->m * sizeof(float);
}

/* Double the room in the heap and among the spare nodes. */
static int widen(struct tree *tree, int64_t room) {
    struct node **heap = workspace_array(&tree->workspace, room, sizeof *heap);
    struct node **spare = workspace_array(&tree->workspace, room, sizeof *spare);

    if (heap == NULL || spare == NULL) {
        return 0;
    }
    for (int64_t i = 0; i < tree->open; i++) {
        heap[i] = tree->heap[i];
    }
    for (int64_t i = 0; i < tree->spares; i++) {
        spare[i] = tree->spare[i];
    }
    tree->heap = heap;
    tree->spare = spare;
    tree->places = room;
    return 1;
}

/* Room for CHUNK more open nodes. Returns 0 if memory runs out or the limit is reached. */
static int grow(struct tree *tree) {
    int64_t room = tree->room + CHUNK;
    struct node *nodes;

    if ((double)room * (double)bytes_of_node(tree) > tree->limits.bytes) {
        return 0;
    }
    nodes = workspace_array(&tree->workspace, CHUNK, sizeof *nodes);
    node_take(tree, CHUNK, nodes, &tree->workspace);
    if (tree->workspace.failed || (room > tree->places && !widen(tree, 2 * room))) {
        return 0;
    }
    for (int i = 0; i < CHUNK; i++) {
        tree->spare[tree->spares++] = &nodes[i];
    }
    tree->room = room;
    return 1;
}

int heap_push(struct tree *tree, const struct node *node) {
    struct node *mine;

    if (tree->spares == 0 && !grow(tree)) {
        return 0;
    }
    mine = tree->spare[--tree->spares];
    node_copy(tree, node, mine);
    mine->number = tree->numbers++;
    tree->heap[tree->open++] = mine;
    sift_up(tree, tree->open - 1);
    return 1;
}

void heap_pop(struct tree *tree, struct node *node) {
    struct node *top = tree->heap[0];

    node_copy(tree, top, node);
    tree->spare[tree->spares++] = top;
    tree->heap[0] = tree->heap[--tree->open];
    if (tree->open > 0) {
        sift_down(tree, 0);
    }
}

void heap_order(struct tree *tree) {
    for (int64_t i = tree->open / 2; i-- > 0;) {
        sift_down(tree, i);
    }
}
