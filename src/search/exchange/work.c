/*
 * The work of a search in multiplications, counted from what it does and never from the clock, so that a limit on the
 * work ends a search at the same place on every machine. The count is rough: within a factor of two or three.
 */
#include "search/exchange/internal.h"

void exchange_count_fits(struct exchange *a) {
    int64_t steps = fit_steps(a->fit);
    double pivot = 2 * (double)a->rows * (double)(a->current.size + 20); /* or a step towards a fit */

    a->run->spent += pivot * (double)(steps - a->counted_steps);
    a->counted_steps = steps;
}

void exchange_count(struct exchange *a, int64_t candidates) {
    const struct linop *A = a->problem->A;
    double m = (double)a->rows, k = (double)a->current.size, mean = (double)A->nonzeros / (double)A->columns;
    int64_t seen = a->sight.count;

    a->run->spent += 2 * mean * (double)(seen > 0 ? seen : a->columns); /* prices and norms */
    a->run->spent += mean * k * (k / 2 + (double)candidates);           /* products */
    a->run->spent += 30.0 * m * TRIALS;                                 /* F along lines, a few times each */
    exchange_count_fits(a);
}

int exchange_is_spent(const struct exchange *a) {
    return a->run->spent >= a->run->allowance;
}
