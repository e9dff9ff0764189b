/*
 * The configuration as JSON: the result of all texts that were laid over each other, and which of
 * them each value comes from. It does not know what the keys mean, except promptsDir, inputsDir,
 * auditFile and the files of preparations, which are made absolute when they are read, and lists of
 * hosts, which take the credentials of older lists away.
 */
#ifndef CONFIG_CONFIG_LAYERS_H
#define CONFIG_CONFIG_LAYERS_H

#include <jansson.h>

#include "config/config.h"

/*
 * Returns the whole configuration as one object, a new reference. Read as a configuration file it
 * gives the same configuration. NULL with ERROR_CONFIG if a path is not UTF-8, which JSON cannot
 * hold.
 */
json_t *config_resolved(const struct config *config, struct error *error);

/*
 * Called for each value that is not an object, and for empty objects. `path` is like
 * "languages.python.image", not escaped. `origin` is the text that the value comes from. All are
 * borrowed.
 */
typedef void config_visit(void *context, const char *path, const json_t *value,
                          const struct config_layer *origin);

/* Visits each value of what config_resolved() returned, in its order. */
void config_walk(const struct config *config, const json_t *resolved, config_visit *visit,
                 void *context);

#endif
