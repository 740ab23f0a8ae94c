#include "linalg/tableau.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/vector.h"

enum { COLUMN_BLOCK = 128, ROW_BLOCK = 4 }; /* of V, while it is formed: its rows of H stay in the first cache */

static float *singles(struct workspace *w, int64_t count) {
    return workspace_array(w, count, sizeof(float));
}

static int64_t rounded(int64_t count) {
    return (count + SINGLES - 1) / SINGLES * SINGLES;
}

void tableau_take(struct tableau *t, int64_t inside, int64_t columns, struct workspace *w) {
    int64_t width = rounded(columns);

    t->pitch = width + SINGLES; /* rows at a distance of a power of two would compete for the same cache sets */
    t->in = workspace_integers(w, inside);
    t->row = workspace_integers(w, inside);
    t->list = workspace_integers(w, inside + 1);
    t->M = workspace_doubles(w, inside * inside);
    t->x = workspace_doubles(w, inside);
    t->product = workspace_doubles(w, inside);
    t->turn.entering = workspace_doubles(w, inside);
    t->turn.leaving = workspace_doubles(w, inside);
    t->factors = singles(w, (inside + 1) * (TABLEAU_ROWS + 1));
    t->V = singles(w, TABLEAU_ROWS * t->pitch);
    t->schur = singles(w, width);
    t->pull = singles(w, width);
    t->change = singles(w, width);
    t->which = singles(w, width);
    t->t = singles(w, width);
    t->back = singles(w, width);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* schur = 1 - sum_i H_i V_i, V = M H_I, for these columns; for `rows` rows of V at a time, from row i on. */
static void reduce_schur(struct tableau *t, int64_t i, int64_t rows, int64_t c, int64_t count) {
    float V[ROW_BLOCK][COLUMN_BLOCK], *out[ROW_BLOCK] = {V[0], V[1], V[2], V[3]};
    int64_t k = t->inside;

    for (int64_t j = 0; j < k; j++) {
        for (int64_t r = 0; r < rows; r++) {
            t->factors[j * rows + r] = (float)t->M[j + (i + r) * k];
        }
    }
    kernels_best()->combine_rows(count, k, rows, t->H + c, t->ld, t->row, t->factors, out);
    for (int64_t r = 0; r < rows; r++) {
        const float *H = t->H + t->row[i + r] * t->ld + c;

        for (int64_t e = 0; e < count; e++) {
            t->schur[c + e] -= H[e] * V[r][e];
        }
    }
}

static void form(struct tableau *t) {
    for (int64_t c = 0; c < t->width; c += COLUMN_BLOCK) {
        int64_t count = t->width - c < COLUMN_BLOCK ? t->width - c : COLUMN_BLOCK;

        for (int64_t i = 0; i < t->inside; i += ROW_BLOCK) {
            reduce_schur(t, i, t->inside - i < ROW_BLOCK ? t->inside - i : ROW_BLOCK, c, count);
        }
    }
}

/* A column that is in has no remainder and no pull. */
static void shut(struct tableau *t, int64_t c) {
    t->schur[c] = INFINITY;
    t->pull[c] = 0;
}

void tableau_begin(struct tableau *t, const double *pull) {
    t->width = rounded(t->columns);
    for (int64_t c = 0; c < t->width; c++) {
        t->schur[c] = 1;
        t->pull[c] = c < t->columns ? (float)pull[c] : 0;
        t->t[c] = t->back[c] = 0;
    }
    form(t);
    for (int64_t i = 0; i < t->inside; i++) {
        shut(t, t->in[i]);
    }
    for (int k = 0; k < TABLEAU_ROWS; k++) {
        t->priced[k] = -1;
    }
    t->value = 0;
    t->turn.leaves = -1;
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

/* The rows that are cheapest to remove, in order; returns their number. */
static int choose_rows(const struct tableau *t, const unsigned char *stays, int64_t *rows) {
    double cost[TABLEAU_ROWS];
    int count = 0;

    for (int64_t i = 0; i < t->inside; i++) {
        double here = t->x[i] * t->x[i] / t->M[i + i * t->inside];
        int at;

        if (stays[i] || (count == TABLEAU_ROWS && !(here < cost[count - 1]))) {
            continue;
        }
        count += count < TABLEAU_ROWS;
        for (at = count - 1; at > 0 && here < cost[at - 1]; at--) {
            cost[at] = cost[at - 1];
            rows[at] = rows[at - 1];
        }
        cost[at] = here;
        rows[at] = i;
    }
    return count;
}

static int place_of(int64_t row, int count, const int64_t *rows) {
    int at = 0;

    while (at < count && rows[at] != row) {
        at++;
    }
    return at;
}

/* Assign places in `priced` to these rows; rows that have a place keep it. fresh[k]: the row at place k is new. */
static void place_rows(struct tableau *t, int count, const int64_t *rows, unsigned char *fresh) {
    int k = 0;

    for (int p = 0; p < TABLEAU_ROWS; p++) {
        fresh[p] = 0;
        if (place_of(t->priced[p], count, rows) == count) {
            t->priced[p] = -1;
        }
    }
    for (int r = 0; r < count; r++) {
        if (place_of(rows[r], TABLEAU_ROWS, t->priced) < TABLEAU_ROWS) {
            continue;
        }
        while (t->priced[k] >= 0) {
            k++;
        }
        t->priced[k] = rows[r];
        fresh[k] = 1;
    }
}

/* Products with the inner columns for t of the last exchange and for new rows of V, in one pass. */
static void combine(struct tableau *t, const unsigned char *fresh) {
    const struct tableau_exchange *turn = &t->turn;
    int64_t k = t->inside, count = turn->leaves >= 0, o = count;
    float *out[TABLEAU_ROWS + 1] = {t->t};

    for (int p = 0; p < TABLEAU_ROWS; p++) {
        if (fresh[p]) {
            out[count++] = t->V + p * t->pitch;
        }
    }
    if (count == 0) {
        return;
    }
    memcpy(t->list, t->row, (size_t)k * sizeof *t->list);
    t->list[k] = turn->left_row;
    if (o > 0) {
        for (int64_t i = 0; i < k; i++) {
            int is_new = t->in[i] == turn->enters;

            t->factors[i * count] = is_new ? 1 : (float)-turn->entering[i];
            t->factors[k * count] = is_new ? (float)-turn->entering[i] : t->factors[k * count];
        }
    }
    for (int p = 0; p < TABLEAU_ROWS; p++) {
        if (fresh[p]) {
            for (int64_t i = 0; i < k; i++) {
                t->factors[i * count + o] = (float)t->M[i + t->priced[p] * k];
            }
            t->factors[k * count + o++] = 0;
        }
    }
    kernels_best()->combine_rows(t->width, k + (turn->leaves >= 0), count, t->H, t->ld, t->list, t->factors, out);
}

/* t and back of linalg/swap.c, and the Schur complements and pulls after the exchange. */
static void follow_turn(struct tableau *t) {
    const struct tableau_exchange *turn = &t->turn;
    struct pulled pulled = {t->t,
                            t->back,
                            t->schur,
                            t->pull,
                            (float)turn->inverse,
                            (float)turn->v,
                            (float)(1 / turn->room),
                            (float)turn->room,
                            (float)turn->x,
                            (float)turn->pull};

    kernels_best()->turn_pulls(t->width, &pulled);
    t->schur[turn->leaves] = (float)(1 / turn->room);
    t->pull[turn->leaves] = (float)(turn->x / turn->room);
    shut(t, turn->enters);
}

/* Correct the entries of the column that has left, which the sweep treated like the others: its V is known, and so is
 * its price. */
static void mend_left(struct tableau *t, const struct turned *turned, const unsigned char *fresh) {
    int64_t c = t->turn.leaves;
    float inverse = 1 / t->schur[c], step = t->pull[c] * inverse, lowest = INFINITY;

    for (int k = 0; k < TABLEAU_ROWS; k++) {
        float *V = t->V + k * t->pitch + c, left, ratio;

        if (t->priced[k] >= 0 && !fresh[k]) {
            *V = (float)t->turn.leaving[t->priced[k]];
        }
        left = turned->x[k] - step * *V;
        ratio = left * left / (turned->room[k] + inverse * (*V * *V));
        if (ratio < lowest) {
            lowest = ratio;
            t->which[c] = (float)k;
        }
    }
    t->change[c] = t->schur[c] > turned->least ? lowest - t->pull[c] * step : INFINITY;
}

/* New and missing rows have no exchange to follow; missing rows never have the lowest price. */
static void price_rows(struct tableau *t, const unsigned char *fresh, float least) {
    float v[TABLEAU_ROWS], m[TABLEAU_ROWS], x[TABLEAU_ROWS], room[TABLEAU_ROWS];
    struct turned turned = {t->V,    t->pitch, v,       m,     x,         room,    t->t,
                            t->back, t->schur, t->pull, least, t->change, t->which};

    for (int k = 0; k < TABLEAU_ROWS; k++) {
        int64_t i = t->priced[k];
        int follows = i >= 0 && !fresh[k] && t->turn.leaves >= 0;

        v[k] = follows ? (float)t->turn.entering[i] : 0;
        m[k] = follows ? (float)(-t->turn.room * t->turn.leaving[i]) : 0;
        x[k] = i >= 0 ? (float)t->x[i] : INFINITY;
        room[k] = i >= 0 ? (float)t->M[i + i * t->inside] : 1;
    }
    kernels_best()->turn_and_price(t->width, TABLEAU_ROWS, &turned);
    if (t->turn.leaves >= 0) {
        mend_left(t, &turned, fresh);
    }
}

void tableau_price(struct tableau *t, const unsigned char *stays, float least) {
    unsigned char fresh[TABLEAU_ROWS];
    int64_t rows[TABLEAU_ROWS];
    int count = choose_rows(t, stays, rows);

    place_rows(t, count, rows, fresh);
    combine(t, fresh);
    if (t->turn.leaves >= 0) {
        follow_turn(t);
    }
    price_rows(t, fresh, least);
    t->turn.leaves = -1;
}

int64_t tableau_row(const struct tableau *t, int64_t c) {
    return t->priced[(int)t->which[c]];
}

/* ---- an exchange ------------------------------------------------------------------------------------------------- */

/* v = M H_Ic; returns what is left of column c, of which the single-precision value has drifted by less than half. */
static double enter(struct tableau *t, int64_t c, double *v) {
    int64_t k = t->inside;

    for (int64_t i = 0; i < k; i++) {
        t->product[i] = t->H[t->row[i] * t->ld + c];
    }
    dense_dot_columns(k, k, t->M, k, t->product, v);
    return fmax(1 - vector_dot(k, t->product, v), 0.5 * (double)t->schur[c]);
}

/* Keep the row that leaves, whose place among the priced rows becomes free. */
static void keep_row(struct tableau *t, int64_t j) {
    int at = place_of(j, TABLEAU_ROWS, t->priced);

    memcpy(t->back, t->V + at * t->pitch, (size_t)t->width * sizeof *t->back);
    t->priced[at] = -1;
}

/* The formulas are those of swap_turn; schur, pull and V are updated with the next prices. */
void tableau_turn(struct tableau *t, int64_t j, int64_t c, int64_t row) {
    struct tableau_exchange *turn = &t->turn;
    int64_t k = t->inside;
    double *v = turn->entering, *m = turn->leaving, inverse = 1 / enter(t, c, v), pull = t->pull[c];
    double step = pull * inverse, vj = v[j], room, x;

    keep_row(t, j);
    for (int64_t i = 0; i < k; i++) {
        m[i] = t->M[i + j * k] + inverse * vj * v[i];
    }
    room = m[j];
    x = t->x[j] - step * vj;
    kernels_best()->rank_two(k, k, inverse, v, v, -1 / room, m, m, t->M, k);
    vector_axpy(k, -step, v, t->x);
    vector_axpy(k, -x / room, m, t->x);
    t->value += 0.5 * (x * x / room - step * step / inverse);
    for (int64_t i = 0; i < k; i++) {
        t->M[j + i * k] = t->M[i + j * k] = inverse * (vj * m[i] / room - v[i]);
    }
    t->M[j + j * k] = inverse - vj * inverse * (vj * inverse) / room;
    t->x[j] = step + x * vj * inverse / room;
    vector_scale(k, -1 / room, m);
    *turn = (struct tableau_exchange){c, t->in[j], t->row[j], inverse, pull, vj, room, x, v, m};
    t->in[j] = c;
    t->row[j] = row;
}
