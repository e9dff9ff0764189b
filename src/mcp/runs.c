#include "mcp/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/linux.h"

const char *const run_streams[2] = {"stdout", "stderr"};

struct run {
    char id[RUN_ID_SIZE];
    struct strbuf text[2];
    long long since; /* clock_now_ms() */
    struct run *next;
};

static size_t size_of(const struct run *run)
{
    return sizeof *run + run->text[0].capacity + run->text[1].capacity;
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
    runs->bytes -= size_of(run);
    strbuf_release(&run->text[0]);
    strbuf_release(&run->text[1]);
    free(run);
}

static void drop_old(struct runs *runs, size_t room)
{
    const long long oldest = clock_now_ms() - RUNS_AGE_MAX_MS;

    while (runs->first && (runs->first->since < oldest || runs->bytes + room > RUNS_BYTES_MAX))
        drop_oldest(runs);
}

void runs_add(struct runs *runs, struct strbuf text[2], char id[RUN_ID_SIZE])
{
    struct run *run = memory_allocate(sizeof *run);

    *run = (struct run){.text = {text[0], text[1]}, .since = clock_now_ms()};
    text[0] = text[1] = (struct strbuf)STRBUF_INIT;
    linux_random_digits(run->id, sizeof run->id);
    memcpy(id, run->id, RUN_ID_SIZE);

    pthread_mutex_lock(&runs->lock);
    drop_old(runs, size_of(run));
    if (runs->last)
        runs->last->next = run;
    else
        runs->first = run;
    runs->last = run;
    runs->bytes += size_of(run);
    pthread_mutex_unlock(&runs->lock);
}

bool runs_read(struct runs *runs, const char *id, int stream, struct strbuf *text)
{
    struct run *run;

    pthread_mutex_lock(&runs->lock);
    drop_old(runs, 0);
    for (run = runs->first; run; run = run->next)
        if (strcmp(run->id, id) == 0)
            break;
    if (run)
        strbuf_add(text, strbuf_string(&run->text[stream]), run->text[stream].length);
    pthread_mutex_unlock(&runs->lock);
    return run != NULL;
}

void runs_release(struct runs *runs)
{
    while (runs->first)
        drop_oldest(runs);
    pthread_mutex_destroy(&runs->lock);
}
