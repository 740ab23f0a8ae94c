/* Facts about the columns of a file, and which of them are equal. */
#include "cli.h"
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns are sorted to find far values if there are at most this many entries. */
#define SORTED_MAX 50000000.0

/* Calls for every stored entry: row i, value v. */
struct cursor {
    const int32_t *row; /* NULL: dense */
    const double *value;
    int64_t stored;
};

static struct cursor cursor_at(const spgm_matrix *matrix, int64_t j) {
    if (!matrix->column_start) {
        return (struct cursor){NULL, matrix->values + j * matrix->leading_dimension, matrix->rows};
    }
    int64_t start = matrix->column_start[j];
    return (struct cursor){matrix->row_index + start, matrix->values + start, matrix->column_start[j + 1] - start};
}

static uint64_t mix(uint64_t print, uint64_t word) {
    print = (print ^ word) * 0x9E3779B97F4A7C15u;
    return print ^ (print >> 29);
}

static uint64_t bits_of(double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* 7, 8, 9, ... down the rows, or in order: a number of the row, not a measurement. */
static int counts_rows(const struct cursor *c, int64_t rows) {
    if (c->row || rows < 10) {
        return 0;
    }
    for (int64_t k = 0; k < rows; k++) {
        if (c->value[k] != c->value[0] + (double)k) {
            return 0;
        }
    }
    return 1;
}

/* The values of a dense column in order, gaps left out; how many. `sorted` has room for the rows, NULL: not wanted. */
static int64_t sort_values(const struct cursor *c, int64_t rows, double *sorted) {
    int64_t count = 0;
    for (int64_t k = 0; !c->row && sorted && k < rows; k++) {
        if (!isnan(c->value[k])) {
            sorted[count++] = c->value[k];
        }
    }
    if (count) {
        qsort(sorted, (size_t)count, sizeof *sorted, text_ascending);
    }
    return count;
}

/* A value hundreds of times further out than the middle half of the values is far: a typing error, or a code for a
 * missing value. */
static int has_far_values(const double *sorted, int64_t count) {
    if (count < 20) {
        return 0;
    }
    double quarter = sorted[count / 4], three = sorted[3 * (count - 1) / 4], reach = 100 * (three - quarter);
    return three > quarter && (sorted[count - 1] > three + reach || sorted[0] < quarter - reach);
}

static struct facts examine(const spgm_matrix *matrix, int64_t j, double *sorted) {
    struct cursor c = cursor_at(matrix, j);
    struct facts f = {.column = j, .low = INFINITY, .high = -INFINITY, .duplicate = -1};
    double largest = 0, square = 0;
    for (int64_t k = 0; k < c.stored; k++) {
        largest = fmax(largest, fabs(c.value[k]));
    }
    for (int64_t k = 0; k < c.stored; k++) {
        double v = c.value[k];
        if (isnan(v)) { /* a gap */
            continue;
        }
        f.low = fmin(f.low, v);
        f.high = fmax(f.high, v);
        if (v != 0) {
            f.nonzeros++;
            f.print = mix(mix(f.print, (uint64_t)(c.row ? c.row[k] : k)), bits_of(v));
            square += (v / largest) * (v / largest); /* scaled: no overflow for 1e200 */
        }
    }
    if (c.stored < matrix->rows) {
        f.low = fmin(f.low, 0);
        f.high = fmax(f.high, 0);
    }
    f.norm = largest * sqrt(square);
    int64_t count = sort_values(&c, matrix->rows, sorted);
    struct cursor ascending = {NULL, sorted, count};
    f.is_count = counts_rows(&c, matrix->rows) || (count == matrix->rows && counts_rows(&ascending, count));
    f.is_far = f.low < f.high && has_far_values(sorted, count);
    return f;
}

/* Gaps are equal. */
static int same_value(double p, double q) {
    return p == q || (isnan(p) && isnan(q));
}

/* Equal entries; both columns come from the same matrix, so both are dense or both sparse. */
static int same_column(const spgm_matrix *matrix, int64_t i, int64_t j) {
    struct cursor a = cursor_at(matrix, i), b = cursor_at(matrix, j);
    int64_t p = 0, q = 0;
    for (;;) {
        while (p < a.stored && a.value[p] == 0) {
            p++;
        }
        while (q < b.stored && b.value[q] == 0) {
            q++;
        }
        if (p == a.stored || q == b.stored) {
            return p == a.stored && q == b.stored;
        }
        if ((a.row ? a.row[p] : p) != (b.row ? b.row[q] : q) || !same_value(a.value[p], b.value[q])) {
            return 0;
        }
        p++, q++;
    }
}

static int by_print(const void *a, const void *b) {
    const struct facts *p = a, *q = b;
    if (p->print != q->print) {
        return p->print < q->print ? -1 : 1;
    }
    return p->column < q->column ? -1 : p->column > q->column;
}

static int by_column(const void *a, const void *b) {
    const struct facts *p = a, *q = b;
    return p->column < q->column ? -1 : p->column > q->column;
}

/* Equal columns have equal hashes, and so are neighbours after sorting. */
static void find_duplicates(const spgm_matrix *matrix, struct facts *facts, size_t count) {
    qsort(facts, count, sizeof *facts, by_print);
    for (size_t k = 1; k < count; k++) {
        if (facts[k].print == facts[k - 1].print && facts[k].nonzeros > 0 &&
            same_column(matrix, facts[k - 1].column, facts[k].column)) {
            facts[k].duplicate = facts[k - 1].duplicate >= 0 ? facts[k - 1].duplicate : facts[k - 1].column;
        }
    }
    qsort(facts, count, sizeof *facts, by_column);
}

int info_is_zero(const struct facts *f) {
    return f->nonzeros == 0;
}
int info_is_constant(const struct facts *f) {
    return f->nonzeros > 0 && f->low == f->high;
}
int info_is_duplicate(const struct facts *f) {
    return f->duplicate >= 0;
}
int info_is_single(const struct facts *f) {
    return f->nonzeros == 1;
}
int info_is_count(const struct facts *f) {
    return f->is_count;
}
int info_is_far(const struct facts *f) {
    return f->is_far;
}

static double least_magnitude(const spgm_matrix *matrix, int64_t j, double least) {
    struct cursor c = cursor_at(matrix, j);
    for (int64_t k = 0; k < c.stored; k++) {
        if (c.value[k] != 0) {
            least = fmin(least, fabs(c.value[k]));
        }
    }
    return least;
}

int info_holds_entries(const spgm_matrix *matrix, int64_t j) {
    return !matrix->column_start || matrix->column_start[j + 1] > matrix->column_start[j];
}

/* Room for the columns that hold entries: of a wide sparse matrix these may be few. Nonzero when there is none. */
int info_take_facts(struct summary *s) {
    for (int64_t j = 0; j < s->matrix.columns; j++) {
        s->known += info_holds_entries(&s->matrix, j);
    }
    s->facts = malloc(((size_t)s->known + 1) * sizeof *s->facts);
    return s->facts ? CLI_DONE : cli_out_of_memory();
}

void info_summarise(struct summary *s) {
    int is_all = s->known == s->matrix.columns;
    s->low = is_all ? INFINITY : 0;
    s->high = is_all ? -INFINITY : 0;
    s->least = s->norm_low = INFINITY;
    s->norm_high = -INFINITY;
    double *sorted = (double)s->matrix.rows * (double)s->matrix.columns <= SORTED_MAX
                         ? malloc(((size_t)s->matrix.rows + 1) * sizeof *sorted)
                         : NULL;
    for (int64_t j = 0, k = 0; k < s->known; j++) {
        if (!info_holds_entries(&s->matrix, j)) {
            continue;
        }
        struct facts f = s->facts[k++] = examine(&s->matrix, j, sorted);
        s->nonzeros += f.nonzeros;
        s->low = fmin(s->low, f.low);
        s->high = fmax(s->high, f.high);
        s->least = least_magnitude(&s->matrix, j, s->least);
        if (f.nonzeros > 0) {
            s->norm_low = fmin(s->norm_low, f.norm);
            s->norm_high = fmax(s->norm_high, f.norm);
        }
    }
    free(sorted);
    find_duplicates(&s->matrix, s->facts, (size_t)s->known);
}

int64_t info_count(const struct summary *s, int (*test)(const struct facts *)) {
    int64_t count = test == info_is_zero ? s->matrix.columns - s->known : 0;
    for (int64_t k = 0; k < s->known; k++) {
        count += test(&s->facts[k]) != 0;
    }
    return count;
}
