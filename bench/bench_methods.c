/*
 * What an iteration of SPGM-IHT and SPGM-BCD costs beside the product that it cannot do without. One thread.
 *
 *     bench_methods [folder with the shared data; default SPGM_SHARED or ../shared]
 *
 * Method and reference are timed in turns, so that both see the same machine; the table has the medians and their
 * ratio. dense reference   A'u by BLAS (dgemv); for IHT also the s active columns of A x (daxpy each) sparse reference
 * the same by plain loops over the columns
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blas.h"

#include "method/spgm_bcd/spgm_bcd.h"
#include "method/spgm_iht/spgm_iht.h"
#include "spgm/io.h"

enum { TURNS = 201, RUN_LENGTH = 200 }; /* a run is begun anew after this many iterations */

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void daxpy_(const int *n, const double *a, const double *x, const int *incx, double *y, const int *incy);

/* y += a x */
static void blas_axpy(int64_t n, double a, const double *x, double *y) {
    int size = (int)n, one = 1;
    daxpy_(&size, &a, x, &one, y, &one);
}

static void stop(const char *why) {
    fprintf(stderr, "bench_methods: %s\n", why);
    exit(1);
}

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK)
        stop(status->message);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* ---- the instance ---------------------------------------------------------------------------- */

struct instance {
    const char *name;
    spgm_data *data; /* owner of a file's matrix, or NULL */
    double *values;  /* owner of a drawn matrix, or NULL  */
    spgm_matrix A;
    double *b;
};

/* random-m-n of the paper: b = A xbar + 10 randn, 100 nonzeros. */
static void draw_dense(struct instance *instance, const char *name, int64_t m, int64_t n) {
    struct random random;
    random_seed(&random, 101, 0);
    instance->name = name;
    instance->values = memory_array(m * n, sizeof(double));
    instance->b = memory_array(m, sizeof(double));
    if (instance->values == NULL || instance->b == NULL)
        stop("out of memory");
    for (int64_t i = 0; i < m * n; i++)
        instance->values[i] = random_normal(&random);
    for (int64_t i = 0; i < m; i++)
        instance->b[i] = 10 * random_normal(&random);
    for (int64_t j = 0; j < 100; j++)
        blas_axpy(m, random_normal(&random), instance->values + j * (n / 100) * m, instance->b);
    instance->A = spgm_dense(m, n, instance->values);
}

/* The paper's real data; returns 0 if the file does not exist. */
static int read_e2006(struct instance *instance, const char *name, const char *folder) {
    char path[4096];
    spgm_status status;
    spgm_generate_options options = {0};
    spgm_read_options read = {0};
    const double *target;
    instance->name = name;
    snprintf(path, sizeof path, "%s/data/e2006/e2006_5000x10000.svm.xz", folder);
    options.from = path;
    spgm_error error = strcmp(name, "e2006") == 0 ? spgm_data_read(path, &read, &instance->data, &status)
                                                  : spgm_data_generate(name, 1, &options, &instance->data, &status);
    if (error == SPGM_ERROR_FILE)
        return 0;
    check(error, &status);
    instance->A = spgm_data_matrix(instance->data);
    instance->b = memory_array(instance->A.rows, sizeof(double));
    target = spgm_data_target(instance->data);
    for (int64_t i = 0; i < instance->A.rows; i++)
        instance->b[i] = target[i];
    return 1;
}

static void instance_free(struct instance *instance) {
    spgm_data_free(instance->data);
    memory_free(instance->values);
    memory_free(instance->b);
}

/* ---- the references --------------------------------------------------------------------------- */

static void reference_transpose(const spgm_matrix *A, const double *u, double *g) {
    if (A->column_start == NULL) {
        blas_gemv('T', A->rows, A->columns, 1, A->values, A->leading_dimension, u, 0, g);
        return;
    }
    for (int64_t j = 0; j < A->columns; j++) {
        double sum = 0;
        for (int64_t e = A->column_start[j]; e < A->column_start[j + 1]; e++)
            sum += A->values[e] * u[A->row_index[e]];
        g[j] = sum;
    }
}

static void reference_columns(const spgm_matrix *A, int64_t k, const int64_t *columns, const double *x, double *y) {
    memset(y, 0, (size_t)A->rows * sizeof *y);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        if (A->column_start == NULL) {
            blas_axpy(A->rows, x[j], A->values + j * A->leading_dimension, y);
            continue;
        }
        for (int64_t e = A->column_start[j]; e < A->column_start[j + 1]; e++)
            y[A->row_index[e]] += x[j] * A->values[e];
    }
}

/* ---- the measurement --------------------------------------------------------------------------- */

struct setting {
    const char *method, *loss;
    int64_t s;
    int64_t iterations; /* of one turn                           */
    double limit;       /* the ratio to stay below               */
};

struct bench {
    const struct instance *instance;
    const struct setting *setting;
    struct spgm_options options;
    spgm_problem *problem;
    struct problem framed;
    struct workspace workspace;
    struct run run;
    struct iht iht;
    struct bcd bcd;
    struct smoothing *base; /* of the method in use */
    double *g, *y;
};

static void set(struct spgm_options *options, const char *name, const char *value) {
    spgm_status status;
    check(spgm_options_set(options, name, value, &status), &status);
}

static void bench_open(struct bench *bench, const struct instance *instance, const struct setting *setting) {
    spgm_status status;
    memset(bench, 0, sizeof *bench);
    bench->instance = instance;
    bench->setting = setting;
    options_defaults(&bench->options);
    set(&bench->options, "method", setting->method);
    set(&bench->options, "loss", setting->loss);
    set(&bench->options, "ridge", "0.01");
    set(&bench->options, "intercept", "false");
    set(&bench->options, "tolerance", "0");
    set(&bench->options, "max_iterations", "1000000000");
    check(spgm_problem_new(&instance->A, instance->b, &bench->options, &bench->problem, &status), &status);
    check(problem_frame(bench->problem, 1, &bench->framed, &status), &status);
    run_init(&bench->run, &bench->framed, setting->s, &bench->options, &bench->workspace);
    bench->g = workspace_doubles(&bench->workspace, instance->A.columns);
    bench->y = workspace_doubles(&bench->workspace, instance->A.rows);
    for (int64_t j = 0; j < setting->s; j++)
        bench->run.x[j * (instance->A.columns / setting->s)] = 1e-3 * random_normal(&bench->run.random);
    if (strcmp(setting->method, "spgm-iht") == 0) {
        iht_init(&bench->iht, &bench->run, &bench->workspace);
        bench->base = &bench->iht.base;
    } else {
        check(bcd_init(&bench->bcd, &bench->run, &bench->workspace, &status), &status);
        bench->base = &bench->bcd.base;
    }
    if (bench->workspace.failed)
        stop("out of memory");
}

static void bench_close(struct bench *bench) {
    workspace_free(&bench->workspace);
    problem_unframe(&bench->framed);
    spgm_problem_free(bench->problem);
}

/* Seconds per iteration, including the record of the iteration. */
static double time_method(struct bench *bench) {
    int is_iht = bench->base == &bench->iht.base;
    double began;
    if (bench->base->t == 0 || bench->base->t >= RUN_LENGTH) {
        if (is_iht)
            iht_start(&bench->iht);
        else
            bcd_start(&bench->bcd);
    }
    began = cpu_seconds();
    for (int64_t t = 0; t < bench->setting->iterations; t++) {
        if (is_iht)
            iht_step(&bench->iht);
        else
            bcd_step(&bench->bcd);
        run_iteration(&bench->run, bench->base->point.x, &bench->base->iteration);
    }
    return (cpu_seconds() - began) / (double)bench->setting->iterations;
}

static double time_reference(struct bench *bench) {
    const struct point *point = &bench->base->point;
    double began = cpu_seconds();
    for (int64_t t = 0; t < bench->setting->iterations; t++) {
        reference_transpose(&bench->instance->A, bench->base->d, bench->g);
        if (bench->base == &bench->iht.base)
            reference_columns(&bench->instance->A, point->support_size, point->support, point->x, bench->y);
    }
    return (cpu_seconds() - began) / (double)bench->setting->iterations;
}

static int measure(const struct instance *instance, const struct setting *setting) {
    struct bench bench;
    double method[TURNS], reference[TURNS], ratio;
    bench_open(&bench, instance, setting);
    time_method(&bench);
    for (int turn = 0; turn < TURNS; turn++) {
        method[turn] = time_method(&bench);
        reference[turn] = time_reference(&bench);
    }
    ratio = median(method, TURNS) / median(reference, TURNS);
    printf("%-9s %-6s %-16s %4d %13.2f %13.2f %7.3f %6.2f  %-4s %12.0f\n", setting->method, setting->loss,
           instance->name, (int)setting->s, 1e6 * median(method, TURNS), 1e6 * median(reference, TURNS), ratio,
           setting->limit, ratio <= setting->limit ? "ok" : "OVER", 1 / median(method, TURNS));
    fflush(stdout);
    bench_close(&bench);
    return ratio > setting->limit;
}

static int measure_dense(const char *loss) {
    struct instance small = {0}, large = {0};
    int over = 0;
    draw_dense(&small, "random-256-1024", 256, 1024);
    draw_dense(&large, "random-5000-2048", 5000, 2048);
    over |= measure(&small, &(struct setting){"spgm-iht", loss, 30, 20, 1.25});
    over |= measure(&small, &(struct setting){"spgm-bcd", loss, 30, 20, 1.6});
    over |= measure(&large, &(struct setting){"spgm-iht", loss, 30, 1, 1.25});
    instance_free(&small);
    instance_free(&large);
    return over;
}

static int measure_sparse(const char *loss, const char *name, const char *folder) {
    struct instance instance = {0};
    int over = 0;
    if (read_e2006(&instance, name, folder))
        over = measure(&instance, &(struct setting){"spgm-iht", loss, 30, 4, 1.25});
    else
        printf("%-9s %-6s %-16s skipped: no data/e2006 in %s\n", "spgm-iht", loss, name, folder);
    instance_free(&instance);
    return over;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : getenv("SPGM_SHARED") != NULL ? getenv("SPGM_SHARED") : "../shared";
    static const char *const losses[] = {"l1", "linf"};
    int over = 0;
    printf("%-9s %-6s %-16s %4s %13s %13s %7s %6s  %-4s %12s\n", "method", "loss", "instance", "s", "iteration us",
           "reference us", "ratio", "limit", "", "iterations/s");
    for (int loss = 0; loss < 2; loss++) {
        over |= measure_dense(losses[loss]);
        over |= measure_sparse(losses[loss], "e2006", folder);
        over |= measure_sparse(losses[loss], "e2006-5000-1024", folder);
    }
    return over;
}
