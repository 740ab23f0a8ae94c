/*
 * HOW IT WORKS: the value of the count-th largest key is found by selection on a copy: a pivot from a small sorted
 * sample near the wanted rank, then a partition without branches. One pass over the keys then lists what is above the
 * value and the first few of what is equal to it. Many equal keys end the search at once; after too many rounds of bad
 * luck the rest is sorted, so that the worst case is n log n.
 */
#include "linalg/select.h"

enum { SMALL = 32, SAMPLE = 32 };

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

/* A value of v a little beyond the wanted rank, so that most of v is thrown away and what is kept has the answer. */
static double choose_pivot(int64_t n, const double *v, int64_t rank) {
    double sample[SAMPLE];
    for (int64_t i = 0; i < SAMPLE; i++)
        sample[i] = v[i * (n - 1) / (SAMPLE - 1)];
    sort_descending(SAMPLE, sample);
    double wanted = (double)rank / (double)n;
    int64_t at = (int64_t)(wanted * SAMPLE);
    at += wanted < 0.5 ? 2 : -2;
    return sample[at < 0 ? 0 : at >= SAMPLE ? SAMPLE - 1 : at];
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

/* The rank-th largest of v, 1 <= rank <= n; v is permuted. */
static double value_of_rank(int64_t n, double *v, int64_t rank) {
    for (int rounds = 0; n > SMALL; rounds++) {
        if (rounds == 64) {
            heap_sort_descending(n, v);
            return v[rank - 1];
        }
        double pivot = choose_pivot(n, v, rank);
        int64_t above = partition_above(n, v, pivot);
        if (rank <= above) {
            n = above;
            continue;
        }
        int64_t equal = partition_equal(n - above, v + above, pivot);
        if (rank <= above + equal)
            return pivot;
        v += above + equal;
        n -= above + equal;
        rank -= above + equal;
    }
    sort_descending(n, v);
    return v[rank - 1];
}

static int64_t copy_numbers(int64_t n, const double *keys, double *numbers) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        numbers[count] = keys[i];
        count += keys[i] == keys[i];
    }
    return count;
}

static int64_t count_above(int64_t n, const double *keys, double value) {
    int64_t above = 0;
    for (int64_t i = 0; i < n; i++)
        above += keys[i] > value;
    return above;
}

/* All numbers, and the first NaNs to fill up. */
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

void select_largest(int64_t n, const double *keys, int64_t count, int64_t *chosen, double *scratch) {
    if (count <= 0)
        return;
    int64_t numbers = copy_numbers(n, keys, scratch);
    if (count >= numbers) {
        choose_with_nan(n, keys, count - numbers, chosen);
        return;
    }
    double value = value_of_rank(numbers, scratch, count);
    int64_t ties = count - count_above(n, keys, value);
    int64_t taken = 0;
    for (int64_t i = 0; taken < count; i++) {
        int tie = keys[i] == value && ties > 0;
        chosen[taken] = i;
        taken += tie | (keys[i] > value);
        ties -= tie;
    }
}
