#include "service/job_note.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_replace.h"
#include "base/json_make.h"
#include "base/text.h"
#include "request/plan_note.h"

enum { VERSION = 1, ID_DIGITS = JOB_ID_SIZE - 1 };

static const char NO_JOB[] = "no job '%s'; isolator ps lists them";

/* ---- names */

static char *directory(void)
{
    const char *xdg = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    if (xdg && *xdg == '/')
        return string_format("%s/isolator/jobs", xdg);
    return string_format("%s/.local/state/isolator/jobs", home && *home == '/' ? home : "");
}

static size_t digits_of(const char *text)
{
    return strspn(text, "0123456789abcdef");
}

int job_note_check_name(const char *name, struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const size_t length = strlen(name);

    if (length > 0 && length <= JOB_NAME_MAX && strspn(name, allowed) == length &&
        digits_of(name) < length && name[0] != '-')
        return 0;
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);

    return error_set(error, ERROR_USAGE,
                     "'%s' cannot be the name of a job: up to %d letters, digits, _ . and -, and "
                     "not only digits from 0 to 9 and a to f, which could be an id",
                     shown, JOB_NAME_MAX);
}

/* Splits the name of a file. False: it is not that of a job. */
static bool split(const char *file, char id[JOB_ID_SIZE], const char **name)
{
    if (digits_of(file) != ID_DIGITS || (file[ID_DIGITS] != '\0' && file[ID_DIGITS] != '.'))
        return false;
    memcpy(id, file, ID_DIGITS);
    id[ID_DIGITS] = '\0';
    *name = file[ID_DIGITS] == '.' ? file + JOB_ID_SIZE : NULL;
    return true;
}

/* Adds the names of the files of jobs. */
static void list_files(struct strvec *files)
{
    CLEANUP_FREE char *path = directory();
    DIR *jobs = opendir(path);
    const struct dirent *entry;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    while (jobs && (entry = readdir(jobs)))
        if (split(entry->d_name, id, &name))
            strvec_push(files, entry->d_name);
    if (jobs)
        closedir(jobs);
}

void job_notes_list(struct strvec *words)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    list_files(&files);
    for (size_t i = 0; i < files.count; i++) {
        split(files.items[i], id, &name);
        strvec_push(words, id);
        if (name)
            strvec_push(words, name);
    }
}

/* Finds the files that the word may mean: that of the job with this name, or those of ids. */
static void find(const char *word, struct strvec *found)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    list_files(&files);
    for (size_t i = 0; i < files.count; i++) {
        split(files.items[i], id, &name);
        if ((name && strcmp(name, word) == 0) || (*word && strncmp(id, word, strlen(word)) == 0))
            strvec_push(found, files.items[i]);
    }
}

int job_note_check_free(const char *name, struct error *error)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;

    find(name, &found);
    return found.count == 0 ? 0
                            : error_set(error, ERROR_USAGE, "there is a job '%s' already", name);
}

/* ---- writing */

static json_t *make_manifest(const struct manifest *manifest)
{
    json_t *array = json_array();

    for (size_t i = 0; i < manifest->count; i++) {
        const struct manifest_entry *entry = &manifest->items[i];

        json_array_append_new(array, json_pack("[o, I, s]", json_make_any_text(entry->name),
                                               (json_int_t)entry->length, entry->sha256));
    }
    return array;
}

static json_t *make_note(const struct job_note *note, const struct plan *plan)
{
    json_t *warnings = json_array();
    json_t *object;

    for (size_t i = 0; i < note->warnings.count; i++)
        json_array_append_new(warnings, json_make_any_text(note->warnings.items[i]));
    object =
        json_pack("{s:i, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "version", VERSION, "key",
                  note->key, "ends", (json_int_t)note->ends, "expires", (json_int_t)note->expires,
                  "plan", plan_note_make(plan), "sent", make_manifest(&note->sent), "warnings",
                  warnings, "artifacts", json_make_any_text(note->artifacts), "force", note->force);
    if (!object)
        abort();
    return object;
}

int job_note_write(struct job_note *note, const struct plan *plan, struct error *error)
{
    CLEANUP_FREE char *jobs = directory();
    json_auto_t *object = make_note(note, plan);
    CLEANUP_FREE char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    CLEANUP_FREE char *file =
        note->name ? string_format("%s.%s", note->id, note->name) : string_copy(note->id);
    /* It gets its name when it is locked; this one is that of no job. */
    CLEANUP_FREE char *hidden = string_format("%s/.%s", jobs, file);

    if (!text)
        abort();
    free(note->path);
    note->path = string_format("%s/%s", jobs, file);
    file_make_directories(note->path);
    if (file_replace(hidden, text, strlen(text), NULL) == 0)
        note->lock = open(hidden, O_RDONLY | O_CLOEXEC);
    if (note->lock >= 0 && flock(note->lock, LOCK_EX | LOCK_NB) == 0 &&
        rename(hidden, note->path) == 0)
        return 0;
    error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", note->path);
    unlink(hidden);
    return -1;
}

/* ---- reading */

static void read_manifest(const json_t *array, struct manifest *manifest)
{
    size_t i;
    json_t *entry;

    json_array_foreach(array, i, entry)
    {
        CLEANUP_FREE char *name = json_read_any_text(json_array_get(entry, 0));
        const char *digest = json_string_value(json_array_get(entry, 2));

        if (name && digest && strlen(digest) == SHA256_HEX_SIZE - 1)
            manifest_add(manifest, name, json_integer_value(json_array_get(entry, 1)), digest);
    }
    manifest_sort(manifest);
}

static int read_note(struct job_note *note, const json_t *object, struct error *error)
{
    const char *key = json_string_value(json_object_get(object, "key"));
    const json_t *warnings = json_object_get(object, "warnings");
    size_t i;
    json_t *warning;

    if (json_integer_value(json_object_get(object, "version")) != VERSION)
        return error_set(error, ERROR_SYSTEM, "it was written by another version of isolator");
    if (!key || strlen(key) != sizeof note->key - 1)
        return error_set(error, ERROR_SYSTEM, "key is missing");
    memcpy(note->key, key, sizeof note->key);
    read_manifest(json_object_get(object, "sent"), &note->sent);
    json_array_foreach(warnings, i, warning)
    {
        char *text = json_read_any_text(warning);

        if (text)
            strvec_push_owned(&note->warnings, text);
    }
    note->artifacts = json_read_any_text(json_object_get(object, "artifacts"));
    note->ends = json_integer_value(json_object_get(object, "ends"));
    note->expires = json_integer_value(json_object_get(object, "expires"));
    note->force = json_is_true(json_object_get(object, "force"));
    if (plan_note_read(json_object_get(object, "plan"), &note->plan, error) == 0)
        return 0;
    error->kind = ERROR_SYSTEM; /* the request was right */
    return -1;
}

static int open_file(struct job_note *note, const char *word, struct error *error)
{
    note->lock = open(note->path, O_RDONLY | O_CLOEXEC);
    if (note->lock >= 0)
        return 0;
    if (errno == ENOENT)
        return error_set(error, ERROR_USAGE, NO_JOB, word);
    return error_set_errno(error, ERROR_SYSTEM, "cannot open '%s'", note->path);
}

/* Locks the file. It may have been removed meanwhile, by who had the lock. */
static int lock_file(const struct job_note *note, const char *word, struct error *error)
{
    struct stat status;

    if (flock(note->lock, LOCK_EX | LOCK_NB) != 0)
        return error_set(error, ERROR_SYSTEM,
                         "another isolator works on the job '%s'; its result is printed once",
                         word);
    if (fstat(note->lock, &status) != 0 || status.st_nlink == 0)
        return error_set(error, ERROR_USAGE, NO_JOB, word);
    return 0;
}

static int find_and_read(struct job_note *note, const char *word, bool locked, struct error *error)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(word, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *jobs = directory();
    json_auto_t *object = NULL;
    const char *name = NULL;

    find(word, &found);
    if (found.count == 0)
        return error_set(error, ERROR_USAGE, NO_JOB, shown);
    if (found.count > 1)
        return error_set(error, ERROR_USAGE, "'%s' is the start of several ids: give more digits",
                         shown);
    split(found.items[0], note->id, &name);
    note->name = name ? string_copy(name) : NULL;
    note->path = string_format("%s/%s", jobs, found.items[0]);
    if (open_file(note, shown, error) != 0 || (locked && lock_file(note, shown, error) != 0))
        return -1;
    object = json_loadfd(note->lock, JSON_REJECT_DUPLICATES, NULL);
    if (!object)
        return error_set(error, ERROR_SYSTEM, "cannot read '%s': it is not JSON", note->path);
    if (read_note(note, object, error) == 0)
        return 0;
    return error_prefix(error, "cannot read '%s'", note->path);
}

int job_note_open(struct job_note *note, const char *word, struct error *error)
{
    return find_and_read(note, word, false, error);
}

int job_note_lock(struct job_note *note, const char *word, struct error *error)
{
    return find_and_read(note, word, true, error);
}

void job_note_forget(const char *id)
{
    struct job_note note = JOB_NOTE_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    if (job_note_lock(&note, id, &ignored) == 0 && strcmp(note.id, id) == 0)
        job_note_remove(&note);
    job_note_release(&note);
}

void job_notes_prune(long long now)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;

    list_files(&files);
    for (size_t i = 0; i < files.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT;
        struct job_note note = JOB_NOTE_INIT;
        CLEANUP_FREE char *id = string_format("%.*s", ID_DIGITS, files.items[i]);

        /* Without the lock: a job that someone wants now is not in use. */
        if (job_note_open(&note, id, &ignored) == 0 && note.expires > 0 && note.expires < now)
            job_note_forget(id);
        job_note_release(&note);
    }
}

void job_note_remove(const struct job_note *note)
{
    if (note->path)
        unlink(note->path);
}

void job_note_release(struct job_note *note)
{
    plan_release(&note->plan);
    manifest_release(&note->sent);
    strvec_release(&note->warnings);
    free(note->name);
    free(note->artifacts);
    free(note->path);
    cleanup_fd(&note->lock);
    *note = (struct job_note)JOB_NOTE_INIT;
}
