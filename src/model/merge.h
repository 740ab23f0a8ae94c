/* Equal rows of (A, b) as one row with the sum of their weights. */
#ifndef SPGM_MODEL_MERGE_H
#define SPGM_MODEL_MERGE_H

#include "model/problem.h"

/* spgm_problem_merge_rows with the hash of a word as an argument: what tests call with hashes that fail. */
spgm_error merge_rows(struct spgm_problem *problem, uint64_t (*mix)(uint64_t word), int64_t *rows_left,
                      spgm_status *status);
uint64_t merge_mix(uint64_t word);

#endif
