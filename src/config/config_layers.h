/*
 * The configuration as JSON: what the texts that were laid over each other come to, and which of them each value
 * is from. It knows nothing of what the keys mean but for promptsDir, which is made absolute as it is read.
 */
#ifndef CONFIG_CONFIG_LAYERS_H
#define CONFIG_CONFIG_LAYERS_H

#include <jansson.h>

#include "config/config.h"

/*
 * All of it as one object, a new reference: a configuration file that is read to the same configuration. NULL:
 * ERROR_CONFIG, where a path is not UTF-8, which JSON cannot hold.
 */
json_t *config_resolved(const struct config *config, struct error *error);

/*
 * Called for a value that is not an object, or an empty one. `path` is like "languages.python.image", as a file
 * has it: not escaped. `origin`: the text that it is from. All borrowed.
 */
typedef void config_visit(void *context, const char *path, const json_t *value,
                          const struct config_layer *origin);

/* Visits each value of what config_resolved() has given, in its order. */
void config_walk(const struct config *config, const json_t *resolved, config_visit *visit,
                 void *context);

#endif
