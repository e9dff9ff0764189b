#include "config/prepare_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_files.h"
#include "config/prepare_rules.h"
#include "docker/image.h"

static const char FILE_NAME[] = "prepared.json";

/* How long to wait for another process that writes the notes, which takes milliseconds. */
enum { LOCK_MS = 2000 };

void prepare_note_release(struct prepare_note *note)
{
    free(note->image);
    free(note->exact);
    strvec_release(&note->steps);
    free(note->network);
    strvec_release(&note->listed);
    strvec_release(&note->packages);
}

/* ---- values */

/* Reads an array of strings, which may be empty. */
static int read_list(struct json_reader *reader, const json_t *value, struct strvec *list)
{
    if (!json_is_array(value) || json_array_size(value) > 0)
        return json_reader_strings(reader, value, list);
    strvec_release(list);
    return 0;
}

int prepare_read_steps(struct json_reader *reader, const json_t *value, struct strvec *steps)
{
    if (read_list(reader, value, steps) != 0)
        return -1;
    return prepare_check_steps(steps, reader->error) == 0 ? 0 : json_reader_wrong_value(reader);
}

int prepare_read_network(struct json_reader *reader, const json_t *value, char **network)
{
    if (json_reader_string(reader, value, network) != 0)
        return -1;
    return prepare_check_network(*network, reader->error) == 0 ? 0
                                                               : json_reader_wrong_value(reader);
}

int prepare_read_packages(struct json_reader *reader, const json_t *value, struct strvec *packages)
{
    if (read_list(reader, value, packages) != 0)
        return -1;
    if (packages->count > PREPARE_PACKAGES_MAX) {
        CLEANUP_FREE char *expected = string_format("%d names at most", PREPARE_PACKAGES_MAX);

        return json_reader_wrong_type(reader, expected);
    }
    for (size_t i = 0; i < packages->count; i++) {
        if (!prepare_is_package(packages->items[i])) {
            CLEANUP_FREE char *names = string_format(
                "names of packages: up to %d letters, digits and any of @ . _ / + = -",
                PREPARE_PACKAGE_MAX);

            return json_reader_wrong_type(reader, names);
        }
    }
    return 0;
}

static int read_image(struct json_reader *reader, const json_t *value, char **image)
{
    if (json_reader_string(reader, value, image) != 0)
        return -1;
    return image_check_tag(*image, reader->error) == 0 ? 0 : json_reader_wrong_value(reader);
}

static int read_note_member(struct json_reader *reader, const char *key, const json_t *value,
                            void *target)
{
    static const char *const keys[] = {"image", "exact", "run", "network", "listed", "packages"};
    struct prepare_note *note = target;

    if (strcmp(key, "image") == 0)
        return read_image(reader, value, &note->image);
    if (strcmp(key, "exact") == 0)
        return read_image(reader, value, &note->exact);
    if (strcmp(key, "listed") == 0)
        return read_list(reader, value, &note->listed);
    if (strcmp(key, "run") == 0)
        return prepare_read_steps(reader, value, &note->steps);
    if (strcmp(key, "network") == 0)
        return prepare_read_network(reader, value, &note->network);
    if (strcmp(key, "packages") == 0)
        return prepare_read_packages(reader, value, &note->packages);
    return json_reader_unknown_key(reader, keys, sizeof keys / sizeof *keys);
}

/* ---- reading the file */

/* Called for each note; the note is borrowed. */
typedef void use_note(void *context, const char *language, const struct prepare_note *note);

struct note_reader {
    use_note *use; /* NULL: only check the file */
    void *context;
};

static int read_note(struct json_reader *reader, const char *key, const json_t *value, void *target)
{
    const struct note_reader *notes = target;
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;

    if (json_reader_members(reader, value, read_note_member, &note) != 0)
        return -1;
    if (notes->use)
        notes->use(notes->context, key, &note);
    return 0;
}

static int read_top_member(struct json_reader *reader, const char *key, const json_t *value,
                           void *target)
{
    static const char *const keys[] = {"languages"};

    if (strcmp(key, keys[0]) == 0)
        return json_reader_members(reader, value, read_note, target);
    return json_reader_unknown_key(reader, keys, 1);
}

/* Returns the JSON of the file, a new reference; {} without a file; NULL with the error. */
static json_t *load(const char *path, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_error_t where;
    json_t *root;

    if (access(path, F_OK) != 0) /* as with configuration files, also if it cannot be reached */
        return json_object();
    if (config_read_file(path, &text, error) != 0)
        return NULL;
    root = json_loadb(strbuf_string(&text), text.length, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        CLEANUP_FREE char *shown = text_escape(where.text);
        error_set(error, ERROR_CONFIG, "%s:%d:%d: %s", path, where.line, where.column, shown);
    }
    return root;
}

/* The same, and reads each note, so that mistakes are found. */
static json_t *load_all(const char *path, struct note_reader *notes, struct error *error)
{
    json_auto_t *root = load(path, error);
    struct json_reader reader = {.file = path, .error = error};
    int result;

    if (!root)
        return NULL;
    if (!json_is_object(root)) {
        error_set(error, ERROR_CONFIG, "%s: must be an object", path);
        return NULL;
    }
    result = json_reader_members(&reader, root, read_top_member, notes);
    strbuf_release(&reader.path);
    return result == 0 ? json_incref(root) : NULL;
}

/* The same, with advice: people do not write this file, so they cannot correct it. */
static json_t *load_and_read(const char *path, struct note_reader *notes, struct error *error)
{
    CLEANUP(error_release) struct error wrong = ERROR_INIT;
    json_t *root = load_all(path, notes, &wrong);

    if (!root)
        error_set(error, wrong.kind,
                  "%s; isolator prepare has written it: delete it and prepare again",
                  wrong.message);
    return root;
}

static int read_file(struct note_reader notes, struct error *error)
{
    CLEANUP_FREE char *path = config_home(FILE_NAME);
    json_auto_t *root = load_and_read(path, &notes, error);

    return root ? 0 : -1;
}

static void apply(void *context, const char *name, const struct prepare_note *note)
{
    struct language *language = (struct language *)config_language(context, name);
    struct preparation *preparation = language ? &language->preparation : NULL;

    if (!language)
        return;
    if (preparation->steps.count == 0 && note->steps.count > 0) {
        strvec_push_all(&preparation->steps, &note->steps);
        free(preparation->network);
        preparation->network = note->network ? string_copy(note->network) : NULL;
        preparation->noted = true;
        config_prepare(language);
    }
    if (!note->image || !preparation->tag || strcmp(note->image, preparation->tag) != 0)
        return; /* the packages are those of another image */
    for (size_t i = 0; i < note->packages.count; i++)
        if (!strvec_contains(&language->packages, note->packages.items[i]))
            strvec_push(&language->packages, note->packages.items[i]);
}

int prepare_notes_apply(struct config *config, struct error *error)
{
    return read_file((struct note_reader){apply, config}, error);
}

struct wanted {
    const char *language;
    struct prepare_note *note;
};

static void keep_wanted(void *context, const char *language, const struct prepare_note *note)
{
    const struct wanted *wanted = context;

    if (strcmp(language, wanted->language) != 0)
        return;
    wanted->note->image = note->image ? string_copy(note->image) : NULL;
    wanted->note->exact = note->exact ? string_copy(note->exact) : NULL;
    wanted->note->network = note->network ? string_copy(note->network) : NULL;
    strvec_push_all(&wanted->note->steps, &note->steps);
    strvec_push_all(&wanted->note->listed, &note->listed);
}

int prepare_notes_get(const char *language, struct prepare_note *note, struct error *error)
{
    struct wanted wanted = {language, note};

    return read_file((struct note_reader){keep_wanted, &wanted}, error);
}

/* ---- writing it */

static void put_string(json_t *object, const char *key, const char *string)
{
    if (string)
        json_object_set_new(object, key, json_string(string));
}

static void put_list(json_t *object, const char *key, const struct strvec *list)
{
    json_t *array;

    if (list->count == 0)
        return;
    array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_string(list->items[i]));
    json_object_set_new(object, key, array);
}

static void put_note(json_t *root, const char *language, const struct prepare_note *note)
{
    json_t *languages = json_object_get(root, "languages");
    json_t *object = json_object();

    if (!languages) {
        languages = json_object();
        json_object_set_new(root, "languages", languages);
    }
    put_string(object, "image", note->image);
    put_string(object, "exact", note->exact);
    put_list(object, "run", &note->steps);
    put_string(object, "network", note->network);
    put_list(object, "listed", &note->listed);
    put_list(object, "packages", &note->packages);
    json_object_set_new(languages, language, object);
}

/* Creates the directories above the file. If that fails, creating the file fails too. */
static void make_directories(const char *path)
{
    CLEANUP_FREE char *copy = string_copy(path);

    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
}

/*
 * Locks the directory of the notes, so that two processes that prepare at once do not lose each
 * other's notes. Closing the descriptor releases the lock. Returns -1 if there is no directory yet,
 * or another process keeps the lock; then the work goes on without it.
 */
static int lock_directory(const char *path)
{
    static const struct timespec pause = {0, 10 * 1000000L};
    CLEANUP_FREE char *directory = string_format("%.*s", (int)(strrchr(path, '/') - path), path);
    CLEANUP_FD int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const long long deadline = clock_now_ms() + LOCK_MS;

    while (fd >= 0 && clock_now_ms() < deadline) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return steal_fd(&fd);
        nanosleep(&pause, NULL);
    }
    return -1;
}

/* Writes a new file and renames it, so that it replaces the old one. */
static int replace(const char *path, const char *text, struct error *error)
{
    CLEANUP_FREE char *beside = string_format("%s.XXXXXX", path);
    CLEANUP_FD int fd = -1;

    fd = mkstemp(beside);
    if (fd < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (io_write_all(fd, text, strlen(text)) == 0 && fsync(fd) == 0 && rename(beside, path) == 0)
        return 0;
    error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
    unlink(beside);
    return -1;
}

/* Does the work of prepare_notes_put() while the directory is locked, if that was possible. */
static int put(const char *path, const char *language, const struct prepare_note *note,
               struct error *error)
{
    struct note_reader check = {.use = NULL};
    json_auto_t *root = load_and_read(path, &check, error);
    CLEANUP_FREE char *text = NULL;

    if (!root)
        return -1;
    if (note)
        put_note(root, language, note);
    else if (json_object_del(json_object_get(root, "languages"), language) != 0)
        return 0; /* there is no such note */
    text = json_dumps(root, JSON_INDENT(2));
    if (!text)
        abort();
    return replace(path, text, error);
}

int prepare_notes_put(const char *language, const struct prepare_note *note, struct error *error)
{
    CLEANUP_FREE char *path = config_home(FILE_NAME);
    int lock, result;

    if (note)
        make_directories(path);
    lock = lock_directory(path);
    result = put(path, language, note, error);
    if (lock >= 0)
        close(lock);
    return result;
}
