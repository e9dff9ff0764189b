#include "config/prepare_notes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_replace.h"
#include "base/json_make.h"
#include "base/strbuf.h"
#include "config/config_read.h"
#include "config/prepare_notes_file.h"
#include "config/prepare_rules.h"
#include "config/prepare_values.h"
#include "docker/image.h"

static const char AT_TOP[] = "languages", BY_CONFIGURATION[] = "configurations";

void prepare_note_release(struct prepare_note *note)
{
    free(note->image);
    free(note->exact);
    strvec_release(&note->steps);
    strvec_release(&note->files);
    prepare_network_release(&note->network);
    strvec_release(&note->listed);
    strvec_release(&note->packages);
}

/* ---- values */

static int read_files(struct json_reader *reader, const json_t *value, struct strvec *files)
{
    if (json_reader_list(reader, value, files) != 0)
        return -1;
    return json_reader_checked(reader, prepare_check_files(files, reader->error));
}

static int read_image(struct json_reader *reader, const json_t *value, char **image)
{
    if (json_reader_string(reader, value, image) != 0)
        return -1;
    return json_reader_checked(reader, image_check_tag(*image, reader->error));
}

static int read_note_member(struct json_reader *reader, const char *key, const json_t *value,
                            void *target)
{
    static const char *const keys[] = {"image",   "exact",  "run",     "files",
                                       "network", "listed", "packages"};
    struct prepare_note *note = target;

    if (strcmp(key, "image") == 0)
        return read_image(reader, value, &note->image);
    if (strcmp(key, "exact") == 0)
        return read_image(reader, value, &note->exact);
    if (strcmp(key, "listed") == 0)
        return json_reader_list(reader, value, &note->listed);
    if (strcmp(key, "run") == 0)
        return prepare_read_steps(reader, value, &note->steps);
    if (strcmp(key, "files") == 0)
        return read_files(reader, value, &note->files);
    if (strcmp(key, "network") == 0)
        return json_is_object(value) ? config_read_steps_hosts(reader, value, &note->network)
                                     : prepare_read_network(reader, value, &note->network);
    if (strcmp(key, "packages") == 0)
        return prepare_read_packages(reader, value, &note->packages);
    return json_reader_unknown_key(reader, keys, sizeof keys / sizeof *keys);
}

/* ---- reading the file */

/* Which notes are read, and what is done with them. */
struct note_reader {
    const char *part;          /* AT_TOP or BY_CONFIGURATION; NULL: both */
    const char *configuration; /* of the note that is read; NULL: it is at the top */
    prepare_notes_visit *visit;
    void *context;
};

static int read_note(struct json_reader *reader, const char *key, const json_t *value, void *target)
{
    const struct note_reader *notes = target;
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;

    if (json_reader_members(reader, value, read_note_member, &note) != 0)
        return -1;
    if (notes->visit)
        notes->visit(notes->context, notes->configuration, key, &note);
    return 0;
}

static int read_languages(struct json_reader *reader, const char *key, const json_t *value,
                          void *target)
{
    static const char *const keys[] = {AT_TOP};

    if (strcmp(key, AT_TOP) == 0)
        return json_reader_members(reader, value, read_note, target);
    return json_reader_unknown_key(reader, keys, 1);
}

static int read_configuration(struct json_reader *reader, const char *key, const json_t *value,
                              void *target)
{
    struct note_reader notes = *(const struct note_reader *)target;

    notes.configuration = key;
    return json_reader_members(reader, value, read_languages, &notes);
}

static int read_top_member(struct json_reader *reader, const char *key, const json_t *value,
                           void *target)
{
    static const char *const keys[] = {AT_TOP, BY_CONFIGURATION};
    const struct note_reader *notes = target;

    if (strcmp(key, AT_TOP) != 0 && strcmp(key, BY_CONFIGURATION) != 0)
        return json_reader_unknown_key(reader, keys, 2);
    if (notes->part && strcmp(key, notes->part) != 0)
        return 0;
    return json_reader_members(reader, value,
                               strcmp(key, AT_TOP) == 0 ? read_note : read_configuration, target);
}

static int read_root(const char *path, const json_t *root, struct note_reader *notes,
                     struct error *error)
{
    struct json_reader reader = {.file = path, .error = error};
    int result;

    if (!json_is_object(root))
        return error_set(error, ERROR_CONFIG, "%s: must be an object", path);
    result = json_reader_members(&reader, root, read_top_member, notes);
    strbuf_release(&reader.path);
    return result;
}

/*
 * Returns the JSON of the file, a new reference, if every note in it can be read. The error has
 * advice: people do not write this file, so they cannot correct it.
 */
static json_t *load(const char *path, struct error *error)
{
    CLEANUP(error_release) struct error wrong = ERROR_INIT;
    struct note_reader check = {.visit = NULL};
    json_auto_t *root = prepare_notes_load(path, &wrong);

    if (root && read_root(path, root, &check, &wrong) == 0)
        return json_incref(root);
    error_set(error, wrong.kind, "%s; isolator prepare has written it: delete it and prepare again",
              wrong.message);
    return NULL;
}

/* Visits all notes of a file that load() has read. */
static int visit_all(const char *path, const json_t *root, prepare_notes_visit *visit,
                     void *context, struct error *error)
{
    struct note_reader top = {.part = AT_TOP, .visit = visit, .context = context};
    struct note_reader others = {.part = BY_CONFIGURATION, .visit = visit, .context = context};

    return read_root(path, root, &top, error) == 0 ? read_root(path, root, &others, error) : -1;
}

int prepare_notes_each(prepare_notes_visit *visit, void *context, struct error *error)
{
    CLEANUP_FREE char *path = prepare_notes_path();
    json_auto_t *root = load(path, error);

    return root ? visit_all(path, root, visit, context, error) : -1;
}

/* Either may be NULL. */
static bool is_same(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* ---- the notes in a configuration */

/* The language of the configuration that a note is for; NULL: it is for none. */
static struct language *find_language(const struct config *config, const char *configuration,
                                      const char *name)
{
    if (configuration && !is_same(configuration, config->prepared_for))
        return NULL;
    return (struct language *)config_language(config, name);
}

/* A note of the configuration, which comes later, replaces one at the top. */
static void apply_steps(void *context, const char *configuration, const char *name,
                        const struct prepare_note *note)
{
    struct language *language = find_language(context, configuration, name);
    struct preparation *preparation = language ? &language->preparation : NULL;

    if (!language || note->steps.count == 0 ||
        (preparation->steps.count > 0 && !preparation->noted))
        return;
    strvec_release(&preparation->steps);
    strvec_push_all(&preparation->steps, &note->steps);
    strvec_release(&preparation->files);
    strvec_push_all(&preparation->files, &note->files);
    prepare_network_copy(&preparation->network, &note->network);
    preparation->noted = true;
    preparation->shared = !configuration;
    config_prepare(language);
}

/* After all steps, since packages belong to one image. */
static void apply_packages(void *context, const char *configuration, const char *name,
                           const struct prepare_note *note)
{
    struct language *language = find_language(context, configuration, name);

    if (!language || !note->image || !is_same(note->image, language->preparation.tag))
        return;
    strvec_push_all_once(&language->packages, &note->packages);
}

int prepare_notes_apply(struct config *config, struct error *error)
{
    CLEANUP_FREE char *path = prepare_notes_path();
    json_auto_t *root = load(path, error);

    if (!root || visit_all(path, root, apply_steps, config, error) != 0)
        return -1;
    return visit_all(path, root, apply_packages, config, error);
}

/* ---- one note */

struct wanted {
    const char *configuration, *language;
    struct prepare_note *note;
};

static void keep_wanted(void *context, const char *configuration, const char *language,
                        const struct prepare_note *note)
{
    const struct wanted *wanted = context;

    if (!is_same(configuration, wanted->configuration) || strcmp(language, wanted->language) != 0)
        return;
    wanted->note->image = note->image ? string_copy(note->image) : NULL;
    wanted->note->exact = note->exact ? string_copy(note->exact) : NULL;
    prepare_network_copy(&wanted->note->network, &note->network);
    strvec_push_all(&wanted->note->steps, &note->steps);
    strvec_push_all(&wanted->note->files, &note->files);
    strvec_push_all(&wanted->note->listed, &note->listed);
}

int prepare_notes_get(const char *configuration, const char *language, struct prepare_note *note,
                      struct error *error)
{
    struct wanted wanted = {configuration, language, note};

    return prepare_notes_each(keep_wanted, &wanted, error);
}

static void put_string(json_t *object, const char *key, const char *string)
{
    if (string)
        json_object_set_new(object, key, json_string(string));
}

static void put_list(json_t *object, const char *key, const struct strvec *list)
{
    if (list->count > 0)
        json_object_set_new(object, key, json_make_list(list));
}

static json_t *note_object(const struct prepare_note *note)
{
    json_t *object = json_object();

    put_string(object, "image", note->image);
    put_string(object, "exact", note->exact);
    put_list(object, "run", &note->steps);
    put_list(object, "files", &note->files);
    if (prepare_network_is_given(&note->network))
        json_object_set_new(object, "network", prepare_network_to_json(&note->network));
    put_list(object, "listed", &note->listed);
    put_list(object, "packages", &note->packages);
    return object;
}

/* Returns the object that is a member, borrowed; it is created if there is none. */
static json_t *member_object(json_t *object, const char *key)
{
    if (!json_object_get(object, key))
        json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

static void put_note(json_t *root, const char *configuration, const char *language,
                     const struct prepare_note *note)
{
    json_t *place = root;

    if (configuration)
        place = member_object(member_object(root, BY_CONFIGURATION), configuration);
    json_object_set_new(member_object(place, AT_TOP), language, note_object(note));
}

/* Returns false if there is no such note. */
static bool remove_note(json_t *root, const char *configuration, const char *language)
{
    json_t *all = json_object_get(root, BY_CONFIGURATION);
    json_t *place = configuration ? json_object_get(all, configuration) : root;
    json_t *languages = json_object_get(place, AT_TOP);

    if (json_object_del(languages, language) != 0)
        return false;
    if (configuration && json_object_size(languages) == 0)
        json_object_del(all, configuration);
    return true;
}

/* Does the work of prepare_notes_put() while the directory is locked, if that was possible. */
static int put(const char *path, const char *configuration, const char *language,
               const struct prepare_note *note, struct error *error)
{
    json_auto_t *root = load(path, error);

    if (!root)
        return -1;
    if (note)
        put_note(root, configuration, language, note);
    else if (!remove_note(root, configuration, language))
        return 0;
    return prepare_notes_replace(path, root, error);
}

int prepare_notes_put(const char *configuration, const char *language,
                      const struct prepare_note *note, struct error *error)
{
    CLEANUP_FREE char *path = prepare_notes_path();
    int lock, result;

    if (note)
        file_make_directories(path);
    lock = prepare_notes_lock(path);
    result = put(path, configuration, language, note, error);
    if (lock >= 0)
        close(lock);
    return result;
}
