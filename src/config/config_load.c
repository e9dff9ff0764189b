#include "config/config_load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_files.h"
#include "config/config_read.h"
#include "config/prepare_notes.h"
#include "default_config.h" /* generated: static const char default_config[] */

static const char installed_file[] = ISOLATOR_DATADIR "/isolator_config.json";

void config_default_files(struct strvec *files)
{
    strvec_push_owned(files, config_home("config.json"));
    strvec_push_each(files, "/etc/isolator/config.json", installed_file, NULL);
}

/*
 * Returns the file to read, owned, or NULL if there is none. A file that is asked for, also by the
 * environment, must exist; of the others the first that exists is taken.
 */
static char *find_file(const char *asked_for, enum config_origin *origin)
{
    static const enum config_origin places[] = {CONFIG_OF_USER, CONFIG_OF_SYSTEM, CONFIG_INSTALLED};
    const char *variable = getenv("ISOLATOR_CONFIG");
    CLEANUP(strvec_release) struct strvec candidates = STRVEC_INIT;

    *origin = CONFIG_ASKED_FOR;
    if (asked_for)
        return string_copy(asked_for);
    if (variable && *variable) {
        *origin = strcmp(variable, installed_file) == 0 ? CONFIG_INSTALLED : CONFIG_ENVIRONMENT;
        return string_copy(variable);
    }
    *origin = CONFIG_BUILT_IN;
    config_default_files(&candidates);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (access(candidates.items[i], F_OK) == 0) {
            *origin = places[i];
            return string_copy(candidates.items[i]);
        }
    }
    return NULL;
}

/*
 * Returns the real path of a file that was named, owned; NULL if it is one of those that are found
 * by default, or has no path that JSON can hold, such as a pipe.
 */
static char *named_file(const char *file, enum config_origin origin)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *real = NULL;

    if (origin != CONFIG_ASKED_FOR && origin != CONFIG_ENVIRONMENT)
        return NULL;
    real = realpath(file, NULL);
    config_default_files(&found);
    for (size_t i = 0; i < found.count && real; i++) {
        CLEANUP_FREE char *other = realpath(found.items[i], NULL);

        if (other && strcmp(real, other) == 0)
            return NULL;
    }
    return real && text_is_utf8(real) ? steal_pointer(&real) : NULL;
}

static int overlay_file(struct config *config, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_MAX(CONFIG_FILE_MAX);

    if (config_read_file(config->file, &text, error) != 0)
        return -1;
    return config_overlay(config, strbuf_string(&text), text.length, config->file, error);
}

int config_load_built_in(struct config *config, struct error *error)
{
    config->origin = CONFIG_BUILT_IN;
    return config_overlay(config, default_config, strlen(default_config), "built-in configuration",
                          error);
}

int config_load(struct config *config, const char *file, const struct limits *own,
                struct error *error)
{
    bool installed;

    if (config_load_built_in(config, error) != 0)
        return -1;
    config->file = find_file(file, &config->origin);
    config->prepared_for = named_file(config->file, config->origin);
    installed = config->origin == CONFIG_INSTALLED;
    if (installed && overlay_file(config, error) != 0)
        return -1;
    if (own)
        limits_overlay(&config->defaults.limits, own);
    if (config->file && !installed && overlay_file(config, error) != 0)
        return -1;
    return prepare_notes_apply(config, error);
}
