/*
 * The kinds of engines, and all that differs between them: what their commands take and print, what
 * an exit status means, which users they have. Another kind is one more row or case here; nothing
 * outside of src/docker decides by the kind of the engine.
 */
#ifndef DOCKER_ENGINE_KIND_H
#define DOCKER_ENGINE_KIND_H

#include <stdbool.h>

#include "base/notifier.h"
#include "base/strbuf.h"
#include "docker/docker.h"

/* "Docker", "podman". */
const char *engine_kind_name(enum engine_kind kind);

/* podman if the name of the program begins with "podman"; Docker otherwise. */
enum engine_kind engine_kind_of_command(const char *command);

/* ---- options of create and run */

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

/* ---- options of other commands */

/* Adds the options of rm that kill a container at once, and remove it and its volumes. */
void engine_add_removal(enum engine_kind kind, struct strvec *arguments);

/*
 * Adds a member of a row of `ps`, as a JSON string, to a Go template: a label, or ".State", which
 * is a word like "running".
 */
void engine_add_member(enum engine_kind kind, struct strbuf *template, const char *key);

/* The Go template of `info` for the number of CPUs. */
const char *engine_cpus_template(enum engine_kind kind);

/* Whether `update` can change the limit of processes. */
bool engine_updates_pids(enum engine_kind kind);

/* Whether `inspect` shows the limits that `update` has set. */
bool engine_shows_updates(enum engine_kind kind);

/* Whether `events` tells what has happened and ends, also if a container is removed. */
bool engine_has_events(enum engine_kind kind);

/* ---- what it has */

/* Whether `run` has ended with this status because it did not create or start the container. */
bool engine_refused_run(int status);

/*
 * Asks what the engine has, once and only after a container could not start: engines create
 * containers that they cannot start. The answer is remembered (docker/engine_memory.h).
 */
void engine_ask(const struct docker *docker, const struct notifier *cancel);

/* Whether the engine is known not to have this user: it is rootless, or maps users to others. */
bool engine_lacks_user(const struct docker *docker, unsigned user);

#endif
