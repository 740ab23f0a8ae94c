/* spgm fit: one sparse model. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bands.h"
#include "choose.h"
#include "classes.h"
#include "group.h"

static const struct flag flags[] = {
    {"sparsity", "S",
     "largest number of nonzero coefficients, 0 to the number of columns (needed); 'auto' chooses it by --criterion",
     's'},
    {"target", "FILE|COLUMN",
     "file with the target; DATA then holds only the matrix. Where no such file exists: name or number "
     "(from 1) of the target column of DATA",
     0},
    {"weights", "FILE|COLUMN",
     "a weight >= 0 for every row: a file with one column, or name or number (from 1) of a column of DATA", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(""),
    {"quantiles", "LIST",
     "several quantiles at once, as in 0.1,0.5,0.9: a band that does not cross, calibrated on rows that were not "
     "fitted",
     0},
    {"common-columns", NULL, "with --quantiles: all of them use the same S columns; default: each has its own", 0},
    {"calibration", "cross|split|none",
     "with --quantiles: on the rows of each fold, predicted by models of the others (default); on a quarter of the "
     "rows, "
     "which is not fitted; none",
     0},
    {"figure", "FILE", "with --quantiles: the band and the held-out rows, .svg, .pdf or .png, by gnuplot", 0},
    {"start", "MODEL.json", "start from the coefficients of an earlier model", 0},
    {"output", "MODEL.json", "where the model goes; '-' is standard output", 'o'},
    CLI_RECORD_FLAGS,
    {"certificate", "FILE",
     "--method exact: write the proof, the tree and its dual vectors, so that tools/check_certificate.py can verify it",
     0},
    {"trace", "FILE.csv",
     "every iteration: method, t, mu, F, best F, J, ||x^t - x^{t-1}||, ||A x - b - y||, nonzeros, "
     "seconds",
     0},
    CLI_TALK_FLAGS("the whole table"),
    {0}};

struct fit {
    const struct args *args;
    int64_t sparsity;
    int is_auto; /* nonzero: s is to be chosen, for this reason */
    char why[512];
    struct task task;
    spgm_solver *solver;
    struct outfile trace, certificate;
    int live;         /* nonzero: a progress line */
    double next_line; /* seconds when it is due   */
};

/* ---- progress and trace ------------------------------------------------------------------------------ */

static void put_trace(FILE *file, const spgm_progress *p) {
    fprintf(file, "%s,%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%lld,%.9g\n", p->method, (long long)p->iteration, p->mu,
            p->objective, p->best, p->penalised, p->step, p->infeasibility, (long long)p->support, p->seconds);
}

/* If the trace cannot be written, the run stops: better than learning it after an hour. */
static int on_progress(const spgm_progress *progress, void *context) {
    struct fit *fit = context;
    if (fit->live && progress->seconds >= fit->next_line) {
        screen_progress(progress, fit->sparsity);
        fit->next_line = progress->seconds + 0.1;
    }
    if (!fit->trace.file) {
        return 0;
    }
    put_trace(fit->trace.file, progress);
    return outfile_failed(&fit->trace);
}

static int open_trace(struct fit *fit) {
    const char *path = args_get(fit->args, "trace");
    int result = path ? outfile_open(&fit->trace, path) : CLI_DONE;
    if (fit->trace.file) {
        fputs("method,iteration,mu,objective,best,penalised,step,infeasibility,support,seconds\n", fit->trace.file);
    }
    return result;
}

/* ---- start -------------------------------------------------------------------------------------------- */

static int set_start(struct fit *fit, const char *path) {
    spgm_model *model = NULL;
    spgm_status status;
    double intercept, *x = NULL;
    if (spgm_model_read(path, &model, &status)) {
        return cli_status(&status);
    }
    int result = CLI_DONE;
    int64_t columns = spgm_model_columns(model);
    if (columns != fit->task.matrix.columns) {
        result = cli_error("--start %s is a model of %lld columns, the data have %lld", path, (long long)columns,
                           (long long)fit->task.matrix.columns);
    } else if (!(x = malloc((size_t)(columns + 1) * sizeof *x))) {
        result = cli_out_of_memory();
    } else {
        spgm_model_get_x(model, x, &intercept);
        if (spgm_solver_set_start(fit->solver, x, intercept, &status)) {
            result = cli_status(&status);
        }
    }
    free(x);
    spgm_model_free(model);
    return result;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static int check_certificate(const struct fit *fit) {
    const char *path = args_get(fit->args, "certificate"), *output = args_get(fit->args, "output");
    char method[64] = "";
    spgm_options_get(fit->args->options, "method", method, sizeof method, NULL);
    if (path && strcmp(method, "exact") != 0) {
        return cli_error("--certificate is the proof of --method exact, and the method is %s", method);
    }
    if (path && strcmp(path, output ? output : "-") == 0) {
        return cli_error("--certificate and the model would go to the same place; use --output MODEL.json");
    }
    return task_check_output(fit->args, path);
}

/* Check everything that can be wrong with the arguments alone, before any file is read. */
static int check_arguments(struct fit *fit) {
    const char *output = args_get(fit->args, "output"), *trace = args_get(fit->args, "trace");
    if (!args_get(fit->args, "sparsity")) {
        return cli_error("--sparsity is missing: the largest number of nonzero coefficients");
    }
    if (trace && strcmp(trace, output ? output : "-") == 0) {
        return cli_error("--trace and the model would go to the same place; use --output MODEL.json");
    }
    fit->is_auto = strcmp(args_get(fit->args, "sparsity"), "auto") == 0;
    if (fit->is_auto && group_all()) {
        return cli_error("--sparsity auto needs all rows in one process: choose s by spgm-mpi cv");
    }
    int result = fit->is_auto ? CLI_DONE : args_integer(fit->args, "sparsity", &fit->sparsity);
    if (result == CLI_DONE) {
        result = task_check_output(fit->args, output);
    }
    result = result ? result : task_check_output(fit->args, trace);
    result = result ? result : bands_check(fit->args);
    return result ? result : check_certificate(fit);
}

static int prepare(struct fit *fit) {
    spgm_status status;
    int result = group_agree(check_arguments(fit));
    if (result == CLI_DONE) {
        result = task_load_classes(&fit->task, fit->args);
    }
    if (result || fit->task.classes) {
        return result;
    }
    if (fit->is_auto) {
        result = choose_sparsity(fit->args, &fit->task, &fit->sparsity, fit->why, sizeof fit->why);
    }
    if (result || args_get(fit->args, "quantiles")) {
        return result;
    }
    if (spgm_solver_new(fit->task.problem, fit->sparsity, fit->args->options, &fit->solver, &status)) {
        return cli_status(&status);
    }
    spgm_solver_keep_certificate(fit->solver, args_get(fit->args, "certificate") != NULL);
    if (args_get(fit->args, "start")) {
        result = set_start(fit, args_get(fit->args, "start"));
    }
    return result ? result : open_trace(fit);
}

static int run(struct fit *fit) {
    spgm_status status;
    fit->live = !args_get(fit->args, "quiet") && isatty(STDERR_FILENO) && group_is_first();
    if (fit->live || fit->trace.file) {
        spgm_solver_set_progress(fit->solver, on_progress, fit);
    }
    signals_watch(fit->solver);
    spgm_error error = spgm_solver_run(fit->solver, &status);
    signals_release();
    screen_erase();
    return error ? cli_status(&status) : outfile_finish(&fit->trace);
}

/* ---- the results ---------------------------------------------------------------------------------------- */

static void name_files(const struct fit *fit) {
    const char *output = args_get(fit->args, "output"), *trace = args_get(fit->args, "trace");
    if (output) {
        fprintf(stderr, "  model      %s\n", output);
    }
    if (trace) {
        fprintf(stderr, "  trace      %s\n", trace);
    }
    if (args_get(fit->args, "certificate")) {
        fprintf(stderr, "  certificate  %s\n", args_get(fit->args, "certificate"));
    }
}

static int write_piece(const char *text, size_t size, void *file) {
    return fwrite(text, 1, size, file) != size;
}

/* Written after the model, which exists even if its proof cannot be written. */
static int write_certificate(struct fit *fit) {
    const char *path = args_get(fit->args, "certificate");
    spgm_status status;
    int result = path ? outfile_open(&fit->certificate, path) : CLI_DONE;
    if (result || !path) {
        return result;
    }
    spgm_error error = spgm_solver_write_certificate(fit->solver, write_piece, fit->certificate.file, &status);
    if (error && error != SPGM_ERROR_FILE) {
        cli_status(&status);
        return CLI_FAILED;
    }
    outfile_failed(&fit->certificate); /* keeps the reason */
    return outfile_finish(&fit->certificate) || outfile_commit(&fit->certificate) ? CLI_FAILED : CLI_DONE;
}

static void put_choice(const struct fit *fit) {
    if (fit->is_auto) {
        doc_fact("chosen", "s = %lld: %s", (long long)fit->sparsity, fit->why);
    }
}

static int finish(struct fit *fit) {
    const char *output = args_get(fit->args, "output");
    int talk = screen_wanted(fit->args), result = CLI_DONE;
    if (talk) {
        report_fit(fit->args, &fit->task, fit->solver, fit->sparsity);
        put_choice(fit);
    }
    if (output || !talk || !isatty(STDOUT_FILENO) || group_all()) { /* of which all take part in */
        result =
            task_write_model(&fit->task, fit->args, fit->solver, fit->is_auto ? fit->why : NULL, output ? output : "-");
    }
    if (result == CLI_DONE) {
        result = outfile_commit(&fit->trace);
    }
    if (result == CLI_DONE) {
        result = write_certificate(fit);
    }
    if (result == CLI_DONE && talk) {
        name_files(fit);
    }
    return result;
}

/* ---- more than two labels: one against the rest ------------------------------------------------------------ */

static int fit_classes(struct fit *fit) {
    static const char *const others[][2] = {
        {"trace", "--trace"}, {"start", "--start"}, {"certificate", "--certificate"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (args_get(fit->args, others[i][0])) {
            return cli_error(
                "the target has %lld labels, and each gets a model of its own: %s cannot be used with these",
                (long long)fit->task.classes, others[i][1]);
        }
    }
    int result =
        fit->is_auto ? choose_sparsity(fit->args, &fit->task, &fit->sparsity, fit->why, sizeof fit->why) : CLI_DONE;
    result = result ? result : classes_fit(&fit->task, fit->args, fit->sparsity, fit->is_auto ? fit->why : NULL);
    if (result == CLI_DONE && screen_wanted(fit->args)) {
        put_choice(fit);
        name_files(fit);
    }
    return result;
}

static int fit_run(const struct args *args) {
    struct fit fit = {.args = args};
    int result = group_agree(prepare(&fit));
    if (result == CLI_DONE && fit.task.classes) {
        result = fit_classes(&fit);
    } else if (result == CLI_DONE && args_get(args, "quantiles")) {
        result = bands_fit(&fit.task, args, fit.sparsity, fit.is_auto ? fit.why : NULL);
        if (result == CLI_DONE && screen_wanted(args)) {
            name_files(&fit);
        }
    } else if (result == CLI_DONE) {
        result = run(&fit);
        result = result ? result : finish(&fit);
    }
    outfile_discard(&fit.trace);
    outfile_discard(&fit.certificate);
    spgm_solver_free(fit.solver);
    task_free(&fit.task);
    return result;
}

const struct command command_fit = {
    .name = "fit",
    .summary = "fit a model with at most S nonzero coefficients to data",
    .usage = "DATA --sparsity S|auto [--loss NAME] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .topics = {topic_problem, topic_data, topic_feasible, topic_losses, topic_methods, topic_stopping, topic_model},
    .examples = "spgm fit houses.csv --target price --sparsity 5 --loss l1 --output model.json\n"
                "spgm fit houses.csv --target price --sparsity auto --loss l1\n"
                "spgm fit houses.csv --target price --sparsity 5 --quantiles 0.1,0.5,0.9 --output band.json\n"
                "spgm fit A.npy --target b.npy -s 10 --loss quantile --quantile 0.9 > model.json\n"
                "xz -dc big.svm.xz | spgm fit - -s 20 --loss hinge --ridge 0.1 --time-limit 60",
    .run = fit_run};
