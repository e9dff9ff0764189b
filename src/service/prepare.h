/*
 * Preparing a language: its steps are run once, in a container of its image, and what comes of them is kept as an
 * image that its programs run in from then on (config/prepare_rules.h says under which name). So packages are there
 * although programs have no network.
 *
 * The steps are the word of whoever owns the configuration, and trusted as a Dockerfile is: they run as root, in a root
 * file system that they may write to, with the network that was asked for and without limits of time, memory and
 * processes. What they leave in /tmp is not kept; a program gets a /tmp of its own. The container has the labels of
 * all containers of isolator and is removed like them, whatever happens.
 */
#ifndef SERVICE_PREPARE_H
#define SERVICE_PREPARE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "config/config.h"
#include "docker/docker.h"
#include "service/prepare_options.h"

struct prepare_outcome {
    bool before;     /* there was nothing to do */
    bool network;    /* the steps have one */
    int status;      /* of the step that failed, after which nothing is kept; 0: none did */
    int list_status; /* of the command that lists the packages; 0: it went well, or there is none */
    const char *reference; /* the tag that runs use; borrowed from the language */
};

/*
 * Prepares the language, which has steps, unless it is prepared as it shall be; then notes it
 * (config/prepare_notes.h), and removes the image that the new one replaces if nothing uses it. A step that fails is no error.
 * ERROR_IMAGE where the base image is not on the engine.
 */
int prepare_language(const struct prepare *prepare, const struct language *language,
                     struct prepare_outcome *outcome, struct error *error);

enum prepare_state {
    PREPARE_MISSING,  /* there is no image for these steps */
    PREPARE_OUTDATED, /* there is one, of a base image that is not the one of that name any more */
    PREPARE_READY
};

struct prepare_view {
    enum prepare_state state;
    long long size;   /* bytes; 0 where it is missing */
    char created[32]; /* "2026-11-22T10:43:32"; "" likewise */
};

/* The state of the image of a language with steps. */
int prepare_inspect(const struct docker *docker, const struct language *language,
                    const struct notifier *cancel, struct prepare_view *view, struct error *error);

/*
 * Removes the image of the language, and what was noted of it. 1; 0 where there was nothing to remove; -1 also where
 * a container uses it.
 */
int prepare_remove(const struct docker *docker, const struct language *language,
                   const struct notifier *cancel, struct error *error);

#endif
