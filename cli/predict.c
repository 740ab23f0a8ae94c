/* spgm predict: a model on new data. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct flag flags[] = {
    {"output", "FILE.csv", "where the predictions go; default '-', standard output", 'o'},
    {"target", "FILE|COLUMN",
     "as in fit: a file with the target, or name or number of the target column; only for "
     "the summary",
     0},
    {"missing", "refuse|drop|median",
     "CSV: gaps, and levels that the model has not seen, are an error, leave the prediction of the row empty, or "
     "become "
     "the medians that the model was made with; default as the model was made, refuse instead of drop",
     0},
    {"json", NULL, "instead of predictions print how good they are, as JSON on standard output", 0},
    {"names", "FILE", "as in fit: names for the columns of a file without names", 0},
    CLI_CSV_FLAGS,
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
    int64_t compared, skipped; /* rows whose target is known; rows without a prediction */
};

static int is_compared(const struct predict *p, int64_t i) {
    const double *target = spgm_data_target(p->data);
    return target && !isnan(target[i]) && !isnan(p->prediction[i]);
}

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
    spgm_read_options how = {.target = spgm_model_target_name(p->model),
                             .columns = spgm_model_columns(p->model),
                             .optional_target = 1,
                             .model = p->model};
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
    if (spgm_model_predict(p->model, p->data, p->prediction, &status)) {
        return cli_status(&status);
    }
    for (int64_t i = 0; i < p->rows; i++) {
        p->skipped += isnan(p->prediction[i]);
        p->compared += is_compared(p, i);
    }
    return CLI_DONE;
}

static double label_of(const struct predict *p, double prediction) {
    return p->labels[prediction > 0];
}

/* The word of a label, or its number as text. */
static const char *label_text(const struct predict *p, int upper, char text[32]) {
    const char *name = spgm_model_label_name(p->model, upper);
    return name ? name : screen_exact(p->labels[upper], text);
}

/* A field of CSV, quoted where it must be. */
static void put_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', file);
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
        if (isnan(p->prediction[i])) {
            fputs(p->has_probability ? ",,\n" : p->classifier ? ",\n" : "\n", out.file);
            continue;
        }
        fputs(screen_exact(p->prediction[i], number), out.file);
        if (p->classifier) {
            fputc(',', out.file);
            put_field(out.file, label_text(p, p->prediction[i] > 0, label));
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

/* Over the rows that have both a prediction and a target. */
struct quality {
    double loss;                       /* the model's own; NaN: none                              */
    int64_t right, count[2][2];        /* of a classifier: by target, then by what was said       */
    double mean, median, largest, rms; /* of the errors                                           */
};

/*
 * The model's own loss: that of a problem whose one column is the prediction, at x = 1.
 * NaN when it cannot be had, as for labels of one class only.
 */
static double model_loss(const struct predict *p, const double *prediction, const double *target) {
    spgm_options *options = spgm_options_copy(spgm_model_options(p->model));
    spgm_matrix matrix = spgm_dense(p->compared, 1, prediction);
    spgm_problem *problem = NULL;
    const double one = 1;
    double loss = NAN;
    if (options && !spgm_options_set(options, "intercept", "false", NULL) &&
        !spgm_problem_new(&matrix, target, options, &problem, NULL)) {
        spgm_problem_evaluate(problem, &one, 0, NULL, &loss, NULL, NULL);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
    return loss;
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static void take_errors(const struct predict *p, double *prediction, const double *target, struct quality *quality) {
    double total = 0, square = 0, rows = (double)p->compared;
    for (int64_t i = 0; i < p->compared; i++) {
        prediction[i] = fabs(prediction[i] - target[i]);
        total += prediction[i];
        square += prediction[i] * prediction[i];
    }
    qsort(prediction, (size_t)p->compared, sizeof *prediction, by_value);
    quality->mean = total / rows;
    quality->median = 0.5 * (prediction[(p->compared - 1) / 2] + prediction[p->compared / 2]);
    quality->largest = prediction[p->compared - 1];
    quality->rms = sqrt(square / rows);
}

static int take_quality(const struct predict *p, struct quality *quality) {
    double *prediction = malloc(2 * ((size_t)p->compared + 1) * sizeof *prediction);
    double *target = prediction + p->compared;
    if (!prediction) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0, k = 0; i < p->rows; i++) {
        if (is_compared(p, i)) {
            int truth = spgm_data_target(p->data)[i] == p->labels[1], said = p->prediction[i] > 0;
            quality->right += spgm_data_target(p->data)[i] == label_of(p, p->prediction[i]);
            quality->count[truth][said]++;
            prediction[k] = p->prediction[i];
            target[k++] = spgm_data_target(p->data)[i];
        }
    }
    quality->loss = model_loss(p, prediction, target);
    take_errors(p, prediction, target, quality);
    free(prediction);
    return CLI_DONE;
}

static void put_quality(const struct predict *p, const struct quality *quality) {
    char name[64], label[2][32];
    if (isfinite(quality->loss) && !spgm_options_get(spgm_model_options(p->model), "loss", name, sizeof name, NULL)) {
        char title[80];
        snprintf(title, sizeof title, "%s loss", name);
        fprintf(stderr, "  %-16s  %.8g, per row %.6g\n", title, quality->loss, quality->loss / (double)p->compared);
    }
    if (!p->classifier) {
        fprintf(stderr, "  mean |error|      %.6g\n  median |error|    %.6g\n", quality->mean, quality->median);
        fprintf(stderr, "  largest |error|   %.6g\n  root mean square  %.6g\n", quality->largest, quality->rms);
        return;
    }
    fprintf(stderr, "  right labels      %lld of %lld (%.4g %%)\n", (long long)quality->right, (long long)p->compared,
            100 * (double)quality->right / (double)p->compared);
    for (int truth = 0; truth < 2; truth++) {
        fprintf(stderr, "  target %-8s   %lld said %s, %lld said %s\n", label_text(p, truth, label[truth]),
                (long long)quality->count[truth][0], label_text(p, 0, label[0]), (long long)quality->count[truth][1],
                label_text(p, 1, label[1]));
    }
}

static void summarise(const struct predict *p, const struct quality *quality) {
    char rows[32], some[32];
    fprintf(stderr, "%s: %s rows%s", p->args->operand[1], screen_count(p->rows, rows),
            !p->compared            ? ", no target to compare with"
            : p->compared < p->rows ? ""
                                    : ", compared with their target");
    if (p->compared && p->compared < p->rows) {
        fprintf(stderr, ", %s of them compared with their target", screen_count(p->compared, some));
    }
    fputc('\n', stderr);
    if (p->skipped) {
        fprintf(stderr, "  no prediction     %s rows with gaps or levels that the model has not seen\n",
                screen_count(p->skipped, rows));
    }
    if (p->compared) {
        put_quality(p, quality);
    }
}

static int put_json(const struct predict *p, const struct quality *quality) {
    char text[32], name[64] = "";
    spgm_options_get(spgm_model_options(p->model), "loss", name, sizeof name, NULL);
    fputs("{\n  \"model\": ", stdout);
    text_json(stdout, p->args->operand[0]);
    fputs(",\n  \"data\": ", stdout);
    text_json(stdout, p->args->operand[1]);
    printf(",\n  \"rows\": %lld,\n  \"predicted\": %lld,\n  \"compared\": %lld", (long long)p->rows,
           (long long)(p->rows - p->skipped), (long long)p->compared);
    if (p->compared) {
        printf(",\n  \"loss\": \"%s\",\n  \"loss_value\": %s", name, text_json_number(quality->loss, text));
        printf(",\n  \"loss_per_row\": %s", text_json_number(quality->loss / (double)p->compared, text));
    }
    if (p->compared && p->classifier) {
        printf(",\n  \"accuracy\": %s", text_json_number((double)quality->right / (double)p->compared, text));
        fputs(",\n  \"labels\": [", stdout);
        for (int k = 0; k < 2; k++) {
            fputs(k ? ", " : "", stdout);
            if (spgm_model_label_name(p->model, k)) {
                text_json(stdout, spgm_model_label_name(p->model, k));
            } else {
                fputs(text_json_number(p->labels[k], text), stdout);
            }
        }
        printf("],\n  \"confusion\": [[%lld, %lld], [%lld, %lld]]", (long long)quality->count[0][0],
               (long long)quality->count[0][1], (long long)quality->count[1][0], (long long)quality->count[1][1]);
    } else if (p->compared) {
        printf(",\n  \"mean_absolute_error\": %s", text_json_number(quality->mean, text));
        printf(",\n  \"median_absolute_error\": %s", text_json_number(quality->median, text));
        printf(",\n  \"max_error\": %s", text_json_number(quality->largest, text));
        printf(",\n  \"root_mean_squared_error\": %s", text_json_number(quality->rms, text));
    }
    fputs("\n}\n", stdout);
    return outfile_flush();
}

static int predict_run(const struct args *args) {
    struct predict p = {.args = args};
    struct quality quality = {0};
    int is_json = args_get(args, "json") != NULL;
    int result = load(&p);
    if (result == CLI_DONE && p.compared && (is_json || screen_wanted(args))) {
        result = take_quality(&p, &quality);
    }
    if (result == CLI_DONE && (!is_json || args_get(args, "output"))) {
        result = write_predictions(&p);
    }
    if (result == CLI_DONE && is_json) {
        result = put_json(&p, &quality);
    }
    if (result == CLI_DONE && screen_wanted(args)) {
        summarise(&p, &quality);
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
        "position. Of a CSV file the raw table will do: columns that the model does not use may hold anything, text is "
        "encoded as it was for fit, and a level that the model has not seen is named.");
    doc_paragraph(
        doc,
        "DATA may hold the target, and then the loss h(A x - b) of the model and its errors are printed on standard "
        "error where that is a terminal. In CSV the target is the column of the same name as when the model was made.");
}

const struct command command_predict = {.name = "predict",
                                        .summary =
                                            "apply a model to data, and say how good it is where the target is known",
                                        .usage = "MODEL.json DATA [--output FILE.csv] [--json]",
                                        .operands = {"MODEL.json", "DATA"},
                                        .flags = flags,
                                        .describe = describe,
                                        .topics = {topic_problem, topic_losses, topic_data},
                                        .examples = "spgm predict model.json new-houses.csv --output predictions.csv\n"
                                                    "spgm predict model.json test.svm.xz --verbose > predictions.csv\n"
                                                    "spgm predict model.json new-houses.csv --json",
                                        .run = predict_run};
