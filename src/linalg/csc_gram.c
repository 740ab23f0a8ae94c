/*
 * A'WA of columns of a sparse matrix. Three kinds of pairs: two full columns go through the dense kernel, tile by tile;
 * a full one and another are summed over the entries of the other; two others through a strip or by intersection, or
 * all of these row by row, which takes a product for each pair of entries in a row: where rows have few, that is the
 * least.
 */
#include <string.h>

#include "base/parallel.h"
#include "linalg/csc.h"
#include "linalg/kernels.h"

enum {
    STRIP = 8192, /* rows of the strip */
    GRAM_BLOCK = 8,
    FULL_TILE = 48,      /* columns of a tile of full columns                       */
    ROW_TILE = 8192,     /* rows of which the entries are listed by row, ...        */
    ROW_ENTRIES = 16384, /* ... and how many there are, at most                     */
    ROW_BLOCK = 64       /* columns that share such a list, at least                */
};

/* Where a_i' W a_j goes, in the lower triangle. */
static double *gram_entry(const struct call *call, int64_t i, int64_t j) {
    return i > j ? call->out + i + j * call->ld : call->out + j + i * call->ld;
}

/* Column j with the full columns. */
static void gram_column_with_full(const struct call *call, int64_t j) {
    const struct csc *A = call->A;
    const double *w = call->in;
    struct span span = column_span(A, call->columns[j]);
    for (int64_t i = 0; i < call->k; i++) {
        if (!is_full(A, call->columns[i]))
            continue;
        const double *dense = full_column(A, call->columns[i]);
        double sum = 0;
        for (int64_t e = span.first; e < span.last; e++)
            sum += (w ? w[A->row[e]] * A->value[e] : A->value[e]) * dense[A->row[e]];
        *gram_entry(call, i, j) = sum;
    }
}

/* Whether a column that is not full goes through strips; the others are intersected. */
static int goes_by_strips(const struct csc *A, int64_t j) {
    int64_t parts = strips(A->linop.rows, STRIP);
    return parts <= 1 || A->start[j + 1] - A->start[j] >= 16 * parts;
}

/* Column j with those from j on that are not full, through a strip that is zero before and after. */
static void gram_column_by_strips(const struct call *call, int64_t j, double *strip) {
    const struct csc *A = call->A;
    const double *w = call->in;
    double *G = call->out + j * call->ld;
    for (int64_t i = j; i < call->k; i++)
        G[i] = is_full(A, call->columns[i]) ? G[i] : 0;
    for (int64_t first = 0; first < A->linop.rows; first += STRIP) {
        int64_t last = lesser(first + STRIP, A->linop.rows);
        struct span span = rows_between(A, call->columns[j], first, last);
        if (span.first == span.last)
            continue;
        for (int64_t e = span.first; e < span.last; e++)
            strip[A->row[e] - first] = w ? w[A->row[e]] * A->value[e] : A->value[e];
        for (int64_t i = j; i < call->k; i++)
            if (!is_full(A, call->columns[i]))
                G[i] += span_dot(A, rows_between(A, call->columns[i], first, last), strip, first);
        for (int64_t e = span.first; e < span.last; e++)
            strip[A->row[e] - first] = 0;
    }
}

/* Entries of some rows, row after row: those of row `top` + r are from start[r] to start[r + 1]. */
struct row_tile {
    int64_t top, bottom;
    int32_t start[ROW_TILE + 2], place[ROW_ENTRIES]; /* where the column stands in the list of columns */
    double value[ROW_ENTRIES];
};

/* start[r + 2]: the entries of row `top` + r in the columns from `first` on that are not full; returns the sum. */
static int64_t count_in_rows(const struct call *call, int64_t first, struct row_tile *tile) {
    const struct csc *A = call->A;
    int64_t sum = 0;
    memset(tile->start, 0, (size_t)(tile->bottom - tile->top + 2) * sizeof *tile->start);
    for (int64_t i = first; i < call->k; i++) {
        struct span span = is_full(A, call->columns[i]) ? (struct span){0, 0}
                                                        : rows_between(A, call->columns[i], tile->top, tile->bottom);
        for (int64_t e = span.first; e < span.last; e++)
            tile->start[A->row[e] - tile->top + 2]++;
        sum += span.last - span.first;
    }
    return sum;
}

/* The entries from row `top` on, of as many rows as there is room for. A row has no more than ROW_ENTRIES. */
static void fill_rows(const struct call *call, int64_t first, int64_t top, struct row_tile *tile) {
    const struct csc *A = call->A;
    tile->top = top;
    tile->bottom = lesser(top + call->row_tile, A->linop.rows);
    while (count_in_rows(call, first, tile) > ROW_ENTRIES)
        tile->bottom = top + (tile->bottom - top) / 2;
    int32_t *next = tile->start + 1; /* where the next entry of a row goes; in the end where the row ends */
    for (int64_t r = 0; r < tile->bottom - top; r++)
        next[r + 1] += next[r];
    for (int64_t i = first; i < call->k; i++) {
        if (is_full(A, call->columns[i]))
            continue;
        struct span span = rows_between(A, call->columns[i], top, tile->bottom);
        for (int64_t e = span.first; e < span.last; e++) {
            int32_t at = next[A->row[e] - top]++;
            tile->place[at] = (int32_t)i;
            tile->value[at] = A->value[e];
        }
    }
}

/* The products of columns `first` to last - 1 with those that follow, over `count` rows from `top` on: the entries of
 * row `top` + r are from start[r] to start[r + 1]. */
static void add_rows(const struct call *call, int64_t first, int64_t last, int64_t top, int64_t count,
                     const int32_t *start, const int32_t *place, const double *value) {
    for (int64_t r = 0; r < count; r++) {
        double w = call->in ? call->in[top + r] : 1;
        int32_t q = start[r], end = start[r + 1];
        while (q < end && place[q] < first)
            q++;
        for (; q < end && place[q] < last; q++) {
            double z = w * value[q], *G = call->out + place[q] * call->ld;
            for (int32_t p = q; p < end; p++)
                G[place[p]] += z * value[p];
        }
    }
}

static void add_row_tiles(const struct call *call, int64_t first, int64_t last) {
    struct row_tile tile;
    for (int64_t top = 0; top < call->A->linop.rows; top = tile.bottom) {
        fill_rows(call, first, top, &tile);
        add_rows(call, first, last, top, tile.bottom - top, tile.start, tile.place, tile.value);
    }
}

/* The entries of all rows, for as long as the columns stay. */
struct gram_lists {
    double *value;          /* [room]     */
    int32_t *place, *start; /* [room], [rows + 1] */
    int64_t room;
};

static void lists_fill(struct gram_lists *lists, const struct call *call) {
    struct row_tile tile;
    int32_t sum = 0;
    for (int64_t top = 0; top < call->A->linop.rows; top = tile.bottom) {
        fill_rows(call, 0, top, &tile);
        int64_t rows = tile.bottom - top;
        size_t count = (size_t)tile.start[rows];
        memcpy(lists->value + sum, tile.value, count * sizeof *tile.value);
        memcpy(lists->place + sum, tile.place, count * sizeof *tile.place);
        for (int64_t r = 0; r < rows; r++)
            lists->start[top + r] = sum + tile.start[r];
        sum += (int32_t)count;
    }
    lists->start[call->A->linop.rows] = sum;
}

void csc_free_lists(struct gram_lists *lists) {
    if (lists) {
        memory_free(lists->value);
        memory_free(lists->place);
        memory_free(lists->start);
        memory_free(lists);
    }
}

static struct gram_lists *lists_new(const struct linop *A, int64_t room) {
    struct gram_lists *lists = memory_array(1, sizeof *lists);
    if (!lists)
        return NULL;
    lists->room = room;
    lists->value = memory_beside(A->memory, room, sizeof *lists->value);
    lists->place = memory_beside(A->memory, room, sizeof *lists->place);
    lists->start = memory_beside(A->memory, A->rows + 1, sizeof *lists->start);
    if (!lists->value || !lists->place || !lists->start) {
        csc_free_lists(lists);
        return NULL;
    }
    return lists;
}

/* Rows listed once more at every matrix take a fifth of its time or more; without memory they are. */
static void keep_lists(const struct call *call, struct gram_run *run) {
    if (!run->lists || run->lists->room < run->loose) {
        csc_free_lists(run->lists);
        run->lists = run->loose <= LISTS_MOST ? lists_new(&call->A->linop, run->loose) : NULL;
    }
    if (run->lists)
        lists_fill(run->lists, call);
}

static void gram_row_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    const struct csc *A = call->A;
    first += call->base;
    last += call->base;
    for (int64_t j = first; j < last; j++) {
        if (is_full(A, call->columns[j]))
            continue;
        gram_column_with_full(call, j);
        for (int64_t i = j; i < call->k; i++)
            if (!is_full(A, call->columns[i]))
                call->out[i + j * call->ld] = 0;
    }
    if (call->lists)
        add_rows(call, first, last, 0, A->linop.rows, call->lists->start, call->lists->place, call->lists->value);
    else
        add_row_tiles(call, first, last);
}

/* Products that are added row by row: those of every two entries of a row. */
static int64_t row_pairs(const struct call *call) {
    struct row_tile tile;
    int64_t pairs = 0;
    for (tile.top = 0; tile.top < call->A->linop.rows; tile.top = tile.bottom) {
        tile.bottom = lesser(tile.top + ROW_TILE, call->A->linop.rows);
        count_in_rows(call, 0, &tile);
        for (int64_t r = 0; r < tile.bottom - tile.top; r++)
            pairs += (int64_t)tile.start[r + 2] * (tile.start[r + 2] + 1) / 2;
    }
    return pairs;
}

static void gram_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    const struct csc *A = call->A;
    double strip[STRIP];
    memset(strip, 0, sizeof strip);
    for (int64_t j = call->base + first; j < call->base + last; j++) {
        if (is_full(A, call->columns[j]))
            continue;
        gram_column_with_full(call, j);
        if (goes_by_strips(A, call->columns[j]))
            gram_column_by_strips(call, j, strip);
        else
            for (int64_t i = j; i < call->k; i++)
                if (!is_full(A, call->columns[i]))
                    call->out[i + j * call->ld] = intersection(A, call->columns[i], call->columns[j], call->in);
    }
}

/* Full columns of the list: where they stand in it and in `dense`. */
struct full {
    int64_t at[FULL_TILE], dense[FULL_TILE];
    int64_t count;
};

/* The full columns from position `from` on, as many as there is room for; moves `from` behind the last. */
static struct full next_full(const struct call *call, int64_t *from) {
    struct full full = {.count = 0};
    for (; *from < call->k && full.count < FULL_TILE; ++*from) {
        if (is_full(call->A, call->columns[*from])) {
            full.at[full.count] = *from;
            full.dense[full.count++] = call->A->in_dense[call->columns[*from]];
        }
    }
    return full;
}

/* The tile of two groups of full columns; entries above the diagonal of one group with itself are left out. */
static void gram_tile(const struct call *call, const struct full *left, const struct full *right) {
    const struct csc *A = call->A;
    int64_t m = A->linop.rows;
    double tile[FULL_TILE * FULL_TILE] = {0};
    int same = left == right;
    kernels_best()->add_products(m, 1, call->in, left->count, (struct columns){A->dense, m, left->dense}, right->count,
                                 (struct columns){A->dense, m, right->dense}, same ? 0 : -right->count, tile,
                                 FULL_TILE);
    for (int64_t j = 0; j < right->count; j++)
        for (int64_t i = same ? j : 0; i < left->count; i++)
            *gram_entry(call, left->at[i], right->at[j]) = tile[i + j * FULL_TILE];
}

/* The full columns among first..last-1 with all that follow them. */
static void gram_full_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    struct call some = *call;
    some.k = call->base + last;
    for (int64_t from = call->base + first; from < some.k;) {
        struct full right = next_full(&some, &from);
        if (right.count == 0)
            return;
        gram_tile(call, &right, &right);
        for (int64_t next = from; next < call->k;) {
            struct full left = next_full(call, &next);
            if (left.count > 0)
                gram_tile(call, &left, &right);
        }
    }
}

/* The columns of a call: how many are full, or found entry by entry in intersections, and their entries. */
struct shape {
    int64_t full, stepped, entries, loose; /* loose: entries of columns that are not full */
};

static struct shape shape_of(const struct call *call) {
    const struct csc *A = call->A;
    struct shape shape = {.full = 0};
    for (int64_t i = 0; i < call->k; i++) {
        int64_t j = call->columns[i], entries = A->start[j + 1] - A->start[j];
        int full = is_full(A, j);
        shape.full += full;
        shape.stepped += !full && !goes_by_strips(A, j);
        shape.entries += entries;
        shape.loose += full ? 0 : entries;
    }
    return shape;
}

/* Multiplications of the matrix by strips and intersections, or what takes as long. */
static double strip_work(const struct shape *shape, int64_t k) {
    return (double)shape->entries * ((double)k / 2 + (double)STEP_WORK * (double)shape->stepped);
}

/* The same by rows: lists, pairs, and the full columns with each other and with the others. */
static double row_work(const struct csc *A, const struct shape *shape, double pairs) {
    double full = (double)shape->full, loose = (double)shape->loose;
    return ROW_ENTRY * loose + ROW_PAIR * pairs + full * loose + (double)A->linop.rows * full * (full + 1) / 2;
}

/* How many rows are listed at a time where sums by rows take less than strips, as a rule three quarters of what there
 * is room for; 0: they do not. Pairs are counted, in a pass over the columns, only where there are few if all rows have
 * as many entries. */
static void plan_run(const struct call *call, struct gram_run *run) {
    struct shape shape = shape_of(call);
    double loose = (double)shape.loose, by_strips = loose * (double)call->k / 2,
           mean = loose / (double)call->A->linop.rows;
    run->work = strip_work(&shape, call->k);
    run->row_tile = 0;
    run->loose = shape.loose;
    if (call->k > ROW_ENTRIES || !(ROW_ENTRY * loose + ROW_PAIR * loose * mean / 2 < by_strips))
        return;
    double pairs = (double)row_pairs(call);
    if (ROW_ENTRY * loose + ROW_PAIR * pairs < by_strips) {
        run->work = row_work(call->A, &shape, pairs);
        run->row_tile = mean * ROW_TILE > ROW_ENTRIES * 3 / 4 ? (int64_t)(ROW_ENTRIES * 3 / 4 / mean) + 1 : ROW_TILE;
    }
}

/* Parts of whole tiles, so that the same columns meet in a tile however the work is cut. */
void csc_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
              struct gram_run *run, struct stop *stop) {
    struct call call = {.A = csc_of(A), .k = k, .columns = columns, .in = w, .out = G, .ld = ld};
    struct gram_run once = {.asked = 0};
    if (!run)
        run = &once;
    if (run->asked++ == 0)
        plan_run(&call, run);
    call.row_tile = run->row_tile;
    if (run->asked == 2 && call.row_tile > 0)
        keep_lists(&call, run);
    call.lists = run->asked > 1 ? run->lists : NULL;
    struct team *team = linop_team(A, (int64_t)run->work);
    int64_t part = linop_part(stop, k, k > 0 ? (int64_t)(run->work / (double)k) : 0, FULL_TILE);
    part *= stop ? team_size(team) : 1;
    for (int pass = 0; pass < 2; pass++) {
        for (call.base = 0; call.base < k; call.base += part) {
            int64_t count = lesser(part, k - call.base);
            if (pass == 0)
                parallel_for(team, count, FULL_TILE, gram_full_block, &call);
            else if (call.row_tile > 0)
                parallel_for(team, count, count / 4 > ROW_BLOCK ? count / 4 : ROW_BLOCK, gram_row_block, &call);
            else
                parallel_for(team, count, GRAM_BLOCK, gram_block, &call);
            if (part < k && stop_ask(stop))
                return;
        }
    }
    linop_mirror(k, G, ld);
}
