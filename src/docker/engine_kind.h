/*
 * The kinds of engines, and all that differs between them: what their commands take and print, and
 * what an exit status means. Another kind is one more row or case here; nothing outside of
 * src/docker decides by the kind of the engine.
 */
#ifndef DOCKER_ENGINE_KIND_H
#define DOCKER_ENGINE_KIND_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "docker/docker.h"

/* "Docker", "podman". */
const char *engine_kind_name(enum engine_kind kind);

/* podman if the name of the program begins with "podman"; Docker otherwise. */
enum engine_kind engine_kind_of_command(const char *command);

/*
 * What to say if the command is, or leads to, an engine of another kind than its name says, and
 * what to do then; owned.
 */
char *engine_mismatch(const struct docker *docker);
char *engine_mismatch_advice(const struct docker *docker);

/*
 * The working directory of the engine's commands; NULL: ours. podman starts conmon in its own,
 * where conmon creates a file "oom" when a container runs out of memory. In /proc no one can do so,
 * which conmon ignores. No argument of a command is a relative path, and docker_start() finds the
 * program from our directory. A variable of podman that names a file has to be absolute
 * (CONTAINERS_CONF).
 */
const char *engine_working_directory(enum engine_kind kind);

/* ---- options of create and run */

/* Adds create or run, and the OCI runtime (NULL: the engine's), which podman takes before it. */
void engine_add_subcommand(enum engine_kind kind, struct strvec *arguments, const char *subcommand,
                           const char *oci_runtime);

/*
 * The value of --tmpfs for a file system in memory of this size in MB, that belongs to the user;
 * owned.
 */
char *engine_tmpfs(enum engine_kind kind, const char *path, long size_mb, unsigned uid,
                   unsigned gid);

/*
 * Adds the options of the log: output of up to so many bytes is kept; 0: nothing. The default
 * driver keeps everything on the engine's disk, forever.
 */
void engine_add_log(enum engine_kind kind, struct strvec *arguments, unsigned long long max);

/* Adds what this kind of engine has to be told so that its containers are like those of Docker. */
void engine_add_defaults(enum engine_kind kind, struct strvec *arguments);

/*
 * The profile of system calls that containers get in place of the engine's own; NULL: the engine's
 * own will do. engine_add_defaults() names it as the file PROCESS_EXTRA_FILE of the command.
 */
const char *engine_seccomp_profile(enum engine_kind kind);

/* ---- options of other commands */

/* Adds the options of cp with which files have the owners that their archive says. */
void engine_add_owners(enum engine_kind kind, struct strvec *arguments);

/*
 * Whether cp can fill a volume of a container that has not started, which then belongs to root. If
 * not, cp puts the files where the volume will be, below the root of the image: at the start they
 * are copied into the volume, with their directory's owner.
 */
bool engine_fills_volumes(enum engine_kind kind);

/* Adds the options of rm that kill a container at once, and remove it and its volumes. */
void engine_add_removal(enum engine_kind kind, struct strvec *arguments);

/*
 * Whether the engine also removes the volumes of a container with --rm that `create` and
 * `start --attach` have made, when it ends.
 */
bool engine_removes_volumes(enum engine_kind kind);

/*
 * Whether commit leaves an anonymous volume out of the image, with all that it has. If not, each
 * container of the image gets such a volume, with what cp had put below it.
 */
bool engine_leaves_out_volumes(enum engine_kind kind);

/* The name of an image as Docker says it, of what this engine says: the end of `name`. */
const char *engine_image_name(enum engine_kind kind, const char *name);

/* An image's id, "sha256:" and its digits, as filters of `ps` take it: the end of `id`. */
const char *engine_filter_id(enum engine_kind kind, const char *id);

/*
 * Adds a member of a row of `ps`, as a JSON string, to a Go template: a label, or ".State", which
 * is one of Docker's words, like "running".
 */
void engine_add_member(enum engine_kind kind, struct strbuf *template, const char *key);

/* The Go template of `info` for the number of CPUs. */
const char *engine_cpus_template(enum engine_kind kind);

/*
 * An option to try `update` with, if it fails without; NULL: none. podman from 5 on changes nothing
 * of a container without a health check unless it is told again that there is none, and podman 4
 * does not know that option of update.
 */
const char *engine_update_option(enum engine_kind kind);

/* Whether `update` can change the limit of processes. */
bool engine_updates_pids(enum engine_kind kind);

/* Whether `inspect` shows the limits that `update` has set. */
bool engine_shows_updates(enum engine_kind kind);

/* Whether `events` tells what has happened and ends, also if a container is removed. */
bool engine_has_events(enum engine_kind kind);

/*
 * Whether the engine is one whose word for a limit is not enough: it says that containers have the
 * limits that were asked for, also where it may not enforce them.
 */
bool engine_must_prove_limits(enum engine_kind kind);

/* Whether `run` has ended with this status because it did not create or start the container. */
bool engine_refused_run(int status);

#endif
