#include "service/prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/prepare_notes.h"
#include "config/prepare_rules.h"
#include "docker/image_store.h"
#include "service/prepare_steps.h"

/* ---- what the engine says of an image */

static int inspect_base(const struct docker *docker, const struct language *language,
                        const struct notifier *cancel, struct image_details *base,
                        struct error *error)
{
    const int there = image_store_details(docker, language->image, cancel, base, error);

    if (there == 0)
        return error_set(error, ERROR_IMAGE,
                         "image '%s' is not on the engine; run: isolator pull %s", language->image,
                         language->name);
    if (there == 1 && !base->id)
        return error_set(error, ERROR_ENGINE,
                         "cannot inspect the image '%s': the engine names no id", language->image);
    return there == 1 ? 0 : -1;
}

/* Lists the tags of isolator that an image has; none if there is no such image. */
static int list_tags(const struct docker *docker, const char *image, const struct notifier *cancel,
                     struct strvec *tags, struct error *error)
{
    static const char start[] = PREPARE_REPOSITORY ":";
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;

    if (image_store_details(docker, image, cancel, &details, error) < 0)
        return -1;
    for (size_t i = 0; i < details.tags.count; i++)
        if (strncmp(details.tags.items[i], start, strlen(start)) == 0)
            strvec_push(tags, details.tags.items[i]);
    return 0;
}

/* ---- the record of a preparation */

/* Either may be NULL. */
static bool equal_or_both_null(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Whether the record describes the language as it is configured now. */
static bool is_noted(const struct prepare_note *noted, const struct language *language,
                     const char *exact)
{
    const struct preparation *preparation = &language->preparation;

    if (!equal_or_both_null(noted->image, preparation->tag) ||
        !equal_or_both_null(noted->exact, exact) ||
        !strvec_equal(&noted->listed, &language->list_packages))
        return false;
    return !preparation->noted ||
           (noted->steps.count > 0 && equal_or_both_null(noted->network, preparation->network));
}

/* Records the preparation: its packages, and its steps if they are not in the configuration. */
static int record_preparation(const struct prepare *prepare, const struct language *language,
                              const char *exact, struct prepare_outcome *outcome,
                              struct error *error)
{
    const struct preparation *preparation = &language->preparation;
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;

    note.image = string_copy(preparation->tag);
    note.exact = string_copy(exact);
    if (preparation->noted) {
        strvec_push_all(&note.steps, &preparation->steps);
        note.network = preparation->network ? string_copy(preparation->network) : NULL;
    }
    if (language->list_packages.count > 0 &&
        prepare_list_packages(prepare, language, exact, &note.packages, &outcome->list_status,
                              error) != 0)
        return error_prefix(error, "cannot list the packages");
    if (outcome->list_status == 0) /* else the next preparation tries again */
        strvec_push_all(&note.listed, &language->list_packages);
    return prepare_notes_put(language->name, &note, error);
}

/* ---- the images that are replaced */

/*
 * Removes the tags of an image, of which `tag` is one, except those in `keep`. An image with more
 * than two tags belongs to another preparation as well; then only `tag` is removed. The engine
 * keeps an image that a container uses.
 */
static void remove_tags(const struct docker *docker, const char *tag, const struct strvec *tags,
                        const struct strvec *keep)
{
    for (size_t i = 0; i < tags->count; i++) {
        CLEANUP(error_release) struct error used = ERROR_INIT;

        if (!strvec_contains(keep, tags->items[i]) &&
            (tags->count <= 2 || strcmp(tags->items[i], tag) == 0))
            image_store_remove(docker, tags->items[i], NULL, &used);
    }
}

/* Gives the image its tags, and removes the images that it replaces. */
static int move_tags(const struct prepare *prepare, const struct language *language,
                     const char *exact, const char *noted, struct error *error)
{
    const struct docker *docker = prepare->docker;
    const char *tag = language->preparation.tag;
    CLEANUP(strvec_release) struct strvec old_tags = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec older_tags = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keep = STRVEC_INIT;

    if (noted && strcmp(noted, tag) == 0)
        noted = NULL;
    strvec_push_each(&keep, exact, tag, NULL);
    if (list_tags(docker, tag, prepare->cancel, &old_tags, error) != 0 ||
        (noted && list_tags(docker, noted, prepare->cancel, &older_tags, error) != 0))
        return -1;
    if (!strvec_contains(&old_tags, exact) &&
        image_store_tag(docker, exact, tag, prepare->cancel, error) != 0)
        return -1;
    if (prepare->tag && image_store_tag(docker, exact, prepare->tag, prepare->cancel, error) != 0)
        return -1;
    remove_tags(docker, tag, &old_tags, &keep);
    if (noted)
        remove_tags(docker, noted, &older_tags, &keep);
    return 0;
}

/*
 * Removes the tags of the image with this tag, which is removed last, so that the image is found
 * again if the engine refuses. An image with more than two tags belongs to another preparation as
 * well; then only `tag` is removed. Returns how many tags were removed; -1.
 */
static int remove_image(const struct docker *docker, const char *tag, const struct notifier *cancel,
                        struct error *error)
{
    CLEANUP(strvec_release) struct strvec tags = STRVEC_INIT;
    int removed = 0;

    if (list_tags(docker, tag, cancel, &tags, error) != 0)
        return -1;
    for (size_t i = 0; i < tags.count && tags.count <= 2; i++) {
        if (strcmp(tags.items[i], tag) == 0)
            continue;
        if (image_store_remove(docker, tags.items[i], cancel, error) != 0)
            return -1;
        removed++;
    }
    if (!strvec_contains(&tags, tag))
        return removed;
    return image_store_remove(docker, tag, cancel, error) == 0 ? removed + 1 : -1;
}

int prepare_language(const struct prepare *options, const struct language *language,
                     struct prepare_outcome *outcome, struct error *error)
{
    struct docker docker = *options->docker;
    struct prepare own = *options, *const prepare = &own;
    CLEANUP(prepare_note_release) struct prepare_note noted = PREPARE_NOTE_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(image_details_release) struct image_details base = IMAGE_DETAILS_INIT;
    CLEANUP_FREE char *exact = NULL;
    int there;

    docker.allow_unenforced = true; /* there are no limits */
    own.docker = &docker;
    *outcome =
        (struct prepare_outcome){.network = strcmp(prepare_network(prepare, language), "none") != 0,
                                 .reference = language->preparation.tag};
    if (prepare_notes_get(language->name, &noted, error) != 0 ||
        inspect_base(prepare->docker, language, prepare->cancel, &base, error) != 0)
        return -1;
    exact = prepare_tag(language->name, base.id, &language->preparation.steps);
    there = image_store_has(prepare->docker, exact, prepare->cancel, error);
    if (there < 0)
        return -1;
    outcome->already_prepared = there == 1;
    if (there == 0 &&
        prepare_make_image(prepare, language, &base, exact, &outcome->status, error) != 0)
        return -1;
    if (outcome->status != 0)
        return 0;
    if (move_tags(prepare, language, exact, noted.image, error) != 0)
        return -1;
    if (is_noted(&noted, language, exact) ||
        record_preparation(prepare, language, exact, outcome, error) == 0)
        return 0;
    /* If the steps are recorded nowhere else, nothing refers to a new image without its record. */
    if (language->preparation.noted && !outcome->already_prepared)
        remove_image(prepare->docker, language->preparation.tag, NULL, &ignored);
    return -1;
}

/* ---- inspecting and removing */

int prepare_inspect(const struct docker *docker, const struct language *language,
                    const struct notifier *cancel, struct prepare_view *view, struct error *error)
{
    CLEANUP(image_details_release) struct image_details image = IMAGE_DETAILS_INIT;
    CLEANUP(image_details_release) struct image_details base = IMAGE_DETAILS_INIT;
    const char *base_id;
    int there = image_store_details(docker, language->preparation.tag, cancel, &image, error);

    *view = (struct prepare_view){.state = PREPARE_MISSING, .created = ""};
    if (there <= 0)
        return there;
    there = image_store_details(docker, language->image, cancel, &base, error);
    if (there < 0)
        return -1;
    base_id = image_details_label(&image, PREPARE_LABEL_BASE_ID);
    view->state = PREPARE_READY;
    if (there == 1 && (!base_id || !base.id || strcmp(base_id, base.id) != 0))
        view->state = PREPARE_OUTDATED;
    view->size = image.bytes < 0 ? 0 : image.bytes;
    snprintf(view->created, sizeof view->created, "%s", image.created);
    return 0;
}

int prepare_remove(const struct docker *docker, const struct language *language,
                   const struct notifier *cancel, struct error *error)
{
    CLEANUP(prepare_note_release) struct prepare_note noted = PREPARE_NOTE_INIT;
    const char *tag = language->preparation.tag;
    int removed = 0, older = 0;

    if (prepare_notes_get(language->name, &noted, error) != 0)
        return -1;
    if (tag)
        removed = remove_image(docker, tag, cancel, error);
    if (removed >= 0 && noted.image && (!tag || strcmp(noted.image, tag) != 0))
        older = remove_image(docker, noted.image, cancel, error);
    if (removed < 0 || older < 0)
        return -1;
    if (noted.image && prepare_notes_put(language->name, NULL, error) != 0)
        return -1;
    return removed + older > 0 || noted.image ? 1 : 0;
}
