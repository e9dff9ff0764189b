/*
 * A program that judges the tests of a request, a checker, an interactor or a grader, and its run:
 * it is packed with the program, its container is made and it is built there in a thread of its
 * own, meanwhile, and it waits until it is asked. What it says is for judge/checker.h,
 * judge/interaction.h and judge/grader.h.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "run/run_state.h"

struct judge {
    struct run run;
    struct plan plan;     /* that of its run, which borrows all of another one */
    struct result result; /* of that run */
    const char *role;     /* what messages call it: "the checker", "the interactor", "the grader" */
    pthread_t maker;      /* the thread that makes its container, and how that went */
    bool has_maker, is_started;
    int start_status;
    struct error start_error;
    struct notifier ending; /* raised when the program's run needs it no more */
    struct notifier stop;   /* raised by that, and by that run's cancel */
};

/*
 * Packs a judge of the run, which has begun and asks it `uses` times, and gives both the time that
 * the other one takes. NULL with ERROR_JUDGE or the error of its engine.
 */
struct judge *judge_new(struct run *run, const struct plan *plan, const char *role, size_t uses,
                        struct error *error);

/* Makes its container, which shares the FIFOs of `joined` unless that is NULL, and builds it. */
void judge_start(struct judge *judge, const struct instance *joined);

/* Waits until that is done. -1 with the error if it has failed. */
int judge_wait(struct judge *judge, struct error *error);

/*
 * The program's run has no more use for it: ends what it still does, such as its build, and adds
 * its warnings to the result of the program.
 */
void judge_finish(struct judge *judge, struct result *result);

/* Removes its container and frees it. -1: the container may still exist. */
int judge_free(struct judge *judge, struct error *error);

/*
 * Whatever ends the container of a judge says nothing about the program: unless the engine failed
 * or the run was cancelled, the error becomes one of the judges. Returns -1.
 */
int judge_blame(struct error *error);

#endif
