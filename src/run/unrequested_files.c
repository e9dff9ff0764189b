#include "run/unrequested_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/mime.h"
#include "base/text.h"
#include "config/input_files.h"

static const char any_digest[SHA256_HEX_SIZE];

static void add_any(struct manifest *manifest, const char *name)
{
    manifest_add(manifest, name, UNREQUESTED_ANY, any_digest);
}

/* Whether the file is as it was known. `digest`: NULL if its content is not known. */
static bool is_known(const struct unrequested_files *unrequested, const char *name,
                     long long length, const char *digest)
{
    for (size_t i = 0; i < UNREQUESTED_LISTS; i++) {
        const struct manifest_entry *entry = manifest_find(unrequested->known[i], name);

        if (entry && (!digest || entry->length == UNREQUESTED_ANY ||
                      (entry->length == length && strcmp(entry->sha256, digest) == 0)))
            return true;
    }
    return false;
}

/* Whether a part of the path begins with a dot, or is the cache of Python's compiler. */
static bool is_hidden(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '.' || strncmp(part, "__pycache__/", 12) == 0)
            return true;
    }
    return false;
}

static bool can_be_artifact(const char *name)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *escaped = text_escape(name);

    return !is_hidden(name) && input_files_check_path(name, &error) == 0 &&
           strcmp(escaped, name) == 0;
}

static const char *without_dots(const char *name)
{
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return name;
}

void unrequested_add_name(struct result *result, const char *name)
{
    if (result->unreturned_count++ < RESULT_UNRETURNED_MAX)
        strvec_push(&result->unreturned, name);
}

void unrequested_note_name(struct unrequested_files *unrequested, const char *name)
{
    name = without_dots(name);
    if (!can_be_artifact(name) || is_known(unrequested, name, 0, NULL))
        return;
    if (unrequested->found.count < UNREQUESTED_FOUND_MAX)
        add_any(&unrequested->found, name);
    unrequested_add_name(unrequested->result, name);
}

static void forget_file(struct unrequested_files *unrequested)
{
    free(unrequested->name);
    free(unrequested->data);
    unrequested->name = unrequested->data = NULL;
}

static void begin_entry(void *context, const struct untar_entry *entry)
{
    struct unrequested_files *unrequested = context;
    const char *name = without_dots(entry->name);

    if (entry->type != UNTAR_FILE || !can_be_artifact(name))
        return;
    if (entry->size > UNREQUESTED_BYTES_MAX) {
        unrequested_note_name(unrequested, name);
        return;
    }
    unrequested->name = string_copy(name);
    unrequested->data = memory_allocate((size_t)entry->size);
    unrequested->length = entry->size;
    unrequested->filled = 0;
    unrequested->executable = entry->executable;
}

static void add_content(void *context, const char *data, size_t length)
{
    struct unrequested_files *unrequested = context;

    if (!unrequested->name)
        return;
    memcpy(unrequested->data + unrequested->filled, data, length);
    unrequested->filled += (long long)length;
}

static bool is_picture(const struct unrequested_files *unrequested)
{
    const char *type = mime_type(unrequested->name, unrequested->data, (size_t)unrequested->length);

    return strncmp(type, "image/", 6) == 0;
}

static void end_entry(void *context)
{
    struct unrequested_files *unrequested = context;
    struct artifacts *artifacts = &unrequested->result->artifacts;
    char digest[SHA256_HEX_SIZE];

    if (!unrequested->name)
        return;
    sha256_of(unrequested->data, (size_t)unrequested->length, digest);
    if (!is_known(unrequested, unrequested->name, unrequested->length, digest)) {
        if (unrequested->found.count < UNREQUESTED_FOUND_MAX)
            manifest_add(&unrequested->found, unrequested->name, unrequested->length, digest);
        if (unrequested->pictures > 0 && unrequested->length <= unrequested->room &&
            is_picture(unrequested) && !artifacts_have(artifacts, unrequested->name)) {
            unrequested->pictures--;
            unrequested->room -= unrequested->length;
            artifacts_add(artifacts, steal_pointer(&unrequested->name),
                          steal_pointer(&unrequested->data), (size_t)unrequested->length,
                          unrequested->executable);
        } else {
            unrequested_add_name(unrequested->result, unrequested->name);
        }
    }
    forget_file(unrequested);
}

void unrequested_init(struct unrequested_files *unrequested, const struct plan *plan,
                      const struct manifest *const known[UNREQUESTED_LISTS], struct result *result)
{
    static const struct untar_handler handler = {begin_entry, add_content, end_entry};

    *unrequested = (struct unrequested_files){.result = result,
                                              .known = {known[0], known[1], known[2]},
                                              .found = MANIFEST_INIT,
                                              .error = ERROR_INIT,
                                              .pictures = UNREQUESTED_PICTURES_MAX,
                                              .room = UNREQUESTED_BYTES_MAX};
    if (unrequested->pictures > (size_t)plan->max_artifacts)
        unrequested->pictures = (size_t)plan->max_artifacts;
    if (unrequested->room > plan->max_artifact_bytes)
        unrequested->room = plan->max_artifact_bytes;
    untar_init(&unrequested->untar, &handler, unrequested);
}

void unrequested_release(struct unrequested_files *unrequested)
{
    forget_file(unrequested);
    manifest_release(&unrequested->found);
    untar_release(&unrequested->untar);
    error_release(&unrequested->error);
}

void unrequested_feed(struct unrequested_files *unrequested, const char *data, size_t length)
{
    if (unrequested->error.kind == ERROR_NONE)
        untar_feed(&unrequested->untar, data, length, &unrequested->error);
}

void unrequested_finish(struct unrequested_files *unrequested)
{
    struct strvec *names = &unrequested->result->unreturned;

    forget_file(unrequested);
    manifest_sort(&unrequested->found);
    artifacts_sort(&unrequested->result->artifacts);
    strvec_sort(names);
}

void unrequested_add_sent(struct manifest *manifest, const struct plan *plan)
{
    const struct input_files *files = &plan->input.files;

    add_any(manifest, plan->entrypoint); /* a program may change itself, but who asks for that? */
    for (size_t i = 0; i < files->count; i++) {
        const struct input_file *file = &files->items[i];
        char digest[SHA256_HEX_SIZE];

        if (file->range.file || file->length > UNREQUESTED_BYTES_MAX) {
            add_any(manifest, file->path);
            continue;
        }
        sha256_of(file->data, file->length, digest);
        manifest_add(manifest, file->path, (long long)file->length, digest);
    }
    manifest_sort(manifest);
}

static void channel_take(void *context, int number, const char *data, size_t length)
{
    (void)number;
    unrequested_feed(context, data, length);
}

static void channel_too_large(void *context, const char *path)
{
    unrequested_note_name(context, path);
}

struct channel unrequested_channel(struct unrequested_files *unrequested)
{
    return (struct channel){
        .context = unrequested, .take = channel_take, .too_large = channel_too_large};
}
