/*
 * How the engine's time is divided: the one place that says how long each step may wait for the
 * engine.
 *
 * `engine_timeout` (the configuration's engineTimeoutSeconds) is how long the engine may take for
 * one run, in addition to the program. Every part is a percentage of it. A part bounds one step, so
 * a step that hangs leaves time for those that follow. T is the timeout of the program. If several
 * run one after the other, it is the sum of their timeouts, and a RESTORE for each of them.
 *
 *     start of the run
 *       |  SETUP 60, and the timeout (a minute of it at most): create, start, send the files
 *       |    after SILENCE 30 without a sign of it QUESTION 20 for the question whether the engine
 * is |    there; if that has no answer, and ANSWER 30 later there is no sign yet, the run ends | in
 * a warm container: WARM_START 30, to change its limits and send the files, which may |    take
 * longer while some are taken; and if that fails WARM_REMOVE 20 to remove it; |    the rest of
 * SETUP is for a new container; WARM_REMOVE also if the image's shell turns |    out not to work
 *     the program runs: T at most
 *       |  RESTORE 60: before each of several programs the container is emptied and the files are
 *       |    laid out again. As long for the copy of the files, which is made before the first one;
 *       |    after a build SETUP once more, to lower the limits
 *       |  STOP 14: a program that is ended reports its figures
 *       |  FILES 30: its artifacts are read, and as long again while bytes arrive, until the end of
 *       |    the run at the latest
 *       |  EXIT 10: the container ends and removes itself
 *       |  REMOVE 80: otherwise it is removed by force, until the end of the run at the latest,
 *       |    except REMOVE_MIN 20 however late it is
 *     end of the run: T and TOTAL 95 after its start; saving an image (IMAGE) is not part of it
 *
 * So whichever step hangs, the parts fit: SETUP + STOP + REMOVE_MIN is 94 and STOP + FILES + EXIT +
 * REMOVE_MIN is 74, both less than TOTAL.
 */
#ifndef DOCKER_BUDGET_H
#define DOCKER_BUDGET_H

#include "docker/docker.h"

enum budget_part {
    /* Parts of a run, in the order of the drawing above. */
    BUDGET_SETUP,
    BUDGET_SILENCE,
    BUDGET_QUESTION,
    BUDGET_ANSWER,
    BUDGET_WARM_START,
    BUDGET_WARM_REMOVE,
    BUDGET_RESTORE,
    BUDGET_STOP,
    BUDGET_FILES,
    BUDGET_EXIT,
    BUDGET_REMOVE,
    BUDGET_REMOVE_MIN,
    BUDGET_TOTAL,
    /* Parts of a creation that fails: its time after a cancel, and its removal. */
    BUDGET_CANCELLED_CREATE,
    BUDGET_DISCARD,
    /* Other commands. */
    BUDGET_INSPECT,   /* the exit status of a step of a preparation */
    BUDGET_QUERY,     /* a question: its version, its images, its containers */
    BUDGET_ENDPOINT,  /* a question that the docker command answers by itself */
    BUDGET_WARM_WAIT, /* until a warm container is ready; not urgent */
    BUDGET_GC,        /* one pass over the containers of a process that has ended */
    BUDGET_IMAGE,     /* create, save, tag or remove an image: seconds for a large one */
    BUDGET_ALL_GONE,  /* until the containers of many runs are gone */
    BUDGET_LIFETIME   /* no run, with its image saved, still uses its container after that */
};

/* The part, in ms. */
long long budget_ms(const struct docker *docker, enum budget_part part);

/* The part from now on: clock_now_ms() + budget_ms(). */
long long budget_deadline(const struct docker *docker, enum budget_part part);

#endif
