/*
 * HOW IT WORKS: a pivot is taken from a small sorted sample, slightly beyond the wanted rank, and a branch-free pass
 * keeps what is above it. Usually that contains all wanted keys and few others. Ordinary selection on these finds the
 * value of the wanted rank, and a last pass over the keys lists those above the value and the first few of those equal
 * to it. Many equal keys end the search at once. After too many unlucky rounds the rest is sorted, so that the worst
 * case is n log n.
 */
#include "linalg/select.h"

#include <math.h>

enum { SMALL = 32, SAMPLE = 32, FEW = 512, ROUNDS = 8 };

static void sort_descending(int64_t n, double *v) {
    for (int64_t i = 1; i < n; i++) {
        double value = v[i];
        int64_t j = i;
        for (; j > 0 && v[j - 1] < value; j--)
            v[j] = v[j - 1];
        v[j] = value;
    }
}

static void sift_down(double *v, int64_t root, int64_t n) {
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        child += child + 1 < n && v[child + 1] < v[child];
        if (v[root] <= v[child])
            return;
        double swapped = v[root];
        v[root] = v[child];
        v[child] = swapped;
    }
}

static void heap_sort_descending(int64_t n, double *v) {
    for (int64_t i = n / 2 - 1; i >= 0; i--)
        sift_down(v, i, n);
    for (int64_t last = n - 1; last > 0; last--) {
        double swapped = v[0];
        v[0] = v[last];
        v[last] = swapped;
        sift_down(v, 0, last);
    }
}

/* A value of v that is probably beyond the wanted rank, by a margin that grows with `care`. NaN counts as smallest. */
static double choose_pivot(int64_t n, const double *v, int64_t rank, int care) {
    double sample[SAMPLE];
    int64_t size = n < FEW ? SAMPLE / 2 : SAMPLE;
    for (int64_t i = 0; i < size; i++) {
        double value = v[i * (n - 1) / (size - 1)];
        sample[i] = isnan(value) ? -INFINITY : value;
    }
    sort_descending(size, sample);
    double wanted = (double)rank / (double)n;
    double margin = care * (2 + sqrt((double)size * fmin(wanted, 1 - wanted))); /* deviations of the sample's rank */
    int64_t at = (int64_t)((double)size * wanted + (wanted < 0.5 ? margin : -margin));
    return sample[at < 0 ? 0 : at >= size ? size - 1 : at];
}

/* Bring the values above the pivot to the front; returns their number. */
static int64_t partition_above(int64_t n, double *v, double pivot) {
    int64_t above = 0;
    for (int64_t i = 0; i < n; i++) {
        double value = v[i];
        v[i] = v[above];
        v[above] = value;
        above += value > pivot;
    }
    return above;
}

static int64_t partition_equal(int64_t n, double *v, double pivot) {
    int64_t equal = 0;
    for (int64_t i = 0; i < n; i++) {
        double value = v[i];
        v[i] = v[equal];
        v[equal] = value;
        equal += value == pivot;
    }
    return equal;
}

struct cut {
    double value; /* of the wanted rank                                            */
    int64_t ties; /* how many of the keys equal to it are among the first `rank`   */
    int all_ties; /* nonzero: all of them                                          */
};

static struct cut cut_sorted(int64_t n, const double *v, int64_t rank) {
    struct cut cut = {v[rank - 1], 1, rank == n || v[rank] < v[rank - 1]};
    while (cut.ties < rank && v[rank - 1 - cut.ties] == cut.value)
        cut.ties++;
    return cut;
}

/* The value that separates the `rank` largest of v, 1 <= rank <= n; v has no NaN and is permuted. */
static struct cut cut_at(int64_t n, double *v, int64_t rank) {
    for (int rounds = 0; n > SMALL; rounds++) {
        if (rounds == ROUNDS) {
            heap_sort_descending(n, v);
            return cut_sorted(n, v, rank);
        }
        double pivot = choose_pivot(n, v, rank, 1);
        int64_t above = partition_above(n, v, pivot);
        if (rank <= above) {
            n = above;
            continue;
        }
        int64_t equal = partition_equal(n - above, v + above, pivot);
        if (rank <= above + equal)
            return (struct cut){pivot, rank - above, rank == above + equal};
        v += above + equal;
        n -= above + equal;
        rank -= above + equal;
    }
    sort_descending(n, v);
    return cut_sorted(n, v, rank);
}

static int64_t copy_numbers(int64_t n, const double *keys, double *numbers) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        numbers[count] = keys[i];
        count += keys[i] == keys[i];
    }
    return count;
}

static int64_t copy_above(int64_t n, const double *keys, double pivot, double *kept) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        kept[count] = keys[i];
        count += keys[i] > pivot;
    }
    return count;
}

/* All keys that are not NaN, filled up with the first NaN keys. */
static void choose_with_nan(int64_t n, const double *keys, int64_t spare, int64_t *chosen) {
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++) {
        int is_nan = keys[i] != keys[i];
        if (is_nan && spare == 0)
            continue;
        spare -= is_nan;
        chosen[taken++] = i;
    }
}

static void choose_at_least(const double *keys, double value, int64_t count, int64_t *chosen) {
    int64_t taken = 0;
    for (int64_t i = 0; taken < count; i++) {
        chosen[taken] = i;
        taken += keys[i] >= value;
    }
}

static void choose_by_cut(const double *keys, struct cut cut, int64_t count, int64_t *chosen) {
    int64_t taken = 0;
    for (int64_t i = 0; taken < count; i++) {
        int tie = keys[i] == cut.value && cut.ties > 0;
        chosen[taken] = i;
        taken += tie | (keys[i] > cut.value);
        cut.ties -= tie;
    }
}

void select_largest(int64_t n, const double *keys, int64_t count, int64_t *chosen, double *scratch) {
    if (count <= 0)
        return;
    int64_t kept = 0;
    for (int care = 1; care <= 3 && kept < count && n > SMALL && count < n / 2; care++)
        kept = copy_above(n, keys, choose_pivot(n, keys, count, care), scratch);
    if (kept < count)
        kept = copy_numbers(n, keys, scratch);
    if (kept < count) {
        choose_with_nan(n, keys, count - kept, chosen);
        return;
    }
    struct cut cut = cut_at(kept, scratch, count);
    if (cut.all_ties)
        choose_at_least(keys, cut.value, count, chosen);
    else
        choose_by_cut(keys, cut, count, chosen);
}
