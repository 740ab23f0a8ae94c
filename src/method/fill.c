/*
 * HOW IT WORKS: a run that the time limit ends may have a model with fewer columns than it may have: a greedy method
 * midway, or x = 0 if no iterate was better. The model is then filled with the columns that had the best scores when
 * all columns were last scored. Their slopes at the model are computed exactly, p_j = a_j'u + grad f(x)_j, and F is
 * minimised along one line,
 *
 *     x_j = -alpha p_j / ||a_j||^2    for the columns that enter.
 *
 * This reads the columns in the model and those that enter a few times. It takes no pass over A, unless the time was up
 * before all columns were scored once. If u, a subgradient of h, gives no descent (of several equal residuals it sees
 * only one), smoothed versions of h are tried: u = (c - P_mu(c)) / mu. Scores have no sign, so a bound may hold a
 * chosen column at 0; such columns are replaced by the next ones, a few times.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/constants.h"
#include "method/method.h"
#include "model/line.h"

struct filler {
    struct run *run;
    const struct problem *problem;
    struct workspace workspace;
    struct point point;
    double *u, *d;             /* [rows]                                  */
    int64_t *columns, entered; /* the columns that enter [columns], and their number */
    double *square;            /* of them [columns]                       */
    double *step, *slope;      /* [columns]                               */
};

void run_score(struct run *run, const double *g) {
    for (int64_t j = 0; j < run->problem->A->columns; j++) {
        run->scores[j] = fabs(g[j]);
    }
}

static int filler_init(struct filler *filler, struct run *run) {
    struct workspace *w = &filler->workspace;
    int64_t n = run->problem->A->columns, m = run->problem->A->rows;
    double has_failed;

    *filler = (struct filler){.run = run, .problem = run->problem, .workspace.memory = run->problem->A->memory};
    point_init(&filler->point, run->problem, w);
    filler->u = workspace_doubles(w, m);
    filler->d = workspace_doubles(w, m);
    filler->columns = workspace_integers(w, n);
    filler->square = workspace_doubles(w, n);
    filler->step = workspace_doubles(w, n);
    filler->slope = workspace_doubles(w, n);
    has_failed = w->failed;
    reduce_max(run->problem->A->reduce, &has_failed, 1); /* all processes must fail together */
    return has_failed == 0;
}

/* Score all columns at the model, by u. */
static void look(struct filler *filler) {
    const struct problem *p = filler->problem;

    linop_transpose(p->A, filler->u, filler->step);
    smooth_gradient(&p->f, filler->point.x, filler->point.state, filler->slope);
    vector_axpy(p->A->columns, 1, filler->slope, filler->step);
    run_score(filler->run, filler->step);
}

/* The best support that contains the columns of the model; its new columns enter. */
static void choose(struct filler *filler) {
    const struct problem *p = filler->problem;
    struct run *run = filler->run;
    const double *x = filler->point.x;
    int64_t n = p->A->columns, kept, open = 0;

    filler->entered = 0;
    for (int64_t j = 0; j < n; j++) {
        run->keys[j] = x[j] != 0 ? INFINITY : p->set.rule->adds ? run->scores[j] * run->scores[j] : run->scores[j];
    }
    kept = p->set.rule->choose(&p->set, run->sparsity, n, NULL, run->keys, &run->work, run->chosen);
    for (int64_t i = 0; i < kept; i++) {
        int64_t j = run->chosen[i];

        if (x[j] == 0 && !p->is_free[j] && isgreater(run->scores[j], 0)) {
            filler->columns[open++] = j;
        }
    }
    for (int64_t i = 0; i < p->A->rows; i++) {
        filler->d[i] = 1;
    }
    linop_weighted_squares(p->A, open, filler->columns, filler->d, filler->square);
    for (int64_t i = 0; i < open; i++) {
        if (isgreater(filler->square[i], 0)) {
            filler->square[filler->entered] = filler->square[i];
            filler->columns[filler->entered++] = filler->columns[i];
        }
    }
}

/* The steps of the columns, from the slopes that u gives them, and the slopes of f. */
static void take_steps(struct filler *filler) {
    const struct problem *p = filler->problem;
    const struct point *point = &filler->point;
    int64_t k = filler->entered;

    linop_transpose_columns(p->A, k, filler->columns, filler->u, filler->step);
    smooth_gradient_columns(&p->f, point->x, point->state, k, filler->columns, filler->slope);
    for (int64_t i = 0; i < k; i++) {
        double price = filler->step[i] + filler->slope[i];

        filler->step[i] = problem_clip(p, filler->columns[i], -price / filler->square[i]);
    }
}

/* Choose the columns that enter, without those that a bound holds where they are. */
static void choose_movable(struct filler *filler) {
    int64_t held = 1;

    choose(filler);
    for (int round = 0; filler->problem->lower != NULL && held > 0 && round < FILL_ROUNDS; round++) {
        held = 0;
        take_steps(filler);
        for (int64_t i = 0; i < filler->entered; i++) {
            if (filler->step[i] == 0) {
                filler->run->scores[filler->columns[i]] = 0;
                held++;
            }
        }
        if (held > 0) {
            choose(filler);
        }
    }
}

/* The point at the end of the steps; returns f along the line. */
static struct parabola direct(struct filler *filler) {
    const struct problem *p = filler->problem;
    struct point *point = &filler->point;
    int64_t k = filler->entered;
    struct parabola f = {.constant = point_smooth_value(point)};
    double end;

    take_steps(filler);
    for (int64_t i = 0; i < k; i++) {
        f.linear += filler->slope[i] * filler->step[i];
        point->x[filler->columns[i]] = filler->step[i];
    }
    smooth_update(&p->f, k, filler->columns, filler->step, point->state);
    end = smooth_value(&p->f, point->x, point->state);
    f.quadratic = fmax(0, 2 * (end - f.constant - f.linear));
    return f;
}

/* Minimise F along the line; returns nonzero and keeps the model if F falls. */
static int move(struct filler *filler) {
    const struct problem *p = filler->problem;
    struct parabola f = direct(filler);
    double alpha = 1, most = p->lower == NULL ? INFINITY : 1;

    memset(filler->d, 0, (size_t)p->A->rows * sizeof *filler->d);
    linop_add_columns(p->A, filler->entered, filler->columns, filler->step, filler->d);
    line_minimise(&p->h, filler->point.residual, filler->d, f, 0, most, FILL_STEPS, INFINITY, &alpha);
    for (int64_t i = 0; i < filler->entered; i++) {
        filler->point.x[filler->columns[i]] = alpha * filler->step[i];
    }
    vector_axpy(p->A->rows, alpha, filler->d, filler->point.residual);
    smooth_refresh(&p->f, filler->point.x, filler->point.state);
    return run_offer(filler->run, filler->point.x,
                     smooth_value(&p->f, filler->point.x, filler->point.state) +
                         p->h.ops->value(&p->h, filler->point.residual));
}

static void fill(struct filler *filler) {
    const struct loss *h = &filler->problem->h;
    double mu;
    int is_done;

    point_set(&filler->point, filler->run->best_x);
    h->ops->subgradient(h, filler->point.residual, filler->u);
    if (vector_norm_inf(filler->problem->A->columns, filler->run->scores) == 0) {
        look(filler);
    }
    choose_movable(filler);
    if (filler->entered == 0) {
        return;
    }
    mu = h->ops->dual_norm(h, filler->point.residual); /* for larger mu, h is nearly half the squares */
    is_done = move(filler);
    for (int i = 0; i < FILL_SMOOTHINGS && !is_done && isfinite(mu) && mu > 0; i++, mu /= FILL_FALL) {
        struct loss_split values;

        point_set(&filler->point, filler->run->best_x);
        h->ops->split(h, mu, filler->point.residual, filler->u, &values);
        vector_scale(filler->problem->A->rows, 1 / mu, filler->u);
        is_done = move(filler);
    }
}

void run_fill(struct run *run) {
    const struct feasible *set = &run->problem->set;
    struct filler filler;

    if (run_is_over(run) && feasible_count_x(set, run->best_x, &run->work) < run->sparsity) {
        if (filler_init(&filler, run)) {
            fill(&filler);
        }
        workspace_free(&filler.workspace);
    }
}
