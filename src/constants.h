/* The constants of the entry points (api.c): what a run may take besides its method. All by reasoning. */
#ifndef SPGM_CONSTANTS_H
#define SPGM_CONSTANTS_H

#define POLISH_SHARE 0.02 /* of the time limit, beyond it: for the exact fit that `polish` asks for */
#define BOUND_LEAST 4e6   /* multiplications that a bound may always take: a millisecond or two                       */
#define LAST_STEP 0.05    /* of the time limit, at most: more than the 2 % by which it may be overrun, little to lose */
#define COLUMN_REPORT 0.25 /* of F at x = 0 from the raw data: what a column of the model adds that is never zero */
#define LINE_NUMBERS 8     /* that come with one from the memory: where rows lie together, those of other columns     */

#endif
