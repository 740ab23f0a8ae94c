/*
 * The processes of spgm-mpi, each with a part of the rows. In spgm there is one process, and these functions do
 * nothing.
 *
 * HOW IT WORKS: all processes run the same command. Messages of a process go through process 0, which alone prints and
 * writes; before processes wait for each other they agree (group_agree) whether all of them can continue.
 */
#ifndef SPGM_CLI_GROUP_H
#define SPGM_CLI_GROUP_H

#include <stdarg.h>

#include "cli.h"

/* Set once by spgm-mpi, before the command; files: how many data files were named. */
void group_join(const spgm_communicator *all, int64_t files);
/* NULL: there are no others. */
const spgm_communicator *group_all(void);
int group_is_first(void);
/* The result of the first process that failed, whose message process 0 prints; CLI_DONE if none failed. */
int group_agree(int result);
/* Keeps a message for group_agree. Returns 0 if there is only one process: print it then. */
int group_keep(const char *format, va_list list);
/* This process's rows of the data it has read: task->matrix, first_row. All columns of all parts. */
int group_cut(struct task *task);
void group_free(struct task *task);
double group_sum(double value);

#endif
