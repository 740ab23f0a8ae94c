#include "group.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const spgm_communicator *all;
    int64_t files;
    char sentence[1024]; /* what this process had to say, "": nothing */
} group;

void group_join(const spgm_communicator *all, int64_t files) {
    group.all = all;
    group.files = files;
}

const spgm_communicator *group_all(void) {
    return group.all;
}

int group_is_first(void) {
    return !group.all || group.all->rank == 0;
}

int group_keep(const char *format, va_list list) {
    if (group.all && !group.sentence[0]) {
        vsnprintf(group.sentence, sizeof group.sentence, format, list);
    }
    return group.all != NULL;
}

int group_agree(int result) {
    if (!group.all) {
        return result;
    }
    double first = result == CLI_DONE ? 0 : (double)(group.all->size - group.all->rank);
    if (group.all->max(group.all->context, &first, 1)) {
        return CLI_FAILED;
    }
    if (first == 0) {
        return CLI_DONE;
    }
    int64_t root = group.all->size - (int64_t)first;
    if (group.all->broadcast(group.all->context, group.sentence, sizeof group.sentence, root) ||
        group.all->broadcast(group.all->context, &result, sizeof result, root)) {
        return CLI_FAILED;
    }
    if (group_is_first() && group.sentence[0]) {
        if (root > 0) {
            fprintf(stderr, "spgm-mpi: process %lld: %s\n", (long long)root, group.sentence);
        } else {
            fprintf(stderr, "spgm-mpi: %s\n", group.sentence);
        }
    }
    group.sentence[0] = '\0'; /* it is said */
    return result;
}

double group_sum(double value) {
    if (group.all) {
        group.all->sum(group.all->context, &value, 1);
    }
    return value;
}

/* ---- the rows of this process --------------------------------------------------------------------------- */

/* One file: each process takes an even share of its rows. Several: each takes its own file; a process without one reads
 * the last file and takes no rows. */
static void share(int64_t rows, int64_t *first, int64_t *last) {
    int64_t rank = group.all->rank, size = group.all->size;
    *first = group.files > 1 ? 0 : (int64_t)((double)rows * (double)rank / (double)size);
    *last =
        group.files > 1 ? (rank < group.files ? rows : 0) : (int64_t)((double)rows * (double)(rank + 1) / (double)size);
    *last = group.files <= 1 && rank + 1 == size ? rows : *last;
}

static int64_t most_columns(int64_t columns) {
    double most = (double)columns;
    group.all->max(group.all->context, &most, 1);
    return (int64_t)most;
}

/* Rows first..last of a sparse matrix with `columns` columns; those beyond the file's are empty. */
static int cut_sparse(struct task *task, const spgm_matrix *whole, int64_t first, int64_t last, int64_t columns) {
    int64_t most = whole->column_start[whole->columns], count = 0;
    task->cut_start = malloc((size_t)(columns + 1) * sizeof *task->cut_start);
    task->cut_row = malloc((size_t)(most + 1) * sizeof *task->cut_row);
    task->cut_values = malloc((size_t)(most + 1) * sizeof *task->cut_values);
    if (!task->cut_start || !task->cut_row || !task->cut_values) {
        return cli_out_of_memory();
    }
    task->cut_start[0] = 0;
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t k = j < whole->columns ? whole->column_start[j] : most;
             k < (j < whole->columns ? whole->column_start[j + 1] : most); k++) {
            if (whole->row_index[k] >= first && whole->row_index[k] < last) {
                task->cut_row[count] = (int32_t)(whole->row_index[k] - first);
                task->cut_values[count++] = whole->values[k];
            }
        }
        task->cut_start[j + 1] = count;
    }
    task->matrix = spgm_sparse(last - first, columns, task->cut_start, task->cut_row, task->cut_values);
    return CLI_DONE;
}

/* Column names, where files have any, must be the same in all parts: their hashes are compared. */
static int check_names(const struct task *task) {
    uint32_t word = 2166136261u;
    for (int64_t j = 0; j < spgm_data_matrix(task->data).columns; j++) {
        const char *name = spgm_data_column_name(task->data, j);
        for (; name && *name; name++) {
            word = (word ^ (unsigned char)*name) * 16777619u;
        }
        word = name ? (word ^ 255u) * 16777619u : word;
    }
    double ends[2] = {word, -(double)word};
    group.all->max(group.all->context, ends, 2);
    return ends[0] == -ends[1] ? CLI_DONE
                               : cli_error("the columns of the parts have different names: give parts of one table "
                                           "(categories must have the same levels in each)");
}

int group_cut(struct task *task) {
    if (!group.all) {
        return CLI_DONE;
    }
    spgm_matrix whole = task->matrix;
    int64_t columns = most_columns(whole.columns), last;
    int result = spgm_data_label(task->data, 0) ? cli_error("labels of text are not the same numbers in every part: "
                                                            "write them as numbers")
                                                : CLI_DONE;
    result = group_agree(result);
    result = result ? result : group_agree(check_names(task));
    if (result) {
        return result;
    }
    share(whole.rows, &task->first_row, &last);
    if (whole.column_start) {
        return group_agree(cut_sparse(task, &whole, task->first_row, last, columns));
    }
    int64_t skipped = task->first_row * (whole.by_rows ? whole.leading_dimension : 1);
    task->matrix.rows = last - task->first_row;
    task->matrix.values = whole.values ? whole.values + skipped : NULL;
    task->matrix.singles = whole.singles ? whole.singles + skipped : NULL;
    return group_agree(whole.columns == columns ? CLI_DONE
                                                : cli_error("%s has %lld columns, other parts have %lld", "this part",
                                                            (long long)whole.columns, (long long)columns));
}

void group_free(struct task *task) {
    free(task->cut_start);
    free(task->cut_row);
    free(task->cut_values);
}
