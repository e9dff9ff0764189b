#include "run/collector.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/input_files.h"

/* How many omitted artifacts and how many unwanted files are named, and the bytes of a name. */
enum { MAX_OMITTED_NAMED = 10, MAX_UNWANTED_NAMED = 5, MAX_NAME_SHOWN = 200 };

/*
 * The maximum length of the tar of a working directory: twice the size of the directory, since each
 * file has a header and is filled up to whole blocks, and 16 MiB for many small files. A longer tar
 * is possible only if files have holes.
 */
enum { STREAM_FACTOR = 2, STREAM_EXTRA = 16 << 20 };

/* ---- whether an entry becomes an artifact */

static void omit(struct collector *collector, const char *name, const char *why)
{
    CLEANUP_FREE char *escaped = text_escape_short(name, MAX_NAME_SHOWN);

    if (collector->omitted++ < MAX_OMITTED_NAMED)
        strvec_pushf(&collector->result->artifacts.missing, "the artifact '%s' is omitted: %s",
                     escaped, why);
}

/* Whether all files were asked for: untrusted code must not place a .bashrc or .envrc. */
static bool wants_all(const struct collector *collector)
{
    const struct strvec *patterns = &collector->plan->artifacts;

    return patterns->count == 1 && strcmp(patterns->items[0], REQUEST_ALL_FILES) == 0;
}

/* A program could leave a hook there, which the next command of git or Mercurial would run. */
static bool is_in_repository(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");

        if ((length == 4 && strncasecmp(part, ".git", 4) == 0) ||
            (length == 3 && strncasecmp(part, ".hg", 3) == 0))
            return true;
    }
    return false;
}

/* Whether a dot begins the name of the file or of a directory in its path, other than ".." */
static bool has_leading_dot(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");

        if (part[0] == '.' && length > 1 && (length > 2 || part[1] != '.'))
            return true;
    }
    return false;
}

static bool has_first_part(const struct strvec *names, const char *name)
{
    const size_t length = strcspn(name, "/");

    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->items[i]) == length && strncmp(names->items[i], name, length) == 0)
            return true;
    return false;
}

static bool is_wanted(const struct collector *collector, const char *name)
{
    if (collector->names)
        return name[0] != '.' || has_first_part(collector->names, name);
    if (wants_all(collector) && has_leading_dot(name) && !is_in_repository(name))
        return false;
    for (size_t i = 0; i < collector->glob_count; i++)
        if (glob_match(&collector->globs[i], name))
            return true;
    return false;
}

/* Whether a pattern is the name itself: such a file is returned even if its content is known. */
static bool is_named(const struct collector *collector, const char *name)
{
    const struct strvec *patterns = &collector->plan->artifacts;

    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->items[i], name) == 0)
            return true;
    return false;
}

/* Why no file of this name may be created on the host; NULL if one may. */
static const char *name_problem(const struct collector *collector, const char *name)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *escaped = text_escape(name);

    if (input_files_check_path(name, &error) != 0)
        return "its path leads out of the working directory or is too long";
    if (strcmp(escaped, name) != 0)
        return "its name has control characters or is not valid UTF-8";
    if (is_in_repository(name))
        return "it would be written into the .git or .hg directory of a repository";
    if (artifacts_have(&collector->result->artifacts, name))
        return "another artifact has the same name";
    return NULL;
}

static const char *type_problem(enum untar_type type)
{
    if (type == UNTAR_SYMLINK)
        return "it is a symbolic link";
    return type == UNTAR_HARD_LINK ? "it is a hard link to another file"
                                   : "it is not a regular file";
}

/* Remembers a new file that no pattern matches, for the warning that there are no artifacts. */
static void note_unwanted(struct collector *collector, const char *name)
{
    struct strvec *unwanted = &collector->unwanted;

    if (unwanted->count <= MAX_UNWANTED_NAMED && !manifest_find(collector->sent, name))
        strvec_push_owned(unwanted, unwanted->count == MAX_UNWANTED_NAMED
                                        ? string_copy("...")
                                        : text_escape_short(name, MAX_NAME_SHOWN));
}

/*
 * The end of the name that patterns are compared with: as long as a path may be, to bound the time.
 */
static const char *matched_part(const char *name)
{
    const size_t length = strlen(name);

    return length > INPUT_FILES_PATH_MAX ? name + length - INPUT_FILES_PATH_MAX : name;
}

static const char *without_dots(const char *name)
{
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return name;
}

static void forget_file(struct collector *collector)
{
    free(collector->name);
    free(collector->data);
    collector->name = collector->data = NULL;
    collector->written = false;
}

/* This host cannot keep the file. */
static void omit_unkept(struct collector *collector, const struct error *error)
{
    CLEANUP_FREE char *why = string_format("it cannot be kept: %s", error->message);

    omit(collector, collector->name, why);
    forget_file(collector);
}

/* Decides where the content goes: a file that does not fit into `room` is only compared. */
static void choose_place(struct collector *collector)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (collector->length > collector->room)
        return;
    if (collector->length <= (long long)collector->memory)
        collector->data = memory_allocate((size_t)collector->length);
    else if (artifacts_open_file(&collector->result->artifacts, &error) == 0)
        collector->written = true;
    else
        omit_unkept(collector, &error);
}

static void begin_entry(void *context, const struct untar_entry *entry)
{
    struct collector *collector = context;
    const char *name = without_dots(entry->name);
    const struct manifest_entry *sent;
    const char *problem;

    if (entry->type == UNTAR_DIRECTORY)
        return;
    if (!is_wanted(collector, matched_part(name))) {
        if (collector->names)
            omit(collector, name, "a dot begins its name, and nothing names it");
        else
            note_unwanted(collector, name);
        return;
    }
    problem = entry->type == UNTAR_FILE ? name_problem(collector, name) : type_problem(entry->type);
    if (problem) {
        omit(collector, name, problem);
        return;
    }
    sent = is_named(collector, name) ? NULL : manifest_find(collector->sent, name);
    collector->original = sent && sent->length == entry->size ? sent : NULL;
    if (!collector->original && entry->size > collector->room) {
        omit(collector, name, "it exceeds the limit " CONFIG_KEY_MAX_ARTIFACT_BYTES);
        return;
    }
    collector->name = string_copy(name);
    collector->length = entry->size;
    collector->filled = 0;
    collector->executable = entry->executable;
    sha256_init(&collector->digest);
    choose_place(collector);
}

static void write_content(struct collector *collector, const char *data, size_t length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct artifacts *artifacts = &collector->result->artifacts;

    if (shared_file_write(artifacts->file, artifacts->file_length + collector->filled, data,
                          length) == 0)
        return;
    error_set_errno(&error, ERROR_SYSTEM, "cannot write an unnamed file");
    omit_unkept(collector, &error);
}

static void add_content(void *context, const char *data, size_t length)
{
    struct collector *collector = context;

    if (!collector->name)
        return;
    if (collector->original || collector->written)
        sha256_update(&collector->digest, data, length);
    if (collector->data)
        memcpy(collector->data + collector->filled, data, length);
    else if (collector->written)
        write_content(collector, data, length);
    collector->filled += (long long)length;
}

/* Adds the file to the artifacts. */
static void take_file(struct collector *collector, const char *digest)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *name = string_copy(collector->name);
    struct artifacts *artifacts = &collector->result->artifacts;

    if (collector->data) {
        collector->memory -= (size_t)collector->length;
        artifacts_add(artifacts, steal_pointer(&name), steal_pointer(&collector->data),
                      (size_t)collector->length, collector->executable);
    } else if (artifacts_add_written(artifacts, steal_pointer(&name), collector->length, digest,
                                     collector->executable, &error) != 0) {
        omit_unkept(collector, &error);
        return;
    }
    collector->room -= collector->length;
    forget_file(collector);
}

static void end_entry(void *context)
{
    struct collector *collector = context;
    char digest[SHA256_HEX_SIZE];

    if (!collector->name)
        return;
    sha256_hex(&collector->digest, digest);
    if (collector->original && strcmp(digest, collector->original->sha256) == 0) {
        forget_file(collector); /* it is as it was sent */
    } else if (collector->result->artifacts.count >= (size_t)collector->plan->max_artifacts) {
        omit(collector, collector->name, "there are more than the limit " CONFIG_KEY_MAX_ARTIFACTS);
        forget_file(collector);
    } else if (!collector->data && !collector->written) {
        omit(collector, collector->name, "it exceeds the limit " CONFIG_KEY_MAX_ARTIFACT_BYTES);
        forget_file(collector);
    } else {
        take_file(collector, digest);
    }
}

static void compile_patterns(struct collector *collector, const struct strvec *patterns)
{
    collector->globs = memory_allocate(patterns->count * sizeof *collector->globs);
    for (size_t i = 0; i < patterns->count && collector->error.kind == ERROR_NONE; i++)
        if (glob_compile(&collector->globs[i], patterns->items[i], &collector->error) == 0)
            collector->glob_count++;
}

void collector_init(struct collector *collector, const struct plan *plan,
                    const struct manifest *sent, struct result *result)
{
    static const struct untar_handler handler = {begin_entry, add_content, end_entry};

    *collector = (struct collector){.plan = plan,
                                    .sent = sent,
                                    .result = result,
                                    .error = ERROR_INIT,
                                    .room = plan->max_artifact_bytes,
                                    .memory = COLLECTOR_MEMORY_MAX};
    compile_patterns(collector, &plan->artifacts);
    untar_init(&collector->untar, &handler, collector);
}

void collector_release(struct collector *collector)
{
    for (size_t i = 0; i < collector->glob_count; i++)
        glob_release(&collector->globs[i]);
    free(collector->globs);
    forget_file(collector);
    untar_release(&collector->untar);
    strvec_release(&collector->unwanted);
    error_release(&collector->error);
}

bool collector_feed(struct collector *collector, const char *data, size_t length)
{
    const long long max =
        STREAM_FACTOR * limits_bytes(&collector->plan->policy.limits, LIMIT_WORKDIR) + STREAM_EXTRA;

    if (collector->error.kind != ERROR_NONE)
        return false;
    collector->stream += length;
    if (collector->stream > (unsigned long long)max)
        error_set(&collector->error, ERROR_INPUT,
                  "the archive of the files is larger than the working directory");
    else
        untar_feed(&collector->untar, data, length, &collector->error);
    return collector->error.kind == ERROR_NONE && !untar_done(&collector->untar);
}

void collector_note_too_large(struct collector *collector, const char *name)
{
    name = without_dots(name);
    if (is_wanted(collector, matched_part(name)))
        omit(collector, name, "it exceeds the limit " CONFIG_KEY_MAX_ARTIFACT_BYTES);
    else
        note_unwanted(collector, name);
}

/* Whether it is worth a message that no file was found. */
static bool says_none(const struct collector *collector)
{
    return !collector->plan->artifacts_optional || collector->unwanted.count > 0;
}

void collector_finish(struct collector *collector, const char *why)
{
    struct artifacts *artifacts = &collector->result->artifacts;
    const bool done = untar_done(&collector->untar);
    CLEANUP_FREE char *unwanted = strvec_join(&collector->unwanted, ", ");

    forget_file(collector);
    artifacts_trim_file(artifacts);
    if (collector->omitted > MAX_OMITTED_NAMED)
        strvec_pushf(&artifacts->missing, "%zu more artifacts are omitted",
                     collector->omitted - MAX_OMITTED_NAMED);
    if (collector->error.kind != ERROR_NONE)
        why = collector->error.message;
    artifacts->incomplete = !done || collector->omitted > 0;
    if (!done)
        strvec_pushf(&artifacts->missing, "artifacts may be missing: %s", why);
    else if (artifacts->count == 0 && collector->omitted == 0 && says_none(collector))
        strvec_pushf(&artifacts->missing, "no artifact was found: %s%s",
                     collector->unwanted.count > 0
                         ? "the pattern matches none of the new files: "
                         : "the program created or changed no file in its working directory",
                     unwanted);
    else if (collector->unwanted.count > 0 && wants_all(collector))
        strvec_pushf(
            &artifacts->missing,
            "files with a dot at the start of a name are no artifacts unless a pattern has "
            "that dot: %s",
            unwanted);
    artifacts_sort(artifacts);
}

static void channel_take(void *context, int number, const char *data, size_t length)
{
    (void)number;
    collector_feed(context, data, length);
}

static void channel_too_large(void *context, const char *path)
{
    collector_note_too_large(context, path);
}

struct channel collector_channel(struct collector *collector)
{
    return (struct channel){
        .context = collector, .take = channel_take, .too_large = channel_too_large};
}
