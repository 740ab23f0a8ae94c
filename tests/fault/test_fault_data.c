/* Every allocation of readers, writers, generators and models fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "spgm/io.h"

enum { PATH = 4096 };

static const char *const endings[] = {"svm",     "csv",     "mtx",    "npy",    "svm.gz",
                                      "csv.bz2", "mtx.zst", "npy.gz", "svm.xz", NULL};

static spgm_data *instance; /* 12 x 6, written in every format */
static int files;           /* in the folder when nothing is wrong */

static int nothing_left(const void *context, spgm_error error) {
    (void)context;
    (void)error;
    return folder_count() == files;
}

static void every(const char *name, spgm_error (*run)(const void *, spgm_status *), const void *context) {
    struct scenario scenario = {name, run, context, nothing_left, NULL};
    fail_every_allocation(&scenario);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static spgm_error run_read(const void *path, spgm_status *status) {
    spgm_data *data = NULL;
    spgm_read_options options = {0};
    options.no_target = strstr(path, ".npy") != NULL;
    spgm_error error = spgm_data_read(path, &options, &data, status);
    check((error == SPGM_OK) == (data != NULL), "%s: error %d and data %p", (const char *)path, (int)error,
          (void *)data);
    spgm_data_free(data);
    return error;
}

static spgm_error run_write(const void *path, spgm_status *status) {
    return spgm_data_write(instance, path, status);
}

static void formats(void) {
    for (int i = 0; endings[i]; i++) {
        char path[PATH], file[64], name[128];
        snprintf(file, sizeof file, "instance.%s", endings[i]);
        folder_path(path, file);
        spgm_status status;
        if (!check(spgm_data_write(instance, path, &status) == SPGM_OK, "%s: %s", file, status.message))
            continue;
        files = folder_count();
        snprintf(name, sizeof name, "write %s", endings[i]);
        every(name, run_write, path);
        snprintf(name, sizeof name, "read %s", endings[i]);
        every(name, run_read, path);
    }
}

struct target_case {
    char matrix[PATH], target[PATH];
};

static spgm_error run_target(const void *context, spgm_status *status) {
    const struct target_case *c = context;
    spgm_data *data = NULL;
    spgm_read_options options = {0};
    options.no_target = 1;
    spgm_error error = spgm_data_read(c->matrix, &options, &data, status);
    if (error == SPGM_OK)
        error = spgm_data_read_target(data, c->target, status);
    spgm_data_free(data);
    return error;
}

static spgm_error run_vector(const void *context, spgm_status *status) {
    const struct target_case *c = context;
    double *values = NULL;
    int64_t count = 0;
    spgm_error error = spgm_vector_read(c->target, &values, &count, status);
    spgm_array_free(values);
    return error;
}

static spgm_error run_vector_write(const void *path, spgm_status *status) {
    static const double values[] = {1, 0.1, -1e300};
    return spgm_vector_write(path, "values", values, 3, status);
}

static void vectors(void) {
    static const char *const names[] = {"vector.csv", "vector.npy", "vector.csv.gz"};
    for (int i = 0; i < 3; i++) {
        char path[PATH], name[64];
        folder_write(path, names[i], "old");
        files = folder_count();
        snprintf(name, sizeof name, "write %s", names[i]);
        every(name, run_vector_write, path);
    }
}

static void targets(void) {
    struct target_case c;
    folder_path(c.matrix, "instance.npy");
    folder_write(c.target, "target.csv", "y\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    files = folder_count();
    every("read a target", run_target, &c);
    every("read a vector", run_vector, &c);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

struct table_case {
    char path[PATH], model_path[PATH];
    spgm_read_options options;
};

static spgm_error run_table(const void *context, spgm_status *status) {
    const struct table_case *c = context;
    spgm_data *data = NULL;
    spgm_error error = spgm_data_read(c->path, &c->options, &data, status);
    spgm_data_free(data);
    return error;
}

static spgm_error run_table_model(const void *context, spgm_status *status) {
    const struct table_case *c = context;
    spgm_model *model = NULL;
    spgm_data *data = NULL;
    double prediction[16];
    spgm_error error = spgm_model_read(c->model_path, &model, status);
    if (error == SPGM_OK) {
        spgm_read_options options = {.model = model};
        error = spgm_data_read(c->path, &options, &data, status);
    }
    if (error == SPGM_OK)
        error = spgm_model_predict(model, data, prediction, status);
    if (error == SPGM_OK)
        error = spgm_model_write(model, c->model_path, status);
    spgm_data_free(data);
    spgm_model_free(model);
    return error;
}

static spgm_error run_classes(const void *path, spgm_status *status) {
    spgm_model *model = NULL;
    spgm_error error = spgm_model_read(path, &model, status);
    if (error == SPGM_OK)
        error = spgm_model_write(model, path, status);
    spgm_model_free(model);
    return error;
}

static void tables(void) {
    static const spgm_read_options options[] = {{.missing = "drop", .weights = "w"},
                                                {.missing = "median", .categories = "full", .exclude = "w"},
                                                {.survey = 1, .only = "c,x", .text = "x"}};
    struct table_case c;
    char names[PATH], classes[PATH];
    folder_write(
        c.path, "table.csv",
        "x,c,w,y\n1,a,1,2\n,b,1,3\n3,c,2,4\n4,\xf6,2,5\n5,d,2,6\n6,e,2,7\n7,f,2,8\n8,g,2,9\n9,h,1,1\n10,i,1,2\n");
    folder_write(
        c.model_path, "table.json",
        "{\"columns\": 2, \"sparsity\": 2, \"support\": [0, 1], \"coefficients\": [1, 2], \"labels\": [0, 1], "
        "\"label_names\": [\"no\", \"yes\"], \"free\": [0], \"data\": \"d\", \"table\": {\"columns\": 3, "
        "\"missing\": \"median\", \"used\": [{\"column\": 0, \"name\": \"x\", \"fill\": 2}, {\"column\": 2, "
        "\"name\": \"w\", \"levels\": [\"1\", \"2\"], \"fill\": \"2\"}], \"source\": [0, 1], \"level\": [-1, 1]}}");
    folder_write(
        classes, "classes.json",
        "{\"classes\": [0, 1], \"class_names\": [\"a\", \"b\"], \"columns\": 3, \"sparsity\": 1, \"target\": \"y\", "
        "\"models\": [{\"columns\": 3, \"sparsity\": 1, \"support\": [0], \"coefficients\": [1]}, {\"columns\": 3, "
        "\"sparsity\": 1, \"support\": [1], \"coefficients\": [2]}]}");
    folder_write(names, "names.txt", "a\nb\nc\nd\ne\nf\n");
    files = folder_count();
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        c.options = options[i];
        every("read a table", run_table, &c);
    }
    every("apply a model to a table", run_table_model, &c);
    every("read a model of many labels", run_classes, classes);
    folder_path(c.path, "instance.npy");
    c.options = (spgm_read_options){.names = names, .target = "b", .weights = "1"};
    every("read names and columns", run_table, &c);
}

/* ---- generated ------------------------------------------------------------------------------------- */

struct generate_case {
    const char *name;
    spgm_generate_options options;
};

static spgm_error run_generate(const void *context, spgm_status *status) {
    const struct generate_case *c = context;
    spgm_data *data = NULL;
    spgm_error error = spgm_data_generate(c->name, 7, &c->options, &data, status);
    spgm_data_free(data);
    return error;
}

static void generated(void) {
    char path[PATH];
    folder_path(path, "instance.svm");
    struct generate_case cases[] = {{.name = "random-12-6"},
                                    {.name = "random-12-6-C"},
                                    {.name = "random-12-6-O"},
                                    {.name = "e2006-10-4", .options = {.from = path}},
                                    {.name = "e2006-10-4-C", .options = {.from = path, .raw = 1, .real_target = 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "generate %s", cases[i].name);
        every(name, run_generate, &cases[i]);
    }
}

/* ---- models ---------------------------------------------------------------------------------------- */

struct model_case {
    const spgm_solver *solver;
    const spgm_data *names;
    const spgm_model *model;
    char path[PATH];
};

static spgm_error run_model_new(const void *context, spgm_status *status) {
    const struct model_case *c = context;
    spgm_model *model = NULL;
    spgm_error error = spgm_model_new(c->solver, c->names, &model, status);
    spgm_model_free(model);
    return error;
}

static spgm_error run_model_write(const void *context, spgm_status *status) {
    const struct model_case *c = context;
    return spgm_model_write(c->model, c->path, status);
}

static spgm_error run_model_read(const void *context, spgm_status *status) {
    const struct model_case *c = context;
    spgm_model *model = NULL;
    spgm_error error = spgm_model_read(c->path, &model, status);
    spgm_model_free(model);
    return error;
}

/* The CSV has its columns in another order than the model, so that they are matched by name. */
static spgm_error run_predict(const void *context, spgm_status *status) {
    const struct model_case *c = context;
    double prediction[12];
    return spgm_model_predict(c->model, c->names, prediction, status);
}

enum { LABELS = 5 };

/* As many models as there are rows, each row with a label of its own. */
static spgm_error run_balance(const void *context, spgm_status *status) {
    const struct model_case *c = context;
    spgm_model *models[LABELS] = {NULL}, *combined = NULL;
    spgm_error error = SPGM_OK;
    for (int k = 0; k < LABELS && error == SPGM_OK; k++)
        error = spgm_model_new(c->solver, c->names, &models[k], status);
    if (error == SPGM_OK)
        error = spgm_model_combine(models, LABELS, spgm_data_target(c->names), c->names, &combined, status);
    for (int k = 0; k < LABELS && combined == NULL; k++)
        spgm_model_free(models[k]);
    if (error == SPGM_OK)
        error = spgm_model_balance(combined, c->names, NULL, status);
    spgm_model_free(combined);
    return error;
}

/* A model fitted to the data of a CSV file with names. */
static void models(void) {
    struct model_case c = {0};
    char csv[PATH];
    spgm_data *data = NULL;
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_model *model = NULL;
    spgm_status status;
    spgm_options *options = spgm_options_new();

    spgm_options_set(options, "threads", "1", NULL);
    spgm_options_set(options, "method", "spgm-bcd", NULL);
    folder_write(csv, "named.csv", "size,\"height, m\",weight\n1,0,2\n2,1,4\n3,0,6\n4,1,8\n5,3,10\n");
    spgm_error error = spgm_data_read(csv, NULL, &data, &status);
    spgm_matrix A = data ? spgm_data_matrix(data) : spgm_dense(0, 0, NULL);
    if (error == SPGM_OK)
        error = spgm_problem_new(&A, spgm_data_target(data), options, &problem, &status);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, 1, options, &solver, &status);
    if (error == SPGM_OK)
        error = spgm_solver_run(solver, &status);
    if (error == SPGM_OK)
        error = spgm_model_new(solver, data, &model, &status);
    folder_path(c.path, "model.json");
    if (error == SPGM_OK)
        error = spgm_model_write(model, c.path, &status);
    if (check(error == SPGM_OK, "making a model: %s", status.message)) {
        c.solver = solver;
        c.names = data;
        c.model = model;
        files = folder_count();
        every("model_new", run_model_new, &c);
        every("model_write", run_model_write, &c);
        every("model_read", run_model_read, &c);
        every("model_predict", run_predict, &c);
        every("model_balance", run_balance, &c);
    }
    spgm_model_free(model);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_data_free(data);
    spgm_options_free(options);
}

int main(void) {
    spgm_status status;
    folder_make();
    if (!check(spgm_data_generate("random-12-6", 3, NULL, &instance, &status) == SPGM_OK, "%s", status.message))
        return report();
    formats();
    targets();
    tables();
    vectors();
    generated();
    models();
    spgm_data_free(instance);
    folder_remove();
    return report();
}
