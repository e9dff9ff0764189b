/*
 * Programs that are ready: the interpreter of an instance that waits for a request is started
 * before that comes, up to the point where it looks for the program's file, or for the first cell
 * of a session. A request whose command, environment and limits are those of the plan continues it;
 * any other one starts a program as always ("Ready programs" in supervisor/protocol.h). The program
 * notices nothing.
 */
#ifndef RUN_READY_PROGRAM_H
#define RUN_READY_PROGRAM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "container/instance.h"
#include "request/plan.h"

/* The kind of request that a ready interpreter serves. */
enum ready_use {
    READY_FOR_PROGRAM,
    READY_FOR_CELL,
    READY_FOR_TESTS,
    READY_FOR_LINES, /* of a batch that share a container (run/sharing.h) */
    READY_USES
};

/*
 * Whether there can be one: the configuration wants it, and the program of the plan needs no build,
 * or for a cell, an interpreter stays in sessions of its language. For tests and lines, it has to
 * be Python. There have to be enough tests, without arguments or variables of their own, and their
 * interpreter imports nothing in advance: no one has agreed that their modules are forked. If they
 * call a function, the interpreter has loaded the driver for that.
 */
bool ready_program_is_possible(const struct plan *plan, enum ready_use use);

/*
 * Starts the interpreter in an instance that was made for the plan, and waits until it is ready.
 * For tests, its working directory is laid out again before that (FRAME_RESTORE), and programs with
 * `fork` may be forks of it, as they may for lines. -1: it cannot be; ERROR_CANCELLED, or
 * ERROR_ENGINE if it did not come to wait. Then an instance of the pool has to be removed.
 * `deadline` is a time of clock_now_ms().
 */
int ready_program_make(struct instance *instance, const struct plan *plan, enum ready_use use,
                       long long deadline, const struct notifier *cancel, struct error *error);

#endif
