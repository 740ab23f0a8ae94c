/* spgm predict: a model on new data. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

static const struct flag flags[] = {
    {"output", "FILE.csv", "where the predictions go; default '-', standard output", 'o'},
    {"target", "FILE",
     "as in fit: a file with the target, or name or number of the target column of a CSV file; only for "
     "the summary",
     0},
    CLI_TALK_FLAGS("the summary"),
    {0}};

struct predict {
    const struct args *args;
    spgm_model *model;
    spgm_data *data;
    double *prediction; /* [rows] */
    int64_t rows;
    int classifier;
    int has_probability; /* of the upper label */
    double labels[2];
};

static int load(struct predict *p) {
    spgm_status status;
    const char *output = args_get(p->args, "output");
    int result = outfile_check(output);
    for (int i = 0; i < p->args->operands && result == CLI_DONE; i++) {
        result = outfile_spare(output, p->args->operand[i]);
    }
    if (result) {
        return result;
    }
    if (spgm_model_read(p->args->operand[0], &p->model, &status)) {
        return cli_status(&status);
    }
    spgm_read_options how = {
        .target = spgm_model_target_name(p->model), .columns = spgm_model_columns(p->model), .optional_target = 1};
    result = task_read(p->args, p->args->operand[1], how, &p->data);
    if (result) {
        return result;
    }
    p->rows = spgm_data_matrix(p->data).rows;
    p->classifier = spgm_model_labels(p->model, p->labels);
    p->has_probability = !isnan(spgm_model_probability(p->model, 0));
    if (!(p->prediction = malloc(((size_t)p->rows + 1) * sizeof *p->prediction))) {
        return cli_out_of_memory();
    }
    return spgm_model_predict(p->model, p->data, p->prediction, &status) ? cli_status(&status) : CLI_DONE;
}

static double label_of(const struct predict *p, double prediction) {
    return p->labels[prediction > 0];
}

static int write_predictions(const struct predict *p) {
    const char *path = args_get(p->args, "output");
    char number[32], label[32];
    struct outfile out;
    int result = outfile_open(&out, path ? path : "-");
    if (result) {
        return result;
    }
    fputs("prediction", out.file);
    fputs(p->classifier ? ",label" : "", out.file);
    fputs(p->has_probability ? ",probability\n" : "\n", out.file);
    for (int64_t i = 0; i < p->rows && !outfile_failed(&out); i++) {
        fputs(screen_exact(p->prediction[i], number), out.file);
        if (p->classifier) {
            fprintf(out.file, ",%s", screen_exact(label_of(p, p->prediction[i]), label));
        }
        if (p->has_probability) {
            double probability = spgm_model_probability(p->model, p->prediction[i]);
            fprintf(out.file, ",%s", screen_exact(probability, number));
        }
        fputc('\n', out.file);
    }
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

/* ---- how good it is, where the target is known -------------------------------------------------------- */

/*
 * The model's own loss: that of a problem whose one column is the prediction, at x = 1.
 * NaN when it cannot be had, as for labels of one class only.
 */
static double model_loss(const struct predict *p) {
    spgm_options *options = spgm_options_copy(spgm_model_options(p->model));
    spgm_matrix matrix = spgm_dense(p->rows, 1, p->prediction);
    spgm_problem *problem = NULL;
    const double one = 1;
    double loss = NAN;
    if (options && !spgm_options_set(options, "intercept", "false", NULL) &&
        !spgm_problem_new(&matrix, spgm_data_target(p->data), options, &problem, NULL)) {
        spgm_problem_evaluate(problem, &one, 0, NULL, &loss, NULL, NULL);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
    return loss;
}

static void put_loss(const struct predict *p) {
    char name[64], label[80];
    double loss = model_loss(p);
    if (isfinite(loss) && !spgm_options_get(spgm_model_options(p->model), "loss", name, sizeof name, NULL)) {
        snprintf(label, sizeof label, "%s loss", name);
        fprintf(stderr, "  %-16s  %.8g, per row %.6g\n", label, loss, loss / (double)p->rows);
    }
}

static void put_accuracy(const struct predict *p, const double *target) {
    int64_t right = 0, count[2][2] = {{0}};
    for (int64_t i = 0; i < p->rows; i++) {
        int truth = target[i] == p->labels[1], said = p->prediction[i] > 0;
        right += target[i] == label_of(p, p->prediction[i]);
        count[truth][said]++;
    }
    fprintf(stderr, "  right labels      %lld of %lld (%.4g %%)\n", (long long)right, (long long)p->rows,
            100 * (double)right / (double)p->rows);
    fprintf(stderr, "  target %-8.6g   %lld said %g, %lld said %g\n", p->labels[0], (long long)count[0][0],
            p->labels[0], (long long)count[0][1], p->labels[1]);
    fprintf(stderr, "  target %-8.6g   %lld said %g, %lld said %g\n", p->labels[1], (long long)count[1][0],
            p->labels[0], (long long)count[1][1], p->labels[1]);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static void put_errors(const struct predict *p, const double *target, double *error) {
    double total = 0, square = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        error[i] = fabs(p->prediction[i] - target[i]);
        total += error[i];
        square += error[i] * error[i];
    }
    qsort(error, (size_t)p->rows, sizeof *error, by_value);
    fprintf(stderr, "  mean |error|      %.6g\n", total / (double)p->rows);
    fprintf(stderr, "  median |error|    %.6g\n", 0.5 * (error[(p->rows - 1) / 2] + error[p->rows / 2]));
    fprintf(stderr, "  largest |error|   %.6g\n", error[p->rows - 1]);
    fprintf(stderr, "  root mean square  %.6g\n", sqrt(square / (double)p->rows));
}

static void summarise(const struct predict *p) {
    const double *target = spgm_data_target(p->data);
    char rows[32];
    double *error = malloc(((size_t)p->rows + 1) * sizeof *error);
    fprintf(stderr, "%s: %s rows%s\n", p->args->operand[1], screen_count(p->rows, rows),
            target ? ", compared with their target" : ", no target to compare with");
    if (target && error) {
        put_loss(p);
        if (p->classifier) {
            put_accuracy(p, target);
        } else {
            put_errors(p, target, error);
        }
    }
    free(error);
}

static int predict_run(const struct args *args) {
    struct predict p = {.args = args};
    int result = load(&p);
    if (result == CLI_DONE) {
        result = write_predictions(&p);
    }
    if (result == CLI_DONE && screen_wanted(args)) {
        summarise(&p);
    }
    free(p.prediction);
    spgm_data_free(p.data);
    spgm_model_free(p.model);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(
        doc,
        "Writes A x + intercept for every row of DATA as CSV with the header 'prediction'; for a model of two "
        "labels also 'label', the larger label where the prediction is above 0, and for the logistic loss "
        "'probability', that of the larger label. Columns are matched by name where model and DATA have names, else by "
        "position.");
    doc_paragraph(
        doc,
        "DATA may hold the target, and then the loss h(A x - b) of the model and its errors are printed on standard "
        "error where that is a terminal. In CSV the target is the column of the same name as when the model was made.");
}

const struct command command_predict = {.name = "predict",
                                        .summary =
                                            "apply a model to data, and say how good it is where the target is known",
                                        .usage = "MODEL.json DATA [--output FILE.csv]",
                                        .operands = {"MODEL.json", "DATA"},
                                        .flags = flags,
                                        .describe = describe,
                                        .topics = {topic_problem, topic_losses, topic_data},
                                        .examples = "spgm predict model.json new-houses.csv --output predictions.csv\n"
                                                    "spgm predict model.json test.svm.xz --verbose > predictions.csv",
                                        .run = predict_run};
