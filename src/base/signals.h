/*
 * Sets up signals and standard streams at the start of a program, and remembers the signal that
 * asked the process to end. A process has these once, so this module has no handle.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"

/*
 * Repairs what the parent process may have changed. A standard stream that is closed becomes
 * /dev/null, read-only, so that writing a result there is still an error. No signal stays blocked.
 * SIGCHLD gets its default, so that children can be waited for; SIGPIPE and SIGXFSZ are ignored, so
 * that write() fails with EPIPE and EFBIG.
 */
void signals_set_up(void);

/*
 * From now on SIGINT, SIGTERM and SIGHUP raise the notifier that signals_cancel() returns. SIGHUP
 * stays ignored if it was ignored, as by nohup(1). ERROR_SYSTEM.
 */
int signals_catch(struct error *error);

/* Returns the notifier of the process, borrowed. */
const struct notifier *signals_cancel(void);

/* True from signals_catch() until signals_release(). */
bool signals_are_caught(void);

/* Returns the last signal that was caught, or 0. */
int signals_caught(void);

/*
 * Forgets SIGINT, and lowers the notifier, so that the next one is noticed again. False: no signal
 * was caught, or one that asks the process to end.
 */
bool signals_forget_interrupt(void);

/* From now on these signals end the process again. */
void signals_release(void);

#endif
