#include "mcp/result_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"

const char *const stream_names[2] = {"stdout", "stderr"};

struct part {
    char *name; /* owned */
    const char *mime_type;
    struct strbuf data;
};

struct stored_result {
    char id[STORED_ID_SIZE];
    struct part *parts; /* owned */
    size_t count;
    size_t bytes;      /* of memory, approximately */
    long long created; /* clock_now_ms() */
    struct stored_result *next;
};

struct stored_result *stored_result_new(void)
{
    struct stored_result *stored = memory_allocate(sizeof *stored);

    *stored = (struct stored_result){.created = clock_now_ms(), .bytes = sizeof *stored};
    linux_random_digits(stored->id, sizeof stored->id);
    return stored;
}

const char *stored_result_id(const struct stored_result *stored)
{
    return stored->id;
}

void stored_result_add(struct stored_result *stored, const char *name, const char *mime_type,
                       struct strbuf *data)
{
    stored->parts = memory_resize(stored->parts, (stored->count + 1) * sizeof *stored->parts);
    stored->parts[stored->count++] = (struct part){string_copy(name), mime_type, *data};
    stored->bytes += sizeof *stored->parts + strlen(name) + data->capacity;
    *data = (struct strbuf)STRBUF_INIT;
}

bool stored_result_has_room(const struct stored_result *stored, size_t bytes)
{
    return stored->bytes + 2 * bytes + 4096 <=
           RESULT_STORE_BYTES_MAX; /* a buffer is larger than what is in it */
}

static void stored_result_free(struct stored_result *stored)
{
    for (size_t i = 0; i < stored->count; i++) {
        free(stored->parts[i].name);
        strbuf_release(&stored->parts[i].data);
    }
    free(stored->parts);
    free(stored);
}

void result_store_init(struct result_store *store)
{
    *store = (struct result_store){.first = NULL};
    pthread_mutex_init(&store->lock, NULL);
}

static void drop_oldest(struct result_store *store)
{
    struct stored_result *stored = store->first;

    store->first = stored->next;
    if (!store->first)
        store->last = NULL;
    store->bytes -= stored->bytes;
    stored_result_free(stored);
}

/* Drops results that are too old, and the oldest until there is room for so many bytes. */
static void make_room(struct result_store *store, size_t room)
{
    const long long oldest = clock_now_ms() - RESULT_STORE_AGE_MAX_MS;

    while (store->first &&
           (store->first->created < oldest || store->bytes + room > RESULT_STORE_BYTES_MAX))
        drop_oldest(store);
}

void result_store_add(struct result_store *store, struct stored_result *stored)
{
    if (stored->count == 0) {
        stored_result_free(stored);
        return;
    }
    pthread_mutex_lock(&store->lock);
    make_room(store, stored->bytes);
    if (store->last)
        store->last->next = stored;
    else
        store->first = stored;
    store->last = stored;
    store->bytes += stored->bytes;
    pthread_mutex_unlock(&store->lock);
}

static const struct part *find(const struct result_store *store, const char *id, const char *name)
{
    for (const struct stored_result *stored = store->first; stored; stored = stored->next)
        for (size_t i = 0; i < stored->count && strcmp(stored->id, id) == 0; i++)
            if (strcmp(stored->parts[i].name, name) == 0)
                return &stored->parts[i];
    return NULL;
}

const char *result_store_read(struct result_store *store, const char *id, const char *name,
                              struct strbuf *data)
{
    const char *type = NULL;
    const struct part *part;

    pthread_mutex_lock(&store->lock);
    make_room(store, 0);
    part = find(store, id, name);
    if (part) {
        strbuf_add(data, strbuf_string(&part->data), part->data.length);
        type = part->mime_type;
    }
    pthread_mutex_unlock(&store->lock);
    return type;
}

void result_store_release(struct result_store *store)
{
    while (store->first)
        drop_oldest(store);
    pthread_mutex_destroy(&store->lock);
}
