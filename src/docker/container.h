/*
 * A container as the docker command sees it: created from a spec, fed, started, looked at, removed.
 * Knows nothing of languages or of what runs inside.
 */
#ifndef DOCKER_CONTAINER_H
#define DOCKER_CONTAINER_H

#include <stdbool.h>

#include "docker/docker.h"

/* A size-limited file system in memory that the container's user owns. */
struct container_tmpfs {
    const char *path;
    long size_mb;
};

enum { CONTAINER_TMPFS_MAX = 2 };

/*
 * The variables that the docker command by itself copies from the "proxies" of its configuration into
 * each container it creates, with the passwords in them; NULL-terminated. A container without a
 * network gets them empty instead: it has no use for them, and its program may be hostile. Where an
 * environment file is given, they must stand in that.
 */
extern const char *const container_proxy_variables[];

/*
 * Everything `docker create` is told. All pointers are borrowed. Each field is always passed on, so
 * that nothing depends on the engine's defaults.
 */
struct container_spec {
    const char *name; /* chosen by us, so that it can be removed whatever create says */
    const char *image;
    const char *network;
    const char *workdir; /* --workdir; NULL: the image's */
    const char *volume;  /* path of an anonymous volume, removed with the container; NULL: none */
    unsigned uid, gid;
    long memory_mb; /* swap is off: memory-swap is the same */
    double cpus;
    long pids;
    bool read_only;
    bool auto_remove; /* --rm: the engine removes it when its first process ends */
    bool open_stdin;  /* -i */
    struct container_tmpfs tmpfs[CONTAINER_TMPFS_MAX]; /* path NULL: none */
    const struct strvec *cap_drop;
    const struct strvec *labels;      /* "key=value" */
    const struct strvec *command;     /* replaces entrypoint and command of the image; not empty */
    const struct strvec *environment; /* "NAME=VALUE" of the file; NULL: none */
    int environment_file;             /* the same as lines, out of sight on the host; -1: none */
    bool without_proxies; /* even with a network the program gets no proxy but of `environment` */
};

/* How the engine is told of cpus, of which it takes no smaller parts. */
#define CONTAINER_CPUS_FORMAT "%.3f"

/* All that `docker create` is told by the spec, in one string; owned by the caller. */
char *container_text(const struct container_spec *spec);

/*
 * Creates the container and adds each line that docker printed on stderr although it succeeded to
 * `warnings`. The message of an ERROR_ENGINE or ERROR_IMAGE comes from docker_explain().
 *
 * A creation that is cut off may be finished by the engine at any later time; *cut_off says that
 * this happened. So one that is cancelled gets some seconds to end by itself, and then still
 * returns 0: look at the handle.
 */
int container_create(const struct docker *docker, const struct container_spec *spec,
                     long long deadline, const struct notifier *cancel, struct strvec *warnings,
                     bool *cut_off, struct error *error);

/*
 * Checks that the engine enforces the limits of memory, swap, processes and cpus that it was given:
 * when it creates the container it leaves out, with a warning, what its kernel or its rights do not
 * allow. Returns 0; 1 with an ERROR_ENGINE that names the limits it left out; or -1 with the error
 * if the engine does not say.
 */
int container_check_limits(const struct docker *docker, const struct container_spec *spec,
                           long long deadline, const struct notifier *cancel, struct error *error);

/* Unpacks the tar file into a directory of the (not started) container; it must exist there. */
int container_copy_in(const struct docker *docker, const char *name, const char *directory,
                      int tar_file, long long deadline, const struct notifier *cancel,
                      struct error *error);

/*
 * Starts a command that writes a tar of the directory of the container, which has ended, to its stdout; the
 * names in it begin with "./".
 */
int container_copy_out(const struct docker *docker, const char *name, const char *directory,
                       struct process *process, struct error *error);

/* Whether the (not started) container has something of this path: 1, 0; -1 where that is unknown. */
int container_has(const struct docker *docker, const char *name, const char *path,
                  long long deadline);

/*
 * Starts `docker start --attach --interactive` as a child; stdin as in struct process_options. Its
 * exit status is the program's, or docker's own: do not tell one from the other by it.
 */
int container_start(const struct docker *docker, const char *name,
                    const struct process_options *streams, struct process *process,
                    struct error *error);

struct container_state {
    bool started;      /* its first process has run */
    bool ended;        /* and has ended */
    int exit_code;     /* 128 + n where signal n ended it */
    bool oom_killed;   /* some process in it was */
    long long run_ms;  /* from its start to its end */
    char message[512]; /* why the engine could not run it; "" otherwise; as it came */
};

/*
 * Reads what container_inspect() has asked for, in docker's words; false where it is not of that form.
 * For tests too.
 */
bool container_state_read(struct container_state *state, const char *text);

/* Looks at a container that has ended and was not created with auto_remove. */
int container_inspect(const struct docker *docker, const char *name, long long deadline,
                      struct container_state *state, struct error *error);

/*
 * Makes an image of the container's file system. `changes` are Dockerfile instructions
 * (docker commit --change).
 */
int container_commit(const struct docker *docker, const char *name, const char *tag,
                     const struct strvec *changes, long long deadline,
                     const struct notifier *cancel, struct error *error);

/* One attempt to remove a container, and no word of what came of it. */
void container_discard(const struct docker *docker, const char *name, long long deadline);

/*
 * Kills and removes the container and its anonymous volumes, and makes sure that it is gone. One
 * that does not exist is gone. `drain` is an attached `docker start`, NULL if none runs: the engine does
 * not finish while its output is not read. Once `cancel` (which may be NULL) is raised it returns -1 at
 * once; the engine may finish what it has begun. What it could not remove in time docker->given_up learns.
 */
int container_remove(const struct docker *docker, const char *name,
                     const struct process_drain *drain, long long deadline,
                     const struct notifier *cancel, struct error *error);

#endif
