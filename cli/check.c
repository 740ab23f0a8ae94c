/* spgm check: what kind of stationary point a model is. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct flag flags[] = {
    {"block", "K", "the largest working sets that are searched, 1 to 8; default 2", 0},
    {"target", "FILE|COLUMN", "as in fit; default: the column of the model's target", 0},
    {"weights", "FILE|COLUMN", "as in fit: a model does not keep them", 0},
    {"exclude", "COLS",
     "as in fit, for a CSV file; default: as the model was made, as for --only, --text, --categories and --missing", 0},
    CLI_TABLE_FLAGS,
    {"mu", "MU",
     "smoothing parameter of the Lipschitz condition; default: a thousandth of where that of spgm-iht starts", 0},
    {"seed", "K", "of the working sets that are drawn where there are too many; default 1", 0},
    {"time-limit", "SEC", "for each size of working sets; default: none", 0},
    {"json", NULL, "print the result as JSON", 0},
    {0}};

enum { MOST_BLOCKS = 8 };

struct check {
    struct args args; /* those of the user, with the options of the model */
    spgm_model *model;
    struct task task;
    int64_t block, sparsity, units, columns;
    double *x, *better; /* [columns] */
    double intercept;
    spgm_stationarity results[MOST_BLOCKS + 1];                                            /* by k, from 1 */
    int64_t entering[MOST_BLOCKS + 1][MOST_BLOCKS], leaving[MOST_BLOCKS + 1][MOST_BLOCKS]; /* of the best change */
    int enter_count[MOST_BLOCKS + 1], leave_count[MOST_BLOCKS + 1];
};

/* ---- the work ---------------------------------------------------------------------------------------- */

/* Set an option of the library from a flag of the user; its error names the flag. */
static int set_option(struct check *c, const char *flag, const char *option) {
    spgm_status status;
    const char *value = args_get(&c->args, flag);
    return value && spgm_options_set(c->args.options, option, value, &status) ? cli_status(&status) : CLI_DONE;
}

/* The problem of the model: its options, the data of the second operand. */
static int load(struct check *c, const struct args *args) {
    spgm_status status;
    c->args = *args;
    c->args.operand[0] = args->operand[1];
    c->block = 2;
    int result = args_integer(args, "block", &c->block);
    if (result == CLI_DONE && (c->block < 1 || c->block > MOST_BLOCKS)) {
        result = cli_error("--block %lld: give a number of units from 1 to %d", (long long)c->block, MOST_BLOCKS);
    }
    if (result) {
        return result;
    }
    if (spgm_model_read(args->operand[0], &c->model, &status)) {
        return cli_status(&status);
    }
    if (spgm_model_classes(c->model) > 0) {
        return cli_error("%s holds a model for each of %lld labels, and check takes one", args->operand[0],
                         (long long)spgm_model_classes(c->model));
    }
    if (spgm_model_levels(c->model) > 0) {
        return cli_error("%s holds a model for each of %lld quantiles, and check takes one", args->operand[0],
                         (long long)spgm_model_levels(c->model));
    }
    c->args.options = spgm_options_copy(spgm_model_options(c->model));
    if (!c->args.options) {
        return cli_out_of_memory();
    }
    spgm_options_set(c->args.options, "time_limit", "inf", NULL);
    for (int i = 0; !args_get(args, "target") && args->command->flags[i].name; i++) {
        if (strcmp(args->command->flags[i].name, "target") == 0) {
            c->args.value[i] = spgm_model_target_name(c->model);
        }
    }
    result = set_option(c, "seed", "seed");
    result = result ? result : set_option(c, "mu", "mu_start");
    result = result ? result : set_option(c, "time-limit", "time_limit");
    result = result ? result : task_load_like(&c->task, &c->args, c->model);
    if (result == CLI_DONE && spgm_model_restrict(c->model, c->task.problem, &c->sparsity, &status)) {
        result = cli_status(&status);
    }
    return result;
}

/* Record which columns enter and leave on the way to `better`; none if they are too many to name. */
static void note_change(struct check *c, int64_t k) {
    for (int64_t j = 0; j < c->columns; j++) {
        int is_new = c->x[j] == 0 && c->better[j] != 0, is_gone = c->x[j] != 0 && c->better[j] == 0;
        if (is_new && c->enter_count[k] < MOST_BLOCKS) {
            c->entering[k][c->enter_count[k]++] = j;
        } else if (is_gone && c->leave_count[k] < MOST_BLOCKS) {
            c->leaving[k][c->leave_count[k]++] = j;
        }
    }
}

static int measure(struct check *c) {
    spgm_status status;
    c->columns = c->task.matrix.columns;
    c->x = malloc(((size_t)c->columns + 1) * sizeof *c->x);
    c->better = malloc(((size_t)c->columns + 1) * sizeof *c->better);
    if (!c->x || !c->better) {
        return cli_out_of_memory();
    }
    spgm_model_get_x(c->model, c->x, &c->intercept);
    if (spgm_problem_check(c->task.problem, c->x, c->sparsity, &c->units, &status)) {
        return cli_status(&status);
    }
    for (int64_t k = 1; k <= c->block; k++) {
        screen_note(&c->args, "working sets of %lld", (long long)k);
        if (spgm_problem_stationary(c->task.problem, c->x, c->intercept, c->sparsity, k, c->args.options,
                                    &c->results[k], c->better, NULL, &status)) {
            return cli_status(&status);
        }
        if (!c->results[k].is_block) {
            note_change(c, k);
        }
    }
    screen_erase();
    return CLI_DONE;
}

/* ---- for people ---------------------------------------------------------------------------------------- */

static void put_columns(const struct check *c, const char *what, int count, const int64_t *columns) {
    char text[LABEL_SIZE];
    for (int i = 0; i < count; i++) {
        printf("%s%s", i ? ", " : what, label_column(&c->task.names, columns[i], 0, text));
    }
}

static void put_basic(const spgm_stationarity *r) {
    if (r->is_basic) {
        fputs("  basic       yes: F is the minimum over the support", stdout);
        if (isfinite(r->support_bound) && r->support_bound > 0) {
            printf(", proven to %.1g of it", (r->objective - r->support_bound) / r->support_bound);
        }
    } else {
        printf("  basic       no: the minimum over the support is %.10g", r->support_minimum);
    }
    putchar('\n');
}

static void put_lipschitz(const spgm_stationarity *r) {
    printf("  Lipschitz   %s at mu = %.3g", r->is_lipschitz ? "yes," : "no,", r->mu);
    if (r->largest_mu == 0) {
        puts(r->is_basic ? " nor at any other: a column that has a slope could be added" : ": it is not basic");
    } else if (isfinite(r->largest_mu)) {
        printf("; up to mu = %.3g\n", r->largest_mu);
    } else {
        puts(r->is_lipschitz ? " and at any other" : "; at any other");
    }
}

/* "all 64 changes of the support" */
static void put_effort(const spgm_stationarity *r) {
    char tried[32];
    screen_count(r->changes, tried);
    if (r->changes == 0) {
        fputs("there is nothing to change in the support", stdout);
    } else if (r->is_sampled) {
        printf("%s changes of the support were tried, drawn from %.3g", tried, r->all_changes);
    } else if (r->is_stopped) {
        printf("%s of %.10g changes of the support were tried", tried, r->all_changes);
    } else {
        printf("%s %s of the support %s tried", tried, r->changes == 1 ? "change" : "changes",
               r->changes == 1 ? "was" : "were all");
    }
    puts(r->is_stopped ? " before the time limit" : "");
}

static void put_block(const struct check *c, int64_t k) {
    const spgm_stationarity *r = &c->results[k];
    int moved = c->leave_count[k] + c->enter_count[k];
    printf("  block-%lld     ", (long long)k);
    if (!r->is_block) {
        fputs("no: ", stdout);
        put_columns(c, "out ", c->leave_count[k], c->leaving[k]);
        fputs(c->leave_count[k] && c->enter_count[k] ? ", " : "", stdout);
        put_columns(c, "in ", c->enter_count[k], c->entering[k]);
        printf("%sF = %.10g, %.3g %% lower; ", moved ? ": " : "", r->lowest,
               100 * (r->objective - r->lowest) / fabs(r->objective));
    } else {
        fputs(r->is_sampled || r->is_stopped ? "as far as was tried: " : "yes: ", stdout);
    }
    put_effort(r);
}

/* What s counts. */
static const char *unit_of(const struct check *c) {
    int64_t limit = 0;
    return spgm_problem_groups(c->task.problem, &limit) && limit == 0 ? "groups" : "nonzeros";
}

static int put_table(const struct check *c, const struct args *args) {
    char loss[96];
    printf("%s on %s: %s, %lld of at most %lld %s\n", args->operand[0], args->operand[1],
           report_loss(c->args.options, loss), (long long)c->units, (long long)c->sparsity, unit_of(c));
    if (report_is_projected(c->args.options)) {
        puts("  projected   the model stands for a mean of models and minimises no F of the data");
    }
    printf("  objective   %.10g\n", c->results[1].objective);
    put_basic(&c->results[1]);
    put_lipschitz(&c->results[1]);
    for (int64_t k = 1; k <= c->block; k++) {
        put_block(c, k);
    }
    return outfile_flush();
}

/* ---- for programs --------------------------------------------------------------------------------------- */

static void put_json_columns(const char *name, int count, const int64_t *columns) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        printf("%s%lld", i ? ", " : "", (long long)columns[i]);
    }
    putchar(']');
}

static const char *truth(int value) {
    return value ? "true" : "false";
}

static int put_json(const struct check *c, const struct args *args) {
    const spgm_stationarity *r = &c->results[1];
    char text[32], other[32];
    fputs("{\n  \"model\": ", stdout);
    text_json(stdout, args->operand[0]);
    fputs(",\n  \"data\": ", stdout);
    text_json(stdout, args->operand[1]);
    printf(",\n  \"sparsity\": %lld,\n  \"units\": %lld,\n  \"objective\": %s", (long long)c->sparsity,
           (long long)c->units, text_json_number(r->objective, text));
    printf(",\n  \"basic\": %s,\n  \"support_minimum\": %s,\n  \"support_bound\": %s", truth(r->is_basic),
           text_json_number(r->support_minimum, text), text_json_number(r->support_bound, other));
    printf(",\n  \"lipschitz\": %s,\n  \"mu\": %s,\n  \"largest_mu\": %s", truth(r->is_lipschitz),
           text_json_number(r->mu, text), text_json_number(r->largest_mu, other));
    fputs(",\n  \"blocks\": [", stdout);
    for (int64_t k = 1; k <= c->block; k++) {
        r = &c->results[k];
        printf("%s\n    {\"block\": %lld, \"stationary\": %s, \"sampled\": %s, \"stopped\": %s, \"changes\": %lld",
               k > 1 ? "," : "", (long long)k, truth(r->is_block), truth(r->is_sampled), truth(r->is_stopped),
               (long long)r->changes);
        printf(", \"all_changes\": %s, \"lowest\": %s", text_json_number(r->all_changes, text),
               text_json_number(r->lowest, other));
        put_json_columns("leaving", c->leave_count[k], c->leaving[k]);
        put_json_columns("entering", c->enter_count[k], c->entering[k]);
        putchar('}');
    }
    fputs("\n  ]\n}\n", stdout);
    return outfile_flush();
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static int check_run(const struct args *args) {
    struct check c = {0};
    int result = load(&c, args);
    result = result ? result : measure(&c);
    if (result == CLI_DONE) {
        result = args_get(args, "json") ? put_json(&c, args) : put_table(&c, args);
    }
    free(c.x);
    free(c.better);
    task_free(&c.task);
    spgm_options_free(c.args.options);
    spgm_model_free(c.model);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it says");
    doc_item(doc, "basic",
             "no x with the same support has a lower F: tested by a fit over the support, and its proven bound");
    doc_item(doc, "Lipschitz",
             "a projected gradient step of spgm-iht at mu does not move x: x is nearest to x - r / H in the feasible "
             "set, where r = grad f(x) + A'u, u is the dual vector of the fit and H = ||A||^2 / mu + M_s + theta");
    doc_item(doc, "block-k",
             "no support that differs in at most k columns (groups, where they count as one) has a lower F. All such "
             "supports that are not part of another one are fitted if that takes at most 1e10 multiplications; "
             "otherwise a random sample is, and the line says so");
    doc_paragraph(doc, "Optimal implies block-k, block-(k+1) implies block-k, and all of them imply basic. The "
                       "feasible set is that of the model. Differences of less than 1e-6 of F count as equal. The exit "
                       "status does not depend on the answer; programs can read --json.");
}

const struct command command_check = {.name = "check",
                                      .summary = "tell what kind of stationary point a model is",
                                      .usage = "MODEL.json DATA [--block K] [--json]",
                                      .operands = {"MODEL.json", "DATA"},
                                      .flags = flags,
                                      .describe = describe,
                                      .topics = {topic_problem, topic_losses, topic_data},
                                      .examples = "spgm check model.json houses.csv\n"
                                                  "spgm check model.json houses.csv --block 4 --json",
                                      .run = check_run};
