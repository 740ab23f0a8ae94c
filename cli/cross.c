/* Cross-validation over s and the ridge: what cv and `fit --sparsity auto` share. */
#include "cross.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "choose.h"
#include "group.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t option_integer(const spgm_options *options, const char *name) {
    char text[64];
    return spgm_options_get(options, name, text, sizeof text, NULL) ? 0 : strtoll(text, NULL, 10);
}

static int on_progress(const spgm_progress *progress, void *context) {
    choose_progress(context, progress);
    return signals_asked();
}

/* ---- folds of several labels ------------------------------------------------------------------------------------ */

struct ticket {
    double label;
    uint64_t number;
    int64_t row;
};

static int by_ticket(const void *a, const void *b) {
    const struct ticket *p = a, *q = b;
    if (p->label != q->label) {
        return p->label < q->label ? -1 : 1;
    }
    return p->number != q->number ? (p->number < q->number ? -1 : 1) : p->row < q->row ? -1 : p->row > q->row;
}

/* A number for each row from the seed: SplitMix64. */
static uint64_t draw(uint64_t seed, int64_t row) {
    uint64_t z = (seed + 1) * UINT64_C(0xD1342543DE82EF95) + (uint64_t)row * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/*
 * Each label is spread evenly over the folds; the next label continues where the last one ended. NULL: out of memory.
 */
static int64_t *draw_folds(const struct args *args, const struct task *task) {
    int64_t rows = task->matrix.rows, folds = option_integer(args->options, "folds");
    uint64_t seed = (uint64_t)option_integer(args->options, "seed");
    const double *target = spgm_data_target(task->data);
    struct ticket *tickets = scratch_array(&task->matrix, rows, sizeof *tickets);
    int64_t *fold_of_row = scratch_array(&task->matrix, rows, sizeof *fold_of_row);
    for (int64_t i = 0; tickets && i < rows; i++) {
        tickets[i] = (struct ticket){target[i], draw(seed, i), i};
    }
    if (tickets && fold_of_row) {
        qsort(tickets, (size_t)rows, sizeof *tickets, by_ticket);
        for (int64_t i = 0; i < rows; i++) {
            fold_of_row[tickets[i].row] = i % folds;
        }
    } else {
        scratch_free(fold_of_row);
        fold_of_row = NULL;
    }
    scratch_free(tickets);
    return fold_of_row;
}

/* ---- ridges ------------------------------------------------------------------------------------------------------ */

struct ridges {
    double value[CROSS_RIDGES];
    int64_t count;
};

static int take_ridge(void *context, const char *word) {
    struct ridges *ridges = context;
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !(value >= 0) || isinf(value)) {
        return cli_error("--ridge %s: it must be 'auto', a number of at least 0, or a list of such numbers", word);
    }
    if (ridges->count == CROSS_RIDGES) {
        return cli_error("--ridge has more than %d numbers", CROSS_RIDGES);
    }
    ridges->value[ridges->count++] = value;
    return CLI_DONE;
}

/* Whether the ridge is to be chosen, too; a given ridge is set in the options. If rows are spread over processes,
 * ridges in proportion to the data are not available, and only an explicit 'auto' is refused. */
static int settle_ridge(const struct args *args, struct ridges *ridges, int *is_auto) {
    const char *text = args_get(args, "ridge");
    spgm_status status;
    *is_auto = text ? strcmp(text, "auto") == 0 : !args_gave_ridge(args) && !group_all();
    int result = text && !*is_auto ? args_words(args, "ridge", take_ridge, ridges) : CLI_DONE;
    if (result == CLI_DONE && ridges->count == 1) {
        if (spgm_options_set_number(args->options, "ridge", ridges->value[0], &status)) {
            result = cli_status(&status);
        }
        ridges->count = 0;
    }
    return result;
}

int cross_settle_ridge(const struct args *args) {
    struct ridges ridges = {.count = 0};
    int is_auto;
    return settle_ridge(args, &ridges, &is_auto);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

struct sizes {
    const int64_t *list; /* NULL: as far as the loss falls */
    int64_t count;
};

/* Make the problem, or one for each label; `judge` has the loss that measures errors, NULL: their own. */
static int make_cv(struct cross *cross, const struct args *args, struct task *task, const spgm_problem *judge,
                   struct sizes sizes) {
    struct ridges ridges = {.count = 0};
    int is_auto = 0, result = settle_ridge(args, &ridges, &is_auto);
    spgm_status status;
    result = result || task->part ? result : task_split(task, args);
    if (result) {
        return result;
    }
    spgm_error error =
        spgm_cv_new(task_part(task, 0)->problem, sizes.list, sizes.count, args->options, &cross->cv, &status);
    for (int64_t k = 1; k < task_parts(task) && !error; k++) {
        error = spgm_cv_add(cross->cv, task_part(task, k)->problem, &status);
    }
    if (!error && judge) {
        error = spgm_cv_judge_by(cross->cv, judge, &status);
    }
    if (!error && (is_auto || ridges.count)) {
        error = spgm_cv_set_ridges(cross->cv, is_auto ? NULL : ridges.value, ridges.count, &status);
    }
    if (!error && task->classes) {
        int64_t *fold_of_row = draw_folds(args, task);
        if (!fold_of_row) {
            return cli_out_of_memory();
        }
        error = spgm_cv_set_folds(cross->cv, fold_of_row, option_integer(args->options, "folds"), &status);
        scratch_free(fold_of_row);
    }
    cross->folds = error ? 0 : spgm_cv_folds(cross->cv);
    cross->is_scaled = is_auto;
    cross->has_ridges = is_auto || ridges.count > 0;
    return error ? cli_status_of(&status, args->operand[0]) : CLI_DONE;
}

static int take_arrays(struct cross *cross) {
    size_t count = (size_t)cross->count;
    cross->sizes = calloc(count + 1, sizeof *cross->sizes);
    cross->mean = calloc(count + 1, sizeof *cross->mean);
    cross->error = calloc(count + 1, sizeof *cross->error);
    cross->ridge = calloc(count + 1, sizeof *cross->ridge);
    return cross->sizes && cross->mean && cross->error && cross->ridge ? CLI_DONE : cli_out_of_memory();
}

/* The ridge of each size: the one whose mean is that of spgm_cv_get. */
static int64_t ridge_of(const spgm_cv *cv, int64_t i, double mean) {
    int64_t k = 0;
    double other;
    while (k + 1 < spgm_cv_ridge_count(cv) && spgm_cv_get_at(cv, i, k, NULL, &other, NULL) >= 0 && other != mean) {
        k++;
    }
    return k;
}

static int take_losses(struct cross *cross) {
    const spgm_cv *cv = cross->cv;
    cross->count = spgm_cv_count(cv);
    cross->ridges = spgm_cv_ridge_count(cv);
    cross->shares = cross->folds; /* before the run */
    cross->folds = spgm_cv_folds(cv);
    int result = take_arrays(cross);
    double *losses = result ? NULL : malloc((size_t)cross->folds * sizeof *losses);
    if (!losses) {
        return result ? result : cli_out_of_memory();
    }
    for (int64_t i = 0; i < cross->count; i++) {
        cross->sizes[i] = spgm_cv_get(cv, i, losses, &cross->mean[i], &cross->error[i]);
        cross->ridge[i] = ridge_of(cv, i, cross->mean[i]);
    }
    for (int64_t k = 0; k < cross->folds && cross->count; k++) {
        cross->finished += !isnan(losses[k]);
    }
    free(losses);
    return CLI_DONE;
}

static int choose_by_rule(struct cross *cross, const struct args *args) {
    spgm_status status;
    if (spgm_options_get(args->options, "rule", cross->rule, sizeof cross->rule, &status) ||
        spgm_cv_choose(cross->cv, cross->rule, &cross->chosen, &cross->chosen_ridge, &status) ||
        spgm_cv_choose(cross->cv, "shrunk", &cross->best, &cross->shrunk_ridge, &status) ||
        spgm_cv_choose(cross->cv, "1se", &cross->simple, NULL, &status)) {
        return cli_status(&status);
    }
    if (cross->chosen < 0) {
        cli_error("stopped before the first fold was done; nothing is written");
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* Set the chosen ridge in the options and the problem: from here on it is an ordinary fit. */
static int take_ridge_chosen(const struct cross *cross, const struct args *args, struct task *task) {
    double ridge = spgm_cv_ridge(cross->cv, cross->chosen_ridge);
    char scale[64];
    spgm_status status;
    if (!cross->has_ridges || cross->projected >= 0) { /* a projection has its own, or none */
        return CLI_DONE;
    }
    if (spgm_options_set_number(args->options, "ridge", ridge, &status) ||
        (cross->is_scaled && spgm_options_set(args->options, "ridge_scale", "deviation", &status)) ||
        spgm_options_get(args->options, "ridge_scale", scale, sizeof scale, &status) ||
        (!task->classes && spgm_problem_set_ridge(task->problem, ridge, strcmp(scale, "deviation") == 0, &status))) {
        return cli_status(&status);
    }
    return CLI_DONE;
}

static double time_limit(const struct args *args) {
    char limit[64];
    spgm_options_get(args->options, "time_limit", limit, sizeof limit, NULL);
    return strtod(limit, NULL);
}

/* The time limit is that of the command: the last fit gets what the folds leave, and at least its share. */
static int set_time_limit(const struct args *args, double limit) {
    spgm_status status;
    return isfinite(limit) && spgm_options_set_number(args->options, "time_limit", limit, &status) ? cli_status(&status)
                                                                                                   : CLI_DONE;
}

/* The effort of the last fit if the user gave none: the s that folds chose is seldom hard to fit. */
static int take_effort(const struct args *args) {
    spgm_status status;
    int is_given = option_integer(args->options, "effort") > 0 || isfinite(time_limit(args));
    return !is_given && spgm_options_set_number(args->options, "effort", SPGM_CV_EFFORT, &status) ? cli_status(&status)
                                                                                                  : CLI_DONE;
}

static int run_one(struct cross *cross, const struct args *args, struct task *task, const spgm_problem *judge,
                   struct sizes sizes) {
    double began = now();
    struct ticker ticker = {args, 0};
    spgm_status status;
    *cross = (struct cross){.chosen = -1, .projected = -1};
    report_loss(args->options, cross->loss);
    int result = make_cv(cross, args, task, judge, sizes);
    if (result) {
        return result;
    }
    spgm_cv_set_progress(cross->cv, on_progress, &ticker);
    signals_watch(NULL);
    spgm_error error = spgm_cv_run(cross->cv, &status);
    signals_release();
    screen_erase();
    result = error ? cli_status_of(&status, args->operand[0]) : take_losses(cross);
    cross->seconds = now() - began;
    /* if another loss is done already, one that was stopped is left out */
    return result || (judge && !cross->finished) ? result : choose_by_rule(cross, args);
}

/* ---- --loss auto ------------------------------------------------------------------------------------------------- */

enum { MOST_LOSSES = 8 };

static const char *candidate(int k) {
    return spgm_loss_name(spgm_loss_candidate(k + 1));
}

static int candidate_count(void) {
    int count = 0;
    while (count < MOST_LOSSES && spgm_loss_candidate(count + 1) >= 0) {
        count++;
    }
    return count;
}

static const char *default_of(const char *option) {
    int64_t i = 0;
    while (strcmp(spgm_option_describe(i)->name, option) != 0) {
        i++;
    }
    return spgm_option_describe(i)->default_value;
}

/* Set the chosen loss in the options. Its parameter, if it has one, is the lowest mean error of the first loss, about
 * the size of an ordinary error. The parameters of the other losses, which cannot be given here, keep their values. */
static int set_loss(const struct args *args, int chosen, double error) {
    spgm_status status;
    spgm_error failed = spgm_options_set(args->options, "loss", candidate(chosen), &status);
    for (int k = 0; k < candidate_count() && !failed; k++) {
        const char *parameter = spgm_loss_parameter(spgm_loss_candidate(k + 1));
        if (parameter) {
            failed = k == chosen ? spgm_options_set_number(args->options, parameter, error, &status)
                                 : spgm_options_set(args->options, parameter, default_of(parameter), &status);
        }
    }
    return failed ? cli_status(&status) : CLI_DONE;
}

static double lowest(const struct cross *cross) {
    return cross->mean[cross->best];
}

static int is_whole(const struct cross *cross) {
    return cross->cv && spgm_cv_is_whole(cross->cv);
}

/* Whether the lowest mean is below the other one by more than one standard error of the difference, fold by fold.
 * Further splits of the same rows add no information about the population. */
static int is_clearly_lower(const struct cross *cross, const struct cross *other) {
    double sum = 0, squares = 0, folds = (double)cross->folds;
    double *losses = calloc((size_t)cross->folds, 2 * sizeof *losses);
    if (!losses) {
        return 0;
    }
    spgm_cv_get(cross->cv, cross->best, losses, NULL, NULL);
    spgm_cv_get(other->cv, other->best, losses + cross->folds, NULL, NULL);
    for (int64_t i = 0; i < cross->folds; i++) {
        double below = losses[cross->folds + i] - losses[i];
        sum += below;
        squares += below * below;
    }
    free(losses);
    squares = fmax(squares - sum * sum / folds, 0) / (folds - 1);
    return sum / folds > sqrt(squares / (double)cross->shares);
}

/* Choose the intermediate loss, the one with a parameter, unless another is clearly lower: if the folds hardly
 * distinguish them, it is the safest. */
static int choose_loss(const struct cross found[MOST_LOSSES]) {
    int middle = 0;
    while (middle < candidate_count() && !spgm_loss_parameter(spgm_loss_candidate(middle + 1))) {
        middle++;
    }
    int has_middle = middle < candidate_count() && is_whole(&found[middle]), best = has_middle ? middle : 0;
    for (int k = 0; k < candidate_count(); k++) {
        int is_lower = is_whole(&found[k]) && lowest(&found[k]) < lowest(&found[best]);
        best = is_lower && (!has_middle || is_clearly_lower(&found[k], &found[middle])) ? k : best;
    }
    return best;
}

/* Keep the results under each loss, for the table. */
static void keep(struct cross found[MOST_LOSSES], int best) {
    size_t at = 0;
    double seconds = 0;
    for (int k = 0; k < candidate_count() && is_whole(&found[k]); k++) {
        at += (size_t)snprintf(found[best].losses + at, sizeof found[best].losses - at, "%s%s %.6g", k ? ", " : "",
                               candidate(k), lowest(&found[k]));
        seconds += found[k].seconds;
    }
    found[best].seconds = seconds;
}

/* ---- --rule projected -------------------------------------------------------------------------------------------- */

/* Whether the rule projected applies. With --loss auto it is the default, unless a rule is given or the feasible set is
 * restricted: no particular F is asked for, and the mean of models predicts best. */
static int is_projected(const struct args *args, const struct task *task) {
    char rule[64] = "";
    spgm_options_get(args->options, "rule", rule, sizeof rule, NULL);
    return strcmp(rule, "projected") == 0 || (args->chooses_loss && !args_gave_rule(args) && !task_is_restricted(task));
}

/* A list of everything that was tried under all losses; NULL: out of memory. */
static spgm_choice *list_choices(const struct cross found[MOST_LOSSES], const struct task twins[MOST_LOSSES],
                                 const struct task *task, int64_t *count) {
    int64_t most = 1, at = 0;
    for (int k = 0; k < candidate_count(); k++) {
        most += found[k].count * found[k].ridges;
    }
    spgm_choice *choices = calloc((size_t)most, sizeof *choices);
    for (int64_t c = 0; choices && c < candidate_count(); c++) {
        int is_there = c == 0 || is_whole(&found[c]); /* of the first, stopped, what folds there are */
        for (int64_t i = 0; is_there && i < found[c].count; i++) {
            for (int64_t k = 0; k < found[c].ridges; k++) {
                choices[at] = (spgm_choice){.problem = c ? twins[c].problem : task->problem,
                                            .sparsity = found[c].sizes[i],
                                            .ridge = spgm_cv_ridge(found[c].cv, k),
                                            .by_deviation = found[c].is_scaled};
                spgm_cv_get_at(found[c].cv, i, k, NULL, &choices[at++].loss, NULL);
            }
        }
    }
    *count = at;
    return choices;
}

/* Set the options to squares without a ridge, and the task's problem to the predictions of the mean as its target. */
static int project(struct cross *cross, const struct args *args, const struct cross found[MOST_LOSSES],
                   const struct task twins[MOST_LOSSES], struct task *task) {
    struct ticker ticker = {args, 0};
    spgm_status status;
    double ridge = 0;
    int64_t count = 0, *fold_of_row = scratch_array(&task->matrix, task->matrix.rows, sizeof *fold_of_row);
    double *target = scratch_array(&task->matrix, task->matrix.rows, sizeof *target);
    double *linear = scratch_array(&task->matrix, task->matrix.columns, sizeof *linear);
    spgm_choice *choices = list_choices(found, twins, task, &count);
    int result =
        choices && fold_of_row && target && linear ? set_loss(args, candidate_count() - 1, 0) : cli_out_of_memory();
    if (result == CLI_DONE && (spgm_options_set_number(args->options, "ridge", 0, &status) ||
                               spgm_options_set(args->options, "ridge_scale", default_of("ridge_scale"), &status) ||
                               spgm_options_set(args->options, "rule", "projected", &status))) {
        result = cli_status(&status);
    }
    if (result == CLI_DONE) {
        spgm_cv_get_fold_of_row(found[0].cv, fold_of_row);
        screen_note(args, "the mean of the best models");
        signals_watch(NULL);
        spgm_error error = spgm_project(choices, count, fold_of_row, found[0].shares, args->options, on_progress,
                                        &ticker, target, &cross->projected, &ridge, linear, &status);
        signals_release();
        screen_erase();
        error = error || ridge == 0 ? error : spgm_options_set_number(args->options, "ridge", ridge, &status);
        error = error || ridge == 0 ? error : spgm_options_set(args->options, "ridge_scale", "deviation", &status);
        result = error ? cli_status(&status) : CLI_DONE;
    }
    free(choices);
    scratch_free(fold_of_row);
    if (result) {
        scratch_free(target);
    } else {
        snprintf(cross->rule, sizeof cross->rule, "projected");
        result = task_take_target(task, args, target);
    }
    if (result == CLI_DONE && ridge > 0 && spgm_problem_set_linear(task->problem, linear, &status)) {
        result = cli_status(&status);
    }
    scratch_free(linear);
    return result;
}

static int run_losses(struct cross *cross, const struct args *args, struct task *task, struct sizes sizes) {
    struct cross found[MOST_LOSSES] = {{0}};
    struct task twins[MOST_LOSSES] = {{0}};
    int best, result = CLI_DONE;
    char name[96];
    double error = 0;
    for (int k = 0; k < candidate_count() && result == CLI_DONE; k++) {
        if (k > 0 && (!is_whole(&found[k - 1]) || spgm_cv_is_perfect(found[k - 1].cv))) {
            break; /* stopped, or nothing can be better */
        }
        result = set_loss(args, k, error);
        result = result || k == 0 ? result : task_load_twin(task, args, &twins[k]);
        result = result ? result : run_one(&found[k], args, k ? &twins[k] : task, k ? task->problem : NULL, sizes);
        error = result || k > 0 ? error : lowest(&found[0]);
    }
    best = result ? 0 : choose_loss(found);
    result = result ? result : set_loss(args, best, error);
    report_loss(args->options, name);
    snprintf(found[best].loss, sizeof found[best].loss, best ? "%s judged by %s" : "%s", name, candidate(0));
    if (result == CLI_DONE && is_projected(args, task)) {
        result = project(&found[best], args, found, twins, task);
        keep(found, best);
    } else if (result == CLI_DONE) {
        keep(found, best);
        if (best > 0) {
            task_take_twin(task, &twins[best]);
        }
    }
    if (result == CLI_DONE) {
        *cross = found[best];
        found[best] = (struct cross){0};
    }
    for (int k = 0; k < candidate_count(); k++) {
        cross_free(&found[k]);
        task_unload_twin(&twins[k]);
    }
    return result;
}

int cross_run(struct cross *cross, const struct args *args, struct task *task, const int64_t *sizes, int64_t count) {
    struct sizes list = {sizes, count};
    double limit = time_limit(args), began = now();
    int runs = args->chooses_loss ? candidate_count() + is_projected(args, task) : 1;
    *cross = (struct cross){.chosen = -1, .projected = -1};
    int result = set_time_limit(args, (1 - SPGM_CV_FIT_SHARE) * limit / runs);
    if (result == CLI_DONE) {
        result = args->chooses_loss ? run_losses(cross, args, task, list) : run_one(cross, args, task, NULL, list);
    }
    double left = group_all() ? 0 : limit - (now() - began); /* processes must ask for the same */
    result = result ? result : set_time_limit(args, fmax(left, SPGM_CV_FIT_SHARE * limit));
    result = result ? result : take_ridge_chosen(cross, args, task);
    return result ? result : take_effort(args);
}

void cross_free(struct cross *cross) {
    spgm_cv_free(cross->cv);
    free(cross->sizes);
    free(cross->mean);
    free(cross->error);
    free(cross->ridge);
    *cross = (struct cross){0};
}

int64_t cross_size(const struct cross *cross) {
    return cross->projected >= 0 ? cross->projected : cross->sizes[cross->chosen];
}

const char *cross_loss(const struct cross *cross) {
    return cross->ridges > 1 || cross->projected >= 0 ? cross->loss : NULL;
}

const char *cross_rule_text(const struct cross *cross) {
    return cross->projected >= 0 ? "few columns, by squares, for what the mean of the models next to the lowest mean "
                                   "loss predicts; it minimises no F of the data"
           : strcmp(cross->rule, "1se") == 0    ? "the smallest s within one standard error of the lowest mean loss"
           : strcmp(cross->rule, "shrunk") == 0 ? "the largest ridge within one standard error of the lowest mean loss"
                                                : "the lowest mean loss";
}

void cross_sentence(const struct cross *cross, char *text, size_t size) {
    char sizes[128], ridges[96] = "";
    choose_sizes_text(cross->sizes, cross->count, sizes, sizeof sizes);
    if (cross->ridges > 1) {
        snprintf(ridges, sizeof ridges, " and %lld ridges from %.4g to %.4g", (long long)cross->ridges,
                 spgm_cv_ridge(cross->cv, 0), spgm_cv_ridge(cross->cv, cross->ridges - 1));
    }
    char times[64] = "";
    if (cross->folds > cross->shares) {
        snprintf(times, sizeof times, ", repeated %lld times", (long long)(cross->folds / cross->shares));
    }
    char done[64] = "";
    if (cross->finished < cross->folds) {
        snprintf(done, sizeof done, ", of which %lld were done,", (long long)cross->finished);
    }
    char losses[128] = "";
    if (*cross->losses) {
        size_t at = (size_t)snprintf(losses, sizeof losses, " and the losses");
        for (int k = 0; k < candidate_count() && at < sizeof losses; k++) {
            const char *mark = k == 0 ? "" : k + 1 < candidate_count() ? "," : " and";
            at += (size_t)snprintf(losses + at, sizeof losses - at, "%s %s", mark, candidate(k));
        }
    }
    snprintf(text, size, "cross-validation with %lld folds%s%s over s = %s%s%s: %s", (long long)cross->shares, times,
             done, sizes, ridges, losses, cross_rule_text(cross));
}
