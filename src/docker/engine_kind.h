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

/* podman is recognised, so that a message can say that it is not supported. */
enum engine_kind { ENGINE_DOCKER, ENGINE_PODMAN };

/* "Docker", "podman". */
const char *engine_kind_name(enum engine_kind kind);

/*
 * The value of --tmpfs for a file system in memory of this size in MB, that belongs to the user;
 * owned.
 */
char *engine_tmpfs(const char *path, long size_mb, unsigned uid, unsigned gid);

/*
 * Adds the options of the log: output of up to so many bytes is kept; 0: nothing. The default
 * driver keeps everything on the engine's disk, forever.
 */
void engine_add_log(struct strvec *arguments, unsigned long long max);

/* Adds the label of a row of `ps`, as a JSON string, to a Go template. */
void engine_add_label(struct strbuf *template, const char *key);

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
