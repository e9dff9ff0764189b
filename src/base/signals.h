/*
 * What a program does about signals and its standard streams before anything else, and the one
 * thing that a process truly has once: the signal that asked it to end.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"

/*
 * Makes good what the caller may have left us: standard streams that are closed become /dev/null
 * (read-only, so that writing a result to nowhere is still an error), no signal is blocked,
 * children are waited for, and errors of write() are its result.
 */
void signals_set_up(void);

/*
 * From here on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as nohup(1) does) raise the
 * notifier that signals_cancel() returns. Fails with ERROR_SYSTEM.
 */
int signals_catch(struct error *error);

/* Borrowed; the same for all of the process. */
const struct notifier *signals_cancel(void);

/* True from signals_catch() until signals_release(). */
bool signals_are_caught(void);

/* The signal that came last, or 0. */
int signals_caught(void);

/* From here on these signals simply end the process again. */
void signals_release(void);

#endif
