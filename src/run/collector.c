#include "run/collector.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/input_files.h"

/* How many of those that are left out are named. */
enum { NAMED_MOST = 10, OTHERS_MOST = 5, SHOWN = 200 };

/*
 * How long a tar of a directory can be: its bytes, as much again for headers and for filling up blocks, and some
 * for many small files. It is longer only where files have holes.
 */
enum { STREAM_FACTOR = 2, STREAM_MORE = 16 << 20 };

/* ---- what came back */

static void leave_out(struct collector *collector, const char *name, const char *why)
{
    CLEANUP_FREE char *shown = text_escape_short(name, SHOWN);

    if (collector->left_out++ < NAMED_MOST)
        strvec_pushf(&collector->result->artifacts.missing, "the artifact '%s' is left out: %s",
                     shown, why);
}

static bool is_wanted(const struct collector *collector, const char *name)
{
    for (size_t i = 0; i < collector->glob_count; i++)
        if (glob_match(&collector->globs[i], name))
            return true;
    return false;
}

/* A hook that a program leaves in .git would be run by whoever uses git there. */
static bool is_in_repository(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncasecmp(part, ".git", 4) == 0 && (part[4] == '/' || part[4] == '\0'))
            return true;
    }
    return false;
}

/* Why the name can be none of a file on this side; NULL if it can. */
static const char *flaw_of_name(const struct collector *collector, const char *name)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *escaped = text_escape(name);

    if (input_files_check_path(name, &error) != 0)
        return "its path leaves the working directory or is too long";
    if (strcmp(escaped, name) != 0)
        return "its name has control characters or is not valid UTF-8";
    if (is_in_repository(name))
        return "it would go into the .git of a repository";
    if (artifacts_have(&collector->result->artifacts, name))
        return "there is another one of its name";
    return NULL;
}

static const char *flaw_of_type(enum untar_type type)
{
    if (type == UNTAR_SYMLINK)
        return "it is a symbolic link";
    return type == UNTAR_HARD_LINK ? "it is a hard link to another one" : "it is no regular file";
}

/* For whoever asked for files of other names. */
static void note_other(struct collector *collector, const char *name)
{
    if (collector->others.count <= OTHERS_MOST && !manifest_find(collector->sent, name))
        strvec_push_owned(&collector->others, collector->others.count == OTHERS_MOST
                                                  ? string_copy("...")
                                                  : text_escape_short(name, SHOWN));
}

/* What patterns see of it: all that a path may have, so that no name costs more time. */
static const char *end_of(const char *name)
{
    const size_t length = strlen(name);

    return length > INPUT_FILES_PATH_MAX ? name + length - INPUT_FILES_PATH_MAX : name;
}

static void begin(void *context, const struct untar_entry *entry)
{
    struct collector *collector = context;
    const char *name = entry->name;
    const struct manifest_entry *sent;
    const char *flaw;

    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (entry->type == UNTAR_DIRECTORY)
        return;
    if (!is_wanted(collector, end_of(name))) {
        note_other(collector, name);
        return;
    }
    flaw = entry->type == UNTAR_FILE ? flaw_of_name(collector, name) : flaw_of_type(entry->type);
    if (flaw) {
        leave_out(collector, name, flaw);
        return;
    }
    sent = manifest_find(collector->sent, name);
    collector->given = sent && sent->length == entry->size ? sent : NULL;
    if (!collector->given && entry->size > collector->room) {
        leave_out(collector, name,
                  "it is more than may be taken (" CONFIG_KEY_MAX_ARTIFACT_BYTES ")");
        return;
    }
    collector->name = string_copy(name);
    collector->data = memory_allocate((size_t)entry->size);
    collector->length = (size_t)entry->size;
    collector->filled = 0;
    collector->executable = entry->executable;
}

static void content(void *context, const char *data, size_t length)
{
    struct collector *collector = context;

    if (!collector->name)
        return;
    memcpy(collector->data + collector->filled, data, length);
    collector->filled += length;
}

/* Whether the file that was read is one that was sent, as it was sent. */
static bool is_unchanged(const struct collector *collector)
{
    char digest[SHA256_HEX_SIZE];

    if (!collector->given)
        return false;
    sha256_of(collector->data, collector->length, digest);
    return strcmp(digest, collector->given->sha256) == 0;
}

static void forget_file(struct collector *collector)
{
    free(collector->name);
    free(collector->data);
    collector->name = collector->data = NULL;
}

static void end(void *context)
{
    struct collector *collector = context;
    struct artifacts *artifacts = &collector->result->artifacts;

    if (!collector->name)
        return;
    if (is_unchanged(collector)) {
        forget_file(collector);
    } else if (artifacts->count >= (size_t)collector->plan->max_artifacts) {
        leave_out(collector, collector->name,
                  "there are more than may be taken (" CONFIG_KEY_MAX_ARTIFACTS ")");
        forget_file(collector);
    } else if ((long long)collector->length > collector->room) {
        leave_out(collector, collector->name,
                  "it is more than may be taken (" CONFIG_KEY_MAX_ARTIFACT_BYTES ")");
        forget_file(collector);
    } else {
        collector->room -= (long long)collector->length;
        artifacts_add(artifacts, steal_pointer(&collector->name), steal_pointer(&collector->data),
                      collector->length, collector->executable);
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
    static const struct untar_handler handler = {begin, content, end};

    *collector = (struct collector){.plan = plan,
                                    .sent = sent,
                                    .result = result,
                                    .error = ERROR_INIT,
                                    .room = plan->max_artifact_bytes};
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
    strvec_release(&collector->others);
    error_release(&collector->error);
}

bool collector_feed(struct collector *collector, const char *data, size_t length)
{
    const long long most =
        STREAM_FACTOR * limits_bytes(&collector->plan->policy.limits, LIMIT_WORKDIR) + STREAM_MORE;

    if (collector->error.kind != ERROR_NONE)
        return false;
    collector->stream += length;
    if (collector->stream > (unsigned long long)most)
        error_set(&collector->error, ERROR_INPUT,
                  "the files in the working directory are larger than that can be");
    else
        untar_feed(&collector->untar, data, length, &collector->error);
    return collector->error.kind == ERROR_NONE && !untar_done(&collector->untar);
}

void collector_finish(struct collector *collector, const char *why)
{
    struct artifacts *artifacts = &collector->result->artifacts;
    CLEANUP_FREE char *others = strvec_join(&collector->others, ", ");

    forget_file(collector);
    if (collector->left_out > NAMED_MOST)
        strvec_pushf(&artifacts->missing, "%zu more artifacts are left out",
                     collector->left_out - NAMED_MOST);
    if (collector->error.kind != ERROR_NONE)
        why = collector->error.message;
    if (!untar_done(&collector->untar))
        strvec_pushf(&artifacts->missing, "artifacts may be missing: %s", why);
    else if (artifacts->count == 0 && collector->left_out == 0)
        strvec_pushf(&artifacts->missing, "no artifact was found: %s%s",
                     collector->others.count > 0
                         ? "what was asked for is none of "
                         : "the program has made or changed no file in its working directory",
                     others);
    artifacts_sort(artifacts);
}
