/* Small problems, their constants, and runs that are recorded point by point. */
#include "theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = THEORY_ROWS, N = THEORY_COLUMNS, K = THEORY_BLOCK };

const char *theory_variant_name(enum theory_variant variant) {
    return variant == VARIANT_IHT ? "spgm-iht" : "spgm-bcd";
}

const char *theory_schedule_name(enum theory_schedule schedule) {
    static const char *const names[SCHEDULES] = {"constant", "diminishing", "halving"};
    return names[schedule];
}

double theory_norm(int64_t count, const double *v) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

double theory_distance(int64_t count, const double *v, const double *w) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += (v[i] - w[i]) * (v[i] - w[i]);
    }
    return sqrt(sum);
}

static double dot(const double *v, const double *w) {
    double sum = 0;
    for (int i = 0; i < M; i++) {
        sum += v[i] * w[i];
    }
    return sum;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* One rotation that makes G_pq zero. */
static void rotate(int n, double *G, int p, int q) {
    double angle = 0.5 * atan2(2 * G[p + q * n], G[q + q * n] - G[p + p * n]), c = cos(angle), s = sin(angle);
    for (int j = 0; j < n; j++) {
        double a = G[p + j * n], b = G[q + j * n];
        G[p + j * n] = c * a - s * b;
        G[q + j * n] = s * a + c * b;
    }
    for (int j = 0; j < n; j++) {
        double a = G[j + p * n], b = G[j + q * n];
        G[j + p * n] = c * a - s * b;
        G[j + q * n] = s * a + c * b;
    }
}

/* The least and the largest eigenvalue of a symmetric matrix, by Jacobi's method; G is overwritten. */
static void eigenvalues(int n, double *G, double *least, double *largest) {
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                rotate(n, G, p, q);
            }
        }
    }
    *least = INFINITY;
    *largest = -INFINITY;
    for (int j = 0; j < n; j++) {
        *least = fmin(*least, G[j + j * n]);
        *largest = fmax(*largest, G[j + j * n]);
    }
}

/* The next set of K columns in order; 0 after the last. */
static int next_block(int *B) {
    int i = K - 1;
    while (i >= 0 && B[i] == N - K + i) {
        i--;
    }
    if (i < 0) {
        return 0;
    }
    B[i]++;
    for (i++; i < K; i++) {
        B[i] = B[i - 1] + 1;
    }
    return 1;
}

static void make_constants(struct theory_problem *p) {
    double G[N * N], least, largest;
    int B[K];
    for (int i = 0; i < N * N; i++) {
        G[i] = dot(p->A + i % N * M, p->A + i / N * M);
    }
    eigenvalues(N, G, &least, &largest);
    p->norm = sqrt(largest);
    p->low = INFINITY;
    p->high = 0;
    for (int i = 0; i < K; i++) {
        B[i] = i;
    }
    do {
        for (int i = 0; i < K * K; i++) {
            G[i] = dot(p->A + B[i % K] * M, p->A + B[i / K] * M);
        }
        eigenvalues(K, G, &least, &largest);
        p->low = fmin(p->low, least);
        p->high = fmax(p->high, largest);
    } while (next_block(B));
    p->L_h = p->is_sum ? sqrt(M) : 1;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static int set(spgm_options *options, const char *name, double value) {
    spgm_status status;
    return spgm_options_set_number(options, name, value, &status) ? cli_status(&status) : CLI_DONE;
}

static spgm_options *options_for(const struct theory_problem *p, const char *method) {
    spgm_options *options = spgm_options_new();
    if (options &&
        (spgm_options_set(options, "loss", p->loss, NULL) || spgm_options_set(options, "method", method, NULL) ||
         set(options, "ridge", p->ridge) || set(options, "intercept", 0) || set(options, "threads", 1))) {
        spgm_options_free(options);
        return NULL;
    }
    return options;
}

/* The global minimum, or an error that says why it was not found. */
static int find_optimum(struct theory_problem *p, const spgm_options *options) {
    spgm_solver *solver = NULL;
    spgm_status status;
    int result = CLI_DONE;
    if (spgm_solver_new(p->problem, THEORY_SPARSITY, options, &solver, &status) || spgm_solver_run(solver, &status)) {
        result = cli_status(&status);
    } else if (spgm_solver_get_info(solver).outcome != SPGM_OPTIMAL) {
        result = cli_error("the optimum of a problem with %d columns is not proven", N);
    } else {
        spgm_solver_get_x(solver, p->optimum, NULL);
        p->F_optimum = spgm_solver_get_info(solver).objective;
    }
    spgm_solver_free(solver);
    return result;
}

/* x^1: the first s columns, with the entries of a generated column. */
static int make_start(struct theory_problem *p, uint64_t seed) {
    spgm_data *drawn = NULL;
    spgm_status status;
    spgm_generate_options how = {.support = 1};
    if (spgm_data_generate("random-12-1", seed, &how, &drawn, &status)) {
        return cli_status(&status);
    }
    memcpy(p->x1, spgm_data_matrix(drawn).values, THEORY_SPARSITY * sizeof *p->x1);
    spgm_data_free(drawn);
    return CLI_DONE;
}

int theory_problem_make(struct theory_problem *p, const char *loss, const char *target, uint64_t seed) {
    char name[32];
    spgm_status status;
    int dense = strcmp(target, "dense") == 0;
    spgm_generate_options how = {.support = dense ? N : THEORY_SPARSITY, .noise = dense ? 3 : 1};
    *p = (struct theory_problem){.loss = loss, .target = target};
    snprintf(name, sizeof name, "random-%d-%d", M, N);
    if (spgm_data_generate(name, seed, &how, &p->data, &status)) {
        return cli_status(&status);
    }
    spgm_matrix A = spgm_data_matrix(p->data);
    p->A = A.values;
    for (int i = 0; strcmp(target, "zero") != 0 && i < M; i++) {
        p->b[i] = spgm_data_target(p->data)[i];
    }
    p->is_sum = spgm_loss_is_sum(args_loss_named(loss));
    make_constants(p);
    p->ridge = dense ? 0.01 : p->L_h;
    spgm_options *options = options_for(p, "exact");
    int result = options ? make_start(p, seed) : cli_out_of_memory();
    if (result == CLI_DONE && spgm_problem_new(&A, p->b, options, &p->problem, &status)) {
        result = cli_status(&status);
    }
    if (result == CLI_DONE) {
        result = find_optimum(p, options);
    }
    spgm_options_free(options);
    return result;
}

void theory_problem_free(struct theory_problem *p) {
    spgm_problem_free(p->problem);
    spgm_data_free(p->data);
}

/* ---- runs ------------------------------------------------------------------------------------------------- */

struct recorder {
    struct theory_trace *trace;
    spgm_solver *solver;
};

static int record(const spgm_progress *progress, void *context) {
    struct recorder *recorder = context;
    struct theory_trace *trace = recorder->trace;
    int64_t i = progress->iteration;
    if (i <= trace->T && spgm_solver_get_iterate(recorder->solver, trace->x + i * N, NULL)) {
        trace->mu[i] = progress->mu;
        trace->F[i] = progress->objective;
        trace->J[i] = progress->penalised;
    }
    return 0;
}

static int set_run(spgm_options *options, const struct theory_setting *how) {
    spgm_status status;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"max_iterations", (double)how->iterations},
        {"window", (double)how->iterations},
        {"tolerance", 0},
        {"mu_start", how->mu},
        {"mu_eta", how->eta},
        {"mu_offset", how->t0},
        {"mu_period", (double)how->period},
        {"theta", how->theta},
        {"theta1", how->theta1},
        {"theta2", how->theta2},
        {"random_coordinates", K},
        {"greedy_coordinates", 0},
        {"refresh_period", 1},
        {"seed", (double)how->seed},
    };
    int result = spgm_options_set(options, "tuning", "plain", &status) ||
                         spgm_options_set(options, "mu_schedule", theory_schedule_name(how->schedule), &status)
                     ? cli_status(&status)
                     : CLI_DONE;
    for (size_t i = 0; result == CLI_DONE && i < sizeof numbers / sizeof numbers[0]; i++) {
        result = set(options, numbers[i].name, numbers[i].value);
    }
    return result;
}

static int run_recorded(struct theory_trace *trace, const spgm_options *options) {
    struct recorder recorder = {.trace = trace};
    spgm_status status;
    int result = CLI_DONE;
    if (spgm_solver_new(trace->p->problem, THEORY_SPARSITY, options, &recorder.solver, &status) ||
        spgm_solver_set_start(recorder.solver, trace->p->x1, 0, &status)) {
        result = cli_status(&status);
    } else {
        spgm_solver_set_progress(recorder.solver, record, &recorder);
        result = spgm_solver_run(recorder.solver, &status) ? cli_status(&status) : CLI_DONE;
    }
    if (result == CLI_DONE) {
        int64_t done = spgm_solver_get_info(recorder.solver).iterations;
        trace->T = done < trace->T ? done : trace->T; /* fewer where F no longer changes by a bit */
    }
    spgm_solver_free(recorder.solver);
    return result;
}

/* F, J and y again from x and mu. Point 0 needs F and J in any case: no callback was told about it. */
static int recompute(struct theory_trace *trace, int with_y) {
    spgm_status status;
    trace->mu[0] = trace->mu[1]; /* mu^0 = mu^1 */
    for (int64_t i = 0; i <= (with_y ? trace->T : 0); i++) {
        if (spgm_problem_evaluate(trace->p->problem, trace->x + i * N, 0, &trace->F[i], NULL, NULL, &status) ||
            spgm_problem_smoothing(trace->p->problem, trace->x + i * N, 0, trace->mu[i], &trace->J[i],
                                   with_y ? trace->y + i * M : NULL, &status)) {
            return cli_status(&status);
        }
    }
    return CLI_DONE;
}

int theory_trace_make(struct theory_trace *trace, const struct theory_problem *p, const struct theory_setting *how,
                      int with_y) {
    size_t points = (size_t)how->iterations + 1;
    *trace = (struct theory_trace){.p = p, .how = *how, .T = how->iterations};
    trace->x = calloc(points * N, sizeof *trace->x);
    trace->y = calloc(with_y ? points * M : 1, sizeof *trace->y);
    trace->mu = calloc(3 * points, sizeof *trace->mu);
    spgm_options *options = options_for(p, theory_variant_name(how->variant));
    int result = trace->x && trace->y && trace->mu && options ? set_run(options, how) : cli_out_of_memory();
    if (result == CLI_DONE) {
        trace->F = trace->mu + points;
        trace->J = trace->F + points;
        memcpy(trace->x, p->x1, sizeof p->x1);
        result = run_recorded(trace, options);
    }
    if (result == CLI_DONE) {
        result = recompute(trace, with_y);
    }
    spgm_options_free(options);
    return result;
}

void theory_trace_free(struct theory_trace *trace) {
    free(trace->x);
    free(trace->y);
    free(trace->mu);
}

double theory_L_f(const struct theory_trace *trace) {
    double largest = theory_norm(N, trace->p->optimum);
    for (int64_t i = 0; i <= trace->T; i++) {
        largest = fmax(largest, theory_norm(N, trace->x + i * N));
    }
    return trace->p->ridge * largest;
}

/* ---- steps
 * ----------------------------------------------------------------------------------------------------------- */

static void gradient(const struct theory_problem *p, const double *x, const double *y, double mu, double *r) {
    double d[M]; /* A x - b - y */
    for (int k = 0; k < M; k++) {
        d[k] = -p->b[k] - y[k];
        for (int j = 0; j < N; j++) {
            d[k] += p->A[k + j * M] * x[j];
        }
    }
    for (int j = 0; j < N; j++) {
        r[j] = p->ridge * x[j] + dot(p->A + j * M, d) / mu;
    }
}

double theory_gradient(const struct theory_trace *trace, int64_t i, double *r) {
    gradient(trace->p, trace->x + i * N, trace->y + i * M, trace->mu[i + 1], r);
    return theory_norm(N, r);
}

/* Minimise u'H u / 2 + r'u over the entries of u in `set`, the others as they are. Returns the value. */
static double minimise_over(const double *H, const double *r, unsigned set, double *u) {
    double G[K * K], value = 0;
    int in[K], size = 0;
    for (int i = 0; i < K; i++) {
        if (set >> i & 1) {
            in[size++] = i;
            u[i] = 0;
        }
    }
    double right[K];
    for (int a = 0; a < size; a++) {
        right[a] = -r[in[a]];
        for (int j = 0; j < K; j++) {
            right[a] -= H[in[a] + j * K] * u[j];
        }
        for (int c = 0; c < size; c++) {
            G[a + c * K] = H[in[a] + in[c] * K];
        }
    }
    for (int a = 0; a < size; a++) { /* H is positive definite: no pivots are needed */
        for (int b = a + 1; b < size; b++) {
            double factor = G[b + a * K] / G[a + a * K];
            for (int c = a; c < size; c++) {
                G[b + c * K] -= factor * G[a + c * K];
            }
            right[b] -= factor * right[a];
        }
    }
    for (int a = size - 1; a >= 0; a--) {
        for (int c = a + 1; c < size; c++) {
            right[a] -= G[a + c * K] * u[in[c]];
        }
        u[in[a]] = right[a] / G[a + a * K];
    }
    for (int i = 0; i < K; i++) {
        value += r[i] * u[i];
        for (int j = 0; j < K; j++) {
            value += u[i] * H[i + j * K] * u[j] / 2;
        }
    }
    return value;
}

/* The block problem over every subset of B: ||x_B+ - x_B||^2 at its solution, and how far that lies below the best
 * point with the support that x_B has. */
struct block_result {
    double square, gain;
};

static struct block_result solve_block(const double *H, const double *r, const double *x, int budget) {
    struct block_result result = {0};
    double best = INFINITY, staying = 0;
    unsigned support = 0;
    for (int i = 0; i < K; i++) {
        support |= (unsigned)(x[i] != 0) << i;
    }
    for (unsigned set = 0; set < 1u << K; set++) {
        double u[K], value;
        int size = 0;
        for (int i = 0; i < K; i++) {
            size += (int)(set >> i & 1);
            u[i] = -x[i];
        }
        if (size > budget) {
            continue;
        }
        value = minimise_over(H, r, set, u);
        staying = set == support ? value : staying;
        if (value < best) {
            best = value;
            result.square = theory_norm(K, u) * theory_norm(K, u);
        }
    }
    result.gain = staying - best;
    return result;
}

struct block_result_sum {
    double square; /* mean over all blocks */
    double gain;   /* the largest          */
};

static struct block_result_sum over_blocks(const struct theory_problem *p, const double *x, const double *y, double mu,
                                           double theta1, double theta2) {
    struct block_result_sum all = {0};
    double r[N];
    int B[K], count = 0, nonzeros = 0;
    gradient(p, x, y, mu, r);
    for (int j = 0; j < N; j++) {
        nonzeros += x[j] != 0;
    }
    for (int k = 0; k < K; k++) {
        B[k] = k;
    }
    do {
        double H[K * K], r_B[K], x_B[K];
        int budget = THEORY_SPARSITY - nonzeros;
        for (int a = 0; a < K * K; a++) {
            double diagonal = a % K == a / K ? theta1 / mu + p->ridge + theta2 : 0;
            H[a] = dot(p->A + B[a % K] * M, p->A + B[a / K] * M) / mu + diagonal;
        }
        for (int k = 0; k < K; k++) {
            r_B[k] = r[B[k]];
            x_B[k] = x[B[k]];
            budget += x_B[k] != 0;
        }
        struct block_result found = solve_block(H, r_B, x_B, budget);
        all.square += found.square;
        all.gain = fmax(all.gain, found.gain);
        count++;
    } while (next_block(B));
    all.square /= count;
    return all;
}

double theory_block_distance(const struct theory_trace *trace, int64_t i) {
    return over_blocks(trace->p, trace->x + i * N, trace->y + i * M, trace->mu[i + 1], trace->how.theta1,
                       trace->how.theta2)
        .square;
}

int theory_block_gain(const struct theory_problem *p, const double *x, double mu, double *gain) {
    double y[M];
    spgm_status status;
    if (spgm_problem_smoothing(p->problem, x, 0, mu, NULL, y, &status)) {
        return cli_status(&status);
    }
    *gain = over_blocks(p, x, y, mu, 1e-3, 1e-3).gain;
    return CLI_DONE;
}
