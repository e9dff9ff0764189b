/*
 * What the container engine says of itself: versions, which limits it enforces, what it isolates with. For
 * people who look for what is wrong; no run depends on it. Everything may be missing: engines differ, and what
 * behaves like docker (podman) answers in a form of its own.
 */
#ifndef DOCKER_ENGINE_INFO_H
#define DOCKER_ENGINE_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"

enum engine_limit { ENGINE_MEMORY, ENGINE_SWAP, ENGINE_PIDS, ENGINE_CPU, ENGINE_LIMITS };

enum engine_answer { ENGINE_UNTOLD, ENGINE_NO, ENGINE_YES };

/* Strings are owned, escaped for a terminal and at most some hundred bytes; NULL: not told. */
struct engine_info {
    char *client;   /* version of the docker command */
    char *context;  /* docker's word for which engine is used */
    char *endpoint; /* "unix:///var/run/docker.sock" */
    char *version;
    char *platform;  /* "Docker Desktop 4.27.1"; none of Debian's */
    char *system;    /* the engine's operating system */
    char *host;      /* the engine's host name */
    char *directory; /* where it keeps images, on that host */
    char *driver;    /* of storage */
    char *cgroup;    /* "1" or "2" */
    char *seccomp;   /* the profile, "default" */
    bool podman, rootless, user_namespaces, apparmor, selinux;
    enum engine_answer limits[ENGINE_LIMITS];
    struct strvec remarks; /* its warnings, a few */
};

/*
 * Asks for the versions, before the deadline (clock_now_ms()), and the endpoint. -1: no engine answers; what is
 * known of the command is filled in all the same. `cancel` may be NULL.
 */
int engine_info_ask(struct engine_info *engine, const struct docker *docker, long long deadline,
                    const struct notifier *cancel, struct error *error);

/* Asks an engine that answers for everything else. -1: it does not say. */
int engine_info_ask_details(struct engine_info *engine, const struct docker *docker,
                            long long deadline, const struct notifier *cancel, struct error *error);

/* Takes what `docker version` and `docker info` print as JSON, from whomever. False where it is none. */
bool engine_info_read_version(struct engine_info *engine, const char *text, size_t length);
bool engine_info_read_info(struct engine_info *engine, const char *text, size_t length);

void engine_info_init(struct engine_info *engine);
void engine_info_release(struct engine_info *engine);

#endif
