#include "mcp/result_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"

const char *const run_streams[2] = {"stdout", "stderr"};

struct part {
    char *name; /* owned */
    const char *mime_type;
    struct strbuf data;
};

struct run {
    char id[RESULT_ID_SIZE];
    struct part *parts; /* owned */
    size_t count;
    size_t bytes;    /* of memory, about */
    long long since; /* clock_now_ms() */
    struct run *next;
};

struct run *stored_result_new(void)
{
    struct run *run = memory_allocate(sizeof *run);

    *run = (struct run){.since = clock_now_ms(), .bytes = sizeof *run};
    linux_random_digits(run->id, sizeof run->id);
    return run;
}

const char *stored_result_id(const struct run *run)
{
    return run->id;
}

void stored_result_add(struct run *run, const char *name, const char *mime_type,
                       struct strbuf *data)
{
    run->parts = memory_resize(run->parts, (run->count + 1) * sizeof *run->parts);
    run->parts[run->count++] = (struct part){string_copy(name), mime_type, *data};
    run->bytes += sizeof *run->parts + strlen(name) + data->capacity;
    *data = (struct strbuf)STRBUF_INIT;
}

bool stored_result_has_room(const struct run *run, size_t bytes)
{
    return run->bytes + 2 * bytes + 4096 <=
           RESULT_STORE_BYTES_MAX; /* a buffer is larger than what is in it */
}

static void run_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        free(run->parts[i].name);
        strbuf_release(&run->parts[i].data);
    }
    free(run->parts);
    free(run);
}

void result_store_init(struct result_store *store)
{
    *store = (struct result_store){.first = NULL};
    pthread_mutex_init(&store->lock, NULL);
}

static void drop_oldest(struct result_store *store)
{
    struct run *run = store->first;

    store->first = run->next;
    if (!store->first)
        store->last = NULL;
    store->bytes -= run->bytes;
    run_free(run);
}

static void drop_old(struct result_store *store, size_t room)
{
    const long long oldest = clock_now_ms() - RESULT_STORE_AGE_MAX_MS;

    while (store->first &&
           (store->first->since < oldest || store->bytes + room > RESULT_STORE_BYTES_MAX))
        drop_oldest(store);
}

void result_store_keep(struct result_store *store, struct run *run)
{
    if (run->count == 0) {
        run_free(run);
        return;
    }
    pthread_mutex_lock(&store->lock);
    drop_old(store, run->bytes);
    if (store->last)
        store->last->next = run;
    else
        store->first = run;
    store->last = run;
    store->bytes += run->bytes;
    pthread_mutex_unlock(&store->lock);
}

static const struct part *find(const struct result_store *store, const char *id, const char *name)
{
    for (const struct run *run = store->first; run; run = run->next)
        for (size_t i = 0; i < run->count && strcmp(run->id, id) == 0; i++)
            if (strcmp(run->parts[i].name, name) == 0)
                return &run->parts[i];
    return NULL;
}

const char *result_store_read(struct result_store *store, const char *id, const char *name,
                              struct strbuf *data)
{
    const char *type = NULL;
    const struct part *part;

    pthread_mutex_lock(&store->lock);
    drop_old(store, 0);
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
