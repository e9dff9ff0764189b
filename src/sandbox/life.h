/*
 * The life of one sandbox: created, given its files, run, ended, removed. There are two.
 *
 * The gated life runs everything below the gate (sandbox/gate.h). Files, command, environment and
 * stdin travel over the attached stdin; the result is complete when both end marks are in; the
 * container cannot outlive this process.
 *
 * The plain life serves images without a shell: create, cp, start, inspect. It promises less, and
 * says so in the warnings: the files lie in a volume that the program cannot write to, the timeout
 * counts from the start of the container, environment values are visible in `docker inspect` while
 * it runs, and a container whose owner is killed stays behind.
 *
 * Both fill in the same result. Whatever happens, the container is removed before they return.
 */
#ifndef SANDBOX_LIFE_H
#define SANDBOX_LIFE_H

#include "base/archive.h"
#include "base/cancel.h"
#include "base/error.h"
#include "docker/container.h"
#include "docker/docker.h"
#include "sandbox/gate.h"
#include "sandbox/output.h"
#include "sandbox/request.h"
#include "sandbox/result.h"

enum { LIFE_NAME_SIZE = 32 };

struct life {
    const struct docker *docker;
    const struct plan *plan;
    const struct cancel *cancel;   /* or NULL */
    const struct archive *control; /* see gate_control() */
    const struct archive *files;   /* finished */
    struct output *output;
    struct result *result;
    char name[LIFE_NAME_SIZE]; /* of the container */
    char nonce[GATE_NONCE_SIZE];
    struct strvec labels;
    long long start; /* clock_now_ms() */
};

enum life_gate {
    LIFE_GATE_GOOD,
    LIFE_GATE_SILENT,  /* it did not start; perhaps the image has no shell */
    LIFE_GATE_NO_TOOLS /* it started and misses a command */
};

/*
 * 0: the program ran, and the result says how it ended, also where we ended it. -1: it did not, or
 * what became of it is not known. *gate tells whether nothing of the program has run since the image
 * seems unable to run the gate; the error then is what the engine said about it.
 */
int life_gated(struct life *life, enum life_gate *gate, struct error *error);

/*
 * `doubt` is why the gate did not start, where that may have another reason than a missing shell: if
 * the image has one, it is the error, and nothing is run. NULL where there is no doubt.
 */
int life_plain(struct life *life, const struct error *doubt, struct error *error);

/* For both lives, in life.c. */

/* Latest time for the container to be up, and for its removal: whatever hangs, we end. */
long long life_setup_deadline(const struct life *life);

/* The part of the spec that both lives share. */
struct container_spec life_spec(const struct life *life);

/* Creates the container; where it cannot, makes sure that none is left. */
int life_create(struct life *life, const struct container_spec *spec, struct error *error);

/*
 * Fills in how the program ended, by its exit status; oom_killed is false where nothing is known.
 */
void life_exited(struct life *life, int status, bool oom_killed);

/* Fills in that we ended the program. `reason` is one of timeout, output-limit, cancelled. */
void life_ended(struct life *life, enum reason reason);

/*
 * Removes the container; a failure becomes a warning of the result, and false. `drain` as in
 * container_remove().
 */
bool life_remove(struct life *life, struct process *drain);

/* Sets an ERROR_CANCELLED. Returns -1. */
int life_cancelled(struct error *error);

#endif
