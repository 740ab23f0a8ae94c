/* The parts of the exchange search: its starts leave nothing of the support before them, and its tableaus are what they
 * claim to be. */
#include "property/spgm_fixture.h"
#include "search/exchange/internal.h"

enum { M = 20, N = 24, S = 5 };

/* Every column stands where the table says, and no other is said to be in. */
static void check_positions(const struct exchange *a) {
    int64_t in = 0;

    for (int64_t q = 0; q < a->columns; q++) {
        int64_t k = a->current.position[q];

        assert_true(k < a->current.size);
        in += k >= 0;
        assert_true(k < 0 || a->current.columns[k] == q);
    }
    assert_int_equal(in, a->current.size);
}

static struct fixture *make(const char *loss, enum variant variant, uint64_t seed, struct exchange **search) {
    struct fixture *f = fixture_new(M, N, S, loss, variant, seed);
    spgm_status status;

    fixture_frame(f);
    check(exchange_new(&f->run, search, &status), &status);
    return f;
}

static void starts_leave_nothing_behind(void **state) {
    static const enum variant variants[] = {PLAIN, INTERCEPT, FREE};

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct exchange *a;
        struct fixture *f = make(seed % 2 ? "l1" : "squared", variants[seed % 3], seed + 1, &a);
        double x[N + 1] = {0};

        for (int64_t j = 3; j < 3 + S; j++) {
            x[j] = 1;
        }
        start_from(a, x, 0);
        check_positions(a);
        start_greedy(a);
        check_positions(a);
        exchange_descend(a);
        check_positions(a);
        start_marginal(a);
        check_positions(a);
        walk_down(a);
        check_positions(a);
        walk_away(a);
        check_positions(a);
        exchange_free(a);
        fixture_free(f);
    }
}

/* Columns come in equal pairs. A support that is filled up a column at a time never takes both of a pair: the prices
 * are those of the fit with what entered before. */
static void a_support_is_filled_by_the_prices_of_its_fits(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct fixture *f = fixture_new(M, N, S, seed % 2 ? "l1" : "squared", PLAIN, seed + 90);
        struct exchange *a;
        double x[N + 1] = {0};
        spgm_status status;

        for (int64_t j = 0; j < N; j += 2) {
            memcpy(f->A + (j + 1) * M, f->A + j * M, M * sizeof *f->A);
        }
        fixture_frame(f);
        check(exchange_new(&f->run, &a, &status), &status);
        start_from(a, x, 1);
        assert_int_equal(a->current.size, S);
        for (int64_t j = 0; j < N; j += 2) {
            assert_false(a->current.position[j] >= 0 && a->current.position[j + 1] >= 0);
        }
        exchange_free(a);
        fixture_free(f);
    }
}

/* The lowest squares over some columns, by coordinate descent from the raw data. */
static double lowest_squares(const struct fixture *f, int64_t k, const int64_t *columns) {
    double x[N + 1] = {0}, r[M], F = 0;

    raw_residual(f, x, r);
    for (int round = 0; round < 3000; round++) {
        for (int64_t i = 0; i < k; i++) {
            double slope = f->ridge * x[columns[i]], curve = f->ridge, step;

            for (int64_t row = 0; row < f->m; row++) {
                slope += raw_entry(f, row, columns[i]) * r[row];
                curve += raw_entry(f, row, columns[i]) * raw_entry(f, row, columns[i]);
            }
            step = -slope / curve;
            x[columns[i]] += step;
            for (int64_t row = 0; row < f->m; row++) {
                r[row] += step * raw_entry(f, row, columns[i]);
            }
        }
    }
    for (int64_t row = 0; row < f->m; row++) {
        F += 0.5 * r[row] * r[row];
    }
    for (int64_t j = 0; j < f->n; j++) {
        F += 0.5 * f->ridge * x[j] * x[j];
    }
    return F;
}

/* For the squared loss the model is the loss: what it says of F after several exchanges is its minimum. */
static void models_of_squares_are_exact(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct exchange *a;
        struct fixture *f = make("squared", PLAIN, seed + 20, &a);
        double unit = f->framed.objective_unit;

        start_greedy(a);
        assert_true(a->stroll.most > 0);
        for (int step = 0; step < 6; step++) {
            double F = a->current.objective;

            a->tabu.step += 100; /* nothing is barred */
            assert_true(stroll_build(a, 0, N));
            assert_int_equal(stroll_walk(a, 3, 3, -INFINITY), 0);
            F += a->stroll.swap.value;
            stroll_leave(a);
            check_positions(a);
            assert_true(fabs(unit * F - lowest_squares(f, a->current.size, a->current.columns)) <= 1e-7 * unit * F);
            current_warm(a, a->current.x);
            assert_true(fabs(a->current.objective - F) <= 1e-7 * F);
        }
        exchange_free(a);
        fixture_free(f);
    }
}

/* M is the inverse of the weighted Gram matrix of these columns, with the curvature of f. */
static void check_inverse(const struct fixture *f, const struct exchange *a, int64_t count, const int64_t *columns) {
    double H[N * N];

    assert_true(linop_gram_until(f->framed.A, count, columns, a->surrogate.weight, H, NULL));
    smooth_add_curvature(&f->framed.f, count, columns, H);
    for (int64_t j = 0; j < count; j++) { /* H M = 1 */
        for (int64_t i = 0; i < count; i++) {
            double sum = 0;

            for (int64_t k = 0; k < count; k++) {
                sum += H[i + k * count] * a->surrogate.M[k + j * count];
            }
            assert_true(fabs(sum - (i == j)) <= 1e-6);
        }
    }
}

/* The model of another loss, whose products are not kept, after some exchanges. */
static void models_of_other_losses_follow_their_exchanges(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct exchange *a;
        struct fixture *f = make("l1", PLAIN, seed + 60, &a);

        start_greedy(a);
        assert_int_equal(a->products.most, 0);
        a->tabu.step += 100;
        assert_true(stroll_build(a, 0, N));
        assert_int_equal(stroll_walk(a, 4, 4, -INFINITY), 0);
        check_inverse(f, a, a->stroll.swap.inside, a->stroll.inside);
        stroll_leave(a);
        check_positions(a);
        exchange_free(a);
        fixture_free(f);
    }
}

/* On squares the inverse follows exchanges from one model to the next. It is that of the columns at hand all the same:
 * after more of them than it may follow, after a greedy start that takes its place (which is where the columns are not
 * copied), and where others are loaded. */
static void an_inverse_stands_for_its_columns(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct exchange *a;
        struct fixture *f = make("squared", PLAIN, seed + 80, &a);
        int has_followed = 0;

        if (seed % 2 == 1) {
            a->current.block = NULL;
        }
        start_greedy(a);
        assert_true(stroll_build(a, 0, N));
        start_greedy(a); /* the same columns */
        for (int step = 0; step < 60; step++) {
            a->tabu.step += 100; /* nothing is barred */
            if (step % 20 == 7) {
                walk_kick(a, 2);
            }
            assert_true(stroll_build(a, 0, N));
            check_inverse(f, a, a->current.size, a->current.columns);
            has_followed |= a->surrogate.turns > 0;
            assert_int_equal(stroll_walk(a, 3, 3, -INFINITY), 0);
            stroll_leave(a);
        }
        assert_true(has_followed && a->surrogate.turns < INVERSE_TURNS);
        exchange_free(a);
        fixture_free(f);
    }
}

/* Under a time limit a restart that ends at a support that is known makes the next walk longer, a new one short
 * again; where effort is the limit walks stay as they are. */
static void known_ends_make_walks_longer(void **state) {
    (void)state;
    for (int by_time = 0; by_time < 2; by_time++) {
        struct exchange *a;
        struct fixture *f = make("linf", PLAIN, 71, &a);
        spgm_options options = *a->run->options;
        int longest = 0;

        options.effort = by_time ? 0 : 3;
        options.time_limit = 1e9;
        a->run->options = &options;
        start_greedy(a);
        exchange_descend(a);
        elites_remember(a);
        for (int t = 0; t < 60; t++) {
            int before = a->unrest;

            exchange_restart(a);
            assert_true(a->unrest == 0 || a->unrest == before || a->unrest == before + 1);
            longest = a->unrest > longest ? a->unrest : longest;
        }
        assert_int_equal(longest, by_time ? MOST_UNREST : 0);
        exchange_free(a);
        fixture_free(f);
    }
}

/* A restart says where its walk began: where the last one ended, or at an elite; a crossing begins at neither. */
static void a_restart_knows_its_origin(void **state) {
    struct exchange *a;
    struct fixture *f = make("l1", PLAIN, 70, &a);
    int64_t on = 0, back = 0, crossed = 0;

    (void)state;
    start_greedy(a);
    exchange_descend(a);
    elites_remember(a);
    for (int t = 0; t < 100; t++) {
        double before = exchange_objective(a), elites[ELITES];
        int64_t count = a->elites.count, is_elite = 0;

        for (int64_t k = 0; k < count; k++)
            elites[k] = a->elites.list[k].objective;
        exchange_restart(a);
        for (int64_t k = 0; k < count; k++)
            is_elite += fabs(exchange_origin(a) - elites[k]) <= 1e-9 * elites[k]; /* fitted anew */
        on += exchange_origin(a) == before;
        back += exchange_origin(a) != before && is_elite > 0;
        crossed += isinf(exchange_origin(a)) != 0;
        assert_true(exchange_origin(a) == before || is_elite > 0 || isinf(exchange_origin(a)));
    }
    assert_true(on > 20 && back > 0 && crossed > 0);
    exchange_free(a);
    fixture_free(f);
}

/* A search that is caught on squares is thrown off, and no sooner. */
static void a_walk_that_is_caught_is_thrown_off(void **state) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, 70, &a);
    int thrown = 0;

    (void)state;
    start_greedy(a);
    exchange_descend(a);
    elites_remember(a);
    for (int t = 0; t < 60; t++) {
        int64_t idle = a->idle;

        exchange_restart(a);
        check_positions(a);
        thrown += idle >= CAUGHT && a->idle == 0;
        assert_true(idle <= CAUGHT);
    }
    assert_true(thrown > 0);
    exchange_free(a);
    fixture_free(f);
}

/* Products that are kept are those of the columns, also after there was no place left. */
static void kept_products_are_products(void **state) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, 31, &a);

    (void)state;
    start_greedy(a);
    surrogate_weigh(a, 0);
    assert_true(a->products.most == N);
    a->products.most = 12; /* fewer places than columns */
    for (uint64_t draw = 0; draw < 20; draw++) {
        int64_t columns[9];
        double T[81];

        for (int64_t k = 0; k < 9; k++) {
            columns[k] = (int64_t)((draw * 7 + (uint64_t)k * 5) % N);
        }
        assert_true(products_gram(a, 9, columns, T));
        assert_true(a->products.count <= 12);
        for (int64_t i = 0; i < 9; i++) {
            for (int64_t k = 0; k < 9; k++) {
                double sum = 0;

                for (int64_t row = 0; row < M; row++) {
                    sum += raw_entry(f, row, columns[i]) * raw_entry(f, row, columns[k]);
                }
                assert_true(fabs(T[i + 9 * k] - sum) <= 1e-12 * M);
            }
        }
    }
    exchange_free(a);
    fixture_free(f);
}

/* A walk on squares: its end is a fit of the support, no exchange that the model knows was lower, and the next walk
 * mostly starts elsewhere. */
static void a_walk_on_squares_goes_on(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct exchange *a;
        struct fixture *f = make("squared", PLAIN, seed + 40, &a);
        double unit = f->framed.objective_unit;
        int elsewhere = 0;

        start_greedy(a);
        exchange_descend(a);
        for (int walk = 0; walk < 5; walk++) {
            double lowest;
            int64_t same = 0;

            walk_away(a);
            check_positions(a);
            lowest = lowest_squares(f, a->current.size, a->current.columns);
            assert_true(fabs(unit * a->current.objective - lowest) <= 1e-7 * lowest);
            assert_true(a->tour.is_open && a->tour.credit > 0); /* in single precision, which is enough to choose by */
            assert_true(a->trail.kept > 0 && fabs(a->trail.lowest - a->current.objective) <= 1e-4 * a->trail.lowest);
            for (int64_t k = 0; k < a->trail.size; k++) {
                same += a->current.position[a->trail.columns[k]] >= 0;
            }
            assert_int_equal(a->trail.size, S);
            elsewhere += same < S;
        }
        assert_true(elsewhere > 0); /* or no walk ever leaves */
        exchange_free(a);
        fixture_free(f);
    }
}

/* The squares beside a loss: equal to it at the residual given, and twice a row's weight counts twice. */
/* A walk that is a tour among the columns of `few`: its end is a fit of its support. */
static void check_walk_among_few(const struct fixture *f, struct exchange *a) {
    double lowest;

    walk_away(a);
    check_positions(a);
    assert_true(a->tour.is_open && a->tour.column == a->tour.few && a->tour.tableau.columns <= a->tour.most);
    lowest = lowest_squares(f, a->current.size, a->current.columns);
    assert_true(fabs(f->framed.objective_unit * a->current.objective - lowest) <= 1e-7 * lowest);
    assert_true(fabs(a->trail.lowest - a->current.objective) <= 1e-4 * a->trail.lowest);
}

/* A tour among few of the columns: its ends are fits of its supports, whether it copies products that are kept or forms
 * those of columns that enter, also where places are given to others meanwhile. */
static void check_tour_among_few(int64_t places) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, 60, &a);
    struct tour *t = &a->tour;
    int64_t rows = S + TOUR_TURNS + 1;

    a->products.most = places;
    t->most = S + 5;
    t->few_scale = workspace_doubles(&a->workspace, t->most);
    t->fresh = workspace_doubles(&a->workspace, t->most);
    t->row = workspace_integers(&a->workspace, t->most);
    t->H = workspace_array(&a->workspace, rows * t->tableau.pitch, sizeof *t->H);
    start_greedy(a);
    exchange_descend(a);
    for (int walk = 0; walk < 10; walk++) {
        check_walk_among_few(f, a);
        for (int64_t i = 0; places < N && i < a->products.count; i++) { /* all are forgotten */
            a->products.place[a->products.column[i]] = -1;
        }
        a->products.count = places < N ? 0 : a->products.count;
    }
    assert_true(t->rows > S && t->rows <= rows);
    exchange_free(a);
    fixture_free(f);
}

static void a_tour_among_few_columns(void **state) {
    (void)state;
    check_tour_among_few(N);
    check_tour_among_few(N - 1); /* not a place for every column */
}

/* A tour among all columns of a copy of A: its ends are fits of its supports, and the products that it forms are those
 * of the columns. */
static void a_tour_in_a_copy(void **state) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, 61, &a);
    struct tour *t = &a->tour;

    (void)state;
    a->products.most = 0;
    tour_take_image(a, &a->workspace);
    start_greedy(a);
    exchange_descend(a);
    for (int walk = 0; walk < 10; walk++) {
        check_walk_among_few(f, a);
        assert_true(t->tableau.columns == t->drawn && t->drawn >= N);
    }
    for (int64_t q = 0; q < t->drawn; q++) {
        for (int64_t k = 0; t->row[q] >= 0 && k < t->drawn; k++) {
            double product, column[M], other[M], sum = 0;

            linop_gather(a->problem->A, 1, &t->few[q], column, M);
            linop_gather(a->problem->A, 1, &t->few[k], other, M);
            for (int64_t i = 0; i < M; i++) {
                sum += a->surrogate.weight[i] * column[i] * other[i];
            }
            product = (double)t->H[t->row[q] * t->tableau.pitch + k];
            assert_true(fabs(product - sum * t->scale[q] * t->scale[k]) <= 1e-5);
        }
    }
    exchange_free(a);
    fixture_free(f);
}

/* Where single precision is not enough, here because numbers were damaged, tours end, and walks go on without them. */
static void a_tour_that_is_off_is_the_last(void **state) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, 50, &a);
    double unit = f->framed.objective_unit, lowest;

    (void)state;
    start_greedy(a);
    exchange_descend(a);
    walk_away(a);
    assert_true(a->tour.is_open);
    for (int64_t i = 0; i < a->products.most * a->products.pitch; i++) {
        a->products.high[i] *= i % 3 == 0 ? 0.8f : 1.1f;
    }
    for (int walk = 0; walk < 40 && a->tour.is_open; walk++) {
        walk_away(a);
    }
    assert_false(a->tour.is_open);
    walk_away(a);
    check_positions(a);
    lowest = lowest_squares(f, a->current.size, a->current.columns);
    assert_true(fabs(unit * a->current.objective - lowest) <= 1e-7 * lowest);
    exchange_free(a);
    fixture_free(f);
}

static void squares_beside_a_loss(void **state) {
    static const char *const losses[] = {"l1", "quantile", "linf", "huber"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct exchange *a;
        struct fixture *f = make(losses[i], PLAIN, (uint64_t)i + 50, &a);
        struct workspace w = {0};
        struct problem squares;
        double r[M], sum = 0;

        for (int64_t row = 0; row < M; row++) {
            r[row] = sin((double)row + i);
        }
        problem_companion(&f->framed, 0, r, &w, &squares);
        assert_false(w.failed);
        assert_true(squares.h.kind->is_quadratic);
        for (int64_t row = 0; row < M; row++) {
            sum += 0.5 * squares.h.weight[row] * r[row] * r[row];
        }
        assert_true(fabs(sum - f->framed.h.ops->value(&f->framed.h, r)) <= 1e-12 * sum);
        assert_true(fabs(squares.h.ops->value(&squares.h, r) - sum) <= 1e-12 * sum);
        workspace_free(&w);
        exchange_free(a);
        fixture_free(f);
    }
}

/* The power beside the largest residual: its formula, its derivatives against differences, and its prox by what defines
 * it. */
static void a_power_beside_the_largest_residual(void **state) {
    struct exchange *a;
    struct fixture *f = make("linf", PLAIN, 60, &a);
    struct workspace w = {0};
    struct problem power;
    double r[M], u[M], second[M], y[M], largest = 0, sum = 0;

    (void)state;
    assert_int_equal(problem_companions(&f->framed), 2);
    for (int64_t row = 0; row < M; row++) {
        r[row] = sin((double)row + 3);
        largest = fmax(largest, fabs(r[row]));
    }
    problem_companion(&f->framed, 1, r, &w, &power);
    assert_false(w.failed);
    for (int64_t row = 0; row < M; row++) {
        sum += largest / 8 * pow(fabs(r[row]) / largest, 8);
    }
    assert_true(fabs(power.h.ops->value(&power.h, r) - sum) <= 1e-12 * sum);
    power.h.ops->derivatives(&power.h, r, u, second);
    power.h.ops->prox(&power.h, 0.7, r, y);
    for (int64_t row = 0; row < M; row++) {
        double step = 1e-4 * largest, up = r[row] + step, down = r[row] - step, scale = largest / 8, slope;

        slope = scale * (pow(fabs(up) / largest, 8) - pow(fabs(down) / largest, 8)) / (2 * step);
        assert_true(fabs(u[row] - slope) <= 1e-5);
        slope = (pow(up / largest, 7) - pow(down / largest, 7)) / (2 * step);
        assert_true(fabs(second[row] - slope) <= 1e-4 / largest);
        assert_true(fabs(y[row] - r[row] + 0.7 * pow(y[row] / largest, 7)) <= 1e-13);
    }
    workspace_free(&w);
    exchange_free(a);
    fixture_free(f);
}

/* ---- many columns ------------------------------------------------------------------------------------------------ */

enum { WIDE_M = 30, WIDE = SIGHT_PART * SIGHT * (NEAR_CANDIDATES + 3 + 1), WIDE_S = 3 };

/* Three columns of many and noise: more than a fixture has room for. */
struct wide {
    double *A, b[WIDE_M];
    spgm_options *options;
    spgm_problem *problem;
    struct problem framed;
    struct workspace workspace;
    struct run run;
    struct exchange *search;
};

static struct wide *make_wide(const char *loss, uint64_t seed) {
    struct wide *w = memory_array(1, sizeof *w);
    spgm_matrix A;
    spgm_status status;

    w->A = memory_array((int64_t)WIDE_M * WIDE, sizeof *w->A);
    for (int64_t i = 0; i < WIDE_M * WIDE; i++)
        w->A[i] = draw_normal(&seed);
    for (int64_t i = 0; i < WIDE_M; i++)
        w->b[i] = w->A[i] - 2 * w->A[i + 7 * WIDE_M] + w->A[i + 9 * WIDE_M] + 0.5 * draw_normal(&seed);
    A = spgm_dense(WIDE_M, WIDE, w->A);
    w->options = spgm_options_new();
    check(spgm_options_set(w->options, "loss", loss, &status), &status);
    check(spgm_problem_new(&A, w->b, w->options, &w->problem, &status), &status);
    check(problem_frame(w->problem, 1, &w->framed, &status), &status);
    run_init(&w->run, &w->framed, WIDE_S, w->options, &w->workspace);
    check(exchange_new(&w->run, &w->search, &status), &status);
    assert_true(w->search->sight.most > 0);
    return w;
}

static void free_wide(struct wide *w) {
    exchange_free(w->search);
    workspace_free(&w->workspace);
    problem_unframe(&w->framed);
    spgm_problem_free(w->problem);
    spgm_options_free(w->options);
    memory_free(w->A);
    memory_free(w);
}

/* The prices of the columns in sight, or of all where all were priced, are A'u. */
static void check_prices(const struct exchange *a) {
    const struct sight *t = &a->sight;
    double *expected = memory_array(a->columns, sizeof *expected);

    linop_transpose(a->problem->A, a->current.u, expected);
    for (int64_t k = 0; k < (t->is_whole ? a->columns : t->count); k++) {
        int64_t q = t->is_whole ? k : t->columns[k];

        assert_true(fabs(a->current.price[q] - expected[q]) <= 1e-9 * (1 + fabs(expected[q])));
    }
    memory_free(expected);
}

/* Restarts price few columns, so that each costs less than a pass. */
static void a_restart_does_not_cost_a_pass(void **state) {
    static const char *const losses[] = {"l1", "linf", "huber"};
    enum { RESTARTS = 30 };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct wide *w = make_wide(losses[k], 70 + (uint64_t)k);
        struct exchange *a = w->search;
        double before, prices;
        int64_t narrow = 0;

        start_greedy(a);
        exchange_descend(a);
        elites_remember(a);
        before = linop_passes(w->framed.A);
        prices = linop_price_passes(w->framed.A);
        for (int64_t i = 0; i < RESTARTS; i++) {
            exchange_restart(a);
            check_positions(a);
            before -= linop_passes(w->framed.A);
            prices -= linop_price_passes(w->framed.A);
            check_prices(a);
            before += linop_passes(w->framed.A);
            prices += linop_price_passes(w->framed.A);
            narrow += a->sight.count > 0 && a->sight.count <= a->sight.most;
            for (int64_t c = 0; c < a->current.size && a->sight.looks == 0 && a->sight.count > 0; c++) {
                int64_t in = 0; /* the support is in sight, so that what leaves it may come back */

                for (int64_t e = 0; e < a->sight.count; e++)
                    in += a->sight.columns[e] == a->current.columns[c];
                assert_int_equal(in, 1);
            }
        }
        assert_true(narrow > 0);
        prices = linop_price_passes(w->framed.A) - prices;
        before = linop_passes(w->framed.A) - before;
        assert_true(prices > 0 && prices < 0.9 * RESTARTS && prices < before && before < RESTARTS);
        free_wide(w);
    }
}

/* A column that is out of sight, and without which F is higher, is found before a descent gives up at the best F. */
static void a_descent_looks_at_all_columns_before_it_gives_up(void **state) {
    struct wide *w = make_wide("l1", 80);
    struct exchange *a = w->search;
    double *x = memory_array(WIDE + 1, sizeof *x), lowest;
    int64_t hidden, other = 0;

    (void)state;
    start_greedy(a);
    exchange_descend(a);
    lowest = a->current.objective;
    hidden = a->current.columns[w->framed.free_count];
    while (a->current.position[other] >= 0) {
        other++;
    }
    exchange_get_x(a, x);
    x[other] = 1e-3 * x[hidden];
    x[hidden] = 0;
    start_from(a, x, 0);
    a->sight.lowest = INFINITY;
    assert_true(a->current.objective > lowest * (1 + 1e-6));
    surrogate_build(a, 0, NEAR_CANDIDATES);
    a->sight.columns[0] = other + 1 + (other + 1 == hidden);
    for (int64_t k = 0; k < a->current.size; k++) { /* nothing else is in sight */
        a->sight.columns[k + 1] = a->current.columns[k];
    }
    a->sight.count = a->current.size + 1;
    sight_price(a);
    assert_false(a->sight.is_whole);
    exchange_descend(a);
    assert_true(a->current.objective <= lowest * (1 + 1e-9));
    memory_free(x);
    free_wide(w);
}

/* ---- every exchange, by what it promises ----------------------------------------------------------------------- */

/* Whether a column lowers F in the place of one of the support, from the raw data. */
static int lowers(const struct fixture *f, const int64_t *support, int64_t column, double F) {
    for (int64_t out = 0; out < S; out++) {
        int64_t after[S];

        memcpy(after, support, sizeof after);
        after[out] = column;
        if (lowest_squares(f, S, after) < F * (1 - 1e-6)) {
            return 1;
        }
    }
    return 0;
}

/* What the check of the ranks [from, to) says of the support of x. */
static int verdict_of(uint64_t seed, const double *x, int64_t from, int64_t to) {
    struct exchange *a;
    struct fixture *f = make("squared", PLAIN, seed, &a);
    int verdict;

    exchange_settle(a, x);
    verdict = exchange_verify(a, from, to);
    exchange_free(a);
    fixture_free(f);
    return verdict;
}

/* Each column that is out has one rank: as many ranks find an exchange that helps as there are columns that do. */
static void exchanges_are_checked_once_by_rank(void **state) {
    int64_t helped = 0;

    (void)state;
    for (uint64_t seed = 110; seed < 114; seed++) {
        struct fixture *f = fixture_new(M, N, S, "squared", PLAIN, seed);
        int64_t support[S], expected = 0, found = 0;
        double x[N + 1] = {0}, F;

        for (int64_t k = 0; k < S; k++) {
            support[k] = 3 * k + (int64_t)(seed % 3);
            x[support[k]] = 1;
        }
        F = lowest_squares(f, S, support);
        for (int64_t j = 0; j < N; j++) {
            expected += x[j] == 0 && lowers(f, support, j, F);
            found += verdict_of(seed, x, j, j + 1) < 0;
        }
        assert_int_equal(found, expected);
        assert_int_equal(verdict_of(seed, x, 0, N), expected > 0 ? -1 : 1);
        helped += expected;
        fixture_free(f);
    }
    assert_true(helped > 0);
}

/* Two columns of the support that nearly depend on each other: their exchanges have no price that could be trusted, and
 * are fitted. Those of others are excluded by their prices. */
static void prices_of_near_copies_exclude_nothing(void **state) {
    struct fixture *f = fixture_new(M, N, S, "squared", PLAIN, 120);
    struct exchange *a;
    double x[N + 1] = {0};
    int64_t count = 0, excluded = 0;
    spgm_status status;

    (void)state;
    f->ridge = 1e-6;
    fixture_number(f, "ridge", f->ridge);
    memcpy(f->A + M, f->A, M * sizeof *f->A);
    f->A[M] += 1e-3;
    for (int64_t j = 0; j < S; j++) {
        x[j] = 1;
    }
    fixture_frame(f);
    check(exchange_new(&f->run, &a, &status), &status);
    exchange_settle(a, x);
    assert_int_equal(a->current.size, S);
    assert_true(surrogate_prepare(a, 0, 1));
    for (int64_t unit = 0; unit < a->set->units && count < 5; unit++) {
        if (a->current.position[unit] < 0) {
            a->surrogate.unit[count++] = unit;
        }
    }
    assert_true(stroll_begin(a, count));
    for (int64_t q = 0; q < count; q++) {
        for (int64_t j = 0; j < S; j++) {
            int is_copy = a->current.columns[j] < 2;

            assert_false(is_copy && stroll_excludes(a, j, q));
            excluded += !is_copy && stroll_excludes(a, j, q);
        }
    }
    assert_true(excluded > 0);
    exchange_free(a);
    fixture_free(f);
}

/* ---- exchanges that the fits of others exclude ------------------------------------------------------------------ */

/* F over the support that was checked, with `unit` in the place of the unit at place i; i < 0: as it was. Fitted anew.
 */
static double refit(const struct fixture *f, const struct exchange *a, int64_t i, int64_t unit) {
    const struct excluded *e = &a->excluded;
    struct fit *fit = fit_new(&f->framed, e->size);
    int64_t columns[MOST];
    double F;

    assert_non_null(fit);
    memcpy(columns, e->columns, (size_t)e->size * sizeof *columns);
    if (i >= 0) {
        columns[f->framed.free_count + i] = unit_first(a, unit);
    }
    fit_set_support(fit, e->size, columns);
    fit_cold(fit);
    F = fit_objective(fit);
    fit_free(fit);
    return F;
}

static int was_in(const struct exchange *a, int64_t unit) {
    for (int64_t k = 0; k < a->excluded.size; k++) {
        if (a->excluded.columns[k] == unit_first(a, unit)) {
            return 1;
        }
    }
    return 0;
}

/* Excluded exchanges, none of which lowers F. */
static int64_t count_excluded(const struct fixture *f, const struct exchange *a) {
    double F = refit(f, a, -1, 0);
    int64_t count = 0;

    for (int64_t i = 0; i < a->excluded.size - f->framed.free_count; i++) {
        for (int64_t unit = 0; unit < a->set->units; unit++) {
            if (!was_in(a, unit) && excluded_is(a, i, unit)) {
                assert_true(refit(f, a, i, unit) >= F * (1 - 1e-7));
                count++;
            }
        }
    }
    return count;
}

/* How many exchanges lower F. */
static int64_t count_better(const struct fixture *f, const struct exchange *a) {
    double F = refit(f, a, -1, 0);
    int64_t count = 0;

    for (int64_t i = 0; i < a->excluded.size - f->framed.free_count; i++) {
        for (int64_t unit = 0; unit < a->set->units; unit++) {
            count += !was_in(a, unit) && refit(f, a, i, unit) < F * (1 - 1e-6);
        }
    }
    return count;
}

/* After the check of a few units, whose fits say much of the others; then of the rest. */
static void excluded_exchanges_lower_nothing(void **state) {
    enum { SEEDS = 12, FIRST = 4 };
    static const enum variant variants[] = {PLAIN, INTERCEPT, FREE};

    (void)state;
    for (int k = 0; k < LOSS_COUNT - 1; k++) { /* squares have prices of their own */
        int64_t excluded = 0, better = 0, optima = 0;

        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct exchange *a;
            struct fixture *f = make(loss_names[k], variants[seed % 3], 300 + seed, &a);
            int verdict;

            start_greedy(a);
            if (seed % 4 > 0) {
                exchange_descend(a);
            }
            exchange_get_x(a, f->run.best_x);
            f->run.best_objective = a->current.objective;
            verdict = exchange_verify(a, 0, FIRST);
            assert_true(a->excluded.size > 0);
            excluded += count_excluded(f, a) - (verdict > 0 ? FIRST * S : 0);
            if (verdict > 0) {
                assert_true(exchange_verify_work(a, FIRST, a->set->units) <= VERIFY_RISE * a->excluded.spent);
                verdict = exchange_verify(a, FIRST, a->set->units);
                count_excluded(f, a);
                assert_int_equal(verdict<0, count_better(f, a)> 0);
                optima += verdict > 0;
            }
            better += verdict < 0;
            exchange_free(a);
            fixture_free(f);
        }
        assert_true(excluded > 100 && better > 0 && optima > 0);
    }
}

/* What is known of one support says nothing of another one, whatever part of its check comes next. */
static void exclusions_are_of_one_support(void **state) {
    int64_t lowered = 0;

    (void)state;
    for (uint64_t seed = 330; seed < 336; seed++) {
        struct exchange *a;
        struct fixture *f = make("linf", PLAIN, seed, &a);

        start_greedy(a);
        exchange_descend(a);
        exchange_get_x(a, f->run.best_x);
        f->run.best_objective = a->current.objective;
        exchange_verify(a, 0, a->set->units);
        memset(f->run.best_x, 0, (size_t)f->N * sizeof *f->run.best_x);
        for (int64_t q = 0; q < S; q++) {
            f->run.best_x[q] = 1;
        }
        lowered += exchange_verify(a, 1, a->set->units) < 0;
        for (int64_t q = 0; q < S; q++) {
            assert_int_equal(a->excluded.columns[q], q);
        }
        count_excluded(f, a);
        exchange_free(a);
        fixture_free(f);
    }
    assert_int_equal(lowered, 6);
}

/* Where f is more than a ridge prices depend on x, and exclude nothing. */
static void smooth_terms_exclude_nothing(void **state) {
    static const enum variant variants[] = {QUADRATIC, LEAST_SQUARES};

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct exchange *a;
        struct fixture *f = make("l1", variants[k], 340, &a);

        assert_null(a->excluded.sides);
        exchange_free(a);
        fixture_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_leave_nothing_behind),
        cmocka_unit_test(a_support_is_filled_by_the_prices_of_its_fits),
        cmocka_unit_test(models_of_squares_are_exact),
        cmocka_unit_test(kept_products_are_products),
        cmocka_unit_test(a_walk_on_squares_goes_on),
        cmocka_unit_test(a_tour_that_is_off_is_the_last),
        cmocka_unit_test(a_tour_among_few_columns),
        cmocka_unit_test(a_tour_in_a_copy),
        cmocka_unit_test(squares_beside_a_loss),
        cmocka_unit_test(a_power_beside_the_largest_residual),
        cmocka_unit_test(models_of_other_losses_follow_their_exchanges),
        cmocka_unit_test(an_inverse_stands_for_its_columns),
        cmocka_unit_test(a_restart_knows_its_origin),
        cmocka_unit_test(a_walk_that_is_caught_is_thrown_off),
        cmocka_unit_test(known_ends_make_walks_longer),
        cmocka_unit_test(exchanges_are_checked_once_by_rank),
        cmocka_unit_test(prices_of_near_copies_exclude_nothing),
        cmocka_unit_test(excluded_exchanges_lower_nothing),
        cmocka_unit_test(exclusions_are_of_one_support),
        cmocka_unit_test(smooth_terms_exclude_nothing),
        cmocka_unit_test(a_restart_does_not_cost_a_pass),
        cmocka_unit_test(a_descent_looks_at_all_columns_before_it_gives_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
