#include "service/job_note.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json_make.h"
#include "base/text.h"
#include "config/state_files.h"
#include "request/plan_note.h"

enum { VERSION = 1, ID_DIGITS = JOB_ID_SIZE - 1, LOCK_MS = 500, LOCK_POLL_MS = 20 };

static int set_not_found(const struct job_note *note, const char *word, struct error *error)
{
    return error_set(error, ERROR_USAGE, "no %s '%s'; isolator ps lists them", note->sought, word);
}

/* ---- names */

int job_note_check_name(const char *name, const char *kind, struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const size_t length = strlen(name);

    if (length > 0 && length <= JOB_NAME_MAX && strspn(name, allowed) == length &&
        strspn(name, JOB_ID_DIGITS) < length && name[0] != '-')
        return 0;
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);

    return error_set(error, ERROR_USAGE,
                     "'%s' cannot be the name of a %s: up to %d letters, digits, _ . and -, and "
                     "not only digits from 0 to 9 and a to f, which could be an id",
                     shown, kind, JOB_NAME_MAX);
}

int job_note_check_job(const struct job_note *note, struct error *error)
{
    if (!note->is_workspace)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "'%s' is a workspace: each command prints its own result, see isolator exec",
                     note->name ? note->name : note->id);
}

void job_notes_list(struct strvec *words, bool names)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    job_files_list(&files, false);
    for (size_t i = 0; i < files.count; i++) {
        job_file_split(files.items[i], id, &name);
        strvec_push(words, id);
        if (name && names)
            strvec_push(words, name);
    }
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
    json_t *object = json_pack(
        "{s:i, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:O?, s:I}", "version", VERSION,
        "key", note->key, "ends", (json_int_t)note->ends, "expires", (json_int_t)note->expires,
        "plan", plan_note_make(plan), "sent", make_manifest(&note->sent), "warnings",
        json_make_list(&note->warnings), "artifacts", json_make_any_text(note->artifacts), "force",
        note->force, "ofModel", note->of_model, "workspace", note->is_workspace, "batchId",
        note->batch_id, "batchLine", (json_int_t)note->batch_line);
    if (!object)
        abort();
    return object;
}

/*
 * Creates a file that is locked. job_notes_prune() may have removed it between the two steps; then
 * it is created again.
 */
static int create_locked(const char *path)
{
    struct stat status;

    for (;;) {
        CLEANUP_FD int fd = state_file_open(path, O_WRONLY | O_CREAT | O_EXCL);

        if (fd < 0 || flock(fd, LOCK_EX) != 0 || fstat(fd, &status) != 0)
            return -1;
        if (status.st_nlink > 0)
            return steal_fd(&fd);
    }
}

int job_note_create(struct job_note *note, struct error *error)
{
    CLEANUP_FREE char *jobs = job_files_directory();
    CLEANUP_FREE char *file =
        note->name ? string_format("%s.%s", note->id, note->name) : string_copy(note->id);
    CLEANUP_FREE char *path = string_format("%s/.%s", jobs, file);

    note->lock = create_locked(path);
    if (note->lock < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
    note->path = steal_pointer(&path);
    return 0;
}

int job_note_write(struct job_note *note, const struct plan *plan, struct error *error)
{
    json_auto_t *object = make_note(note, plan);
    CLEANUP_FREE char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));

    if (!text)
        abort();
    if (io_write_all(note->lock, text, strlen(text)) == 0 && fsync(note->lock) == 0)
        return 0;
    return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", note->path);
}

int job_note_publish(struct job_note *note, struct error *error)
{
    char *const name = strrchr(note->path, '/') + 1;
    CLEANUP_FREE char *path =
        string_format("%.*s%s", (int)(name - note->path), note->path, name + 1);

    if (rename(note->path, path) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot rename '%s'", note->path);
    free(note->path);
    note->path = steal_pointer(&path);
    return 0;
}

/* ---- reading */

static void read_manifest(const json_t *array, struct manifest *manifest)
{
    size_t i;
    json_t *entry;

    json_array_foreach(array, i, entry) {
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
    json_t *id = json_object_get(object, "batchId");

    if (json_integer_value(json_object_get(object, "version")) != VERSION)
        return error_set(error, ERROR_SYSTEM, "it was written by another version of isolator");
    if (!key || strlen(key) <= JOB_NAME_LENGTH || strlen(key) >= sizeof note->key)
        return error_set(error, ERROR_SYSTEM, "key is missing");
    memcpy(note->key, key, strlen(key) + 1);
    read_manifest(json_object_get(object, "sent"), &note->sent);
    json_read_list(json_object_get(object, "warnings"), &note->warnings);
    note->artifacts = json_read_any_text(json_object_get(object, "artifacts"));
    note->ends = json_integer_value(json_object_get(object, "ends"));
    note->expires = json_integer_value(json_object_get(object, "expires"));
    note->force = json_is_true(json_object_get(object, "force"));
    note->of_model = json_is_true(json_object_get(object, "ofModel"));
    note->is_workspace = json_is_true(json_object_get(object, "workspace"));
    note->batch_id = id && !json_is_null(id) ? json_incref(id) : NULL;
    note->batch_line = json_integer_value(json_object_get(object, "batchLine"));
    if (plan_note_read(json_object_get(object, "plan"), &note->plan, error) == 0)
        return 0;
    error->kind = ERROR_SYSTEM; /* the request was right */
    return -1;
}

static int open_file(struct job_note *note, const char *word, struct error *error)
{
    note->lock = state_file_open(note->path, O_RDWR); /* NFS wants that for the lock */
    if (note->lock >= 0)
        return 0;
    if (errno == ENOENT)
        return set_not_found(note, word, error);
    return error_set_errno(error, ERROR_SYSTEM, "cannot open '%s'", note->path);
}

/*
 * A process that was killed may leave a child that has not executed docker yet and so has the lock
 * for a moment more; and others have it for a moment in looking at the file.
 */
static int lock_soon(int fd)
{
    const long long end = clock_now_ms() + LOCK_MS;

    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || clock_now_ms() >= end)
            return -1;
        poll(NULL, 0, LOCK_POLL_MS);
    }
    return 0;
}

/* Locks the file. It may have been removed meanwhile, by the process that had the lock. */
static int lock_file(struct job_note *note, const char *word, struct error *error)
{
    struct stat status;

    if (lock_soon(note->lock) != 0) {
        note->busy = errno == EWOULDBLOCK;
        if (!note->busy)
            return error_set_errno(error, ERROR_SYSTEM, "cannot lock '%s'", note->path);
        return error_set(error, ERROR_SYSTEM,
                         "another isolator works on the job '%s'; its result is printed once",
                         word);
    }
    if (fstat(note->lock, &status) != 0 || status.st_nlink == 0)
        return set_not_found(note, word, error);
    return 0;
}

static int find_and_read(struct job_note *note, const char *word, bool locked, struct error *error)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(word, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *jobs = job_files_directory();
    json_auto_t *object = NULL;
    const char *name = NULL;

    job_files_find(word, false, &found);
    if (found.count == 0)
        return set_not_found(note, shown, error);
    if (found.count > 1)
        return error_set(error, ERROR_USAGE, "'%s' is the start of several ids: give more digits",
                         shown);
    job_file_split(found.items[0], note->id, &name);
    note->name = name ? string_copy(name) : NULL;
    note->path = string_format("%s/%s", jobs, found.items[0]);
    if (open_file(note, shown, error) != 0 || (locked && lock_file(note, shown, error) != 0))
        return -1;
    object = json_loadfd(note->lock, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
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

/* The path of the file of the job with this id; owned. NULL: there is none. */
static char *find_path(const char *id, bool unfinished)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *jobs = job_files_directory();

    if (strlen(id) == ID_DIGITS)
        job_files_find(id, unfinished, &found);
    return found.count > 0 ? string_format("%s/%s", jobs, found.items[0]) : NULL;
}

enum job_stage job_note_stage(const char *id)
{
    CLEANUP_FREE char *unfinished = find_path(id, true);
    CLEANUP_FREE char *path = find_path(id, false); /* looked for last: it may get its name now */

    return path ? JOB_STAGE_STARTED : unfinished ? JOB_STAGE_STARTING : JOB_STAGE_NONE;
}

/* Opens and locks the file. False: it is locked, or has another name or none by now. */
static bool claim(const char *path, int *lock)
{
    struct stat opened, named;

    errno = 0;
    *lock = state_file_open(path, O_RDWR);
    return *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0 && fstat(*lock, &opened) == 0 &&
           lstat(path, &named) == 0 && opened.st_ino == named.st_ino;
}

void job_notes_starting(struct strvec *names)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *jobs = job_files_directory();

    job_files_list(&files, true);
    for (size_t i = 0; i < files.count; i++) {
        CLEANUP_FREE char *path = string_format("%s/%s", jobs, files.items[i]);
        CLEANUP_FD int lock = -1;

        if (!claim(path, &lock) && errno == EWOULDBLOCK)
            strvec_push(names, files.items[i] + 1);
    }
}

bool job_note_claim(struct job_note *note, const char *id)
{
    note->path = find_path(id, true);
    if (!note->path)
        note->path = find_path(id, false);
    return !note->path || claim(note->path, &note->lock);
}

/* 0: the file is not complete. */
static long long read_expiry(int file)
{
    json_auto_t *object = json_loadfd(file, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);

    return json_integer_value(json_object_get(object, "expires"));
}

/*
 * Removes files of starts that were killed: those that are not complete, whose containers are known
 * to be idle, and those of jobs that would have expired.
 */
static void prune_unfinished(long long now)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *jobs = job_files_directory();

    job_files_list(&files, true);
    for (size_t i = 0; i < files.count; i++) {
        CLEANUP_FREE char *path = string_format("%s/%s", jobs, files.items[i]);
        CLEANUP_FD int lock = -1;

        if (claim(path, &lock) && read_expiry(lock) < now)
            unlink(path);
    }
}

void job_notes_prune(long long now)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;

    job_files_list(&files, false);
    for (size_t i = 0; i < files.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT;
        struct job_note note = JOB_NOTE_INIT, claimed = JOB_NOTE_INIT;
        CLEANUP_FREE char *id = string_format("%.*s", ID_DIGITS, files.items[i]);

        /* Without the lock: a job that someone wants now is not in use. */
        if (job_note_open(&note, id, &ignored) == 0 && note.expires > 0 && note.expires < now &&
            job_note_claim(&claimed, id))
            job_note_remove(&claimed);
        job_note_release(&claimed);
        job_note_release(&note);
    }
    prune_unfinished(now);
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
    json_decref(note->batch_id);
    cleanup_fd(&note->lock);
    *note = (struct job_note)JOB_NOTE_INIT;
}
