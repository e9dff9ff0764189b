/*
 * An instance: a container that was created and started, and whose supervisor (run/supervisor.h)
 * waits for the one request that the instance will serve. Then it is removed; no instance is used
 * twice.
 *
 * Image, user, network, limits and mounts are settled when the instance is made. What only the
 * program sees (files, command, environment, stdin, timeout) comes with the request. So an instance
 * that was made for a request and one that has waited for it are the same.
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

/* What instance_pump() waits for. */
enum instance_phase {
    INSTANCE_MADE,    /* the supervisor waits for the request */
    INSTANCE_BEGUN,   /* the program runs */
    INSTANCE_ENDED,   /* it has ended, or has written more than it may */
    INSTANCE_STOPPED, /* it has ended */
    INSTANCE_FILES    /* its files have arrived */
};

enum instance_supervisor {
    INSTANCE_SUPERVISOR_GOOD,
    INSTANCE_SUPERVISOR_SILENT,  /* it did not start; perhaps the image has no shell */
    INSTANCE_SUPERVISOR_NO_TOOLS /* it started, and the image lacks a command that it needs */
};

struct instance {
    struct owned_container container;
    char nonce[SUPERVISOR_NONCE_SIZE];
    struct spec_fingerprint fingerprint;
    long long made;        /* clock_now_ms() */
    struct process client; /* docker start, attached */
    struct supervisor_stream streams[2];
    struct strvec warnings;              /* owned; what docker printed when it made it */
    enum instance_supervisor supervisor; /* why it could not be made */
    enum instance_phase phase;
    bool late;                   /* it did not reach the phase before the deadline */
    struct output_sink *output;  /* takes the program's output; borrowed; NULL before it runs */
    struct collector *collector; /* takes its files; borrowed; NULL: they were not requested */
    bool collected;              /* the collector needs no more bytes */
};

/*
 * Returns an instance that does not exist on the engine yet and will be in use for `in_use_ms` at
 * most. Its frames carry `nonce`; NULL: a new one. The caller frees it with instance_free(), which
 * does not remove it from the engine.
 */
struct instance *instance_new(const struct docker *docker, const struct plan *plan,
                              const char *nonce, long long in_use_ms);
void instance_free(struct instance *instance);

/* Two instances with equal fingerprints differ only in their name, labels and nonce. */
struct spec_fingerprint instance_fingerprint(const struct plan *plan);

/*
 * Creates and starts the instance and waits until its supervisor is ready, until `deadline`
 * (clock_now_ms()) at the latest. -1: it is removed from the engine, or a warning of the instance
 * says that this failed too. If the image cannot run the supervisor, instance->supervisor says so,
 * and the error is the engine's message. `end` as in owned_container_remove().
 */
int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error);

/* Whether the container of an instance that was made has not ended. */
bool instance_waits(const struct instance *instance);

/* Asks the instance to end, so that the engine can end several at the same time. */
void instance_dismiss(struct instance *instance);

/*
 * Ends the instance and waits until the engine has removed it, which it normally does by itself. If
 * it does not, removes it like owned_container_remove(), which also explains `end` and the error.
 */
int instance_remove(struct instance *instance, long long end, struct error *error);

/*
 * Moves bytes between isolator and the container until the phase is reached (PROCESS_PAUSED), or
 * until another event ends the wait. `deadline` is a time of clock_now_ms(); `cancel` may be NULL.
 */
enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel);

/* Whether the program of an instance that was ready, and is removed now, may have begun. */
bool instance_begun(const struct instance *instance);

/* Whether one of the streams has reached this state, and whether both have. */
bool instance_either(const struct instance *instance, enum supervisor_state state);
bool instance_both(const struct instance *instance, enum supervisor_state state);

#endif
