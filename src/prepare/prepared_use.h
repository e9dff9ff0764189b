/*
 * Which prepared images the configurations of this user name. For prepare/prepared_images.c.
 */
#ifndef PREPARE_PREPARED_USE_H
#define PREPARE_PREPARED_USE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"

struct prepared_use_map {
    struct strvec tags;       /* that configurations name */
    struct strvec files;      /* for each of these the path of its configuration; "": built in */
    struct strvec seen;       /* configuration files that were read or could not be */
    struct strvec unreadable; /* those that exist and could not be read */
    struct strvec *warnings;  /* borrowed; why they could not */
};

#define PREPARED_USE_MAP_INIT                                                                      \
    {                                                                                              \
        .tags = STRVEC_INIT                                                                        \
    }

/* Adds `config`, the configurations that are found by default, and those of the notes. */
int prepared_use_add_known(struct prepared_use_map *map, const struct config *config,
                           struct error *error);

/* Adds a configuration file, unless it was added before or does not exist. */
void prepared_use_add_file(struct prepared_use_map *map, const char *file);

/* The path of the configuration that names the tag, borrowed; NULL: none does. */
const char *prepared_use_of(const struct prepared_use_map *map, const char *tag);

void prepared_use_map_release(struct prepared_use_map *map);

#endif
