/* Selections in expected linear time; ties go to the lower index. */
#ifndef SPGM_LINALG_SELECT_H
#define SPGM_LINALG_SELECT_H

#include <stdint.h>

/* Write the indices of the `count` largest keys (count <= n), ascending, to chosen[count]. Of equal keys the lower
 * index wins. keys are not changed. scratch [n]. NaN keys count as smallest. */
void select_largest(int64_t n, const double *keys, int64_t count, int64_t *chosen, double *scratch);

#endif
