/* The constants of the entry points (api.c): what a run may take besides its method. All by reasoning. */
#ifndef SPGM_CONSTANTS_H
#define SPGM_CONSTANTS_H

#define POLISH_SHARE 0.02 /* part of the time limit that the exact fit of the option `polish` may take beyond it */

#endif
