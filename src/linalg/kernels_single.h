/* Single precision: the tableau of linalg/tableau.h. A part of kernels_body.h, which includes it. */
enum { SINGLE_LANES = KERNEL_BYTES / (int)sizeof(float), ROW_VECTORS = 8, TURN_VECTORS = 2 };

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

/* `count` vectors of y, which stay in registers over all rows. */
INLINE void subtract_from(int count, int64_t k, const float *rows, int64_t ld, const int64_t *list, const float *z,
                          float *y) {
    single sum[ROW_VECTORS];
    for (int v = 0; v < count; v++)
        sum[v] = load_single(y + v * SINGLE_LANES);
    for (int64_t i = 0; i < k; i++) {
        const float *row = rows + list[i] * ld;
        float a = -z[i];
        for (int v = 0; v < count; v++)
            sum[v] += a * load_single(row + v * SINGLE_LANES);
    }
    for (int v = 0; v < count; v++)
        store_single(y + v * SINGLE_LANES, sum[v]);
}

KERNEL void subtract_rows(int64_t n, int64_t k, const float *rows, int64_t ld, const int64_t *list, const float *z,
                          float *y) {
    int64_t c = 0;
    for (; c + ROW_VECTORS * SINGLE_LANES <= n; c += ROW_VECTORS * SINGLE_LANES)
        subtract_from(ROW_VECTORS, k, rows + c, ld, list, z, y + c);
    for (; c < n; c += SINGLE_LANES)
        subtract_from(1, k, rows + c, ld, list, z, y + c);
}

/* The rows of a few vectors of columns, whose lowest ratios stay in registers. They are compared by products: no
 * division. */
INLINE void turn_columns(int64_t k, const struct turned *s, int64_t c) {
    single t[TURN_VECTORS], back[TURN_VECTORS], step[TURN_VECTORS], inverse[TURN_VECTORS];
    single top[TURN_VECTORS], bottom[TURN_VECTORS], which[TURN_VECTORS];
    for (int e = 0; e < TURN_VECTORS; e++) {
        t[e] = load_single(s->t + c + e * SINGLE_LANES);
        back[e] = load_single(s->back + c + e * SINGLE_LANES);
        step[e] = load_single(s->step + c + e * SINGLE_LANES);
        inverse[e] = load_single(s->inverse + c + e * SINGLE_LANES);
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
        store_single(s->top + c + e * SINGLE_LANES, top[e]);
        store_single(s->bottom + c + e * SINGLE_LANES, bottom[e]);
        store_single(s->which + c + e * SINGLE_LANES, which[e]);
    }
}

KERNEL void turn_and_price(int64_t n, int64_t k, const struct turned *s) {
    for (int64_t c = 0; c < n; c += TURN_VECTORS * SINGLE_LANES)
        turn_columns(k, s, c);
}
