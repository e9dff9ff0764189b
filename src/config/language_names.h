/*
 * Names and aliases of languages. A name stands for one language only. The names of languages go
 * before aliases: if a file adds a language that is called like an alias of an earlier file, the
 * alias is dropped.
 */
#ifndef CONFIG_LANGUAGE_NAMES_H
#define CONFIG_LANGUAGE_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "config/json_reader.h"

/* What a name consists of, for messages. */
#define LANGUAGE_NAME_RULE "letters, digits and any of + # . _ -"

/* Whether this can be a name or an alias. */
bool language_name_is_valid(const char *name);

/*
 * Drops the aliases that a new name replaces, after the file with this root was read. ERROR_CONFIG
 * if the file gives an alias that is a name, or that another language has too.
 */
int language_names_resolve(struct config *config, const json_t *root, struct json_reader *reader);

#endif
