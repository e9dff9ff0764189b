/*
 * A gated sandbox: a container that was created and started and waits at its gate (run/supervisor.h)
 * for the one request that it will serve. Then it is removed; none is ever used twice.
 *
 * What it is (image, user, network, limits, mounts) is settled when it is made; what only the
 * program sees (files, command, environment, stdin, timeout) comes with the request. So it makes no
 * difference whether it is made for a request or has waited for one.
 */
#ifndef RUN_INSTANCE_H
#define RUN_INSTANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "config/plan.h"
#include "docker/docker.h"
#include "run/collector.h"
#include "run/output_sink.h"
#include "run/owned_container.h"
#include "run/supervisor.h"

/* What a pump waits for. */
enum instance_phase {
    INSTANCE_MADE,    /* the gate waits for the request */
    INSTANCE_BEGUN,   /* the program runs */
    INSTANCE_ENDED,   /* it has ended, or has written more than it may */
    INSTANCE_STOPPED, /* it has ended */
    INSTANCE_FILES,   /* its files have come */
};

enum instance_supervisor {
    INSTANCE_SUPERVISOR_GOOD,
    INSTANCE_SUPERVISOR_SILENT,  /* it did not start; perhaps the image has no shell */
    INSTANCE_SUPERVISOR_NO_TOOLS /* it started and misses a command */
};

struct instance {
    struct owned_container container;
    char nonce[SUPERVISOR_NONCE_SIZE];
    struct spec_fingerprint fingerprint;
    long long made;        /* clock_now_ms() */
    struct process client; /* docker start, attached */
    struct supervisor_stream streams[2];
    struct strvec warnings;              /* owned; what docker said when it made it */
    enum instance_supervisor supervisor; /* why it could not be made */
    enum instance_phase phase;
    bool late; /* it did not do in time what it was told */
    struct output_sink
        *output; /* what the program writes goes there; borrowed; NULL before it runs */
    struct collector *collector; /* its files go there; borrowed; NULL: they are not asked for */
    bool collected;              /* the collector needs no more */
};

/*
 * A sandbox that does not exist on the engine yet, in use for `in_use_ms` at most. `nonce` is what its
 * marks are known by, NULL: a new one. For instance_free(), which does not remove it from the engine.
 */
struct instance *instance_new(const struct docker *docker, const struct plan *plan,
                              const char *nonce, long long in_use_ms);
void instance_free(struct instance *instance);

/* Instances of equal fingerprints are alike in every respect but their name, labels and nonce. */
struct spec_fingerprint instance_fingerprint(const struct plan *plan);

/*
 * Creates and starts it and waits till the gate is ready, till `deadline` (clock_now_ms()) at latest. On
 * failure nothing is left on the engine, or its warnings say so; sandbox->gate tells whether it is the
 * image that cannot run the gate, and the error then is what the engine said. `end` as in owned_container_remove().
 */
int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error);

/* Whether it still waits: its container has not ended. */
bool instance_waits(const struct instance *instance);

/*
 * Ends it and sees that the engine has removed it, which it does by itself as a rule; where it does not,
 * as owned_container_remove(), from which `end` is. instance_dismiss() only begins that: then the engine can end
 * several side by side.
 */
void instance_dismiss(struct instance *instance);
int instance_remove(struct instance *instance, long long end, struct error *error);

/*
 * Moves bytes till the phase has come (PROCESS_PAUSED), or something else has. `deadline` is one of
 * clock_now_ms(); `cancel` may be NULL.
 */
enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel);

/* Of a sandbox that was ready and is removed now: whether the program may have begun. */
bool instance_begun(const struct instance *instance);

/* Whether both streams are past "begin" or past "end". */
bool instance_both(const struct instance *instance, enum supervisor_state state);

#endif
