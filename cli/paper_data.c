/* spgm paper: data, problems and settings of its runs. */
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/* (theta, epsilon, upsilon, T) = (1e-3, 1e-5, 100, 1000), K = 10, 8 random and 2 greedy coordinates, lambda = 0.01. */
static const char common[] =
    "ridge=0.01 intercept=false max_iterations=1000 tolerance=1e-5 window=100 start_scale=1e-3 "
    "mu_schedule=halving mu_period=10 theta=1e-3 theta1=1e-3 theta2=1e-3 "
    "random_coordinates=8 greedy_coordinates=2 threads=1";

static uint64_t hash(uint64_t sum, const void *bytes, size_t count) { /* FNV-1a */
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ p[i]) * 1099511628211u;
    }
    return sum;
}

static uint64_t hash_text(uint64_t sum, const char *text) {
    return hash(sum, text, strlen(text) + 1);
}

static uint64_t hash_data(const spgm_data *data) {
    spgm_matrix A = spgm_data_matrix(data);
    size_t stored = (size_t)(A.column_start ? A.column_start[A.columns] : A.rows * A.columns);
    uint64_t sum = hash(14695981039346656037u, A.values, stored * sizeof *A.values);
    if (A.column_start) {
        sum = hash(sum, A.column_start, (size_t)(A.columns + 1) * sizeof *A.column_start);
        sum = hash(sum, A.row_index, stored * sizeof *A.row_index);
    }
    return hash(sum, spgm_data_target(data), (size_t)A.rows * sizeof(double));
}

static int set_all(spgm_options *options, const char *pairs) {
    char copy[512], *rest = copy;
    spgm_status status;
    snprintf(copy, sizeof copy, "%s", pairs);
    for (char *pair = strtok_r(copy, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(pair, '=');
        *equals = '\0';
        if (spgm_options_set(options, pair, equals + 1, &status)) {
            return cli_status(&status);
        }
    }
    return CLI_DONE;
}

spgm_options *paper_options(enum paper_protocol protocol, const struct paper_method *method, const char *loss,
                            int64_t start) {
    spgm_options *options = spgm_options_new();
    if (options &&
        (set_all(options, common) || spgm_options_set(options, "tuning", paper_protocol_name(protocol), NULL) ||
         set_all(options, method->options) || spgm_options_set(options, "loss", loss, NULL) ||
         spgm_options_set(options, "method", method->name, NULL) ||
         spgm_options_set_number(options, "seed", (double)(start + 1), NULL))) {
        spgm_options_free(options);
        return NULL;
    }
    return options;
}

uint64_t paper_recipe(const struct paper *paper, const struct paper_place *place) {
    const struct paper_method *method = &paper->method[place->method];
    uint64_t sum = hash_text(paper->fingerprint[paper->panel[place->panel].dataset], spgm_version());
    sum = hash_text(sum, common);
    sum = hash_text(sum, method->name);
    sum = hash_text(sum, method->options);
    sum = hash_text(sum, paper_protocol_name(place->protocol));
    sum = hash(sum, &(int){place->protocol == PROTOCOL_TUNED ? PAPER_BUDGET : 0}, sizeof(int));
    return hash_text(sum, paper->reproducible ? "without times" : "with times");
}

static int make_data(struct paper *paper, int dataset) {
    spgm_status status;
    spgm_generate_options how = {.from = paper->from};
    if (paper->data[dataset]) {
        return CLI_DONE;
    }
    screen_note(paper->args, "generating %s", paper_dataset(dataset));
    if (spgm_data_generate(paper_dataset(dataset), 1, &how, &paper->data[dataset], &status)) {
        return cli_status(&status);
    }
    paper->fingerprint[dataset] = hash_data(paper->data[dataset]);
    return CLI_DONE;
}

int paper_make_panel(struct paper *paper, struct paper_panel *panel) {
    spgm_status status;
    int result = make_data(paper, panel->dataset);
    if (result) {
        return result;
    }
    spgm_matrix A = spgm_data_matrix(paper->data[panel->dataset]);
    spgm_options *options =
        paper_options(PROTOCOL_PLAIN, &(struct paper_method){"spgm-bcd", "spgm-bcd", "", 1}, panel->loss, 0);
    if (!options) {
        return cli_out_of_memory();
    }
    if (spgm_problem_new(&A, spgm_data_target(paper->data[panel->dataset]), options, &panel->problem, &status)) {
        result = cli_status(&status);
    }
    spgm_options_free(options);
    return result;
}
