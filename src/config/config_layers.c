#include "config/config_layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

/* The path may be NULL. */
static int set_path(json_t *all, const char *key, const char *path, struct error *error)
{
    if (!path || json_object_set_new(all, key, json_string(path)) == 0)
        return 0;
    return error_set(error, ERROR_CONFIG, "%s: the path '%s' is not UTF-8", key, path);
}

/* Replaces the files of each preparation by absolute paths, which config_overlay() has made. */
static void resolve_prepare_files(const struct config *config, json_t *all)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];
        json_t *object = json_object_get(json_object_get(all, "languages"), language->name);
        json_t *files = json_object_get(json_object_get(object, "prepare"), "files");

        if (!files || language->preparation.noted)
            continue;
        json_array_clear(files);
        for (size_t k = 0; k < language->preparation.files.count; k++)
            json_array_append_new(files, json_string(language->preparation.files.items[k]));
    }
}

/* Removes the credentials of each list of hosts that the layer replaces (config_read.c). */
static void drop_credentials(json_t *all, const json_t *layer)
{
    const char *key;
    json_t *value;

    if (json_is_array(json_object_get(layer, "allow")))
        json_object_del(all, "credentials");
    json_object_foreach((json_t *)layer, key, value) {
        json_t *older = json_object_get(all, key);

        if (json_is_object(older) && json_is_object(value))
            drop_credentials(older, value);
    }
}

json_t *config_resolved(const struct config *config, struct error *error)
{
    json_t *all = json_object();

    for (size_t i = 0; i < config->layer_count; i++) {
        json_t *copy = json_deep_copy(config->layers[i].root); /* `all` is changed by the next */

        drop_credentials(all, copy);
        json_object_update_recursive(all, copy);
        json_decref(copy);
    }
    resolve_prepare_files(config, all);
    if (set_path(all, "promptsDir", config->prompts_dir, error) == 0 &&
        set_path(all, "inputsDir", config->inputs_dir, error) == 0 &&
        set_path(all, "auditFile", config->audit_file, error) == 0)
        return all;
    json_decref(all);
    return NULL;
}

struct walk {
    const struct config *config;
    config_visit *visit;
    void *context;
    struct strbuf path;
};

/* The value that a layer has at a path; NULL: none. */
struct found {
    const json_t *value;
};

/* `found` has an entry for each layer. The last layer with a value determined it. */
static void walk_value(struct walk *walk, const json_t *value, const struct found *found)
{
    const size_t count = walk->config->layer_count, length = walk->path.length;
    struct found *inner;
    const char *key;
    json_t *member;
    size_t last = count;

    if (json_object_size(value) == 0 && length > 0) {
        while (last > 1 && !found[last - 1].value)
            last--;
        walk->visit(walk->context, strbuf_string(&walk->path), value,
                    &walk->config->layers[last - 1]);
        return;
    }
    inner = memory_allocate(count * sizeof *inner);
    json_object_foreach((json_t *)value, key, member) {
        for (size_t i = 0; i < count; i++)
            inner[i].value = json_object_get(found[i].value, key);
        strbuf_addf(&walk->path, "%s%s", length > 0 ? "." : "", key);
        walk_value(walk, member, inner);
        walk->path.length = length;
        walk->path.data[length] = '\0';
    }
    free(inner);
}

void config_walk(const struct config *config, const json_t *resolved, config_visit *visit,
                 void *context)
{
    struct walk walk = {.config = config, .visit = visit, .context = context, .path = STRBUF_INIT};
    struct found *roots = memory_allocate(config->layer_count * sizeof *roots);

    for (size_t i = 0; i < config->layer_count; i++)
        roots[i].value = config->layers[i].root;
    walk_value(&walk, resolved, roots);
    free(roots);
    strbuf_release(&walk.path);
}
