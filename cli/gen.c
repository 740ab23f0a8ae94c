/* spgm gen: the paper's instances. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct flag flags[] = {
    {"seed", "K", "which instance of that name: a whole number >= 0, default 1", 0},
    {"output", "FILE", "where it goes (needed); .svm, .csv, .mtx or .npy, each also with .gz, .bz2, .xz or .zst", 'o'},
    {"target-output", "FILE",
     "the target b in a file of its own, one-column CSV or .npy; needed with .mtx and .npy, which hold "
     "only A",
     0},
    {"truth", "FILE", "the vector xbar behind the target, one-column CSV or .npy", 0},
    {"from", "FILE", "e2006: the LIBSVM file to draw from", 0},
    {"support", "K", "nonzeros of xbar, default 100 or all columns where they are fewer", 0},
    {"noise", "SD", "standard deviation of the noise, default 10; 0 for none", 0},
    {"raw", NULL, "e2006: keep the columns as they are, unscaled and sparse ones included", 0},
    {"real-target", NULL, "e2006: the target of the file instead of A xbar + noise", 0},
    CLI_TALK_FLAGS("what was written"),
    {0}};

static int ends_with_matrix_only(const char *path) {
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};
    size_t length = strlen(path);
    for (int i = 0; i < 4; i++) {
        size_t tail = strlen(packed[i]);
        if (length > tail && strcmp(path + length - tail, packed[i]) == 0) {
            length -= tail;
            break;
        }
    }
    return length > 4 && (strncmp(path + length - 4, ".npy", 4) == 0 || strncmp(path + length - 4, ".mtx", 4) == 0);
}

static int check_source(const struct args *args) {
    if (strncmp(args->operand[0], "e2006", 5) == 0 && !args_get(args, "from")) {
        return cli_error("%s is drawn from a LIBSVM file; give it with --from FILE", args->operand[0]);
    }
    return CLI_DONE;
}

static int check_outputs(const struct args *args) {
    const char *output = args_get(args, "output");
    if (!output) {
        return cli_error("--output is missing: the file for the instance");
    }
    if (ends_with_matrix_only(output) && !args_get(args, "target-output")) {
        return cli_error("%s will hold only the matrix; say with --target-output FILE where the target goes", output);
    }
    int result = outfile_check(output);
    if (result == CLI_DONE) {
        result = outfile_spare(output, args_get(args, "from"));
    }
    if (result == CLI_DONE) {
        result = outfile_check(args_get(args, "target-output"));
    }
    return result ? result : outfile_check(args_get(args, "truth"));
}

static int read_settings(const struct args *args, int64_t *seed, spgm_generate_options *how) {
    double noise = 10;
    *how = (spgm_generate_options){.from = args_get(args, "from"),
                                   .raw = args_get(args, "raw") != NULL,
                                   .real_target = args_get(args, "real-target") != NULL};
    int result = args_integer(args, "seed", seed);
    if (result == CLI_DONE) {
        result = args_integer(args, "support", &how->support);
    }
    if (result == CLI_DONE) {
        result = args_real(args, "noise", &noise);
    }
    if (result) {
        return result;
    }
    if (*seed < 0) {
        return cli_error("--seed %lld is negative", (long long)*seed);
    }
    if (args_get(args, "support") && how->support < 1) {
        return cli_error("--support %lld is below 1", (long long)how->support);
    }
    if (noise < 0) {
        return cli_error("--noise %g is negative", noise);
    }
    how->noise = noise > 0 ? noise : -1; /* the library's 0 means its default */
    return CLI_DONE;
}

/* Write the matrix. The library chooses its temporary name, which is in the same folder. */
static int write_matrix(const spgm_data *data, const char *path) {
    spgm_status status;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)folder + 40;
    char *temporary = malloc(size);
    if (!temporary) {
        return cli_out_of_memory();
    }
    snprintf(temporary, size, "%.*s.spgm-%ld-0", folder, path, (long)getpid());
    signals_guard(temporary);
    int result = spgm_data_write(data, path, &status) ? cli_status(&status) : CLI_DONE;
    signals_unguard(temporary);
    free(temporary);
    return result;
}

/* The vectors keep their temporary names until the matrix is written, so that all files appear or none. */
static int write_all(const struct args *args, const spgm_data *data) {
    spgm_matrix matrix = spgm_data_matrix(data);
    struct outfile target = {0}, truth = {0};
    if (args_get(args, "truth") && !spgm_data_truth(data)) {
        return cli_error("--truth: an instance with a real target has no known truth");
    }
    int result =
        outfile_vector(&target, args_get(args, "target-output"), "target", spgm_data_target(data), matrix.rows);
    if (result == CLI_DONE) {
        result = outfile_vector(&truth, args_get(args, "truth"), "xbar", spgm_data_truth(data), matrix.columns);
    }
    if (result == CLI_DONE) {
        result = write_matrix(data, args_get(args, "output"));
    }
    if (result == CLI_DONE) {
        result = outfile_commit(&target);
    }
    if (result == CLI_DONE) {
        result = outfile_commit(&truth);
    }
    outfile_discard(&target);
    outfile_discard(&truth);
    return result;
}

static int gen_run(const struct args *args) {
    spgm_generate_options how;
    spgm_data *data = NULL;
    spgm_status status;
    int64_t seed = 1;
    char rows[32], columns[32];
    int result = read_settings(args, &seed, &how);
    if (result == CLI_DONE) {
        result = check_source(args);
    }
    if (result == CLI_DONE) {
        result = check_outputs(args);
    }
    if (result) {
        return result;
    }
    if (spgm_data_generate(args->operand[0], (uint64_t)seed, &how, &data, &status)) {
        return cli_status(&status);
    }
    result = write_all(args, data);
    if (result == CLI_DONE && screen_wanted(args)) {
        fprintf(stderr, "%s: %s with seed %lld, %s rows, %s columns\n", args_get(args, "output"), args->operand[0],
                (long long)seed, screen_count(spgm_data_matrix(data).rows, rows),
                screen_count(spgm_data_matrix(data).columns, columns));
    }
    spgm_data_free(data);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "Instances");
    doc->column = 18;
    doc_item(doc, "random-M-N", "A is M x N with standard normal entries");
    doc_item(doc, "random-M-N-C", "2 % of the entries of A are multiplied by 100");
    doc_item(doc, "random-M-N-O", "2 % of the entries of the noise are multiplied by 100: outliers in the target");
    doc_item(doc, "e2006-M-N[-C]",
             "M rows and N columns drawn from the file of --from, of the columns with at least 5 nonzeros where there "
             "are enough; the columns are scaled to norm sqrt(M)");
    doc_heading(doc, "Target");
    doc_verbatim(doc, "b = A xbar + noise * randn,   xbar = `support` normal entries, else 0");
    doc_paragraph(doc, "The same name and seed give the same instance on every machine.");
}

const struct command command_gen = {.name = "gen",
                                    .summary = "generate an instance of the paper's experiments, seeded",
                                    .usage = "NAME --output FILE [--seed K] [options]",
                                    .operands = {"NAME"},
                                    .flags = flags,
                                    .describe = describe,
                                    .topics = {topic_problem, topic_losses},
                                    .examples =
                                        "spgm gen random-256-1024-O --seed 7 --output outliers.svm --truth xbar.csv\n"
                                        "spgm gen random-256-1024 --output A.npy --target-output b.npy\n"
                                        "spgm gen e2006-5000-1024 --from E2006.train.xz --output e2006.svm.zst",
                                    .run = gen_run};
