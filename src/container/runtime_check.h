/*
 * Whether a container may be started by its engine and OCI runtime. Some do not enforce the limits
 * that they report: podman without the rights for that, and gVisor with an option. They are
 * refused until a probe (run/enforcement_probe.h) has shown that they do.
 */
#ifndef CONTAINER_RUNTIME_CHECK_H
#define CONTAINER_RUNTIME_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "docker/oci_runtime.h"
#include "request/plan.h"

/*
 * Before a container of the plan is made: asks Docker, once, what the OCI runtime of the plan is,
 * and checks that limits are known to be enforced if that has to be known. It costs nothing for
 * Docker with its own choice of a runtime. ERROR_USAGE: the engine has no such runtime;
 * ERROR_ENGINE says what to do.
 */
int runtime_check(const struct docker *docker, const struct plan *plan,
                  const struct notifier *cancel, struct error *error);

/*
 * When the container has said that its kernel is gVisor's: ERROR_ENGINE if that was not known when
 * it was made.
 */
int runtime_check_kernel(const struct docker *docker, const struct plan *plan, bool is_gvisor,
                         struct error *error);

/* Sets ERROR_ENGINE if the runtime is known to ignore limits; see struct oci_runtime. */
int runtime_check_options(const struct oci_runtime *runtime, struct error *error);

#endif
