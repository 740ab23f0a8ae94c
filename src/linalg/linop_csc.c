/*
 * A sparse matrix by columns. Transposes read each column once. Products of columns spread one side over a small dense
 * strip of rows on the stack and run the other side over it; where columns are too short for the number of strips, they
 * are intersected pair by pair. Columns with many nonzeros are kept a second time as dense ones, for A'u, A x and A'WA.
 */
#include <string.h>

#include "base/parallel.h"
#include "linalg/constants.h"
#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/vector.h"

struct csc {
    struct linop linop;
    const int64_t *start;
    const int32_t *row;
    const double *value;
    int64_t column_block; /* columns of a block of about equal work */

    /* Full columns as they would be in a dense matrix: there a product takes a third of the time. */
    double *dense;     /* [rows x number of full columns] */
    int64_t *in_dense; /* which of them column j is, -1: none [columns] */
};

/* Part of a column: entries first..last-1. */
struct span {
    int64_t first, last;
};

struct call {
    const struct csc *A;
    int64_t k;
    const int64_t *columns, *right;
    const double *in; /* u or w */
    double *out;
    int64_t ld;
    int64_t base; /* the first column of a part of a Gram matrix */
};

enum {
    STRIP = 8192,     /* rows of the gram strip                            */
    TILE_ROWS = 1024, /* rows and columns of the cross tile, row by row    */
    TILE_COLUMNS = 8,
    CROSS_BLOCK = 512, /* right columns that share one filling of the tiles */
    GRAM_BLOCK = 8,
    FULL_TILE = 48 /* columns of a tile of the gram matrix of full columns */
};

static const struct csc *csc_of(const struct linop *A) {
    return (const struct csc *)A;
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- Single columns ------------------------------------------------------------------------- */

/* y += the dense ones among the columns; in groups, so that y is read and written once for several. */
static void add_dense(const struct csc *A, int64_t k, const int64_t *columns, const double *z, double *y) {
    enum { GROUP = 16 };
    int64_t list[GROUP];
    double factor[GROUP];
    int64_t count = 0;
    for (int64_t i = 0; i < k; i++) {
        if (A->in_dense[columns[i]] >= 0) {
            list[count] = A->in_dense[columns[i]];
            factor[count++] = z[i];
        }
        if (count == GROUP || (count > 0 && i == k - 1)) {
            kernels_best()->add_columns(A->linop.rows, count, list, A->dense, A->linop.rows, factor, y);
            count = 0;
        }
    }
}

static void csc_add_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *z, double *y) {
    const struct csc *A = csc_of(linop);
    add_dense(A, k, columns, z, y);
    for (int64_t i = 0; i < k; i++)
        for (int64_t e = A->start[columns[i]]; A->in_dense[columns[i]] < 0 && e < A->start[columns[i] + 1]; e++)
            y[A->row[e]] += z[i] * A->value[e];
}

/* sum of value_e u_row(e); u is indexed by the row less `offset` */
static inline double span_dot(const struct csc *A, struct span span, const double *u, int64_t offset) {
    const int32_t *row = A->row;
    const double *value = A->value;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t e = span.first;
    for (; e + 4 <= span.last; e += 4) {
        s0 += value[e] * u[row[e] - offset];
        s1 += value[e + 1] * u[row[e + 1] - offset];
        s2 += value[e + 2] * u[row[e + 2] - offset];
        s3 += value[e + 3] * u[row[e + 3] - offset];
    }
    for (; e < span.last; e++)
        s0 += value[e] * u[row[e] - offset];
    return (s0 + s1) + (s2 + s3);
}

static struct span column_span(const struct csc *A, int64_t j) {
    return (struct span){A->start[j], A->start[j + 1]};
}

/* a_j'u for the full columns among those of the call, in groups, so that u is read once for several. */
static void dot_dense(const struct call *call, int64_t first, int64_t last) {
    const struct csc *A = call->A;
    enum { GROUP = 16 };
    int64_t list[GROUP], place[GROUP], count = 0;
    double g[GROUP];
    for (int64_t i = first; i < last; i++) {
        int64_t at = A->in_dense[call->columns ? call->columns[i] : i];
        list[count] = at;
        place[count] = i;
        count += at >= 0;
        if (count == GROUP || (count > 0 && i == last - 1)) {
            kernels_best()->dot_columns(A->linop.rows, count, list, A->dense, A->linop.rows, call->in, g);
            for (int64_t c = 0; c < count; c++)
                call->out[place[c]] = g[c];
            count = 0;
        }
    }
}

static void dot_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    const struct csc *A = call->A;
    dot_dense(call, first, last);
    for (int64_t i = first; i < last; i++) {
        int64_t j = call->columns ? call->columns[i] : i;
        if (A->in_dense[j] < 0)
            call->out[i] = span_dot(A, column_span(A, j), call->in, 0);
    }
}

static void csc_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u,
                                  double *g) {
    struct call call = {.A = csc_of(A), .columns = columns, .in = u, .out = g};
    parallel_for(NULL, k, k, dot_block, &call);
}

static void csc_transpose(const struct linop *A, const double *u, double *g) {
    struct call call = {.A = csc_of(A), .in = u, .out = g};
    parallel_for(linop_team(A, A->nonzeros), A->columns, call.A->column_block, dot_block, &call);
}

static int is_full(const struct csc *A, int64_t j) {
    return A->in_dense[j] >= 0;
}

static const double *full_column(const struct csc *A, int64_t j) {
    return A->dense + A->in_dense[j] * A->linop.rows;
}

static void csc_gather(const struct linop *linop, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k && linop->rows > 0; i++) {
        if (is_full(A, columns[i])) {
            vector_copy(linop->rows, full_column(A, columns[i]), D + i * ld);
            continue;
        }
        memset(D + i * ld, 0, (size_t)linop->rows * sizeof *D);
        for (int64_t e = A->start[columns[i]]; e < A->start[columns[i] + 1]; e++)
            D[A->row[e] + i * ld] = A->value[e];
    }
}

static void csc_column_squares(const struct linop *linop, double *squares) {
    const struct csc *A = csc_of(linop);
    for (int64_t j = 0; j < linop->columns; j++)
        squares[j] = vector_sum_squares(A->start[j + 1] - A->start[j], A->value + A->start[j]);
}

static void csc_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                 double *squares) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns ? columns[i] : i;
        squares[i] = is_full(A, j) ? kernels_best()->weighted_square(linop->rows, w, full_column(A, j)) : 0;
        for (int64_t e = A->start[j]; !is_full(A, j) && e < A->start[j + 1]; e++)
            squares[i] += w[A->row[e]] * A->value[e] * A->value[e];
    }
}

/* ---- Products of columns -------------------------------------------------------------------- */

/* The first entry of the span with a row of at least `row`: doubling steps, then halving. */
static int64_t seek(const struct csc *A, struct span span, int64_t row) {
    int64_t step = 1;
    while (span.first + step <= span.last && A->row[span.first + step - 1] < row) {
        span.first += step;
        step *= 2;
    }
    int64_t last = lesser(span.first + step - 1, span.last);
    while (span.first < last) {
        int64_t middle = span.first + (last - span.first) / 2;
        if (A->row[middle] < row)
            span.first = middle + 1;
        else
            last = middle;
    }
    return span.first;
}

static void csc_row(const struct linop *linop, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k; i++) {
        struct span span = column_span(A, columns[i]);
        int64_t e = seek(A, span, row);
        r[i] = e < span.last && A->row[e] == row ? A->value[e] : 0;
    }
}

static struct span rows_between(const struct csc *A, int64_t j, int64_t first, int64_t last) {
    struct span span = column_span(A, j);
    if (first > 0)
        span.first = seek(A, span, first);
    if (last < A->linop.rows)
        span.last = seek(A, span, last);
    return span;
}

/* a_i' W a_j over the rows both have: step by step, or where one column is much the longer, by seeking in it */
static double intersection(const struct csc *A, int64_t i, int64_t j, const double *w) {
    struct span p = column_span(A, i), q = column_span(A, j);
    int64_t shorter = lesser(p.last - p.first, q.last - q.first);
    int seeks = (p.last - p.first) + (q.last - q.first) > UNEVEN * shorter;
    double sum = 0;
    while (p.first < p.last && q.first < q.last) {
        int32_t row = A->row[p.first], other = A->row[q.first];
        if (row == other) {
            sum += A->value[p.first] * (w ? w[row] * A->value[q.first] : A->value[q.first]);
            p.first++;
            q.first++;
        } else if (!seeks) { /* without a branch that cannot be foreseen */
            p.first += row < other;
            q.first += other < row;
        } else if (row < other) {
            p.first = seek(A, p, other);
        } else {
            q.first = seek(A, q, row);
        }
    }
    return sum;
}

static int64_t strips(int64_t rows, int64_t height) {
    return rows > 0 ? (rows - 1) / height + 1 : 0;
}

/*
 * GRAM. Three kinds of pairs: two full columns go through the dense kernel, tile by tile; a full one and another are
 * summed over the entries of the other; two others through a strip or by intersection.
 */

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

static int64_t entries(const struct csc *A, int64_t k, const int64_t *columns) {
    int64_t sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += A->start[columns[i] + 1] - A->start[columns[i]];
    return sum;
}

/* Multiplications of a column of the Gram matrix, on average, or what takes as long; `all` entries in all columns. */
static int64_t gram_work(const struct csc *A, int64_t k, const int64_t *columns, int64_t all) {
    int64_t stepped = 0;
    for (int64_t i = 0; i < k; i++)
        stepped += !is_full(A, columns[i]) && !goes_by_strips(A, columns[i]);
    return all / 2 + (k > 0 ? STEP_WORK * all * stepped / k : 0);
}

/* Parts of whole tiles, so that the same columns meet in a tile however the work is cut. */
static void csc_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
                     struct stop *stop) {
    struct call call = {.A = csc_of(A), .k = k, .columns = columns, .in = w, .out = G, .ld = ld};
    int64_t all = entries(call.A, k, columns);
    struct team *team = linop_team(A, k * all / 2);
    int64_t part = linop_part(stop, k, gram_work(call.A, k, columns, all), FULL_TILE) * (stop ? team_size(team) : 1);
    for (int pass = 0; pass < 2; pass++) {
        for (call.base = 0; call.base < k; call.base += part) {
            int64_t count = lesser(part, k - call.base);
            parallel_for(team, count, pass == 0 ? FULL_TILE : GRAM_BLOCK, pass == 0 ? gram_full_block : gram_block,
                         &call);
            if (part < k && stop_ask(stop))
                return;
        }
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = j + 1; i < k; i++)
            G[j + i * ld] = G[i + j * ld];
}

/*
 * CROSS. The left columns go by eights. Where all eight are full they meet full ones on the right in the dense kernel;
 * the other pairs go through a tile.
 */

static int64_t right_column(const struct call *call, int64_t j) {
    return call->right ? call->right[j] : j;
}

/* Row by row: tile[(row - top) * TILE_COLUMNS + c] = a(row, columns_c), zero elsewhere. */
static void tile_fill(const struct csc *A, int64_t width, const int64_t *columns, int64_t top, int64_t bottom,
                      double *tile) {
    for (int64_t c = 0; c < width; c++) {
        struct span span = rows_between(A, columns[c], top, bottom);
        for (int64_t e = span.first; e < span.last; e++)
            tile[(A->row[e] - top) * TILE_COLUMNS + c] = A->value[e];
    }
}

static void tile_clear(const struct csc *A, int64_t width, const int64_t *columns, int64_t top, int64_t bottom,
                       double *tile) {
    for (int64_t c = 0; c < width; c++) {
        struct span span = rows_between(A, columns[c], top, bottom);
        for (int64_t e = span.first; e < span.last; e++)
            tile[(A->row[e] - top) * TILE_COLUMNS + c] = 0;
    }
}

/* sum += tile' W a over the entries from `e` on that lie above `bottom`; returns the first entry that does not. */
static int64_t tile_apply(const struct csc *A, int64_t e, int64_t last, int64_t top, int64_t bottom, const double *w,
                          const double *tile, double *sum) {
    for (; e < last && A->row[e] < bottom; e++) {
        double value = w ? w[A->row[e]] * A->value[e] : A->value[e];
        const double *line = tile + (A->row[e] - top) * TILE_COLUMNS;
        for (int c = 0; c < TILE_COLUMNS; c++)
            sum[c] += value * line[c];
    }
    return e;
}

/* Right columns of a block, by their places in the list. */
struct some {
    int64_t at[CROSS_BLOCK], count;
};

/* Rows left..left+width-1 of G for some right columns. */
static void cross_by_tiles(const struct call *call, int64_t left, int64_t width, const struct some *some,
                           double *tile) {
    const struct csc *A = call->A;
    int64_t at[CROSS_BLOCK];
    for (int64_t i = 0; i < some->count; i++)
        at[i] = A->start[right_column(call, some->at[i])];
    for (int64_t top = 0; top < A->linop.rows && some->count > 0; top += TILE_ROWS) {
        int64_t bottom = lesser(top + TILE_ROWS, A->linop.rows);
        tile_fill(A, width, call->columns + left, top, bottom, tile);
        for (int64_t i = 0; i < some->count; i++) {
            int64_t j = some->at[i];
            double sum[TILE_COLUMNS] = {0};
            at[i] = tile_apply(A, at[i], A->start[right_column(call, j) + 1], top, bottom, call->in, tile, sum);
            for (int64_t c = 0; c < width; c++)
                call->out[left + c + j * call->ld] += sum[c];
        }
        tile_clear(A, width, call->columns + left, top, bottom, tile);
    }
}

/* The same where all of them are full. */
static void cross_of_full(const struct call *call, int64_t left, int64_t width, const struct some *some) {
    const struct csc *A = call->A;
    int64_t m = A->linop.rows, in_left[TILE_COLUMNS], in_right[CROSS_BLOCK];
    double G[TILE_COLUMNS * CROSS_BLOCK];
    memset(G, 0, (size_t)(width * some->count) * sizeof *G);
    for (int64_t c = 0; c < width; c++)
        in_left[c] = A->in_dense[call->columns[left + c]];
    for (int64_t i = 0; i < some->count; i++)
        in_right[i] = A->in_dense[right_column(call, some->at[i])];
    kernels_best()->add_products(m, 1, call->in, width, (struct columns){A->dense, m, in_left}, some->count,
                                 (struct columns){A->dense, m, in_right}, -some->count, G, width);
    for (int64_t i = 0; i < some->count; i++)
        memcpy(call->out + left + some->at[i] * call->ld, G + i * width, (size_t)width * sizeof *G);
}

static void cross_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    double tile[TILE_ROWS * TILE_COLUMNS];
    memset(tile, 0, sizeof tile);
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < call->k; i++)
            call->out[i + j * call->ld] = 0;
    struct some all = {.count = 0}, full = {.count = 0}, rest = {.count = 0};
    for (int64_t j = first; j < last; j++) {
        struct some *kind = is_full(call->A, right_column(call, j)) ? &full : &rest;
        all.at[all.count++] = kind->at[kind->count++] = j;
    }
    for (int64_t left = 0; left < call->k; left += TILE_COLUMNS) {
        int64_t width = lesser(TILE_COLUMNS, call->k - left);
        int are_full = 1;
        for (int64_t c = 0; c < width; c++)
            are_full &= is_full(call->A, call->columns[left + c]);
        if (are_full && full.count > 0)
            cross_of_full(call, left, width, &full);
        cross_by_tiles(call, left, width, are_full ? &rest : &all, tile);
    }
}

static void cross_block_by_pairs(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < call->k; i++)
            call->out[i + j * call->ld] = intersection(call->A, call->columns[i], right_column(call, j), call->in);
}

static void csc_cross(const struct linop *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      const double *w, double *G, int64_t ld) {
    struct call call = {.A = csc_of(A), .k = k, .columns = columns, .right = right, .in = w, .out = G, .ld = ld};
    int tiles_pay = A->nonzeros >= 2 * strips(A->rows, TILE_ROWS) * A->columns;
    parallel_for(linop_team(A, A->nonzeros * k), l, CROSS_BLOCK, tiles_pay ? cross_block : cross_block_by_pairs, &call);
}

static void csc_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                         const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct csc *A = csc_of(linop);
    for (int64_t j = 0; j < k; j++) {
        struct span span = column_span(A, columns ? columns[j] : j);
        for (int64_t i = 0; i < p; i++) {
            const double *left = P->values + (P->list ? P->list[i] : i) * P->ld;
            double sum = 0;
            for (int64_t e = span.first; e < span.last; e++)
                sum += (w ? w[A->row[e]] * A->value[e] : A->value[e]) * left[A->row[e]];
            G[i + j * ld] = sum;
        }
    }
}

/* ---- The table ------------------------------------------------------------------------------ */

static void csc_free(struct linop *linop) {
    struct csc *A = (struct csc *)linop;
    memory_free(A->dense);
    memory_free(A->in_dense);
    memory_free(A);
}

/* Number the columns with at least rows / part nonzeros, as many as DENSE_MOST has room for; returns how many. */
static int64_t number_full(struct csc *A, int64_t part) {
    int64_t m = A->linop.rows, count = 0;
    for (int64_t j = 0; j < A->linop.columns; j++) {
        int is_full = m >= 16 && part * (A->start[j + 1] - A->start[j]) >= m && (count + 1) * m <= DENSE_MOST;
        A->in_dense[j] = is_full ? count++ : -1;
    }
    return count;
}

/* From a quarter on it pays; from a half on when that would take more memory than the nonzeros. Zero: out of memory. */
static int copy_full(struct csc *A) {
    int64_t m = A->linop.rows;
    if (!(A->in_dense = memory_array(A->linop.columns, sizeof *A->in_dense)))
        return 0;
    int64_t count = number_full(A, 4);
    if (count > 0 && m * count > 2 * A->linop.nonzeros)
        count = number_full(A, 2);
    if (!(A->dense = memory_array(m * count, sizeof *A->dense)))
        return 0;
    for (int64_t j = 0; j < A->linop.columns; j++)
        for (int64_t e = A->start[j]; A->in_dense[j] >= 0 && e < A->start[j + 1]; e++)
            A->dense[A->in_dense[j] * m + A->row[e]] = A->value[e];
    return 1;
}

static const struct linop_ops csc_ops = {
    "sparse",   csc_add_columns, csc_transpose,      csc_transpose_columns, csc_gram, csc_cross, csc_products,
    csc_gather, csc_row,         csc_column_squares, csc_weighted_squares,  csc_free, NULL};

static int has_no_zeros(const spgm_matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        if (matrix->column_start[j + 1] - matrix->column_start[j] < matrix->rows)
            return 0;
    return matrix->columns > 0;
}

/* Rows are ascending in each column, so that without zeros the values are a dense matrix as they stand: nothing is
 * copied, and no kernel asks of a column where it lies. Tables in LIBSVM's format are often of this kind. */
static struct linop *dense_in_place(const spgm_matrix *matrix) {
    spgm_matrix dense = spgm_dense(matrix->rows, matrix->columns, matrix->values);
    dense.memory = matrix->memory;
    return linop_dense_new(&dense);
}

struct linop *linop_csc_new(const spgm_matrix *matrix) {
    if (has_no_zeros(matrix))
        return dense_in_place(matrix);
    struct csc *A = memory_array(1, sizeof *A);
    if (!A)
        return NULL;
    int64_t nonzeros = matrix->column_start[matrix->columns];
    A->linop = (struct linop){.ops = &csc_ops,
                              .rows = matrix->rows,
                              .columns = matrix->columns,
                              .nonzeros = nonzeros,
                              .memory = matrix->memory};
    A->start = matrix->column_start;
    A->row = matrix->row_index;
    A->value = matrix->values;
    A->column_block = 64;
    while (A->column_block < 8192 && A->column_block * nonzeros < 65536 * matrix->columns)
        A->column_block *= 2;
    if (!copy_full(A)) {
        csc_free(&A->linop);
        return NULL;
    }
    return &A->linop;
}
