#include "mcp/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/linux.h"

const char *const run_streams[2] = {"stdout", "stderr"};

struct part {
    char *name; /* owned */
    const char *mime_type;
    struct strbuf data;
};

struct run {
    char id[RUN_ID_SIZE];
    struct part *parts; /* owned */
    size_t count;
    size_t bytes;    /* of memory, about */
    long long since; /* clock_now_ms() */
    struct run *next;
};

struct run *run_new(void)
{
    struct run *run = memory_allocate(sizeof *run);

    *run = (struct run){.since = clock_now_ms(), .bytes = sizeof *run};
    linux_random_digits(run->id, sizeof run->id);
    return run;
}

const char *run_id(const struct run *run)
{
    return run->id;
}

void run_add(struct run *run, const char *name, const char *mime_type, struct strbuf *data)
{
    run->parts = memory_resize(run->parts, (run->count + 1) * sizeof *run->parts);
    run->parts[run->count++] = (struct part){string_copy(name), mime_type, *data};
    run->bytes += sizeof *run->parts + strlen(name) + data->capacity;
    *data = (struct strbuf)STRBUF_INIT;
}

bool run_has_room(const struct run *run, size_t bytes)
{
    return run->bytes + 2 * bytes + 4096 <=
           RUNS_BYTES_MAX; /* a buffer is larger than what is in it */
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

void runs_init(struct runs *runs)
{
    *runs = (struct runs){.first = NULL};
    pthread_mutex_init(&runs->lock, NULL);
}

static void drop_oldest(struct runs *runs)
{
    struct run *run = runs->first;

    runs->first = run->next;
    if (!runs->first)
        runs->last = NULL;
    runs->bytes -= run->bytes;
    run_free(run);
}

static void drop_old(struct runs *runs, size_t room)
{
    const long long oldest = clock_now_ms() - RUNS_AGE_MAX_MS;

    while (runs->first && (runs->first->since < oldest || runs->bytes + room > RUNS_BYTES_MAX))
        drop_oldest(runs);
}

void runs_keep(struct runs *runs, struct run *run)
{
    if (run->count == 0) {
        run_free(run);
        return;
    }
    pthread_mutex_lock(&runs->lock);
    drop_old(runs, run->bytes);
    if (runs->last)
        runs->last->next = run;
    else
        runs->first = run;
    runs->last = run;
    runs->bytes += run->bytes;
    pthread_mutex_unlock(&runs->lock);
}

static const struct part *find(const struct runs *runs, const char *id, const char *name)
{
    for (const struct run *run = runs->first; run; run = run->next)
        for (size_t i = 0; i < run->count && strcmp(run->id, id) == 0; i++)
            if (strcmp(run->parts[i].name, name) == 0)
                return &run->parts[i];
    return NULL;
}

const char *runs_read(struct runs *runs, const char *id, const char *name, struct strbuf *data)
{
    const char *type = NULL;
    const struct part *part;

    pthread_mutex_lock(&runs->lock);
    drop_old(runs, 0);
    part = find(runs, id, name);
    if (part) {
        strbuf_add(data, strbuf_string(&part->data), part->data.length);
        type = part->mime_type;
    }
    pthread_mutex_unlock(&runs->lock);
    return type;
}

void runs_release(struct runs *runs)
{
    while (runs->first)
        drop_oldest(runs);
    pthread_mutex_destroy(&runs->lock);
}
