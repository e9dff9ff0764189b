#include "prepare/prepared_images.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "config/config_files.h"
#include "config/prepare_notes.h"
#include "config/prepare_rules.h"
#include "container/owner.h"
#include "docker/image_list.h"
#include "docker/image_store.h"
#include "prepare/prepare_maker.h"
#include "prepare/prepare_steps.h"
#include "prepare/prepared_use.h"

/* ---- one image */

static char *label_of(const struct image_details *details, const char *key)
{
    const char *value = image_details_label(details, key);

    return string_copy(value ? value : "");
}

/* Reads the steps of the label, which add_labels() in prepare/prepare_steps.c wrote as JSON. */
static void read_steps(const struct image_details *details, struct strvec *steps)
{
    const char *text = image_details_label(details, PREPARE_LABEL_STEPS);
    const size_t length = text ? strlen(text) : 0;
    json_auto_t *list = text && json_text_count(text, length) <= PREPARE_STEPS_MAX + 1
                            ? json_text_parse(text, length, NULL)
                            : NULL;
    size_t i;
    json_t *step;

    json_array_foreach(list, i, step)
        if (json_is_string(step))
            strvec_push(steps, json_string_value(step));
}

/* The exact tag (config/prepare_rules.h) of an image with these labels, owned. */
static char *exact_tag(const struct image_details *details, const struct prepared_image *image,
                       const struct strvec *steps)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *base_id = label_of(details, PREPARE_LABEL_BASE_ID);
    const char *digest = image_details_label(details, PREPARE_LABEL_FILES);

    if (digest)
        strvec_push(&files, digest);
    return prepare_tag(image->language, base_id, steps, &files);
}

/* Adds the tags of isolator, the exact one last. */
static void read_tags(struct prepared_image *image, const struct image_details *details,
                      const char *exact)
{
    static const char start[] = PREPARE_REPOSITORY ":";

    for (size_t i = 0; i < details->tags.count; i++)
        if (strncmp(details->tags.items[i], start, strlen(start)) == 0 &&
            strcmp(details->tags.items[i], exact) != 0)
            strvec_push(&image->tags, details->tags.items[i]);
    if (strvec_contains(&details->tags, exact))
        strvec_push(&image->tags, exact);
}

/* What the engine says of each image. */
struct all_details {
    struct image_details *items;
    size_t count;
};

static bool has_image_with(const struct all_details *all, const char *tag)
{
    for (size_t i = 0; i < all->count; i++)
        if (strvec_contains(&all->items[i].tags, tag))
            return true;
    return false;
}

/*
 * The path of the configuration that names the image, borrowed; NULL: none does. An image that does
 * not have the tag of its label yet, and no other has it, is being prepared or was interrupted.
 */
static const char *find_config(const struct prepared_image *image,
                               const struct image_details *details, const struct all_details *all,
                               const struct prepared_use_map *map)
{
    const char *tag = image_details_label(details, PREPARE_LABEL_TAG);
    const char *file = NULL;

    for (size_t i = 0; i < image->tags.count && !file; i++)
        file = prepared_use_of(map, image->tags.items[i]);
    if (!file && tag && !has_image_with(all, tag))
        file = prepared_use_of(map, tag);
    return file;
}

static int find_use(struct prepared_image *image, const struct docker *docker,
                    const struct image_details *details, const struct all_details *all,
                    const struct prepared_use_map *map, const struct notifier *cancel,
                    struct error *error)
{
    const char *named_by = find_config(image, details, all, map);
    int busy;

    image->use = PREPARED_USED;
    image->config = named_by ? string_copy(named_by) : label_of(details, MAKER_LABEL_CONFIG);
    if (named_by)
        return 0;
    image->use = PREPARED_FOREIGN;
    if (!prepare_maker_is_self(details))
        return 0;
    image->use = PREPARED_USED;
    if (strvec_contains(&map->unreadable, image->config))
        return 0;
    busy = image_list_in_use(docker, details->id, cancel, error);
    image->use = busy ? PREPARED_BUSY : PREPARED_UNUSED;
    return busy < 0 ? -1 : 0;
}

static int add_image(struct prepared_images *images, const struct docker *docker,
                     const struct image_details *details, const struct all_details *all,
                     const struct prepared_use_map *map, const struct notifier *cancel,
                     struct error *error)
{
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT;
    CLEANUP_FREE char *exact = NULL;
    struct prepared_image *image;

    read_steps(details, &steps);
    images->items = memory_resize(images->items, (images->count + 1) * sizeof *images->items);
    image = &images->items[images->count++];
    *image = (struct prepared_image){.tags = STRVEC_INIT,
                                     .language = label_of(details, PREPARE_LABEL_LANGUAGE),
                                     .base = label_of(details, PREPARE_LABEL_BASE),
                                     .steps = strvec_join(&steps, "; "),
                                     .bytes = details->bytes};
    snprintf(image->created, sizeof image->created, "%s", details->created);
    exact = exact_tag(details, image, &steps);
    read_tags(image, details, exact);
    return find_use(image, docker, details, all, map, cancel, error);
}

/* ---- all of them */

static void all_details_release(struct all_details *all)
{
    for (size_t i = 0; i < all->count; i++)
        image_details_release(&all->items[i]);
    free(all->items);
}

/* An image may be removed meanwhile. */
static int inspect_all(const struct docker *docker, const struct notifier *cancel,
                       struct all_details *all, struct error *error)
{
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;

    if (image_list(docker, PREPARE_REPOSITORY, cancel, &ids, error) != 0)
        return -1;
    all->items = memory_allocate((ids.count + 1) * sizeof *all->items);
    for (size_t i = 0; i < ids.count; i++) {
        struct image_details *details = &all->items[all->count];
        int there;

        *details = (struct image_details)IMAGE_DETAILS_INIT;
        there = image_store_details(docker, ids.items[i], cancel, details, error);
        if (there < 0)
            return -1;
        all->count += there == 1 && details->id ? 1 : 0;
    }
    return 0;
}

int prepared_images_list(const struct docker *docker, const struct config *config,
                         const struct notifier *cancel, struct prepared_images *images,
                         struct strvec *warnings, struct error *error)
{
    CLEANUP(prepared_use_map_release) struct prepared_use_map map = PREPARED_USE_MAP_INIT;
    CLEANUP(all_details_release) struct all_details all = {.items = NULL};

    map.warnings = warnings;
    if (prepared_use_add_known(&map, config, error) != 0 ||
        inspect_all(docker, cancel, &all, error) != 0)
        return -1;
    for (size_t i = 0; i < all.count; i++) {
        const char *file = image_details_label(&all.items[i], MAKER_LABEL_CONFIG);

        if (file && *file && prepare_maker_is_self(&all.items[i]))
            prepared_use_add_file(&map, file);
    }
    for (size_t i = 0; i < all.count; i++)
        if (add_image(images, docker, &all.items[i], &all, &map, cancel, error) != 0)
            return -1;
    return 0;
}

int prepared_image_remove(const struct docker *docker, const struct prepared_image *image,
                          const struct notifier *cancel, struct error *error)
{
    for (size_t i = 0; i < image->tags.count; i++)
        if (image_store_remove(docker, image->tags.items[i], cancel, error) != 0)
            return -1;
    return 0;
}

void prepared_images_release(struct prepared_images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        struct prepared_image *image = &images->items[i];

        strvec_release(&image->tags);
        free(image->language);
        free(image->base);
        free(image->steps);
        free(image->config);
    }
    free(images->items);
    *images = (struct prepared_images)PREPARED_IMAGES_INIT;
}

/* ---- the notes */

struct lost_notes {
    const char *language; /* NULL: all */
    struct strvec configurations, languages;
};

static void add_lost_note(void *context, const char *configuration, const char *language,
                          const struct prepare_note *note)
{
    struct lost_notes *lost = context;

    (void)note;
    if (!configuration || !config_file_is_gone(configuration) ||
        (lost->language && strcmp(lost->language, language) != 0))
        return;
    strvec_push(&lost->configurations, configuration);
    strvec_push(&lost->languages, language);
}

int prepared_images_forget(const char *language, struct error *error)
{
    struct lost_notes lost = {.language = language};
    int result = prepare_notes_each(add_lost_note, &lost, error);

    for (size_t i = 0; i < lost.languages.count && result == 0; i++)
        result =
            prepare_notes_put(lost.configurations.items[i], lost.languages.items[i], NULL, error);
    strvec_release(&lost.configurations);
    strvec_release(&lost.languages);
    return result;
}
