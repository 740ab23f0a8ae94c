/* The verdict: every word of it, what makes it, and that the sentence fits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spgm/spgm.h"
#include "woken.h"

static void expect(spgm_outcome outcome, int64_t starts, int64_t agreeing, double spread, spgm_certainty certainty,
                   const char *sentence) {
    spgm_info info = {.outcome = outcome, .restarts = starts, .agreeing = agreeing, .spread = spread};
    char text[160];

    assert_int_equal(spgm_info_verdict(&info, text, sizeof text), certainty);
    assert_int_equal(spgm_info_verdict(&info, NULL, 0), certainty);
    assert_string_equal(text, sentence);
    assert_true(strncmp(text, spgm_certainty_name(certainty), strlen(spgm_certainty_name(certainty))) == 0);
    assert_true(strlen(text) < sizeof text - 1);
}

static void every_verdict_says_what_was_seen(void **state) {
    (void)state;
    expect(SPGM_OPTIMAL, 5, 1, 0.2, SPGM_PROVEN, "proven optimal: no model of this size has a lower F");
    expect(SPGM_SEARCHED, 46, 3, 0.2, SPGM_STABLE, "stable: 3 of 46 starts ended here");
    expect(SPGM_SEARCHED, 46, 3, 1.0, SPGM_STABLE, "stable: 3 of 46 starts ended here");
    expect(SPGM_SEARCHED, 48, 12, 1.2, SPGM_STABLE,
           "stable: 12 of 48 starts ended here"); /* wide, but a quarter agrees */
    expect(SPGM_SEARCHED, 48, 11, 1.2, SPGM_UNSTABLE,
           "unstable: 48 starts, 11 ended here, the worst 120 % above: raise the effort, or look at stability");
    expect(SPGM_SEARCHED, 8, 2, 1.2, SPGM_UNSTABLE,
           "unstable: 8 starts, two ended here, the worst 120 % above: raise the effort, or look at stability");
    expect(SPGM_LOCAL_OPTIMUM, 2, 2, 0, SPGM_STABLE, "stable: 2 of 2 starts ended here");
    expect(SPGM_SEARCHED, 9, 1, 0.0005, SPGM_STABLE, "stable: 9 starts ended within 0.05 % of this F");
    expect(SPGM_SEARCHED, 46, 1, 0.031, SPGM_UNSTABLE,
           "unstable: 46 starts, one ended here, the worst 3.1 % above: raise the effort, or look at stability");
    expect(SPGM_LOCAL_OPTIMUM, 46, 2, 0.031, SPGM_UNSTABLE,
           "unstable: 46 starts, two ended here, the worst 3.1 % above: raise the effort, or look at stability");
    expect(SPGM_SEARCHED, 46, 0, 0.031, SPGM_UNSTABLE,
           "unstable: 46 starts, none ended here, the worst 3.1 % above: raise the effort, or look at stability");
    expect(SPGM_TIME_LIMIT, 46, 40, 0, SPGM_UNFINISHED,
           "unfinished: the time limit was reached; the best so far may be far from the best there is");
    expect(SPGM_CONVERGED, 0, 0, 0, SPGM_UNKNOWN,
           "unknown: there was one start and none to compare it with; method auto tries several");
    assert_string_equal(spgm_certainty_name(SPGM_CERTAINTY_COUNT), "unknown");
}

/* Pure noise and many columns: no start need find what another found, and the counts must not depend on threads. */
static void counts_are_those_of_any_number_of_threads(void **state) {
    enum { ROWS = 30, COLUMNS = 130 }; /* more than one block of columns */
    static double A[ROWS * COLUMNS], b[ROWS], x[COLUMNS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = spgm_options_new();
    spgm_info first = {0}, info = {0};
    unsigned seed = 1;
    long long before;

    (void)state;
    wake_always = 1;
    assert_non_null(options);
    for (int i = 0; i < ROWS * COLUMNS + ROWS; i++) {
        seed = seed * 1664525u + 1013904223u;
        *(i < ROWS ? &b[i] : &A[i - ROWS]) = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
    spgm_options_set(options, "threads", "1", NULL);
    assert_int_equal(spgm_solve(&matrix, b, 6, options, x, NULL, &first, NULL), SPGM_OK);
    before = wakes;
    spgm_options_set(options, "threads", "3", NULL);
    assert_int_equal(spgm_solve(&matrix, b, 6, options, x, NULL, &info, NULL), SPGM_OK);
    wake_always = 0;
    assert_true(wakes > before);
    assert_true(first.restarts > 1);
    assert_true(first.agreeing >= 0 && first.agreeing <= first.restarts);
    assert_int_equal(info.restarts, first.restarts);
    assert_int_equal(info.agreeing, first.agreeing);
    assert_true(info.spread == first.spread);
    spgm_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_says_what_was_seen),
        cmocka_unit_test(counts_are_those_of_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
