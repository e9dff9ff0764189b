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

/*
 * Whether the program of the plan needs no build, and the configuration wants it to be ready; or
 * with `for_cell`, whether an interpreter stays in sessions of its language.
 */
bool ready_program_is_possible(const struct plan *plan, bool for_cell);

/*
 * Starts the interpreter in an instance that was made for the plan, for its program or for a cell,
 * and waits until it is ready. -1: it cannot be, and the instance has to be removed;
 * ERROR_CANCELLED, or ERROR_ENGINE if it did not come to wait. `deadline` is a time of
 * clock_now_ms().
 */
int ready_program_make(struct instance *instance, const struct plan *plan, bool for_cell,
                       long long deadline, const struct notifier *cancel, struct error *error);

#endif
