#include "select/members.h"

#include "base/memory.h"
#include "model/problem.h"
#include "select/crew.h"
#include "select/cv.h"

/* ---- one member -------------------------------------------------------------------------------------------------- */

/* The rows outside a fold as a problem, with its share of the ridge. */
static spgm_error take_rows(const int64_t *fold_of_row, const spgm_choice *choice, int64_t fold, spgm_problem **learn,
                            spgm_status *status) {
    const struct spgm_problem *whole = choice->problem;
    int64_t count = 0, *rows = memory_beside(whole->A.memory, whole->A.rows, sizeof *rows);
    spgm_error error;

    if (rows == NULL) {
        return status_memory(status, (size_t)whole->A.rows * sizeof *rows);
    }
    for (int64_t i = 0; i < whole->A.rows; i++) {
        if (fold_of_row[i] != fold) {
            rows[count++] = i;
        }
    }
    error = spgm_problem_subset(whole, rows, count, learn, status);
    memory_free(rows);
    if (error == SPGM_OK) {
        error = spgm_problem_merge_rows(*learn, NULL, status); /* a row of weight 2 is two equal rows */
    }
    return error == SPGM_OK ? cv_set_ridge(*learn, whole, choice->ridge, choice->by_deviation, status) : error;
}

static spgm_error keep(struct member *member, const spgm_solver *solver, spgm_status *status) {
    member->size = spgm_solver_get_nonzeros(solver, NULL, NULL);
    member->columns = memory_array(member->size, sizeof *member->columns);
    member->values = memory_array(member->size, sizeof *member->values);
    if (member->columns == NULL || member->values == NULL) {
        return status_memory(status, (size_t)member->size * 16);
    }
    spgm_solver_get_nonzeros(solver, member->columns, member->values);
    spgm_solver_get_x(solver, NULL, &member->intercept);
    member->is_there = 1;
    return SPGM_OK;
}

static spgm_error fit_member(void *context, const struct crew_piece *piece, spgm_status *status) {
    const struct members *members = context;
    struct member *member = &members->list[piece->number];
    struct crew_piece place = *piece;
    struct spgm_options options = *members->options;
    spgm_problem *learn = NULL;
    spgm_solver *solver = NULL;
    spgm_error error = take_rows(members->fold_of_row, member->choice, member->fold, &learn, status);

    options.effort = 1;
    options.threads = 1;
    options.time_limit = piece->seconds;
    error = error ? error : spgm_solver_new(learn, member->choice->sparsity, &options, &solver, status);
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, crew_progress, &place);
        error = spgm_solver_run(solver, status);
    }
    if (error == SPGM_OK && spgm_solver_get_info(solver).outcome == SPGM_OUT_OF_MEMORY) {
        error = status_memory(status, (size_t)learn->A.rows * sizeof(double));
    }
    error = error ? error : keep(member, solver, status);
    spgm_solver_free(solver);
    spgm_problem_free(learn);
    return error;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

spgm_error members_fit(struct members *members, spgm_progress_function progress, void *context, spgm_status *status) {
    struct rations rations = {.within = members->until, .until = members->until, .always = members->always};
    struct crew crew = {.name = "project",
                        .pieces = members->count,
                        .threads = members->options->threads,
                        .context = members,
                        .work = fit_member,
                        .progress = progress,
                        .progress_context = context,
                        .rations = &rations,
                        .stop = members->stop};

    return crew_run(&crew, status);
}

static int is_of(const struct member *member, int64_t fold) {
    return member->is_there && (fold < 0 || member->fold == fold);
}

int64_t members_add_up(const struct members *members, int64_t fold, int64_t columns, double *x, double *intercept) {
    int64_t count = 0;

    for (int64_t m = 0; m < members->count; m++) {
        count += is_of(&members->list[m], fold);
    }
    *intercept = 0;
    for (int64_t j = 0; j < columns; j++) {
        x[j] = 0;
    }
    for (int64_t m = 0; m < members->count; m++) {
        const struct member *member = &members->list[m];

        for (int64_t k = 0; is_of(member, fold) && k < member->size; k++) {
            x[member->columns[k]] += member->values[k] / (double)count;
        }
        *intercept += is_of(member, fold) ? member->intercept / (double)count : 0;
    }
    return count;
}

void members_free(struct members *members) {
    for (int64_t m = 0; m < members->count; m++) {
        memory_free(members->list[m].columns);
        memory_free(members->list[m].values);
    }
}
