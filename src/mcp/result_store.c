#include "mcp/result_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/strvec.h"
#include "base/text.h"
#include "base/thread.h"

/* Bytes of the names in a message. */
enum { NAMES_BYTES_MAX = 1000 };

const char *const stream_names[2] = {"stdout", "stderr"};

struct part {
    char *name; /* owned */
    const char *mime_type;
    long long offset, length; /* in the file of the result */
};

struct stored_result {
    char id[STORED_ID_SIZE];
    struct part *parts; /* owned */
    size_t count;
    struct shared_file *file; /* a reference, owned; NULL: none is needed so far */
    long long length;         /* of the file */
    struct stored_result *next;
};

struct stored_result *stored_result_new(struct shared_file *file, long long length)
{
    struct stored_result *stored = memory_allocate(sizeof *stored);

    *stored = (struct stored_result){.file = file ? shared_file_share(file) : NULL,
                                     .length = file ? length : 0};
    linux_random_digits(stored->id, sizeof stored->id);
    return stored;
}

const char *stored_result_id(const struct stored_result *stored)
{
    return stored->id;
}

static void add_part(struct stored_result *stored, const char *name, const char *mime_type,
                     long long offset, long long length)
{
    stored->parts = memory_resize(stored->parts, (stored->count + 1) * sizeof *stored->parts);
    stored->parts[stored->count++] = (struct part){string_copy(name), mime_type, offset, length};
}

int stored_result_add(struct stored_result *stored, const char *name, const char *mime_type,
                      const void *data, size_t length, struct error *error)
{
    if (!stored->file && !(stored->file = shared_file_create(error)))
        return -1;
    if (shared_file_write(stored->file, stored->length, data, length) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file");
    add_part(stored, name, mime_type, stored->length, (long long)length);
    stored->length += (long long)length;
    return 0;
}

void stored_result_add_range(struct stored_result *stored, const char *name, const char *mime_type,
                             const struct file_range *range)
{
    add_part(stored, name, mime_type, range->offset, range->length);
}

static void stored_result_free(struct stored_result *stored)
{
    for (size_t i = 0; i < stored->count; i++)
        free(stored->parts[i].name);
    free(stored->parts);
    shared_file_release(stored->file);
    free(stored);
}

void result_store_init(struct result_store *store, long long max_bytes)
{
    *store = (struct result_store){.max_bytes = max_bytes};
    pthread_mutex_init(&store->lock, NULL);
}

static void drop_oldest(struct result_store *store)
{
    struct stored_result *stored = store->first;

    store->first = stored->next;
    if (!store->first)
        store->last = NULL;
    store->bytes -= stored->length;
    store->count--;
    memcpy(store->dropped[store->next_dropped], stored->id, STORED_ID_SIZE);
    store->next_dropped = (store->next_dropped + 1) % RESULT_STORE_DROPPED_MAX;
    stored_result_free(stored);
}

void result_store_add(struct result_store *store, struct stored_result *stored)
{
    if (stored->count == 0) {
        stored_result_free(stored);
        return;
    }
    THREAD_LOCK(&store->lock);
    while (store->first && (store->count >= RESULT_STORE_RESULTS_MAX ||
                            store->bytes + stored->length > store->max_bytes))
        drop_oldest(store);
    if (store->last)
        store->last->next = stored;
    else
        store->first = stored;
    store->last = stored;
    store->bytes += stored->length;
    store->count++;
}

static bool was_dropped(const struct result_store *store, const char *id)
{
    for (size_t i = 0; i < RESULT_STORE_DROPPED_MAX; i++)
        if (*id && strcmp(store->dropped[i], id) == 0)
            return true;
    return false;
}

/* Sets the error: the result has no such part. */
static int refuse_part(const struct stored_result *stored, const char *name, struct error *error)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *joined = NULL;
    CLEANUP_FREE char *known = NULL;

    for (size_t i = 0; i < stored->count; i++)
        strvec_push(&names, stored->parts[i].name);
    joined = strvec_join(&names, ", ");
    known = text_escape_short(joined, NAMES_BYTES_MAX);
    return error_set(error, ERROR_INPUT, "the run '%s' has no '%s'; it has: %s", stored->id, shown,
                     known);
}

static int open_part(const struct stored_result *stored, const char *name, struct stored_part *part,
                     struct error *error)
{
    for (size_t i = 0; i < stored->count; i++) {
        const struct part *found = &stored->parts[i];

        if (strcmp(found->name, name) != 0)
            continue;
        *part = (struct stored_part){
            found->mime_type, {shared_file_share(stored->file), found->offset, found->length}};
        return 0;
    }
    return refuse_part(stored, name, error);
}

/* The caller has the lock. */
static int find(const struct result_store *store, const char *id, const char *name,
                struct stored_part *part, struct error *error)
{
    for (const struct stored_result *stored = store->first; stored; stored = stored->next)
        if (strcmp(stored->id, id) == 0)
            return open_part(stored, name, part, error);
    if (was_dropped(store, id))
        return error_set(error, ERROR_INPUT,
                         "the files of the run '%s' are gone: newer ones needed their room; run "
                         "the program again",
                         id);
    return error_set(error, ERROR_INPUT,
                     "this server knows no such run; copy the uri from the result of a call");
}

int result_store_open(struct result_store *store, const char *id, const char *name,
                      struct stored_part *part, struct error *error)
{
    THREAD_LOCK(&store->lock);
    return find(store, id, name, part, error);
}

void result_store_release(struct result_store *store)
{
    while (store->first)
        drop_oldest(store);
    pthread_mutex_destroy(&store->lock);
}
