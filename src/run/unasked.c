#include "run/unasked.h"

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
    manifest_add(manifest, name, UNASKED_ANY, any_digest);
}

/* Whether the file is as it was known. `digest`: NULL if its content is not known. */
static bool is_known(const struct unasked *unasked, const char *name, long long length,
                     const char *digest)
{
    for (size_t i = 0; i < UNASKED_LISTS; i++) {
        const struct manifest_entry *entry = manifest_find(unasked->known[i], name);

        if (entry && (!digest || entry->length == UNASKED_ANY ||
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

void unasked_add_name(struct result *result, const char *name)
{
    if (result->unreturned_count++ < RESULT_UNRETURNED_MAX)
        strvec_push(&result->unreturned, name);
}

void unasked_note_name(struct unasked *unasked, const char *name)
{
    name = without_dots(name);
    if (!can_be_artifact(name) || is_known(unasked, name, 0, NULL))
        return;
    if (unasked->found.count < UNASKED_FOUND_MAX)
        add_any(&unasked->found, name);
    unasked_add_name(unasked->result, name);
}

static void forget_file(struct unasked *unasked)
{
    free(unasked->name);
    free(unasked->data);
    unasked->name = unasked->data = NULL;
}

static void begin_entry(void *context, const struct untar_entry *entry)
{
    struct unasked *unasked = context;
    const char *name = without_dots(entry->name);

    if (entry->type != UNTAR_FILE || !can_be_artifact(name))
        return;
    if (entry->size > UNASKED_BYTES_MAX) {
        unasked_note_name(unasked, name);
        return;
    }
    unasked->name = string_copy(name);
    unasked->data = memory_allocate((size_t)entry->size);
    unasked->length = entry->size;
    unasked->filled = 0;
    unasked->executable = entry->executable;
}

static void add_content(void *context, const char *data, size_t length)
{
    struct unasked *unasked = context;

    if (!unasked->name)
        return;
    memcpy(unasked->data + unasked->filled, data, length);
    unasked->filled += (long long)length;
}

static bool is_picture(const struct unasked *unasked)
{
    const char *type = mime_type(unasked->name, unasked->data, (size_t)unasked->length);

    return strncmp(type, "image/", 6) == 0;
}

static void end_entry(void *context)
{
    struct unasked *unasked = context;
    struct artifacts *artifacts = &unasked->result->artifacts;
    char digest[SHA256_HEX_SIZE];

    if (!unasked->name)
        return;
    sha256_of(unasked->data, (size_t)unasked->length, digest);
    if (!is_known(unasked, unasked->name, unasked->length, digest)) {
        if (unasked->found.count < UNASKED_FOUND_MAX)
            manifest_add(&unasked->found, unasked->name, unasked->length, digest);
        if (unasked->pictures > 0 && unasked->length <= unasked->room && is_picture(unasked) &&
            !artifacts_have(artifacts, unasked->name)) {
            unasked->pictures--;
            unasked->room -= unasked->length;
            artifacts_add(artifacts, steal_pointer(&unasked->name), steal_pointer(&unasked->data),
                          (size_t)unasked->length, unasked->executable);
        } else {
            unasked_add_name(unasked->result, unasked->name);
        }
    }
    forget_file(unasked);
}

void unasked_init(struct unasked *unasked, const struct plan *plan,
                  const struct manifest *const known[UNASKED_LISTS], struct result *result)
{
    static const struct untar_handler handler = {begin_entry, add_content, end_entry};

    *unasked = (struct unasked){.result = result,
                                .known = {known[0], known[1], known[2]},
                                .found = MANIFEST_INIT,
                                .error = ERROR_INIT,
                                .pictures = UNASKED_PICTURES_MAX,
                                .room = UNASKED_BYTES_MAX};
    if (unasked->pictures > (size_t)plan->max_artifacts)
        unasked->pictures = (size_t)plan->max_artifacts;
    if (unasked->room > plan->max_artifact_bytes)
        unasked->room = plan->max_artifact_bytes;
    untar_init(&unasked->untar, &handler, unasked);
}

void unasked_release(struct unasked *unasked)
{
    forget_file(unasked);
    manifest_release(&unasked->found);
    untar_release(&unasked->untar);
    error_release(&unasked->error);
}

void unasked_feed(struct unasked *unasked, const char *data, size_t length)
{
    if (unasked->error.kind == ERROR_NONE)
        untar_feed(&unasked->untar, data, length, &unasked->error);
}

void unasked_finish(struct unasked *unasked)
{
    struct strvec *names = &unasked->result->unreturned;

    forget_file(unasked);
    manifest_sort(&unasked->found);
    artifacts_sort(&unasked->result->artifacts);
    strvec_sort(names);
}

void unasked_add_sent(struct manifest *manifest, const struct plan *plan)
{
    const struct input_files *files = &plan->input.files;

    add_any(manifest, plan->entrypoint); /* a program may change itself, but who asks for that? */
    for (size_t i = 0; i < files->count; i++) {
        const struct input_file *file = &files->items[i];
        char digest[SHA256_HEX_SIZE];

        if (file->range.file || file->length > UNASKED_BYTES_MAX) {
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
    unasked_feed(context, data, length);
}

static void channel_too_large(void *context, const char *path)
{
    unasked_note_name(context, path);
}

struct channel unasked_channel(struct unasked *unasked)
{
    return (struct channel){
        .context = unasked, .take = channel_take, .too_large = channel_too_large};
}
