/*
 * All prepared images of the engine: which configuration names each of them, and the removal of
 * those that none names any more.
 *
 * The configurations that are asked are the one that was read, those that are found by default,
 * those that this user has prepared languages for (config/prepare_notes.h), and those that the
 * images of this user were made for (prepare/prepare_maker.h). A file that does not exist any more
 * names nothing. One that exists and cannot be read counts as if it named all images that are
 * recorded for it.
 */
#ifndef PREPARE_PREPARED_IMAGES_H
#define PREPARE_PREPARED_IMAGES_H

#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "config/config.h"
#include "docker/docker.h"

enum prepared_use {
    PREPARED_USED,   /* a configuration names it */
    PREPARED_UNUSED, /* none does, and nothing else keeps it */
    PREPARED_BUSY,   /* none does, but there are containers of it */
    PREPARED_FOREIGN /* none does, and its labels do not say that this user made it on this host */
};

/* The strings come from labels, which may hold anything; all are owned. */
struct prepared_image {
    enum prepared_use use;
    struct strvec tags; /* those in PREPARE_REPOSITORY; the one of its content last */
    char *language, *base;
    char *steps;  /* separated by "; " */
    char *config; /* path of the configuration that names it, else it was made for; "": built in */
    long long bytes;  /* -1: not known */
    char created[20]; /* "2026-11-22T10:43:32"; "": not known */
};

struct prepared_images {
    struct prepared_image *items; /* the newest first */
    size_t count;
};

#define PREPARED_IMAGES_INIT                                                                       \
    {                                                                                              \
        .items = NULL                                                                              \
    }

/*
 * Lists the images; `config` is the configuration that was read. Adds a warning for each
 * configuration that cannot be read. The caller releases the list, also after a failure.
 */
int prepared_images_list(const struct docker *docker, const struct config *config,
                         const struct notifier *cancel, struct prepared_images *images,
                         struct strvec *warnings, struct error *error);

/*
 * Removes all tags of an image in PREPARE_REPOSITORY. ERROR_ENGINE, also if a container uses it by
 * now.
 */
int prepared_image_remove(const struct docker *docker, const struct prepared_image *image,
                          const struct notifier *cancel, struct error *error);

/*
 * Removes the notes for configuration files that do not exist any more; those of `language`, or of
 * all languages if it is NULL.
 */
int prepared_images_forget(const char *language, struct error *error);

void prepared_images_release(struct prepared_images *images);

#endif
