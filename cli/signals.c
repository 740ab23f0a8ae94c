/*
 * Ctrl-C once: the solver stops and its best point is written. Again: the process ends.
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
static const char *volatile unfinished;
static atomic_int asked; /* read by other threads as well */
static struct timespec asked_at;

static double seconds_since_asked(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - asked_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - asked_at.tv_nsec);
}

static void end_process(int signal_number) {
    if (unfinished) {
        unlink(unfinished);
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

void signals_watch(spgm_solver *solver, const char *temporary) {
    watched = solver;
    unfinished = temporary;
    asked = 0;
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
}

int signals_asked(void) {
    return asked;
}

void signals_release(void) {
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    watched = NULL;
    unfinished = NULL;
}
