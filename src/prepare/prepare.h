/*
 * Preparing a language: its steps are run once in a container of its image, and the result is kept
 * as an image in which its programs run from then on (config/prepare_rules.h has its name). So
 * packages are available to programs without a network.
 *
 * The steps come from the owner of the configuration and are trusted like a Dockerfile. They run as
 * root, in a writable root file system, with the configured network or hosts and without limits of
 * time, memory and processes. Their files in /tmp are not kept; a program gets a /tmp of its own.
 * The container has the same labels as all containers of isolator, and is removed like them
 * whatever happens.
 */
#ifndef PREPARE_PREPARE_H
#define PREPARE_PREPARE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "config/config.h"
#include "docker/docker.h"
#include "prepare/prepare_options.h"

struct prepare_outcome {
    bool already_prepared; /* there was nothing to do */
    bool network;          /* the steps have a network */
    int status;      /* of the step that failed, after which nothing is kept; 0: none failed */
    int list_status; /* of the command that lists the packages; 0: success, or there is none */
    const char *reference; /* the tag that runs use; borrowed from the language */
};

/*
 * Prepares the language, which has steps, unless its image is up to date. Then records it
 * (config/prepare_notes.h) and removes the image that the new one replaces, unless a container or
 * another configuration of this user uses that, or another user has made it. A step that fails is
 * not an error but an outcome. ERROR_IMAGE if the base image is not on the engine, ERROR_INPUT if
 * the files cannot be read.
 */
int prepare_language(const struct prepare *prepare, const struct language *language,
                     struct prepare_outcome *outcome, struct error *error);

enum prepare_state {
    PREPARE_MISSING,   /* there is no image for these steps */
    PREPARE_OLD_BASE,  /* there is one, but the tag of its base image now names another image */
    PREPARE_OLD_FILES, /* there is one, but the files of the steps have changed */
    PREPARE_READY
};

struct prepare_view {
    enum prepare_state state;
    long long size;   /* bytes; 0 if it is missing */
    char created[32]; /* "2026-11-22T10:43:32"; "" if it is missing */
};

/*
 * Gets the state of the image of a language with steps. Files that cannot be read count as
 * unchanged.
 */
int prepare_inspect(const struct docker *docker, const struct language *language,
                    const struct notifier *cancel, struct prepare_view *view, struct error *error);

/*
 * Removes the prepared image of the language and its record; `prepared_for` is
 * config_prepared_for(). Keeps the image if another configuration of this user has recorded it too,
 * and sets *kept_for to its path, or to "" for the configuration that is found by default; the
 * caller frees it. Returns 1; 0 if there was nothing to remove; -1 also if a container uses the
 * image.
 */
int prepare_remove(const struct docker *docker, const struct language *language,
                   const char *prepared_for, const struct notifier *cancel, char **kept_for,
                   struct error *error);

#endif
