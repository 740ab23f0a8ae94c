/* Single precision: the tableau of linalg/tableau.h. A part of kernels_body.h, which includes it. */
enum {
    SINGLE_LANES = KERNEL_BYTES / (int)sizeof(float),
    COMBINED = 4, /* sums at once */
    ROW_VECTORS = 8,
    WIDE_VECTORS = KERNEL_BYTES == 64 ? 4 : 2, /* with three or four sums: registers are 32 or 16 */
    TURN_VECTORS = 2
};

typedef float single __attribute__((vector_size(KERNEL_BYTES)));
typedef float single_anywhere __attribute__((vector_size(KERNEL_BYTES), aligned(sizeof(float)), may_alias));
typedef int32_t single_mask __attribute__((vector_size(KERNEL_BYTES)));

INLINE single load_single(const float *p) {
    return *(const single_anywhere *)p;
}
INLINE void store_single(float *p, single v) {
    *(single_anywhere *)p = v;
}
INLINE single choose_single(single_mask where, single v, single otherwise) {
    return (single)(((single_mask)v & where) | ((single_mask)otherwise & ~where));
}

/* `vectors` vectors of `count` sums, which stay in registers over all rows. */
INLINE void combine(int vectors, int count, int64_t k, const float *rows, int64_t ld, const int64_t *list,
                    const float *z, int64_t stride, float *const *y, int64_t c) {
    single sum[COMBINED][ROW_VECTORS];
    for (int o = 0; o < count; o++)
        for (int v = 0; v < vectors; v++)
            sum[o][v] = (single){0};
    for (int64_t i = 0; i < k; i++, z += stride) {
        const float *row = rows + list[i] * ld + c;
        for (int v = 0; v < vectors; v++) {
            single entry = load_single(row + v * SINGLE_LANES);
            for (int o = 0; o < count; o++)
                sum[o][v] += z[o] * entry;
        }
    }
    for (int o = 0; o < count; o++)
        for (int v = 0; v < vectors; v++)
            store_single(y[o] + c + v * SINGLE_LANES, sum[o][v]);
}

/* All columns, as many at once as there are registers for. */
INLINE void combine_all(int vectors, int count, int64_t n, int64_t k, const float *rows, int64_t ld,
                        const int64_t *list, const float *z, int64_t stride, float *const *y) {
    int64_t c = 0;
    for (; c + vectors * SINGLE_LANES <= n; c += vectors * SINGLE_LANES)
        combine(vectors, count, k, rows, ld, list, z, stride, y, c);
    for (; c < n; c += SINGLE_LANES)
        combine(1, count, k, rows, ld, list, z, stride, y, c);
}

KERNEL void combine_rows(int64_t n, int64_t k, int64_t count, const float *rows, int64_t ld, const int64_t *list,
                         const float *z, float *const *y) {
    for (int64_t o = 0; o < count; o += COMBINED) {
        int64_t now = least(COMBINED, count - o);
        if (now == 1)
            combine_all(ROW_VECTORS, 1, n, k, rows, ld, list, z + o, count, y + o);
        else if (now == 2)
            combine_all(ROW_VECTORS / 2, 2, n, k, rows, ld, list, z + o, count, y + o);
        else if (now == 3)
            combine_all(WIDE_VECTORS, 3, n, k, rows, ld, list, z + o, count, y + o);
        else
            combine_all(WIDE_VECTORS, COMBINED, n, k, rows, ld, list, z + o, count, y + o);
    }
}

KERNEL void turn_pulls(int64_t n, const struct pulled *p) {
    for (int64_t c = 0; c < n; c += SINGLE_LANES) {
        single left = load_single(p->t + c), along = left * p->inverse;
        single back = (load_single(p->back + c) - p->v * along) * p->part;
        single schur = load_single(p->schur + c) + (back * back * p->room - left * along);
        single pull = load_single(p->pull + c) + (p->x * back - p->enters * along);
        store_single(p->t + c, along);
        store_single(p->back + c, back);
        store_single(p->schur + c, schur);
        store_single(p->pull + c, pull);
    }
}

/* The rows of a few vectors of columns, whose lowest ratios stay in registers. They are compared by products: one
 * division for each column. */
INLINE void turn_columns(int64_t k, const struct turned *s, int64_t c) {
    single t[TURN_VECTORS], back[TURN_VECTORS], pull[TURN_VECTORS], step[TURN_VECTORS], inverse[TURN_VECTORS];
    single top[TURN_VECTORS], bottom[TURN_VECTORS], which[TURN_VECTORS], far = (single){0} + INFINITY;
    for (int e = 0; e < TURN_VECTORS; e++) {
        t[e] = load_single(s->t + c + e * SINGLE_LANES);
        back[e] = load_single(s->back + c + e * SINGLE_LANES);
        pull[e] = load_single(s->pull + c + e * SINGLE_LANES);
        inverse[e] = 1 / load_single(s->schur + c + e * SINGLE_LANES);
        step[e] = pull[e] * inverse[e];
        top[e] = (single){0} + 1.0f;
        bottom[e] = which[e] = (single){0};
    }
    const float *vs = s->v, *ms = s->m, *x = s->x, *room = s->room;
    float *V = s->V + c;
    for (int64_t i = 0; i < k; i++, V += s->ld) {
        float row = (float)i;
        for (int e = 0; e < TURN_VECTORS; e++) {
            single v = load_single(V + e * SINGLE_LANES) - vs[i] * t[e] - ms[i] * back[e];
            single left = x[i] - step[e] * v, over = left * left, under = room[i] + inverse[e] * (v * v);
            single_mask less = over * bottom[e] < top[e] * under;
            store_single(V + e * SINGLE_LANES, v);
            top[e] = choose_single(less, over, top[e]);
            bottom[e] = choose_single(less, under, bottom[e]);
            which[e] = choose_single(less, (single){0} + row, which[e]);
        }
    }
    for (int e = 0; e < TURN_VECTORS; e++) {
        single_mask enters = (inverse[e] > 0.0f) & (inverse[e] * s->least < 1.0f);
        single change = top[e] / bottom[e] - pull[e] * step[e];
        store_single(s->change + c + e * SINGLE_LANES, choose_single(enters, change, far));
        store_single(s->which + c + e * SINGLE_LANES, which[e]);
    }
}

KERNEL void turn_and_price(int64_t n, int64_t k, const struct turned *s) {
    for (int64_t c = 0; c < n; c += TURN_VECTORS * SINGLE_LANES)
        turn_columns(k, s, c);
}
