/* spgm predict: a model on new data. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bands.h"
#include "figure.h"

static const struct flag flags[] = {
    {"output", "FILE.csv", "where the predictions go; default '-', standard output", 'o'},
    {"target", "FILE|COLUMN",
     "as in fit: a file with the target, or name or number of the target column; only for "
     "the summary",
     0},
    {"missing", "refuse|drop|median",
     "CSV: gaps are an error, leave the prediction of the row empty, or become the medians that the model was made "
     "with; "
     "levels that the model has not seen are an error, except with drop; default: as when the model was made, but "
     "refuse in place of drop",
     0},
    {"json", NULL, "instead of predictions print how good they are, as JSON on standard output", 0},
    {"figure", "FILE",
     "of a band (fit --quantiles): the rows in the order of their middle quantile, .svg, .pdf or .png, by gnuplot", 0},
    {"names", "FILE", "as in fit: names for the columns of a file without names", 0},
    CLI_CSV_FLAGS,
    CLI_TALK_FLAGS("the summary"),
    {0}};

struct predict {
    const struct args *args;
    spgm_model *model;
    spgm_data *data;
    spgm_matrix matrix; /* of data */
    struct scratch scratch;
    double *prediction; /* [rows] */
    int64_t rows;
    int classifier;
    int has_probability; /* of the upper label */
    double labels[2];
    int64_t compared, skipped; /* rows whose target is known; rows without a prediction */
    int64_t classes;           /* of a model of more than two labels, else 0            */
    int64_t *chosen;           /* the label of each row, of these or of two [rows]      */
    int64_t *confusion;        /* by target, then by what was said [classes * classes]  */
};

static int is_compared(const struct predict *p, int64_t i) {
    const double *target = spgm_data_target(p->data);
    return target && !isnan(target[i]) && !isnan(p->prediction[i]);
}

/* The data, read as the model needs them: once, also for several labels. */
static int read_data(struct predict *p) {
    spgm_read_options how = {.any_layout = 1,
                             .memory = scratch_open(&p->scratch, p->args),
                             .target = spgm_model_target_name(p->model),
                             .columns = spgm_model_columns(p->model),
                             .optional_target = 1,
                             .model = p->model};
    int result = task_read(p->args, p->args->operand[1], how, &p->data);
    if (result) {
        return result;
    }
    p->matrix = spgm_data_matrix(p->data);
    p->matrix.memory = scratch_beside(&p->scratch, &p->matrix);
    p->rows = p->matrix.rows;
    p->prediction = scratch_array(&p->matrix, p->rows, sizeof *p->prediction);
    p->chosen = scratch_array(&p->matrix, p->rows, sizeof *p->chosen);
    return p->prediction && p->chosen ? CLI_DONE : cli_out_of_memory();
}

static int predict_with(const struct predict *p, const spgm_model *model, double *prediction) {
    spgm_status status;
    return spgm_model_predict(model, p->data, prediction, &status) ? cli_status(&status) : CLI_DONE;
}

/* The label with the highest score is predicted; p->prediction becomes that score. */
static int predict_classes(struct predict *p) {
    double *score = scratch_array(&p->matrix, p->rows, sizeof *score);
    int result = score ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < p->classes && result == CLI_DONE; k++) {
        result = predict_with(p, spgm_model_class(p->model, k, NULL, NULL), score);
        for (int64_t i = 0; i < p->rows && result == CLI_DONE; i++) {
            if (k == 0 || isnan(score[i]) || score[i] > p->prediction[i]) {
                p->prediction[i] = score[i];
                p->chosen[i] = k;
            }
        }
    }
    scratch_free(score);
    return result;
}

/* The value of a label. */
static double label_value(const struct predict *p, int64_t k) {
    double label = 0;
    if (p->classes == 0) {
        return p->labels[k];
    }
    spgm_model_class(p->model, k, &label, NULL);
    return label;
}

static int load(struct predict *p) {
    spgm_status status;
    const char *output = args_get(p->args, "output");
    int result = outfile_check(output);
    result = result ? result : figure_check(args_get(p->args, "figure"));
    for (int i = 0; i < p->args->operands && result == CLI_DONE; i++) {
        result = outfile_spare(output, p->args->operand[i]);
    }
    if (result) {
        return result;
    }
    if (spgm_model_read(p->args->operand[0], &p->model, &status)) {
        return cli_status(&status);
    }
    p->classes = spgm_model_classes(p->model);
    p->classifier = p->classes > 0 || spgm_model_labels(p->model, p->labels);
    p->has_probability = p->classes == 0 && !isnan(spgm_model_probability(p->model, 0));
    result = read_data(p);
    if (result || spgm_model_levels(p->model)) {
        return result;
    }
    if (args_get(p->args, "figure")) {
        return cli_error("--figure draws bands, but %s is not one: fit --quantiles makes one", p->args->operand[0]);
    }
    result = p->classes ? predict_classes(p) : predict_with(p, p->model, p->prediction);
    if (result) {
        return result;
    }
    for (int64_t i = 0; i < p->rows && p->classes == 0; i++) {
        p->chosen[i] = p->prediction[i] > 0;
    }
    for (int64_t i = 0; i < p->rows; i++) {
        p->skipped += isnan(p->prediction[i]);
        p->compared += is_compared(p, i);
    }
    return CLI_DONE;
}

/* The word of a label, NULL: none. */
static const char *label_name(const struct predict *p, int64_t k) {
    const char *name = NULL;
    if (p->classes == 0) {
        return spgm_model_label_name(p->model, k > 0);
    }
    spgm_model_class(p->model, k, NULL, &name);
    return name;
}

/* The same, or its number as text. */
static const char *label_text(const struct predict *p, int64_t k, char text[32]) {
    return label_name(p, k) ? label_name(p, k) : screen_exact(label_value(p, k), text);
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
            text_csv(out.file, label_text(p, p->chosen[i], label));
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
    int64_t right;                     /* of a classifier                                         */
    double mean, median, largest, rms; /* of the errors                                           */
};

/*
 * The model's own loss, from a problem with the prediction as its only column, at x = 1. NaN if it cannot be computed,
 * for example if only one class occurs.
 */
static double model_loss(const struct predict *p, const double *prediction, const double *target) {
    spgm_options *options = spgm_options_copy(spgm_model_options(p->model));
    spgm_matrix matrix = spgm_dense(p->compared, 1, prediction);
    spgm_problem *problem = NULL;
    const double one = 1;
    double loss = NAN;
    matrix.memory = p->matrix.memory;
    char normal[16] = "off"; /* a loss of correlations is none of the predictions */
    if (options && !spgm_options_get(options, "normal", normal, sizeof normal, NULL) && !strcmp(normal, "off") &&
        !spgm_options_set(options, "intercept", "false", NULL) &&
        !spgm_problem_new(&matrix, target, options, &problem, NULL)) {
        spgm_problem_evaluate(problem, &one, 0, NULL, &loss, NULL, NULL);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
    return loss;
}

static void take_errors(const struct predict *p, double *prediction, const double *target, struct quality *quality) {
    double total = 0, square = 0, rows = (double)p->compared;
    for (int64_t i = 0; i < p->compared; i++) {
        prediction[i] = fabs(prediction[i] - target[i]);
        total += prediction[i];
        square += prediction[i] * prediction[i];
    }
    qsort(prediction, (size_t)p->compared, sizeof *prediction, text_ascending);
    quality->mean = total / rows;
    quality->median = 0.5 * (prediction[(p->compared - 1) / 2] + prediction[p->compared / 2]);
    quality->largest = prediction[p->compared - 1];
    quality->rms = sqrt(square / rows);
}

static int64_t label_count(const struct predict *p) {
    return p->classes ? p->classes : 2;
}

/* A target that is not one of the labels counts as wrong, and in no cell. */
static void count_label(const struct predict *p, int64_t i, struct quality *quality) {
    double target = spgm_data_target(p->data)[i];
    for (int64_t k = 0; k < label_count(p); k++) {
        if (target == label_value(p, k)) {
            quality->right += k == p->chosen[i];
            p->confusion[k * label_count(p) + p->chosen[i]]++;
            return;
        }
    }
}

static int take_quality(struct predict *p, struct quality *quality) {
    p->confusion = p->classifier ? calloc((size_t)(label_count(p) * label_count(p)), sizeof *p->confusion) : NULL;
    if (p->classifier && !p->confusion) {
        return cli_out_of_memory();
    }
    double *prediction = scratch_array(&p->matrix, 2 * p->compared, sizeof *prediction);
    double *target = prediction + p->compared;
    if (!prediction) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0, k = 0; i < p->rows; i++) {
        if (is_compared(p, i)) {
            prediction[k] = p->prediction[i];
            target[k++] = spgm_data_target(p->data)[i];
            if (p->classifier) {
                count_label(p, i, quality);
            }
        }
    }
    quality->loss = p->classes ? NAN : model_loss(p, prediction, target);
    take_errors(p, prediction, target, quality);
    scratch_free(prediction);
    return CLI_DONE;
}

/* "  target versicolor   ", as wide as the longest label */
static void put_label(const struct predict *p, int64_t k, int width) {
    char label[32];
    const char *text = label_text(p, k, label);
    fprintf(stderr, "  target %s%*s", text, width - screen_length(text) + 3, "");
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
    int width = 8;
    for (int64_t truth = 0; truth < label_count(p); truth++) {
        int length = screen_length(label_text(p, truth, label[0]));
        width = length > width ? length : width;
    }
    for (int64_t truth = 0; truth < label_count(p) && p->classes == 0; truth++) {
        put_label(p, truth, width);
        fprintf(stderr, "%lld said %s, %lld said %s\n", (long long)p->confusion[2 * truth], label_text(p, 0, label[0]),
                (long long)p->confusion[2 * truth + 1], label_text(p, 1, label[1]));
    }
    for (int64_t truth = 0; truth < p->classes; truth++) {
        int64_t total = 0;
        for (int64_t said = 0; said < p->classes; said++) {
            total += p->confusion[truth * p->classes + said];
        }
        put_label(p, truth, width);
        fprintf(stderr, "%lld of %lld right\n", (long long)p->confusion[truth * p->classes + truth], (long long)total);
    }
}

static void summarise(const struct predict *p, const struct quality *quality) {
    int64_t missing = spgm_data_target_missing(p->data);
    char rows[32], some[32];
    fprintf(stderr, "%s: %s rows%s", p->args->operand[1], screen_count(p->rows, rows),
            p->compared == 0 && missing ? ", no number or known label in their target to compare with"
            : p->compared == 0          ? ", no target to compare with"
            : p->compared < p->rows     ? ""
                                        : ", compared with their target");
    if (p->compared && p->compared < p->rows) {
        fprintf(stderr, ", %s of them compared with their target", screen_count(p->compared, some));
    }
    fputc('\n', stderr);
    if (report_is_projected(spgm_model_options(p->model))) {
        fputs("  the model         stands for a mean of models and minimises no F of the data\n", stderr);
    }
    report_skipped(p->data, p->skipped);
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
    fputs(",\n  \"unseen\": [", stdout);
    for (int64_t k = 0; spgm_data_unseen(p->data, k); k++) {
        fputs(k ? ", " : "", stdout);
        text_json(stdout, spgm_data_unseen(p->data, k));
    }
    putchar(']');
    if (p->compared && p->classes == 0) {
        printf(",\n  \"loss\": \"%s\",\n  \"loss_value\": %s", name, text_json_number(quality->loss, text));
        printf(",\n  \"loss_per_row\": %s", text_json_number(quality->loss / (double)p->compared, text));
    }
    if (p->compared && p->classifier) {
        printf(",\n  \"accuracy\": %s", text_json_number((double)quality->right / (double)p->compared, text));
        fputs(",\n  \"labels\": [", stdout);
        for (int64_t k = 0; k < label_count(p); k++) {
            fputs(k ? ", " : "", stdout);
            if (label_name(p, k)) {
                text_json(stdout, label_name(p, k));
            } else {
                fputs(text_json_number(label_value(p, k), text), stdout);
            }
        }
        fputs("],\n  \"confusion\": [", stdout);
        for (int64_t k = 0; k < label_count(p) * label_count(p); k++) {
            int is_first = k % label_count(p) == 0;
            printf("%s%s%lld%s", k ? ", " : "", is_first ? "[" : "", (long long)p->confusion[k],
                   (k + 1) % label_count(p) == 0 ? "]" : "");
        }
        putchar(']');
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
    if (result == CLI_DONE && spgm_model_levels(p.model)) {
        result = bands_predict(args, p.model, p.data);
        goto release;
    }
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
release:
    scratch_free(p.prediction);
    scratch_free(p.chosen);
    free(p.confusion);
    spgm_data_free(p.data);
    scratch_close(&p.scratch);
    spgm_model_free(p.model);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(
        doc, "Writes A x + intercept for every row of DATA as CSV with the header 'prediction'. A model of two labels "
             "also has 'label', the larger label where the prediction is above 0, and with the logistic loss "
             "'probability', that of the larger label. A model of more than two labels has a score for each, and "
             "'prediction' is the highest of them. A band (fit --quantiles) has a column for each quantile, in order.");
    doc_paragraph(doc, "Columns are matched by name if model and DATA have names, else by position. DATA may be the "
                       "raw table of a CSV file: columns that the model does not use may contain anything, text is "
                       "encoded as it was for fit, and a level that the model has not seen is an error that names it.");
    doc_paragraph(doc, "If DATA contains the target, the loss h(A x - b) of the model and its errors are printed on "
                       "standard error where that is a terminal; for a band its coverage and mean width. In CSV the "
                       "target is the column of the same name as when the model was made.");
}

const struct command command_predict = {.name = "predict",
                                        .summary =
                                            "apply a model to data, and measure its errors if the target is known",
                                        .usage = "MODEL.json DATA [--output FILE.csv] [--json]",
                                        .operands = {"MODEL.json", "DATA"},
                                        .flags = flags,
                                        .describe = describe,
                                        .topics = {topic_problem, topic_losses, topic_data},
                                        .examples = "spgm predict model.json new-houses.csv --output predictions.csv\n"
                                                    "spgm predict model.json test.svm.xz --verbose > predictions.csv\n"
                                                    "spgm predict model.json new-houses.csv --json",
                                        .run = predict_run};
