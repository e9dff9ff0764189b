#include "prepare/prepared_use.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_files.h"
#include "config/config_load.h"
#include "config/prepare_notes.h"

static void add_tag(struct prepared_use_map *map, const char *tag, const char *file)
{
    strvec_push(&map->tags, tag);
    strvec_push(&map->files, file);
}

static void add_config(struct prepared_use_map *map, const struct config *config, const char *file)
{
    for (size_t i = 0; i < config->language_count; i++)
        if (config->languages[i].preparation.tag)
            add_tag(map, config->languages[i].preparation.tag, file);
}

void prepared_use_add_file(struct prepared_use_map *map, const char *file)
{
    CLEANUP(config_release) struct config config;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    struct stat status;

    config_init(&config);
    if (strvec_contains(&map->seen, file) || config_file_is_gone(file))
        return;
    strvec_push(&map->seen, file);
    /* Labels of an image may be forged: a pipe, for example, would block the reader. */
    if (stat(file, &status) == 0 && !S_ISREG(status.st_mode))
        return;
    if (config_load(&config, file, NULL, &error) == 0) {
        add_config(map, &config, file);
        return;
    }
    strvec_push(&map->unreadable, file);
    strvec_pushf(map->warnings, "images prepared for this configuration are kept: %s",
                 error.message);
}

/* What a user has without any file. */
static int add_built_in(struct prepared_use_map *map, struct error *error)
{
    CLEANUP(config_release) struct config config;

    config_init(&config);
    if (config_load_built_in(&config, error) != 0 || prepare_notes_apply(&config, error) != 0)
        return -1;
    add_config(map, &config, "");
    return 0;
}

static void add_file_of_note(void *context, const char *configuration, const char *language,
                             const struct prepare_note *note)
{
    struct prepared_use_map *map = context;

    (void)language;
    if (configuration)
        prepared_use_add_file(map, configuration);
    if (configuration && note->image && strvec_contains(&map->unreadable, configuration))
        add_tag(map, note->image, configuration);
}

int prepared_use_add_known(struct prepared_use_map *map, const struct config *config,
                           struct error *error)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *real = config->file ? realpath(config->file, NULL) : NULL;

    if (real)
        strvec_push(&map->seen, real);
    add_config(map, config, real ? real : "");
    config_default_files(&found);
    for (size_t i = 0; i < found.count; i++) {
        CLEANUP_FREE char *path = realpath(found.items[i], NULL);

        if (path)
            prepared_use_add_file(map, path);
    }
    return add_built_in(map, error) == 0 ? prepare_notes_each(add_file_of_note, map, error) : -1;
}

const char *prepared_use_of(const struct prepared_use_map *map, const char *tag)
{
    for (size_t i = 0; i < map->tags.count; i++)
        if (strcmp(map->tags.items[i], tag) == 0)
            return map->files.items[i];
    return NULL;
}

void prepared_use_map_release(struct prepared_use_map *map)
{
    strvec_release(&map->tags);
    strvec_release(&map->files);
    strvec_release(&map->seen);
    strvec_release(&map->unreadable);
}
