/*
 * Ctrl-C once: the solver stops and its best point is written. Again, or where there is no solver: the process ends,
 * and files that are not whole are removed.
 *
 * timeout(1) and some terminals send the same signal twice within a moment, to the process and to its group. That is a
 * single request, so a second signal counts only after a short while.
 */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static spgm_solver *volatile watched;
static volatile int is_watching;
enum { MOST_UNFINISHED = 16 };
static const char *volatile unfinished[MOST_UNFINISHED]; /* NULL: a place that is free */
static atomic_int asked;                                 /* read by other threads as well */
static struct timespec asked_at;

static double seconds_since_asked(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - asked_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - asked_at.tv_nsec);
}

static void end_process(int signal_number) {
    for (int i = 0; i < MOST_UNFINISHED; i++) {
        if (unfinished[i]) {
            unlink(unfinished[i]);
        }
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_signal(int signal_number) {
    int before = errno;
    if (asked && seconds_since_asked() > 0.2) {
        end_process(signal_number);
    }
    if (!asked) {
        clock_gettime(CLOCK_MONOTONIC, &asked_at);
        asked = 1;
        if (watched) {
            spgm_solver_interrupt(watched);
        }
    }
    errno = before;
}

/* A signal that was ignored when we were started (nohup, a background job) stays ignored. */
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction action, before;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal_number, &action, NULL);
    }
}

static void install(void) {
    int count = 0;
    for (int i = 0; i < MOST_UNFINISHED; i++) {
        count += unfinished[i] != NULL;
    }
    handle(SIGINT, is_watching ? on_signal : count > 0 ? end_process : SIG_DFL);
    handle(SIGTERM, is_watching ? on_signal : count > 0 ? end_process : SIG_DFL);
}

void signals_watch(spgm_solver *solver) {
    watched = solver;
    is_watching = 1;
    asked = 0;
    install();
}

int signals_asked(void) {
    return asked;
}

void signals_release(void) {
    is_watching = 0;
    watched = NULL;
    install();
}

void signals_guard(const char *temporary) {
    for (int i = 0; temporary && i < MOST_UNFINISHED; i++) {
        if (!unfinished[i]) {
            unfinished[i] = temporary;
            break;
        }
    }
    install();
}

void signals_unguard(const char *temporary) {
    for (int i = 0; temporary && i < MOST_UNFINISHED; i++) {
        unfinished[i] = unfinished[i] == temporary ? NULL : unfinished[i];
    }
    install();
}
