/*
 * The life of one run: a container is found or made, given the files, watched to the end of the
 * program. There are two.
 *
 * The gated life runs the program in a gated sandbox (run/instance.h). Files, command,
 * environment and stdin travel over the attached stdin; the result is complete when both end marks
 * are in; the container cannot outlive this process.
 *
 * The plain life serves images without a shell: create, cp, start, inspect. It promises less, and
 * says so in the warnings: the files lie in a volume that the program cannot write to, the timeout
 * counts from the start of the container, environment values are visible in `docker inspect` while
 * it runs, and where the owner is killed only its janitor ends it.
 *
 * Both fill in the same result.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "config/request.h"
#include "docker/container.h"
#include "docker/docker.h"
#include "run/instance.h"
#include "run/output_sink.h"
#include "run/owned_container.h"
#include "run/result.h"

struct run {
    const struct docker *docker;
    const struct plan *plan;
    const struct notifier *cancel; /* or NULL */
    const struct archive *control; /* see supervisor_control() */
    const struct archive *files;   /* finished */
    struct output_sink *output;
    struct result *result;
    long long start; /* clock_now_ms() */
};

/*
 * Runs the program in a sandbox that waits, and leaves the sandbox to be removed. It has to begin by
 * `deadline` (clock_now_ms()). 0: it ran, and the result says how it ended, also where we ended it. -1: it
 * was not heard to begin (*begun false), or what became of it is not known.
 */
int run_supervised(struct run *run, struct instance *instance, long long deadline, bool *begun,
                   struct error *error);

/*
 * The same in a container of its own, which is removed before it returns. `doubt` is why the gate did
 * not start, where that may have another reason than a missing shell: if the image has one, it is the
 * error, and nothing is run. NULL where there is no doubt.
 */
int run_unsupervised(struct run *run, const struct error *doubt, struct error *error);

/* For all that happens in a life, in life.c. */

/* Latest time for the container to be up, and for all of it to be over: whatever hangs, we end. */
long long run_setup_deadline(const struct run *run);
long long run_end(const struct run *run);

/* Names the container and its image in the result; no container, if it was not created. */
void run_name(struct run *run, const struct owned_container *container);

/*
 * Fills in how the program ended, by its exit status; oom_killed is false where nothing is known.
 */
void run_exited(struct run *run, int status, bool oom_killed);

/* Fills in how long the program ran: 1 ms at least, since 0 says that it never did. */
void run_ran(struct run *run, long long ms);

/* Whether the files that the program leaves are asked for, and may be had: where nobody ended it all. */
bool run_wants_files(const struct run *run);

/* Fills in that we ended the program. `reason` is one of timeout, output-limit, cancelled. */
void run_ended(struct run *run, enum reason reason);

/* Removes the container; a failure becomes a warning of the result. `drain`: see container_remove(). */
void run_remove(struct run *run, const struct owned_container *container,
                const struct process_drain *drain);

#endif
