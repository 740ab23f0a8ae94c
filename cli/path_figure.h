/* The figure of spgm path. */
#ifndef SPGM_CLI_PATH_FIGURE_H
#define SPGM_CLI_PATH_FIGURE_H

#include "cli.h"

/* F against s, and the effects of the columns: one path for every part of the task [task_parts]; sizes: of each. */
int path_figure(const char *file, const struct args *args, const struct task *task, int64_t sizes,
                const spgm_path *const *paths);

#endif
