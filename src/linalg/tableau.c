#include "linalg/tableau.h"

#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "linalg/vector.h"

enum { COLUMN_BLOCK = 128 }; /* of which the rows of H stay in the first cache while V is formed */

static float *singles(struct workspace *w, int64_t count) {
    return workspace_array(w, count, sizeof(float));
}

static int64_t rounded(int64_t count) {
    return (count + SINGLES - 1) / SINGLES * SINGLES;
}

void tableau_take(struct tableau *t, int64_t inside, int64_t columns, struct workspace *w) {
    int64_t width = rounded(columns);

    t->pitch = width + SINGLES; /* rows a power of two apart would share the places of a cache */
    t->in = workspace_integers(w, inside);
    t->row = workspace_integers(w, inside);
    t->M = workspace_doubles(w, inside * inside);
    t->x = workspace_doubles(w, inside);
    t->entering = workspace_doubles(w, inside);
    t->leaving = workspace_doubles(w, inside);
    t->V = singles(w, inside * t->pitch);
    t->schur = singles(w, width);
    t->pull = singles(w, width);
    t->step = singles(w, width);
    t->inverse = singles(w, width);
    t->top = singles(w, width);
    t->bottom = singles(w, width);
    t->which = singles(w, width);
    t->t = singles(w, width);
    t->back = singles(w, width);
    t->v = singles(w, inside);
    t->m = singles(w, inside);
    t->price_x = singles(w, inside);
    t->room = singles(w, inside);
}

/* V = M H_I, a block of columns at a time; and schur = 1 - sum_i H_i V_i. */
static void form(struct tableau *t) {
    int64_t k = t->inside;

    for (int64_t c = 0; c < t->width; c += COLUMN_BLOCK) {
        int64_t count = t->width - c < COLUMN_BLOCK ? t->width - c : COLUMN_BLOCK;

        for (int64_t i = 0; i < k; i++) {
            float *V = t->V + i * t->pitch + c;

            for (int64_t j = 0; j < k; j++) {
                t->v[j] = (float)-t->M[j + i * k];
            }
            memset(V, 0, (size_t)count * sizeof *V);
            kernels_best()->subtract_rows(count, k, t->H + c, t->ld, t->row, t->v, V);
            for (int64_t e = 0; e < count; e++) {
                t->schur[c + e] -= t->H[t->row[i] * t->ld + c + e] * V[e];
            }
        }
    }
}

/* Nothing is left of a column that is in, and nothing pulls it. */
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
        t->v[i] = t->m[i] = 0;
    }
    t->value = 0;
    t->out = -1;
}

/* The column that has left, which the sweep took for another one: V is known, and so is its price. */
static void mend_left(struct tableau *t) {
    int64_t c = t->out;

    t->top[c] = 1;
    t->bottom[c] = 0;
    for (int64_t i = 0; i < t->inside; i++) {
        float v = (float)t->leaving[i], left = t->price_x[i] - t->step[c] * v;
        float over = left * left, under = t->room[i] + t->inverse[c] * (v * v);

        t->V[i * t->pitch + c] = v;
        if (over * t->bottom[c] < t->top[c] * under) {
            t->top[c] = over;
            t->bottom[c] = under;
            t->which[c] = (float)i;
        }
    }
}

void tableau_price(struct tableau *t, const unsigned char *stays) {
    struct turned turned = {t->V,    t->pitch, t->v,       t->m,   t->price_x, t->room, t->t,
                            t->back, t->step,  t->inverse, t->top, t->bottom,  t->which};

    for (int64_t i = 0; i < t->inside; i++) {
        t->price_x[i] = stays[i] ? INFINITY : (float)t->x[i];
        t->room[i] = (float)t->M[i + i * t->inside];
    }
    for (int64_t c = 0; c < t->width; c++) {
        t->inverse[c] = 1 / t->schur[c];
        t->step[c] = t->pull[c] * t->inverse[c];
    }
    kernels_best()->turn_and_price(t->width, t->inside, &turned);
    if (t->out >= 0) {
        mend_left(t);
    }
    t->out = -1;
    memset(t->v, 0, (size_t)t->inside * sizeof *t->v);
    memset(t->m, 0, (size_t)t->inside * sizeof *t->m);
}

double tableau_change(const struct tableau *t, int64_t c) {
    return 0.5 * ((double)t->top[c] / (double)t->bottom[c] - (double)t->pull[c] * (double)t->step[c]);
}

/* t and back of linalg/swap.c, with the schur complements and pulls after the exchange. */
static void turn_columns(struct tableau *t, int64_t j, int64_t c, const float *products, double room, double x) {
    const float *row = t->V + j * t->pitch, vj = row[c];
    float inverse = 1 / t->schur[c], pull = t->pull[c], part = (float)(1 / room), whole = (float)room, xf = (float)x;

    memcpy(t->t, products, (size_t)t->width * sizeof *t->t);
    t->t[c] = 1;
    kernels_best()->subtract_rows(t->width, t->inside, t->H, t->ld, t->row, t->v, t->t);
    for (int64_t e = 0; e < t->width; e++) {
        float left = t->t[e], along = left * inverse, back = (row[e] - vj * along) * part;

        t->t[e] = along;
        t->back[e] = back;
        t->schur[e] += back * back * whole - left * along;
        t->pull[e] += xf * back - pull * along;
    }
}

/* The formulas are those of swap_turn; V follows with the next prices. */
void tableau_turn(struct tableau *t, int64_t j, int64_t c, int64_t row) {
    int64_t k = t->inside;
    double *v = t->entering, *m = t->leaving, inverse = 1 / (double)t->schur[c], pull = t->pull[c];
    double step = pull * inverse, vj = t->V[j * t->pitch + c], room, x;

    for (int64_t i = 0; i < k; i++) {
        v[i] = t->V[i * t->pitch + c];
        t->v[i] = (float)v[i];
        m[i] = t->M[i + j * k] + inverse * vj * v[i];
    }
    room = m[j];
    x = t->x[j] - step * vj;
    turn_columns(t, j, c, t->H + row * t->ld, room, x);
    kernels_best()->rank_two(k, k, inverse, v, v, -1 / room, m, m, t->M, k);
    vector_axpy(k, -step, v, t->x);
    vector_axpy(k, -x / room, m, t->x);
    t->value += 0.5 * (x * x / room - step * step / inverse);
    for (int64_t i = 0; i < k; i++) {
        t->M[j + i * k] = t->M[i + j * k] = inverse * (vj * m[i] / room - v[i]);
        t->m[i] = (float)m[i];
    }
    t->M[j + j * k] = inverse - vj * inverse * (vj * inverse) / room;
    t->x[j] = step + x * vj * inverse / room;
    /* row j is c's from here on: t + vj back / schur */
    memset(t->V + j * t->pitch, 0, (size_t)t->width * sizeof *t->V);
    t->v[j] = -1;
    t->m[j] = (float)(-vj * inverse);
    m[j] = -vj * inverse;
    vector_scale(k, -1 / room, m);
    t->out = t->in[j];
    t->in[j] = c;
    t->row[j] = row;
    t->schur[t->out] = (float)(1 / room);
    t->pull[t->out] = (float)(x / room);
    shut(t, c);
}
