/*
 * The labels of a container that identify its owner, so that an orphan can be told from a container
 * in use. The boot of the kernel, the namespaces of process numbers and of the clock, the process
 * and its start time together identify one process and no other. The host is for people. The
 * deadline is the time after which the container cannot be in use.
 */
#ifndef CONTAINER_OWNER_H
#define CONTAINER_OWNER_H

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

/*
 * The labels of a prepared image that say who made it (prepare/prepare_maker.h): the host, the
 * user, the file with that user's notes, and the path of the configuration file, "" for the one
 * that is built in.
 */
#define MAKER_LABEL_HOST   "isolator.prepared.host"
#define MAKER_LABEL_USER   "isolator.prepared.user"
#define MAKER_LABEL_NOTES  "isolator.prepared.notes"
#define MAKER_LABEL_CONFIG "isolator.prepared.config"

/*
 * The labels of a job in addition to these, by which it is found when its owner has ended: the user
 * and host that it belongs to, its name ("": none), its language, and, in seconds since 1970,
 * when it was started, when it ends at the latest, and from when on no one is expected to want its
 * result.
 */
enum job_label { JOB_USER, JOB_NAME, JOB_LANGUAGE, JOB_STARTED, JOB_ENDS, JOB_EXPIRES, JOB_LABELS };
extern const char *const job_keys[JOB_LABELS];

/* Adds "isolator.job.user=UID@HOST", that of this process. */
void owner_job_user(struct strvec *labels);

/* Adds all of them, for a job that ends and expires then. */
void owner_job_labels(struct strvec *labels, const char *name, const char *language, long long ends,
                      long long expires);

/* Adds the first four labels, which all containers of this process have in common. */
void owner_own_labels(struct strvec *labels);

/*
 * Adds "isolator.boot=UUID", "isolator.namespaces=INODE.INODE", "isolator.pid=N",
 * "isolator.start=CLOCK TICKS SINCE BOOT", "isolator.host=NAME" and "isolator.deadline=UNIX
 * SECONDS", the last `lifetime_ms` from now.
 */
void owner_labels(struct strvec *labels, long long lifetime_ms);

/*
 * Adds Dockerfile LABEL instructions that empty the labels of a container. An image that is
 * committed from a container inherits its labels, and containers of that image do not belong to
 * isolator.
 */
void owner_disown(struct strvec *instructions);

/*
 * The same for the labels of a prepared image: an image that is saved for others may be made from
 * one, and they need not know the hosts and paths of its maker.
 */
void owner_hide_maker(struct strvec *instructions);

enum owner_status {
    OWNER_ALIVE,  /* the owner is alive, or cannot be looked up and the deadline has not passed */
    OWNER_ENDED,  /* the owner has ended */
    OWNER_OVERDUE /* the owner cannot be looked up, and the deadline has passed */
};

/* How long after its deadline a container is overdue, since the clocks of hosts may differ. */
enum { OVERDUE_SECONDS = 300 };

/*
 * Whether the owner of a container is alive. `values` are the values of its labels in the order of
 * owner_keys, and then any others; they are untrusted. A process can be looked up only in the same
 * boot and namespaces. For all others the deadline and OVERDUE_SECONDS decide. `now` is the time in
 * seconds since 1970. Labels that do not have the form of owner_labels() are not from isolator:
 * OWNER_ALIVE.
 */
enum owner_status owner_status(const struct strvec *values, long long now);

#endif
