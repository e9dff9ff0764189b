/*
 * A gated sandbox: a container that was created and started and waits at its gate (sandbox/gate.h)
 * for the one request that it will serve. Then it is removed; none is ever used twice.
 *
 * What it is (image, user, network, limits, mounts) is settled when it is made; what only the
 * program sees (files, command, environment, stdin, timeout) comes with the request. So it makes no
 * difference whether it is made for a request or has waited for one.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/process.h"
#include "docker/docker.h"
#include "sandbox/box.h"
#include "sandbox/collector.h"
#include "sandbox/gate.h"
#include "sandbox/output.h"
#include "sandbox/request.h"

/* What a pump waits for. */
enum sandbox_phase {
    SANDBOX_MADE,    /* the gate waits for the request */
    SANDBOX_BEGUN,   /* the program runs */
    SANDBOX_ENDED,   /* it has ended, or has written more than it may */
    SANDBOX_STOPPED, /* it has ended */
    SANDBOX_FILES,   /* its files have come */
};

enum sandbox_gate {
    SANDBOX_GATE_GOOD,
    SANDBOX_GATE_SILENT,  /* it did not start; perhaps the image has no shell */
    SANDBOX_GATE_NO_TOOLS /* it started and misses a command */
};

struct sandbox {
    struct box box;
    char nonce[GATE_NONCE_SIZE];
    char *kind;            /* owned; see sandbox_kind() */
    long long made;        /* clock_now_ms() */
    struct process client; /* docker start, attached */
    struct gate_stream streams[2];
    struct strvec warnings; /* owned; what docker said when it made it */
    enum sandbox_gate gate; /* why it could not be made */
    enum sandbox_phase phase;
    bool late;             /* it did not do in time what it was told */
    struct output *output; /* what the program writes goes there; borrowed; NULL before it runs */
    struct collector *collector; /* its files go there; borrowed; NULL: they are not asked for */
    bool collected;              /* the collector needs no more */
};

/*
 * A sandbox that does not exist on the engine yet, in use for `in_use_ms` at most. `nonce` is what its
 * marks are known by, NULL: a new one. For sandbox_free(), which does not remove it from the engine.
 */
struct sandbox *sandbox_new(const struct docker *docker, const struct plan *plan, const char *nonce,
                            long long in_use_ms);
void sandbox_free(struct sandbox *sandbox);

/*
 * All that the engine is told about a sandbox for the plan but its name, labels and nonce: sandboxes
 * of equal text are alike in every respect. Owned by the caller.
 */
char *sandbox_kind(const struct plan *plan);

/*
 * Creates and starts it and waits till the gate is ready, till `deadline` (clock_now_ms()) at latest. On
 * failure nothing is left on the engine, or its warnings say so; sandbox->gate tells whether it is the
 * image that cannot run the gate, and the error then is what the engine said. `end` as in box_remove().
 */
int sandbox_make(struct sandbox *sandbox, const struct plan *plan, long long deadline,
                 long long end, const struct cancel *cancel, struct error *error);

/* Whether it still waits: its container has not ended. */
bool sandbox_waits(const struct sandbox *sandbox);

/*
 * Ends it and sees that the engine has removed it, which it does by itself as a rule; where it does not,
 * as box_remove(), from which `end` is. sandbox_dismiss() only begins that: then the engine can end
 * several side by side.
 */
void sandbox_dismiss(struct sandbox *sandbox);
int sandbox_remove(struct sandbox *sandbox, long long end, struct error *error);

/*
 * Moves bytes till the phase has come (PROCESS_PAUSED), or something else has. `deadline` is one of
 * clock_now_ms(); `cancel` may be NULL.
 */
enum process_event sandbox_pump(struct sandbox *sandbox, enum sandbox_phase phase,
                                long long deadline, const struct cancel *cancel);

/* Of a sandbox that was ready and is removed now: whether the program may have begun. */
bool sandbox_begun(const struct sandbox *sandbox);

/* Whether both streams are past "begin" or past "end". */
bool sandbox_both(const struct sandbox *sandbox, enum gate_state state);

#endif
