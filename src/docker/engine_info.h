/*
 * What the container engine says of itself: versions, the limits it enforces, the isolation it
 * offers. It helps people to find out what is wrong; no run depends on it. Everything may be
 * missing, because engines differ and podman answers in a form of its own.
 */
#ifndef DOCKER_ENGINE_INFO_H
#define DOCKER_ENGINE_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"
#include "docker/engine_kind.h"

enum engine_limit { ENGINE_MEMORY, ENGINE_SWAP, ENGINE_PIDS, ENGINE_CPU, ENGINE_LIMITS };

/* More CPUs than any engine has. */
enum { ENGINE_CPUS_MAX = 65536 };

enum engine_answer { ENGINE_UNKNOWN, ENGINE_NO, ENGINE_YES };

/* Strings are owned, escaped for a terminal and at most some hundred bytes; NULL: not known. */
struct engine_info {
    char *client;   /* version of the docker command */
    char *context;  /* the docker context, which selects the engine */
    char *endpoint; /* "unix:///var/run/docker.sock" */
    int silences;   /* how often in a row it did not answer in time */
    bool
        no_endpoint; /* the docker command says that there is none: a context that does not exist */
    char *version;
    char *platform;   /* "Docker Desktop 4.27.1"; Debian's package has none */
    char *system;     /* the engine's operating system */
    char *host;       /* the engine's host name */
    char *directory;  /* where it keeps images, on that host */
    char *driver;     /* storage driver */
    char *log_driver; /* of containers for which none is named */
    char *cgroup;     /* "1" or "2" */
    char *cgroup_driver;
    char *api;         /* version of the API that the command and the engine use */
    char *kernel;      /* version of the engine's */
    char *seccomp;     /* profile, "default" */
    char *id;          /* of the engine, which has one for each host; podman has none */
    char *oci_runtime; /* name of the one that it uses by default */
    /* Of Docker: the names of those it has, and with which command and options it starts each. */
    struct strvec oci_runtimes, oci_commands;
    long cpus;             /* that it has, the most that a container can get; 0: not known */
    enum engine_kind kind; /* as the command's name says, if the answers do not */
    bool rootless, user_namespaces, apparmor, selinux;
    enum engine_answer limits[ENGINE_LIMITS];
    struct strvec warnings;   /* its own, the first few */
    struct strvec components; /* what else it is made of, the first few: "runc 1.3.4" */
};

/*
 * Asks for the versions, until the deadline (clock_now_ms()). -1 if no engine answers; what the
 * command knows by itself is filled in even then. `cancel` may be NULL.
 */
int engine_info_ask_versions(struct engine_info *engine, const struct docker *docker,
                             long long deadline, const struct notifier *cancel,
                             struct error *error);

/*
 * Asks for the endpoint alone, within BUDGET_ENDPOINT: the docker command answers by itself.
 */
void engine_info_ask_endpoint(struct engine_info *engine, const struct docker *docker,
                              const struct notifier *cancel);

/* Asks for everything else. -1 if the engine does not say. */
int engine_info_ask_details(struct engine_info *engine, const struct docker *docker,
                            long long deadline, const struct notifier *cancel, struct error *error);

/* Reads the JSON that `docker version` and `docker info` print. False if it is none. */
bool engine_info_read_version(struct engine_info *engine, const char *text, size_t length);
bool engine_info_read_info(struct engine_info *engine, const char *text, size_t length);

void engine_info_init(struct engine_info *engine);
void engine_info_release(struct engine_info *engine);

#endif
