/*
 * The limits of a container that the engine can also change while it runs: memory, CPUs and
 * processes. Sets them, changes them, and asks the engine whether it enforces them.
 */
#ifndef DOCKER_CONTAINER_LIMITS_H
#define DOCKER_CONTAINER_LIMITS_H

#include <stdbool.h>

#include "base/strvec.h"
#include "docker/docker.h"

/* 0 stands for no limit, which only a container for steps of the owner has. */
struct container_limits {
    long memory_mb; /* --memory and --memory-swap, so that there is no swap */
    double cpus;
    long pids;
};

/* The limits with no more CPUs than the engine is known to have, since it refuses more. */
struct container_limits container_limits_of_engine(const struct docker *docker,
                                                   const struct container_limits *limits);

/* Adds them as options of docker create. */
void container_add_limits(struct strvec *arguments, const struct container_limits *limits);

/* Whether they are the same for the engine, which rounds cpus. */
bool container_limits_equal(const struct container_limits *one,
                            const struct container_limits *other);

/*
 * Whether container_update_limits() can change the one to the other, with this OCI runtime (NULL:
 * the engine's own choice): podman keeps `pids`, and gVisor everything.
 */
bool container_limits_can_become(const struct docker *docker, const char *oci_runtime,
                                 const struct container_limits *from,
                                 const struct container_limits *to);

/* `from` with those limits of `to` that cannot be changed, for a container that will have `to`. */
struct container_limits container_limits_before(const struct docker *docker,
                                                const struct container_limits *from,
                                                const struct container_limits *to);

/*
 * Checks that the engine enforces the limits of memory, swap, processes and cpus. When an engine
 * creates a container, it drops a limit that its kernel or its rights do not allow, with only a
 * warning. Returns 0; 1 with an ERROR_ENGINE that names the dropped limits; or -1 with the error if
 * the engine does not say.
 */
int container_check_limits(const struct docker *docker, const char *name,
                           const struct container_limits *limits, long long deadline,
                           const struct notifier *cancel, struct error *error);

/*
 * Changes the limits of a running container, and checks that the engine has them now, unless it
 * does not say (podman). The container must have limits that can become these. Returns 0, or
 * -1 with the error, after which the limits may be the old ones, the new ones, or some of both. The
 * engine refuses less memory than the processes and files of the container use.
 */
int container_update_limits(const struct docker *docker, const char *name,
                            const struct container_limits *limits, long long deadline,
                            const struct notifier *cancel, struct error *error);

/*
 * How long after the order to end a container may take before container_lift_cpus() is worth a try.
 */
enum { CONTAINER_LIFT_AFTER_MS = 300 };

/*
 * Gives a container that does not end all CPUs of the engine. System calls that stay in the kernel
 * for long run a container into debt at its limit of CPUs (Linux collects it from every process,
 * before these can die), and then SIGKILL takes effect only when the debt is paid, a minute later
 * and more. Call it before the removal: the engine changes nothing of a container that it removes.
 *
 * A failure is no error: some engines have no such order, and the container ends later there.
 * `drain` as in container_remove().
 */
void container_lift_cpus(const struct docker *docker, const char *name,
                         const struct process_drain *drain, long long deadline);

#endif
