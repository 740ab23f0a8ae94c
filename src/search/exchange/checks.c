#include <math.h>

#include "search/constants.h"
#include "search/exchange.h"

int64_t checks_done(const struct checks *checks, const struct run *run) {
    return isless(run->best_objective, checks->of) ? 0 : checks->done;
}

int64_t checks_next(const struct checks *checks, const struct run *run) {
    int64_t units = run->problem->set.units, done = checks_done(checks, run);
    int64_t next = done > 0 ? VERIFY_GROWTH * done : checks->first;

    return next < units ? next : units;
}

double checks_work(const struct checks *checks, const struct run *run, const struct exchange *search) {
    return exchange_verify_work(search, checks_done(checks, run), checks_next(checks, run));
}

int checks_go_on(struct checks *checks, struct run *run, struct exchange *search) {
    int64_t next = checks_next(checks, run);
    double spent = run->spent;
    int verdict = exchange_verify(search, checks_done(checks, run), next);

    checks->spent += run->spent - spent;
    checks->done = verdict > 0 ? next : 0;
    checks->of = run->best_objective;
    return verdict;
}
