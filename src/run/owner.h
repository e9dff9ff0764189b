/*
 * The labels that say whose a container is, so that one which its owner could not remove can be told from
 * one that is in use: the boot of the owner's kernel, the namespaces that numbers of processes and their
 * start times are of, the process and its start time, which together are one process and never another;
 * the host, for people; and the time at which no run of it can still be going on.
 */
#ifndef RUN_OWNER_H
#define RUN_OWNER_H

#include "base/strvec.h"

/* The labels, and their keys: "isolator.boot", "isolator.namespaces"... */
enum owner_label {
    OWNER_BOOT,
    OWNER_NAMESPACES,
    OWNER_PID,
    OWNER_START,
    OWNER_HOST,
    OWNER_DEADLINE,
    OWNER_LABELS
};
extern const char *const owner_keys[OWNER_LABELS];

/* Adds the labels that all containers of this process have, the first four. */
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

enum owner_status {
    OWNER_ALIVE,  /* the owner, or nobody knows; then it is in time */
    OWNER_ENDED,  /* the process that made it has ended */
    OWNER_OVERDUE /* whoever made it, elsewhere: what it was for is long over */
};

/*
 * Whether the owner of a container is alive, by the values of its labels in the order of owner_keys,
 * whoever wrote them. A process can be looked up only in the same boot and namespaces. For all others
 * the deadline counts, and OVERDUE_SECONDS more, since the clocks of two hosts may differ. Labels that
 * are not of the form that owner_labels() gives them are nobody's: OWNER_ALIVE.
 */
enum { OVERDUE_SECONDS = 300 };
enum owner_status owner_status(const struct strvec *values, long long now);

#endif
