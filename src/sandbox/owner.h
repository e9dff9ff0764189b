/*
 * The labels that say whose a container is, so that one which its owner could not remove can be
 * told from one that is in use: host, boot, process and its start time, and the time at which no
 * run of it can still be going on.
 */
#ifndef SANDBOX_OWNER_H
#define SANDBOX_OWNER_H

#include "base/strvec.h"

/* Adds the labels that all containers of this process have, the first four of those below. */
void owner_own_labels(struct strvec *labels);

/*
 * Adds "isolator.host=NAME", "isolator.boot=UUID", "isolator.pid=N", "isolator.start=CLOCK TICKS
 * SINCE BOOT" and "isolator.deadline=UNIX SECONDS", the last `lifetime_ms` from now.
 */
void owner_labels(struct strvec *labels, long long lifetime_ms);

/*
 * Adds the same labels with nothing in them, as a Dockerfile LABEL instruction: an image that is
 * committed from a container inherits its labels, and containers of that image are not ours.
 */
void owner_disown(struct strvec *instructions);

#endif
