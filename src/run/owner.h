/*
 * The labels that say whose a container is, so that one which its owner could not remove can be told from
 * one that is in use: the boot of the owner's kernel, the namespaces that numbers of processes and their
 * start times are of, the process and its start time, which together are one process and never another;
 * the host, for people; and the time at which no run of it can still be going on.
 */
#ifndef RUN_OWNER_H
#define RUN_OWNER_H

#include "base/strvec.h"

/* Adds the labels that all containers of this process have, the first four of those below. */
void owner_own_labels(struct strvec *labels);

/*
 * Adds "isolator.boot=UUID", "isolator.namespaces=INODE.INODE", "isolator.pid=N", "isolator.start=CLOCK TICKS
 * SINCE BOOT", "isolator.host=NAME" and "isolator.deadline=UNIX SECONDS", the last `lifetime_ms` from now.
 */
void owner_labels(struct strvec *labels, long long lifetime_ms);

/*
 * Adds the same labels with nothing in them, as a Dockerfile LABEL instruction: an image that is
 * committed from a container inherits its labels, and containers of that image are not ours.
 */
void owner_disown(struct strvec *instructions);

/* A label that all containers of ours have. */
extern const char owner_label[];

/* For docker ps --format: what owner_status() reads. */
extern const char owner_template[];

enum owner_status {
    OWNER_ALIVE,  /* the owner, or nobody knows; then it is in time */
    OWNER_ENDED,  /* the process that made it has ended */
    OWNER_OVERDUE /* whoever made it, elsewhere: what it was for is long over */
};

/*
 * What can be said of the owner of a container with these labels, whoever wrote them. A process can be
 * looked up only in the same boot and namespaces. For all others the deadline counts, and
 * OVERDUE_SECONDS more, since the clocks of two hosts may differ. Labels that are not of this form are
 * nobody's: OWNER_ALIVE.
 */
enum { OVERDUE_SECONDS = 300 };
enum owner_status owner_status(const char *labels, long long now);

#endif
