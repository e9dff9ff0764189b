#include "prepare/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config_files.h"
#include "config/prepare_notes.h"
#include "config/prepare_rules.h"
#include "docker/explain.h"
#include "docker/image_store.h"
#include "prepare/prepare_files.h"
#include "prepare/prepare_maker.h"
#include "prepare/prepare_steps.h"

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

/* An image that was prepared; there are no tags if the engine does not have it. */
struct prepared {
    struct strvec tags; /* those of isolator */
    bool is_own;        /* this user made it */
};

#define PREPARED_INIT                                                                              \
    {                                                                                              \
        .tags = STRVEC_INIT                                                                        \
    }

static void prepared_release(struct prepared *prepared)
{
    strvec_release(&prepared->tags);
}

static int inspect_prepared(const struct docker *docker, const char *image,
                            const struct notifier *cancel, struct prepared *prepared,
                            struct error *error)
{
    static const char start[] = PREPARE_REPOSITORY ":";
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;

    if (image_store_details(docker, image, cancel, &details, error) < 0)
        return -1;
    prepared->is_own = prepare_maker_is_self(&details);
    for (size_t i = 0; i < details.tags.count; i++)
        if (strncmp(details.tags.items[i], start, strlen(start)) == 0)
            strvec_push(&prepared->tags, details.tags.items[i]);
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
    return !preparation->noted || (noted->steps.count > 0 &&
                                   prepare_network_equal(&noted->network, &preparation->network));
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
        strvec_push_all(&note.files, &preparation->files);
        prepare_network_copy(&note.network, &preparation->network);
    }
    if (language->list_packages.count > 0 &&
        prepare_list_packages(prepare, language, exact, &note.packages, &outcome->list_status,
                              error) != 0)
        return error_prefix(error, "cannot list the packages");
    if (outcome->list_status == 0) /* else the next preparation tries again */
        strvec_push_all(&note.listed, &language->list_packages);
    return prepare_notes_put(prepare->prepared_for, language->name, &note, error);
}

/* Looks for a note of another configuration that names the same image. */
struct other_user {
    const char *prepared_for, *language, *image;
    char *found; /* the path of its file, or "" if it is at the top; owned; NULL: there is none */
};

/* A file that was deleted uses nothing. */
static void find_other_user(void *context, const char *configuration, const char *language,
                            const struct prepare_note *note)
{
    struct other_user *other = context;

    if (other->found || strcmp(language, other->language) != 0 ||
        equal_or_both_null(configuration, other->prepared_for) || !note->image ||
        strcmp(note->image, other->image) != 0 ||
        (configuration && config_file_is_gone(configuration)))
        return;
    other->found = string_copy(configuration ? configuration : "");
}

/* ---- the images that are replaced */

/*
 * Removes the tags of an image, of which `tag` is one, except those in `keep`. An image with more
 * than two tags belongs to another preparation as well; then only `tag` is removed. The engine
 * keeps an image that a container uses.
 */
static void remove_tags(const struct docker *docker, const char *tag, const struct prepared *old,
                        const struct strvec *keep)
{
    const struct strvec *tags = &old->tags;

    for (size_t i = 0; i < tags->count && old->is_own; i++) {
        CLEANUP(error_release) struct error used = ERROR_INIT;

        if (!strvec_contains(keep, tags->items[i]) &&
            (tags->count <= 2 || strcmp(tags->items[i], tag) == 0))
            image_store_remove(docker, tags->items[i], NULL, &used);
    }
}

/*
 * Removes the image of the steps that the language had before, if the note names another one and
 * no other configuration uses it.
 */
static int remove_noted(const struct prepare *prepare, const struct language *language,
                        const char *noted, const struct strvec *keep, struct error *error)
{
    struct other_user other = {prepare->prepared_for, language->name, noted, NULL};
    CLEANUP(prepared_release) struct prepared old = PREPARED_INIT;

    if (!noted || strcmp(noted, language->preparation.tag) == 0)
        return 0;
    if (inspect_prepared(prepare->docker, noted, prepare->cancel, &old, error) != 0 ||
        prepare_notes_each(find_other_user, &other, error) != 0)
        return -1;
    if (!other.found)
        remove_tags(prepare->docker, noted, &old, keep);
    free(other.found);
    return 0;
}

/* Gives the image its tags, and removes the images that it replaces. */
static int move_tags(const struct prepare *prepare, const struct language *language,
                     const char *exact, const char *noted, struct error *error)
{
    const struct docker *docker = prepare->docker;
    const char *tag = language->preparation.tag;
    CLEANUP(prepared_release) struct prepared old = PREPARED_INIT;
    CLEANUP(strvec_release) struct strvec keep = STRVEC_INIT;

    strvec_push_each(&keep, exact, tag, NULL);
    if (inspect_prepared(docker, tag, prepare->cancel, &old, error) != 0)
        return -1;
    if (!strvec_contains(&old.tags, exact) &&
        image_store_tag(docker, exact, tag, prepare->cancel, error) != 0)
        return -1;
    if (prepare->tag && image_store_tag(docker, exact, prepare->tag, prepare->cancel, error) != 0)
        return -1;
    remove_tags(docker, tag, &old, &keep);
    return remove_noted(prepare, language, noted, &keep, error);
}

/*
 * Removes the tags of the image with this tag, which is removed last, so that the image is found
 * again if the engine refuses. An image with more than two tags belongs to another preparation as
 * well; then only `tag` is removed. Returns how many tags were removed; -1.
 */
static int remove_image(const struct docker *docker, const char *tag, const struct notifier *cancel,
                        struct error *error)
{
    CLEANUP(prepared_release) struct prepared image = PREPARED_INIT;
    const struct strvec *tags = &image.tags;
    int removed = 0;

    if (inspect_prepared(docker, tag, cancel, &image, error) != 0)
        return -1;
    for (size_t i = 0; i < tags->count && tags->count <= 2; i++) {
        if (strcmp(tags->items[i], tag) == 0)
            continue;
        if (image_store_remove(docker, tags->items[i], cancel, error) != 0)
            return -1;
        removed++;
    }
    if (!strvec_contains(tags, tag))
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
    CLEANUP(prepare_files_release) struct prepare_files files = PREPARE_FILES_INIT;
    CLEANUP_FREE char *exact = NULL;
    int there;

    docker.allow_unenforced = true; /* there are no limits */
    own.docker = &docker;
    *outcome = (struct prepare_outcome){
        .network = prepare_network_is_open(prepare_steps_network(prepare, language)),
        .reference = language->preparation.tag};
    if (prepare_notes_get(prepare->prepared_for, language->name, &noted, error) != 0 ||
        prepare_files_pack(&files, &language->preparation.files, prepare->warnings, prepare->cancel,
                           error) != 0 ||
        inspect_base(prepare->docker, language, prepare->cancel, &base, error) != 0)
        return -1;
    exact = prepare_tag(language->name, base.id, &language->preparation.steps, &files.digest);
    there = image_store_has(prepare->docker, exact, prepare->cancel, error);
    if (there < 0)
        return -1;
    outcome->already_prepared = there == 1;
    /* podman would make the image under the name of docker, with a volume. */
    if (there == 0 &&
        (docker_check_kind(prepare->docker, "cannot create a container", NULL, prepare->cancel,
                           error) != 0 ||
         prepare_make_image(prepare, language, &base, &files, exact, &outcome->status, error) != 0))
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

/* Whether the files that the image was made with can be read and have changed. -1: cancelled. */
static int files_have_changed(const struct language *language, const struct image_details *image,
                              const struct notifier *cancel, struct error *error)
{
    CLEANUP(prepare_files_release) struct prepare_files files = PREPARE_FILES_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT; /* a preparation shows them */
    CLEANUP(error_release) struct error unreadable = ERROR_INIT;
    const char *digest = image_details_label(image, PREPARE_LABEL_FILES);

    if (language->preparation.files.count == 0)
        return 0;
    if (prepare_files_pack(&files, &language->preparation.files, &warnings, cancel, &unreadable) ==
        0)
        return !digest || strcmp(digest, files.digest.items[0]) != 0;
    if (unreadable.kind != ERROR_CANCELLED)
        return 0;
    return error_set(error, ERROR_CANCELLED, "%s", unreadable.message);
}

int prepare_inspect(const struct docker *docker, const struct language *language,
                    const struct notifier *cancel, struct prepare_view *view, struct error *error)
{
    CLEANUP(image_details_release) struct image_details image = IMAGE_DETAILS_INIT;
    CLEANUP(image_details_release) struct image_details base = IMAGE_DETAILS_INIT;
    const char *base_id;
    int there = image_store_details(docker, language->preparation.tag, cancel, &image, error);
    int changed;

    *view = (struct prepare_view){.state = PREPARE_MISSING, .created = ""};
    if (there <= 0)
        return there;
    there = image_store_details(docker, language->image, cancel, &base, error);
    changed = there < 0 ? -1 : files_have_changed(language, &image, cancel, error);
    if (changed < 0)
        return -1;
    base_id = image_details_label(&image, PREPARE_LABEL_BASE_ID);
    view->state = changed ? PREPARE_OLD_FILES : PREPARE_READY;
    if (there == 1 && (!base_id || !base.id || strcmp(base_id, base.id) != 0))
        view->state = PREPARE_OLD_BASE;
    view->size = image.bytes < 0 ? 0 : image.bytes;
    snprintf(view->created, sizeof view->created, "%s", image.created);
    return 0;
}

/*
 * Removes the image with this tag, unless another configuration uses it: then sets *kept_for.
 * Returns how many tags were removed; -1.
 */
static int remove_unless_used(const struct docker *docker, const char *language,
                              const char *prepared_for, const char *tag,
                              const struct notifier *cancel, char **kept_for, struct error *error)
{
    struct other_user other = {prepared_for, language, tag, NULL};

    if (prepare_notes_each(find_other_user, &other, error) != 0)
        return -1;
    if (!other.found)
        return remove_image(docker, tag, cancel, error);
    free(*kept_for);
    *kept_for = other.found;
    return 0;
}

int prepare_remove(const struct docker *docker, const struct language *language,
                   const char *prepared_for, const struct notifier *cancel, char **kept_for,
                   struct error *error)
{
    CLEANUP(prepare_note_release) struct prepare_note noted = PREPARE_NOTE_INIT;
    const char *tag = language->preparation.tag;
    int removed = 0, older = 0;

    *kept_for = NULL;
    if (prepare_notes_get(prepared_for, language->name, &noted, error) != 0)
        return -1;
    if (tag)
        removed =
            remove_unless_used(docker, language->name, prepared_for, tag, cancel, kept_for, error);
    if (removed >= 0 && noted.image && (!tag || strcmp(noted.image, tag) != 0))
        older = remove_unless_used(docker, language->name, prepared_for, noted.image, cancel,
                                   kept_for, error);
    if (removed < 0 || older < 0)
        return -1;
    if (noted.image && prepare_notes_put(prepared_for, language->name, NULL, error) != 0)
        return -1;
    return removed + older > 0 || noted.image ? 1 : 0;
}
