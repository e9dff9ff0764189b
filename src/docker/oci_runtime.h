/*
 * The OCI runtime: the program with which the engine starts containers and puts limits on them,
 * like runc, crun or runsc (gVisor). docker knows it by a name in its daemon.json.
 */
#ifndef DOCKER_OCI_RUNTIME_H
#define DOCKER_OCI_RUNTIME_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "docker/engine_info.h"

/* Strings are owned. */
struct oci_runtime {
    char *name; /* that was asked for, or the engine's default; NULL: not known */
    /*
     * The engine, the runtime and the options that it has there, on one line: what was shown for
     * one engine and runtime does not hold for those with another identity.
     */
    char *identity;
    bool missing;        /* the engine has none of that name */
    char *known;         /* the names of those that it has, "crun, runc" */
    bool is_gvisor;      /* as far as its command says so */
    bool ignores_limits; /* its options say so (gVisor's --ignore-cgroups) */
};

/*
 * What the engine says of the runtime of this name; NULL: its default. podman is not asked, as it
 * does not say which ones it has. -1 if the engine does not answer.
 */
int oci_runtime_find(const struct docker *docker, const char *name, const struct notifier *cancel,
                     struct oci_runtime *runtime, struct error *error);

/* The same from what `docker info` has said; for tests too. */
void oci_runtime_read(struct oci_runtime *runtime, const struct engine_info *engine,
                      const char *name);

void oci_runtime_release(struct oci_runtime *runtime);

#endif
