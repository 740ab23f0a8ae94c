/* spgm paper: what its files share. */
#ifndef SPGM_CLI_PAPER_H
#define SPGM_CLI_PAPER_H

#include "trial.h"

enum { PAPER_DATASETS = 8, PAPER_PANELS = 16, PAPER_METHODS_MAX = 48 };

struct paper_method {
    const char *key;     /* in files and figures                                       */
    const char *name;    /* of the library's method                                    */
    const char *options; /* "name=value name=value" on top of the common ones          */
    int published;       /* nonzero: among the seven of the published figures          */
};

struct paper_panel {
    const char *loss;
    int figure; /* of the paper: 1 or 2, one for each loss */
    int dataset;
    spgm_problem *problem;
};

/* Plain: one textbook setting of each method. Tuned: trials and stages within PAPER_BUDGET times the passes over A that
 * the plain run of the same method, s and start took. */
enum { PAPER_BUDGET = 2 };
enum paper_protocol { PROTOCOL_PLAIN, PROTOCOL_TUNED, PROTOCOLS };

struct paper_run {
    enum trial_state state;
    double objective, polished, seconds, processor_seconds, polish_seconds;
    double passes, allowed; /* over A; allowed: 0 where there is no limit */
    char *line;             /* as it stands in runs.csv, without the newline */
};

/* A curve of the published figures: objective at s = 10, 20, ..., 90; NAN where the figure shows none. */
enum { PUBLISHED_SIZES = 9 };

struct paper {
    const struct args *args;
    const char *folder;
    const char *from; /* of the e2006 data; NULL: skipped */
    int threads, reproducible;
    int plain_only;                          /* whatever --protocol says */
    enum paper_protocol protocol[PROTOCOLS]; /* that are run [protocols] */
    int protocols;
    struct paper_method method[PAPER_METHODS_MAX];
    int methods;
    int64_t *sparsity;
    int64_t sizes, starts;
    struct paper_panel panel[PAPER_PANELS];
    int panels, skipped; /* skipped: panels without data */
    spgm_data *data[PAPER_DATASETS];
    uint64_t fingerprint[PAPER_DATASETS];
    struct paper_run *runs; /* [protocols x panels x sizes x methods x starts], and one that is never filled */
    int64_t count;
    char **others; /* lines of runs.csv that belong to another plan */
    int64_t other_count;
    int journal; /* file descriptor of runs.csv */
    int has_published;
    double published[PAPER_PANELS][PAPER_METHODS_MAX][PUBLISHED_SIZES];

    /* of the run */
    int64_t *pending;
    int64_t pending_count, finished;
    int64_t first;            /* of the pending ones of the protocol that is running */
    struct forecast forecast; /* by method */
    char current[128];
};

const char *paper_dataset(int dataset);
/* The slot of a run; if the protocol is not in the plan, a run that is never filled. */
struct paper_run *paper_at(const struct paper *paper, enum paper_protocol protocol, int panel, int64_t size, int method,
                           int64_t start);
/* Tuned where it is in the plan. */
enum paper_protocol paper_main_protocol(const struct paper *paper);
const char *paper_protocol_name(enum paper_protocol protocol);
/* Where run i of the plan stands. */
struct paper_place {
    int panel, method;
    int64_t size, start;
    enum paper_protocol protocol;
};
struct paper_place paper_place(const struct paper *paper, int64_t i);
/* Everything that decides the numbers of a run: data, options, version. */
uint64_t paper_recipe(const struct paper *paper, const struct paper_place *place);
/* The options of a method: the paper's settings, then its own. NULL: out of memory. */
spgm_options *paper_options(enum paper_protocol protocol, const struct paper_method *method, const char *loss,
                            int64_t start);
/* The data and the problem of a panel. */
int paper_make_panel(struct paper *paper, struct paper_panel *panel);
/* Check the arguments, make the plan (keeping methods and sizes that are set already), and take over earlier runs. */
int paper_prepare(struct paper *paper);
/* Do all remaining runs; paper->finished counts those that ended. */
int paper_run_all(struct paper *paper);
void paper_free(struct paper *paper);
int paper_make_folder(const char *path);
/* -1: not in the plan. */
int paper_method_index(const struct paper *paper, const char *key);
/* folder/name in `path`. */
const char *paper_path(const struct paper *paper, const char *name, char *path, size_t size);
/* Write folder/name with `put`; the file appears complete or not at all. */
int paper_write(const struct paper *paper, const char *name, void (*put)(FILE *file, const struct paper *paper));

/* ---- runs.csv (paper_journal.c) --------------------------------------------------------------------- */

/* Take over the finished runs of earlier sessions, drop an incomplete last line, and open for appending. */
int journal_open(struct paper *paper);
/* Run i has ended: on disk when this returns. */
int journal_add(struct paper *paper, int64_t i, const struct trial *trial);
/* In the order of the plan. */
int journal_finish(struct paper *paper);
void journal_close(struct paper *paper);

/* ---- numbers (paper_score.c) --------------------------------------------------------------------------- */

/* The published curves: those in the program, or a file of loss,dataset,method,s,objective. */
void published_builtin(struct paper *paper);
int published_read(struct paper *paper, const char *path);

/* Raw and polished are of the main protocol. */
enum paper_value { PAPER_PLAIN, PAPER_RAW, PAPER_POLISHED, PAPER_PUBLISHED };

/* Mean over the starts; NAN where there is none. */
double paper_mean(const struct paper *paper, int panel, int64_t size, int method, enum paper_value what);

/* SPGM-BCD against the others: the cells in which it is lowest, and the geometric mean of its F over the best other. */
struct paper_score {
    int cells, wins;
    double ratio;                   /* NAN without cells */
    int lost_to[PAPER_METHODS_MAX]; /* cells in which that method is the lowest */
};

/* Over s >= 10, the panels first..last-1; `all`: also against methods that are not in the paper. */
struct paper_score paper_score(const struct paper *paper, int first, int last, enum paper_value what, int all);
/* Ours against the published curves, over the cells that both have: how often the same method is lowest, and the mean
 * rank correlation (Spearman) of the methods of the paper over the cells. */
struct paper_agreement {
    int cells, same;
    double correlation; /* NAN without cells */
};
struct paper_agreement paper_agreement(const struct paper *paper, int first, int last, enum paper_value what);
/* F of the method over F of SPGM-BCD, geometric mean over all cells; NAN without any. */
double paper_ratio(const struct paper *paper, int method, enum paper_value what);
/* Processor time of the method over that of SPGM-BCD, the same way. */
double paper_time_ratio(const struct paper *paper, int method);

/* Raw results against the methods of the paper, at limited time. */
struct paper_budget {
    int cells;
    int with_rival, wins; /* cells with others that take at most `factor` times its time; those SPGM-BCD wins */
    int best_wins;        /* cells in which the best of its starts is not above the mean of any other         */
};
struct paper_budget paper_budget(const struct paper *paper, double factor);
/* Cells that SPGM-BCD loses raw and wins polished, against the paper's methods. */
/* Passes over A of the method's tuned runs, used and allowed, in the mean; 0: there are no such runs. */
int paper_passes(const struct paper *paper, int method, double *used, double *allowed);
int paper_recovered(const struct paper *paper);
/* Processor time: mean and standard deviation over three runs of the mean over s, for the loss of Figure 1; returns the
 * runs counted. */
int paper_time(const struct paper *paper, int dataset, int method, double *mean, double *deviation);
/* The published time in seconds, NAN where there is none. */
double published_time(int dataset, const char *method);

void put_summary_csv(FILE *file, const struct paper *paper);
void put_times_csv(FILE *file, const struct paper *paper);
/* A few lines for people. */
void put_findings(FILE *file, const struct paper *paper, void (*line)(FILE *file, const char *text));

/* Which settings of the plain methods come closest to the published curves (paper_search.c). */
int paper_search(const struct args *args, const char *folder, const char *from);

/* ---- figures and page (paper_figures.c, paper_page.c) ---------------------------------------------------- */

int paper_figures(const struct paper *paper);
void put_report(FILE *file, const struct paper *paper);

#endif
