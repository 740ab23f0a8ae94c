/* Dense vectors and the kernels behind them, on every level this processor has, against long double loops. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/vector.h"

enum { MAX = 300 };

static void fill(uint64_t seed, int64_t n, double *x) {
    struct random random;
    random_seed(&random, seed, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = random_normal(&random);
}

static void assert_close(double value, long double expected, long double size) {
    assert_true(fabsl((long double)value - expected) <= 1e-13L * (size + 1e-300L));
}

static void dot_and_norms_match_long_double(void **state) {
    (void)state;
    double x[MAX], y[MAX], size_of[MAX];
    fill(1, MAX, x);
    fill(2, MAX, y);
    for (int64_t i = 0; i < MAX; i++)
        size_of[i] = fabs(y[i]);
    for (int64_t n = 0; n <= MAX; n++) {
        long double dot = 0, size = 0, square = 0, one = 0, top = 0, weighted = 0;
        for (int64_t i = 0; i < n; i++) {
            weighted += fabsl((long double)y[i]) * x[i] * x[i];
            dot += (long double)x[i] * y[i];
            size += fabsl((long double)x[i] * y[i]);
            square += (long double)x[i] * x[i];
            one += fabsl(x[i]);
            top = fmaxl(top, fabsl(x[i]));
        }
        for (int level = 0; level <= (int)processor_level(); level++) {
            const struct kernels *k = kernels_at((enum processor_level)level);
            assert_close(k->dot(n, x, y), dot, size);
            assert_close(k->sum_squares(n, x), square, square);
            assert_close(k->weighted_square(n, size_of, x), weighted, weighted);
            assert_close(k->norm1(n, x), one, one);
            assert_true(k->largest(n, x) == (double)top);
        }
        assert_close(vector_dot(n, x, y), dot, size);
        assert_close(vector_sum_squares(n, x), square, square);
        assert_close(vector_norm(n, x), sqrtl(square), sqrtl(square));
        assert_close(vector_norm1(n, x), one, one);
        assert_true(vector_norm_inf(n, x) == (double)top);
    }
}

static void norm_is_safe_at_the_ends_of_the_range(void **state) {
    (void)state;
    static const double sizes[] = {1e-300, 1e-200, 1e-160, 1e-150, 1e-100, 1, 1e100, 1e150, 1e200, 1e300};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double x[37];
        for (int i = 0; i < 37; i++)
            x[i] = (i % 2 ? -1 : 1) * sizes[s];
        double expected = sqrt(37) * sizes[s];
        assert_true(fabs(vector_norm(37, x) - expected) <= 1e-14 * expected);
    }
    double mixed[] = {1e-200, 1e150, 0, -1e150};
    assert_true(fabs(vector_norm(4, mixed) / (sqrt(2) * 1e150) - 1) < 1e-15);
    double denormal[] = {3 * 0x1p-1074, -4 * 0x1p-1074};
    assert_true(vector_norm(2, denormal) == 5 * 0x1p-1074);
}

static void norms_of_nothing_are_zero(void **state) {
    (void)state;
    assert_true(vector_norm(0, NULL) == 0);
    assert_true(vector_norm1(0, NULL) == 0);
    assert_true(vector_norm_inf(0, NULL) == 0);
    assert_true(vector_dot(0, NULL, NULL) == 0);
    assert_int_equal(vector_first_bad(0, NULL), -1);
    vector_axpy(0, 2, NULL, NULL);
    vector_scale(0, 2, NULL);
    vector_copy(0, NULL, NULL);
}

static void bad_numbers_are_seen_wherever_they_are(void **state) {
    (void)state;
    static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static double x[2100];
    fill(3, 2100, x);
    assert_int_equal(vector_first_bad(2100, x), -1);
    for (int64_t at = 0; at < 2100; at += 37)
        for (int b = 0; b < 4; b++) {
            double kept = x[at], last = x[2099];
            x[at] = bad[b];
            assert_int_equal(vector_first_bad(2100, x), at);
            assert_int_equal(vector_first_bad(at, x), -1);
            x[2099] = NAN;
            assert_int_equal(vector_first_bad(2100, x), at);
            assert_true(isnan(vector_norm_inf(2100, x)));
            assert_true(isnan(vector_norm(2100, x)));
            x[2099] = last;
            assert_true(isnan(bad[b]) ? isnan(vector_norm_inf(2100, x)) : isinf(vector_norm_inf(2100, x)));
            assert_true(isnan(bad[b]) ? isnan(vector_norm(2100, x)) : isinf(vector_norm(2100, x)));
            x[at] = kept;
        }
}

static void largest_finite_number_is_not_bad(void **state) {
    (void)state;
    double x[] = {DBL_MAX, -DBL_MAX, 0x1p-1074, -0.0};
    assert_int_equal(vector_first_bad(4, x), -1);
    assert_true(vector_norm_inf(4, x) == DBL_MAX);
}

static void axpy_scale_copy(void **state) {
    (void)state;
    double x[MAX], y[MAX], z[MAX + 1];
    fill(4, MAX, x);
    for (int64_t n = 0; n <= 70; n++) {
        fill(5, MAX, y);
        vector_copy(n, y, z);
        z[n] = 7;
        vector_axpy(n, -0.3, x, z);
        for (int64_t i = 0; i < n; i++)
            assert_close(z[i], (long double)y[i] - 0.3 * (long double)x[i], 2);
        vector_scale(n, 0.5, z);
        for (int64_t i = 0; i < n; i++)
            assert_close(z[i], 0.5L * ((long double)y[i] - 0.3 * (long double)x[i]), 2);
        assert_true(z[n] == 7);
    }
}

static void columns_give_the_same_bits_alone_and_together(void **state) {
    (void)state;
    enum { LD = 67, COLUMNS = 11 };
    double a[LD * COLUMNS], u[LD], alone[1], together[COLUMNS], listed[COLUMNS];
    static const int64_t list[COLUMNS] = {3, 0, 10, 3, 3, 7, 1, 2, 9, 8, 5};
    fill(6, LD * COLUMNS, a);
    fill(7, LD, u);
    for (int64_t m = 0; m <= LD; m++)
        for (int level = 0; level <= (int)processor_level(); level++) {
            const struct kernels *k = kernels_at((enum processor_level)level);
            k->dot_columns(m, COLUMNS, NULL, a, LD, u, together);
            k->dot_columns(m, COLUMNS, list, a, LD, u, listed);
            for (int64_t j = 0; j < COLUMNS; j++) {
                long double sum = 0;
                for (int64_t i = 0; i < m; i++)
                    sum += (long double)a[i + j * LD] * u[i];
                k->dot_columns(m, 1, &j, a, LD, u, alone);
                assert_close(together[j], sum, 100);
                assert_true(memcmp(alone, together + j, sizeof *alone) == 0);
                assert_true(memcmp(listed + j, together + list[j], sizeof *alone) == 0);
            }
        }
    dense_dot_columns(LD, COLUMNS, a, LD, u, together);
    kernels_best()->dot_columns(LD, COLUMNS, NULL, a, LD, u, listed);
    assert_memory_equal(together, listed, sizeof together);
}

static void added_columns_match_one_after_the_other(void **state) {
    (void)state;
    enum { LD = 41, COLUMNS = 9 };
    double a[LD * COLUMNS], z[COLUMNS], y[LD + 1], single[LD + 1];
    static const int64_t list[COLUMNS] = {8, 8, 1, 0, 2, 3, 5, 4, 1};
    fill(8, LD * COLUMNS, a);
    fill(9, COLUMNS, z);
    for (int64_t m = 0; m <= LD; m++)
        for (int64_t k = 0; k <= COLUMNS; k++)
            for (int level = 0; level <= (int)processor_level(); level++) {
                const struct kernels *kernel = kernels_at((enum processor_level)level);
                fill(10, LD + 1, y);
                memcpy(single, y, sizeof y);
                kernel->add_columns(m, k, list, a, LD, z, y);
                for (int64_t i = 0; i < k; i++)
                    kernel->add_columns(m, 1, list + i, a, LD, z + i, single);
                assert_memory_equal(y, single, sizeof y);
                for (int64_t r = 0; r < m; r++) {
                    long double sum = 0;
                    for (int64_t i = 0; i < k; i++)
                        sum += (long double)z[i] * a[r + list[i] * LD];
                    double start[LD + 1];
                    fill(10, LD + 1, start);
                    assert_close(y[r], sum + start[r], 30);
                }
            }
}

/* Few columns on the left and many, which are computed in different ways; rows in several strips. */
static void products_match_long_double(void **state) {
    (void)state;
    enum { M = 530, LD = 531, COLUMNS = 10, K = 55, LDG = 56, L = 9 };
    static double a[LD * COLUMNS], w[M];
    static const int64_t heights[] = {0, 1, 3, 63, 128, 257, M}, lefts[] = {0, 1, 4, 7, 23, 24, 25, 47, 48, K};
    int64_t left[K], right[L];
    fill(11, LD * COLUMNS, a);
    fill(12, M, w);
    for (int64_t i = 0; i < K; i++)
        left[i] = i * 7 % COLUMNS;
    for (int64_t j = 0; j < L; j++)
        right[j] = (j * 3 + 2) % COLUMNS;
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++)
        for (size_t size = 0; size < sizeof lefts / sizeof *lefts; size++)
            for (int choice = 0; choice < 4 * ((int)processor_level() + 1); choice++) {
                const struct kernels *kernel = kernels_at((enum processor_level)(choice / 4));
                const double *weight = choice % 2 ? w : NULL;
                int64_t k = lefts[size], l = (int64_t)(h + size) % (L + 1);
                double G[LDG * L];
                for (int e = 0; e < LDG * L; e++)
                    G[e] = -99;
                (choice % 4 < 2 ? kernel->add_products
                                : kernel->add_panels)(heights[h], 2, weight, k, (struct columns){a, LD, left}, l,
                                                      (struct columns){a, LD, right}, -l, G, LDG);
                for (int64_t j = 0; j < L; j++)
                    for (int64_t i = 0; i < LDG; i++) {
                        long double sum = 0;
                        for (int64_t r = 0; i < k && j < l && r < heights[h]; r++)
                            sum += (long double)a[r + left[i] * LD] * a[r + right[j] * LD] * (weight ? w[r] : 1);
                        assert_close(G[i + LDG * j], 2 * sum - 99, 1000);
                    }
            }
}

/* With lowest = 0 the lower triangle is complete, however it is computed. */
static void triangles_are_complete(void **state) {
    (void)state;
    enum { M = 140, K = 60 };
    static double a[M * K], whole[K * K], half[K * K];
    fill(13, M * K, a);
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int64_t k = 1; k <= K; k++) {
            const struct kernels *kernel = kernels_at((enum processor_level)level);
            struct columns columns = {a, M, NULL};
            memset(whole, 0, sizeof whole);
            memset(half, 0, sizeof half);
            kernel->add_products(M, 1, NULL, k, columns, k, columns, -k, whole, K);
            kernel->add_products(M, 1, NULL, k, columns, k, columns, 0, half, K);
            for (int64_t j = 0; j < k; j++)
                assert_memory_equal(half + j + j * K, whole + j + j * K, (size_t)(k - j) * sizeof(double));
        }
}

static void multiply_and_rank_one_match_long_double(void **state) {
    (void)state;
    enum { M = 53, N = 9, K = 300, LDA = 54, LDB = 301, LDC = 55 };
    static double A[LDA * K], B[LDB * N], start[LDC * N];
    static const int64_t heights[] = {0, 1, 5, 12, 13, 24, 25, 48, M}, depths[] = {0, 1, 127, 128, 129, K};
    fill(14, LDA * K, A);
    fill(15, LDB * N, B);
    fill(16, LDC * N, start);
    for (int choice = 0; choice < 9 * 6 * ((int)processor_level() + 1); choice++) {
        const struct kernels *kernel = kernels_at((enum processor_level)(choice / 54));
        int64_t m = heights[choice % 9], k = depths[choice / 9 % 6], n = choice % (N + 1);
        double C[LDC * N], outer[LDC * N], both[LDC * N];
        memcpy(C, start, sizeof C);
        memcpy(both, start, sizeof C);
        memcpy(outer, start, sizeof C);
        kernel->multiply(m, n, k, -3, A, LDA, B, LDB, C, LDC);
        kernel->rank_one(m, n, -3, A, B, outer, LDC);
        kernel->rank_two(m, n, -3, A, B, 2, A + LDA, B + LDB, both, LDC);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < LDC; i++) {
                int is_inside = i < m && j < n;
                long double sum = 0;
                for (int64_t p = 0; is_inside && p < k; p++)
                    sum += (long double)A[i + p * LDA] * B[p + j * LDB];
                assert_close(C[i + j * LDC], start[i + j * LDC] - 3 * sum, 1000);
                sum = is_inside ? 3 * (long double)A[i] * B[j] : 0;
                assert_close(outer[i + j * LDC], start[i + j * LDC] - sum, 100);
                sum -= is_inside ? 2 * (long double)A[i + LDA] * B[j + LDB] : 0;
                assert_close(both[i + j * LDC], start[i + j * LDC] - sum, 100);
            }
    }
}

/* Each ratio, and the lowest; what stays has an infinite one. */
static void ratios_match_long_double(void **state) {
    enum { N = 37 };
    double x[N], v[N], room[N], value[N];

    (void)state;
    fill(17, N, x);
    fill(18, N, v);
    fill(19, N, room);
    for (int i = 0; i < N; i++) {
        room[i] = fabs(room[i]) + 0.1;
    }
    x[3] = x[20] = INFINITY;
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int64_t n = 0; n <= N; n++) {
            const struct kernels *kernel = kernels_at((enum processor_level)level);
            double least = kernel->ratios(n, x, 0.7, v, room, 1.3, value), expected = INFINITY;
            for (int64_t i = 0; i < n; i++) {
                long double top = x[i] - 0.7L * v[i];
                if (isinf(x[i])) {
                    assert_true(value[i] == INFINITY);
                } else {
                    assert_close(value[i], top * top / (room[i] + 1.3L * v[i] * v[i]), 1000);
                }
                expected = value[i] < expected ? value[i] : expected;
            }
            assert_true(least == expected);
        }
}

/* Sums of rows, one to six at once; nothing is written beyond n. */
static void check_sums(const struct kernels *kernel, int64_t n, const float *rows, int64_t ld) {
    enum { MOST = 6, TERMS = 5, ROOM = 6 * SINGLES };
    const int64_t list[TERMS] = {3, 0, 3, 6, 1};
    float z[TERMS * MOST], y[MOST][ROOM], *out[MOST];
    double drawn[TERMS * MOST];

    fill(27, TERMS * MOST, drawn);
    for (int64_t count = 1; count <= MOST; count++) {
        for (int o = 0; o < MOST; o++) {
            out[o] = y[o];
            y[o][n] = 7;
        }
        for (int i = 0; i < TERMS * MOST; i++)
            z[i] = (float)drawn[i];
        kernel->combine_rows(n, TERMS, count, rows, ld, list, z, out);
        for (int64_t o = 0; o < count; o++)
            for (int64_t c = 0; c < n; c++) {
                double sum = 0;
                for (int i = 0; i < TERMS; i++)
                    sum += (double)z[i * count + o] * rows[list[i] * ld + c];
                assert_true(fabs(y[o][c] - sum) <= 1e-5);
                assert_true(y[o][n] == 7);
            }
    }
}

/* What is left of columns, and pulls at them, after an exchange. */
static void pulls_match_plain_loops(void **state) {
    enum { WIDTH = 2 * SINGLES };
    double drawn[4 * WIDTH];
    float now[4 * WIDTH];
    struct pulled p = {now, now + WIDTH, now + 2 * WIDTH, now + 3 * WIDTH, 1.3f, 0.4f, 0.7f, 1.9f, -0.6f, 0.8f};

    (void)state;
    fill(28, 4 * WIDTH, drawn);
    for (int level = 0; level <= (int)processor_level(); level++) {
        for (int i = 0; i < 4 * WIDTH; i++)
            now[i] = (float)drawn[i];
        kernels_at((enum processor_level)level)->turn_pulls(SINGLES, &p);
        for (int64_t c = 0; c < WIDTH; c++) {
            double along = 1.3 * drawn[c], back = (drawn[WIDTH + c] - 0.4 * along) * 0.7;
            double schur = drawn[2 * WIDTH + c] + back * back * 1.9 - drawn[c] * along;
            double pull = drawn[3 * WIDTH + c] - 0.6 * back - 0.8 * along;
            int is_beyond = c >= SINGLES;

            assert_true(fabs(now[c] - (is_beyond ? drawn[c] : along)) <= 1e-5);
            assert_true(fabs(now[WIDTH + c] - (is_beyond ? drawn[WIDTH + c] : back)) <= 1e-5);
            assert_true(fabs(now[2 * WIDTH + c] - (is_beyond ? drawn[2 * WIDTH + c] : schur)) <= 1e-5);
            assert_true(fabs(now[3 * WIDTH + c] - (is_beyond ? drawn[3 * WIDTH + c] : pull)) <= 1e-5);
        }
    }
}

/* Rows of a tableau after an exchange, and the lowest ratio of each column; infinite x never have it. */
static void tableaus_match_plain_loops(void **state) {
    enum { ROWS = 7, WIDTH = 5 * SINGLES, LD = WIDTH + 3 };
    double drawn[ROWS * LD];
    float V[ROWS * LD], before[ROWS * LD], of_row[4 * ROWS], of_column[4 * WIDTH], change[WIDTH], which[WIDTH];

    (void)state;
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int64_t n = SINGLES; n <= WIDTH; n += SINGLES) {
            const struct kernels *kernel = kernels_at((enum processor_level)level);
            int few = 0;
            struct turned turned = {V,
                                    LD,
                                    of_row,
                                    of_row + ROWS,
                                    of_row + 2 * ROWS,
                                    of_row + 3 * ROWS,
                                    of_column,
                                    of_column + WIDTH,
                                    of_column + 2 * WIDTH,
                                    of_column + 3 * WIDTH,
                                    0.25f,
                                    change,
                                    which};
            fill(23, ROWS * LD, drawn);
            for (int i = 0; i < ROWS * LD; i++)
                V[i] = before[i] = (float)drawn[i];
            fill(24, 4 * ROWS, drawn);
            for (int i = 0; i < 4 * ROWS; i++)
                of_row[i] = i < 3 * ROWS ? (float)drawn[i] : 0.1f + fabsf((float)drawn[i]);
            of_row[2 * ROWS + 4] = INFINITY;
            fill(25, 4 * WIDTH, drawn);
            for (int i = 0; i < 4 * WIDTH; i++)
                of_column[i] = i / WIDTH != 2 ? (float)drawn[i] : 0.2f + fabsf((float)drawn[i]);
            of_column[2 * WIDTH + 5] = INFINITY;
            check_sums(kernel, n, before, LD);
            kernel->turn_and_price(n, ROWS, &turned);
            for (int64_t c = 0; c < n; c++) {
                double least = INFINITY, schur = of_column[2 * WIDTH + c], pull = of_column[3 * WIDTH + c];
                for (int i = 0; i < ROWS; i++) {
                    double v = before[i * LD + c] - (double)of_row[i] * of_column[c] -
                               (double)of_row[ROWS + i] * of_column[WIDTH + c];
                    double left = of_row[2 * ROWS + i] - v * pull / schur;
                    assert_true(fabs(V[i * LD + c] - v) <= 1e-5);
                    least = fmin(least, left * left / (of_row[3 * ROWS + i] + v * v / schur));
                }
                if (isinf(schur) || schur < 0.249) {
                    assert_true(change[c] == INFINITY);
                    few++;
                } else if (schur > 0.251) {
                    assert_true(which[c] != 4);
                    assert_true(fabs(change[c] - (least - pull * pull / schur)) <=
                                1e-4 * (1 + least + pull * pull / schur));
                }
            }
            assert_true(few > 0);
            for (int64_t c = n; c < LD; c++)
                assert_true(V[c] == before[c]);
        }
}

/* To two units of the last digit wherever an entry stands, from the smallest normal number to the largest, near 1, and
 * at margins so far out that the loss is next to nothing or a line. */
static void logarithms_and_logistic_losses_match_long_double(void **state) {
    enum { N = 999 };
    static double x[N], t[N], y[N], value[N], miss[N];

    (void)state;
    fill(23, N, x);
    fill(24, N, t);
    for (int i = 0; i < N; i++) {
        x[i] = i % 3 == 0 ? exp(50 * x[i]) : i % 3 == 1 ? 1 + 1e-3 * x[i] : fabs(x[i]) / 2 + 0x1p-53;
        t[i] *= i % 4 == 0 ? 1e-9 : i % 4 == 1 ? 1 : i % 4 == 2 ? 30 : 300;
    }
    x[0] = DBL_MIN, x[1] = DBL_MAX, x[2] = 1, x[3] = 0x1p-53, x[4] = 1 - 0x1p-53;
    t[0] = 0, t[1] = 1e300, t[2] = -1e300, t[3] = 708.5, t[4] = -708.5, t[5] = INFINITY, t[6] = NAN;
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int64_t n = 0; n <= N; n = n < 20 ? n + 1 : n + 979) {
            const struct kernels *kernel = kernels_at((enum processor_level)level);

            y[n % N] = value[n % N] = -7;
            kernel->logarithms(n, x, y);
            kernel->soft(n, t, value, miss);
            assert_true(n == N || (y[n] == -7 && value[n] == -7));
            for (int64_t i = 0; i < n; i++) {
                long double e = expl(-fabsl((long double)t[i]));
                long double soft = log1pl(e) + (t[i] < 0 ? -(long double)t[i] : 0);

                assert_true(fabsl(y[i] - logl(x[i])) <= 2 * DBL_EPSILON * fabsl(logl(x[i])));
                assert_true(isnan(t[i]) ? isnan(value[i]) && isnan(miss[i])
                                        : fabsl(value[i] - soft) <= 8 * DBL_EPSILON * soft + 1e-307L &&
                                              fabsl(miss[i] - 1 / (1 + expl(t[i]))) <=
                                                  8 * DBL_EPSILON / (1 + expl(t[i])) + 1e-307L);
            }
        }
}

/* Rows that are level, in one block and in two, and a NaN. */
static void peaks_match_plain_loops(void **state) {
    enum { N = 150 };
    double x[N], y[N];

    (void)state;
    fill(21, N, x);
    fill(22, N, y);
    x[5] = x[40] = x[43] = -9;
    y[5] = -1;
    y[40] = -3;
    y[43] = 2;
    x[70] = NAN;
    x[101] = 12;
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int64_t n = 0; n <= N; n++)
            for (double a = -0.5; a <= 0.5; a += 0.5) {
                double rise, high = 0, steep = -INFINITY;
                double peak = kernels_at((enum processor_level)level)->peak(n, x, a, y, &rise);
                for (int64_t i = 0; i < n; i++) {
                    double e = x[i] + a * y[i], slope = e > 0 ? y[i] : -y[i];
                    steep = fabs(e) > high ? slope : fabs(e) == high && slope > steep ? slope : steep;
                    high = fabs(e) > high ? fabs(e) : high;
                }
                assert_close(peak, high, 10);
                assert_true(rise == steep);
            }
}

/* Rows on a kink and beside it, zones of every width, slopes of every row and those of the first for all; then a NaN.
 */
static void bends_match_long_double(void **state) {
    enum { N = 75 };
    double x[N], y[N], up[N], down[N], dead[N];

    (void)state;
    fill(23, N, x);
    fill(24, N, y);
    for (int64_t i = 0; i < N; i++) {
        up[i] = fabs(x[(i + 7) % N]);
        down[i] = i % 5 == 0 ? 0 : fabs(y[(i + 3) % N]);
        dead[i] = i % 3 == 0 ? 0.5 : 0;
    }
    x[11] = x[60] = 0;
    x[12] = x[63] = 0.5;
    x[30] = -0.5;
    for (int level = 0; level <= (int)processor_level(); level++)
        for (int same = 0; same < 2; same++)
            for (int64_t n = 0; n <= N; n++)
                for (double a = -0.5; a <= 0.5; a += 0.5) {
                    struct bends bends = {up, down, dead, same};
                    long double value = 0, slope = 0, size = 0;
                    double rise, bend = kernels_at((enum processor_level)level)->bend(n, x, a, y, bends, &rise);
                    for (int64_t i = 0; i < n; i++) {
                        int64_t k = same ? 0 : i;
                        double e = fma(a, y[i], x[i]); /* a y is exact: halves and zeros */
                        value += e > dead[k]    ? (long double)up[k] * ((long double)e - dead[k])
                                 : e < -dead[k] ? (long double)down[k] * (-(long double)e - dead[k])
                                                : 0;
                        slope += e > dead[k]    ? (long double)up[k] * y[i]
                                 : e < -dead[k] ? -(long double)down[k] * y[i]
                                                : 0;
                        size += fabs(e) + fabs(y[i]);
                    }
                    assert_close(bend, value, 10 * size);
                    assert_close(rise, slope, 10 * size);
                }
    x[41] = NAN;
    for (int level = 0; level <= (int)processor_level(); level++) {
        double rise;
        assert_true(
            isnan(kernels_at((enum processor_level)level)->bend(N, x, 1, y, (struct bends){up, down, dead, 0}, &rise)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bends_match_long_double),
        cmocka_unit_test(peaks_match_plain_loops),
        cmocka_unit_test(ratios_match_long_double),
        cmocka_unit_test(pulls_match_plain_loops),
        cmocka_unit_test(tableaus_match_plain_loops),
        cmocka_unit_test(logarithms_and_logistic_losses_match_long_double),
        cmocka_unit_test(dot_and_norms_match_long_double),
        cmocka_unit_test(norm_is_safe_at_the_ends_of_the_range),
        cmocka_unit_test(norms_of_nothing_are_zero),
        cmocka_unit_test(bad_numbers_are_seen_wherever_they_are),
        cmocka_unit_test(largest_finite_number_is_not_bad),
        cmocka_unit_test(axpy_scale_copy),
        cmocka_unit_test(columns_give_the_same_bits_alone_and_together),
        cmocka_unit_test(added_columns_match_one_after_the_other),
        cmocka_unit_test(products_match_long_double),
        cmocka_unit_test(triangles_are_complete),
        cmocka_unit_test(multiply_and_rank_one_match_long_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
