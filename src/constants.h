/* The constants of the entry points (api.c): what a run may take besides its method. All by reasoning. */
#ifndef SPGM_CONSTANTS_H
#define SPGM_CONSTANTS_H

#define POLISH_SHARE 0.02 /* of the time limit, beyond it: for the exact fit that `polish` asks for */

#endif
