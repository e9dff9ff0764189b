/*
 * Commands on one container: create it from a spec, copy files, start, inspect, commit, remove.
 * Knows nothing of languages, or of what runs inside.
 */
#ifndef DOCKER_CONTAINER_H
#define DOCKER_CONTAINER_H

#include <stdbool.h>

#include "base/sha256.h"
#include "docker/container_limits.h"
#include "docker/docker.h"

/* A file system in memory that belongs to the container's user. */
struct container_tmpfs {
    const char *path;
    long size_mb;
};

enum { CONTAINER_TMPFS_MAX = 3 };

/*
 * The variables that the docker command sets in each container it creates, from "proxies" in its
 * configuration, passwords included; NULL-terminated. A container without a network gets them empty
 * instead: it has no use for them, and its program may be hostile.
 */
extern const char *const container_proxy_variables[];

/*
 * The options of docker create and docker run. All pointers are borrowed. Every field is always
 * passed on, so that nothing depends on the engine's defaults.
 */
struct container_spec {
    const char *name; /* chosen before creation, so that it can be removed even if that fails */
    const char *image;
    const char *network;
    const char *oci_runtime; /* NULL: the engine's own choice */
    const char *workdir;     /* --workdir; NULL: the image's */
    const char *volume; /* path of an anonymous volume, removed with the container; NULL: none */
    const char *volumes_from; /* the container whose volumes it has, too; NULL: none */
    unsigned uid, gid;
    bool draw_user; /* each container gets another uid and gid, instead of these */
    struct container_limits limits;
    long runtime_pids; /* those of the OCI runtime itself that count as the container's */
    bool read_only;
    bool auto_remove; /* --rm: the engine removes it when its first process ends */
    bool lifeline; /* --interactive: its first process sees when no one holds its stdin any more */
    /* Bytes of output that the engine keeps on its disk for container_logs(); 0: nothing. */
    unsigned long long log_max;
    struct container_tmpfs tmpfs[CONTAINER_TMPFS_MAX]; /* path NULL: none */
    const struct strvec *cap_drop;
    const struct strvec *labels;  /* "KEY=VALUE" */
    const struct strvec *command; /* replaces entrypoint and command of the image; not empty */
    bool without_proxies;         /* no proxies, even with a network */
    /* "NAME=VALUE", of the container and of an image that is committed from it; NULL: none */
    const struct strvec *environment;
};

/* The limits that the engine is told. */
struct container_limits container_spec_limits(const struct container_spec *spec);

/*
 * What makes two containers equal: a digest of everything in the spec but its name, its labels, a
 * user that is drawn, and the limits that can be changed later (container_update_limits()).
 */
struct spec_fingerprint {
    char sha256[SHA256_HEX_SIZE];
};

struct spec_fingerprint container_fingerprint(const struct container_spec *spec);
bool spec_fingerprint_equal(const struct spec_fingerprint *one,
                            const struct spec_fingerprint *other);

/* How the command of a creation has ended. */
enum creation_end {
    CREATION_ENDED,
    CREATION_CUT_OFF,   /* not by itself: the engine may finish the creation at any later time */
    CREATION_UNANSWERED /* the same with an engine that does not answer: no other command helps */
};

/*
 * Creates the container. If that succeeds, each line that docker wrote to stderr is appended to
 * `warnings`. If it fails, the error is that of docker_explain().
 *
 * To avoid that it is cut off, a cancelled creation gets BUDGET_CANCELLED_CREATE to end, and
 * returns 0 if it does, so check `cancel` afterwards.
 */
int container_create(const struct docker *docker, const struct container_spec *spec,
                     long long deadline, const struct notifier *cancel, struct strvec *warnings,
                     enum creation_end *end, struct error *error);

/* Appends each line that docker wrote to stderr, escaped for a terminal, to the warnings. */
void container_add_warnings(struct strvec *warnings, const struct strbuf *text);

/*
 * Unpacks the tar file into an existing directory of a container that has not started. `what` says
 * in the error what is in it: "the files".
 */
int container_copy_in(const struct docker *docker, const char *name, const char *directory,
                      const char *what, int tar_file, long long deadline,
                      const struct notifier *cancel, struct error *error);

/*
 * The same with a container that runs. If it has more than one volume, it is paused meanwhile,
 * since its program could direct the engine to another place of the machine.
 */
int container_interrupt(const struct docker *docker, const char *name, const char *directory,
                        const char *what, int tar_file, long long deadline,
                        const struct notifier *cancel, struct error *error);

/*
 * Starts `docker run --interactive` as a child with these streams: it creates the container, which
 * has a lifeline, and starts it. This takes half the CPU time of two commands. What docker has to
 * say is on stderr, warnings of the creation before anything from the container.
 */
int container_run(const struct docker *docker, const struct container_spec *spec,
                  const struct process_options *streams, struct process *process,
                  struct error *error);

/*
 * Starts `docker logs` as a child whose stdin is /dev/null: it prints what a container has written
 * to its output streams, and ends; with `follow` when the container has ended.
 */
int container_logs(const struct docker *docker, const char *name, bool follow,
                   struct process *process, struct error *error);

/*
 * Waits until the container has ended, until the deadline (0: none) at the latest. ERROR_CANCELLED;
 * ERROR_ENGINE also if there is no such container.
 */
int container_wait(const struct docker *docker, const char *name, long long deadline,
                   const struct notifier *cancel, struct error *error);

/*
 * Starts `docker start --attach` as a child with these streams, with --interactive if it has a pipe
 * for stdin. Its exit status may
 * be that of the program or docker's own, and does not say which.
 */
int container_start(const struct docker *docker, const char *name,
                    const struct process_options *streams, struct process *process,
                    struct error *error);

/* Starts the container, and nothing is attached to it. */
int container_launch(const struct docker *docker, const char *name, long long deadline,
                     const struct notifier *cancel, struct error *error);

/*
 * Starts `docker exec --interactive --user 0` as a child with these streams: it runs a program, of
 * the file system of a container that runs, as the user 0 of the container. It ends when that does.
 */
int container_exec(const struct docker *docker, const char *name, const struct strvec *command,
                   const struct process_options *streams, struct process *process,
                   struct error *error);

struct container_state {
    bool started;      /* its first process has run */
    bool ended;        /* its first process has ended */
    bool oom_killed;   /* the kernel has killed one of its processes for memory */
    int exit_code;     /* 128 + N after signal N */
    char message[512]; /* why the engine could not run it, not escaped; "" otherwise */
};

/*
 * Reads the state from what docker printed for container_inspect(); false if it has another form.
 * For tests too.
 */
bool container_state_read(struct container_state *state, const char *text);

/* Reads the state of a container that was not created with auto_remove. */
int container_inspect(const struct docker *docker, const char *name, long long deadline,
                      struct container_state *state, struct error *error);

/* How a container has ended whose end its attached docker command did not tell. */
enum container_end {
    CONTAINER_END_UNKNOWN,
    CONTAINER_KILLED_BY_KERNEL, /* SIGKILL, which no docker command sent: memory ran out */
    /* The engine does not answer, or knows nothing of an end, or of another one than the command.
     */
    CONTAINER_CONNECTION_LOST
};

/*
 * Finds it out from the engine's events, also if the container is removed. `status` is that of the
 * attached docker command.
 */
enum container_end container_end_of(const struct docker *docker, const char *name, int status,
                                    long long deadline);

/*
 * Makes an image of the container's file system. `changes` are Dockerfile instructions
 * (docker commit --change).
 */
int container_commit(const struct docker *docker, const char *name, const char *tag,
                     const struct strvec *changes, long long deadline,
                     const struct notifier *cancel, struct error *error);

/* Gives the container another name, also while it runs. */
int container_rename(const struct docker *docker, const char *name, const char *new_name,
                     long long deadline, const struct notifier *cancel, struct error *error);

/* Tries once to remove the container, and returns whether that succeeded. */
bool container_discard(const struct docker *docker, const char *name, long long deadline);

/*
 * Tries once to remove what is left of a container that could not be created. If the engine does
 * not say that it is gone, calls docker->not_removed: the connection may have been lost after the
 * creation.
 */
void container_discard_failed(const struct docker *docker, const char *name, long long deadline);

/*
 * Kills and removes the container and its anonymous volumes, and returns 0 once it is gone or if it
 * never existed. It retries until the deadline, and calls docker->not_removed if that is not
 * enough.
 *
 * If no engine was ever reached (docker_never_reached()), not even now, nothing can exist. Then it
 * calls docker->not_removed, in case the engine was lost in the middle of the creation, and returns
 * 0 after the first attempt.
 *
 * `drain` is the attached docker command, whose output must be read for the engine to finish; NULL
 * if none runs. If `cancel` (may be NULL) is raised it returns -1 at once; the engine may then
 * still finish the removal.
 */
int container_remove(const struct docker *docker, const char *name,
                     const struct process_drain *drain, long long deadline,
                     const struct notifier *cancel, struct error *error);

#endif
