#include "tools/upstream.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "tools/upstream_state.h"

/* ---- the server */

struct upstream *upstream_new(const struct tool_server *server, const struct tool_limits *limits,
                              const struct server_guard *guard, struct error *error)
{
    struct upstream *upstream = memory_allocate(sizeof *upstream);

    *upstream = (struct upstream){
        .server = server,
        .limits = *limits,
        .guard = guard,
        .times = {.start = 30000, .restart = 10000, .grace = 2000, .refetch = 1000},
        .ended = NOTIFIER_INIT,
        .wake = NOTIFIER_INIT};
    pthread_mutex_init(&upstream->lock, NULL);
    if (notifier_open(&upstream->wake, error) == 0 && notifier_open(&upstream->ended, error) == 0) {
        if (thread_start(&upstream->thread, upstream_thread, upstream) == 0)
            return upstream;
        error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    }
    notifier_release(&upstream->wake);
    notifier_release(&upstream->ended);
    pthread_mutex_destroy(&upstream->lock);
    free(upstream);
    return NULL;
}

void upstream_hide_errors(struct upstream *upstream)
{
    upstream->hides_errors = true;
}

void upstream_end(struct upstream *upstream)
{
    THREAD_LOCK(&upstream->lock);
    upstream->closing = true;
    notifier_raise(&upstream->wake);
}

bool upstream_wait(const struct upstream *upstream, long long deadline)
{
    struct pollfd polled = {.fd = notifier_fd(&upstream->ended), .events = POLLIN};

    while (!notifier_raised(&upstream->ended)) {
        const long long left = deadline - clock_now_ms();

        if (deadline != 0 && left <= 0)
            return false;
        io_poll(&polled, 1, deadline == 0 ? -1 : left > 1000 ? 1000 : (int)left);
    }
    return true;
}

void upstream_free(struct upstream *upstream)
{
    if (!upstream)
        return;
    upstream_end(upstream);
    pthread_join(upstream->thread, NULL);
    notifier_release(&upstream->wake);
    notifier_release(&upstream->ended);
    pthread_mutex_destroy(&upstream->lock);
    upstream_tools_release(&upstream->tools);
    free(upstream->cancelled);
    free(upstream);
}

/* ---- the list */

struct upstream_listing *upstream_listing_start(struct upstream *upstream,
                                                const struct notifier *done)
{
    struct upstream_listing *listing = memory_allocate(sizeof *listing);
    bool known;

    *listing = (struct upstream_listing){.upstream = upstream, .done = done};
    pthread_mutex_lock(&upstream->lock);
    if (upstream->tools && upstream->is_current) {
        listing->tools = upstream_tools_share(upstream->tools);
        listing->ended = true;
    } else {
        listing->next = upstream->listings;
        upstream->listings = listing;
    }
    known = listing->ended;
    pthread_mutex_unlock(&upstream->lock);
    notifier_raise(known ? done : &upstream->wake);
    return listing;
}

enum upstream_outcome upstream_listing_take(struct upstream_listing *listing,
                                            struct upstream_tools **tools, char **why)
{
    struct upstream *upstream = listing->upstream;

    THREAD_LOCK(&upstream->lock);
    if (!listing->ended)
        return UPSTREAM_PENDING;
    *tools = listing->tools;
    *why = listing->why;
    free(listing);
    return *tools ? UPSTREAM_RESULT : UPSTREAM_FAILED;
}

void upstream_listing_cancel(struct upstream_listing *listing)
{
    if (!listing)
        return;
    THREAD_LOCK(&listing->upstream->lock);
    for (struct upstream_listing **link = &listing->upstream->listings; *link;
         link = &(*link)->next) {
        if (*link == listing) {
            *link = listing->next;
            break;
        }
    }
    upstream_tools_release(&listing->tools);
    free(listing->why);
    free(listing);
}

/* Waits for the end of the listing, the deadline or the cancellation. */
static void wait_for_listing(const struct notifier *done, long long deadline,
                             const struct notifier *cancel)
{
    while (!notifier_raised(done) && !notifier_raised(cancel)) {
        struct pollfd polled[] = {{.fd = notifier_fd(done), .events = POLLIN},
                                  {.fd = notifier_fd(cancel), .events = POLLIN}};
        const long long left = deadline == 0 ? 1000 : deadline - clock_now_ms();

        if (left <= 0)
            return;
        io_poll(polled, 2, left > 1000 ? 1000 : (int)left);
    }
}

int upstream_list(struct upstream *upstream, long long deadline, const struct notifier *cancel,
                  struct upstream_tools **tools, struct error *error)
{
    struct notifier done = NOTIFIER_INIT;
    struct upstream_listing *listing;
    CLEANUP_FREE char *why = NULL;
    int result = 0;

    if (notifier_open(&done, error) != 0)
        return -1;
    listing = upstream_listing_start(upstream, &done);
    wait_for_listing(&done, deadline, cancel);
    switch (upstream_listing_take(listing, tools, &why)) {
    case UPSTREAM_RESULT:
        break;
    case UPSTREAM_FAILED:
        result = error_set(error, ERROR_ENGINE, "%s", why);
        break;
    default:
        upstream_listing_cancel(listing);
        result = notifier_raised(cancel)
                     ? error_set(error, ERROR_CANCELLED, "cancelled")
                     : error_set(error, ERROR_ENGINE,
                                 "tool server '%s': has not listed its tools in time",
                                 upstream->server->name);
    }
    notifier_release(&done);
    return result;
}

/* ---- calls */

struct upstream_call *upstream_call_start(struct upstream *upstream, const char *tool,
                                          char *arguments, const struct notifier *done)
{
    struct upstream_call *call = memory_allocate(sizeof *call);
    struct upstream_call **link = &upstream->calls;

    *call =
        (struct upstream_call){.upstream = upstream,
                               .tool = string_copy(tool),
                               .arguments = arguments,
                               .done = done,
                               .deadline = clock_now_ms() + upstream->limits.call_seconds * 1000LL};
    THREAD_LOCK(&upstream->lock);
    while (*link)
        link = &(*link)->next;
    *link = call;
    notifier_raise(&upstream->wake);
    return call;
}

static void free_call(struct upstream_call *call)
{
    free(call->tool);
    free(call->arguments);
    free(call->why);
    json_decref(call->result);
    free(call);
}

enum upstream_outcome upstream_call_take(struct upstream_call *call, json_t **result, char **why)
{
    THREAD_LOCK(&call->upstream->lock);
    if (!call->ended)
        return UPSTREAM_PENDING;
    *result = call->result;
    *why = call->why;
    call->result = NULL;
    call->why = NULL;
    free_call(call);
    return *result ? UPSTREAM_RESULT : UPSTREAM_FAILED;
}

void upstream_call_cancel(struct upstream_call *call)
{
    struct upstream *upstream = call->upstream;

    THREAD_LOCK(&upstream->lock);
    if (!call->ended) {
        const long long id = call->id;

        call->done = NULL;
        upstream_end_call(upstream, call, NULL, NULL);
        if (id != 0) {
            upstream->cancelled = memory_resize(
                upstream->cancelled, (upstream->cancelled_count + 1) * sizeof *upstream->cancelled);
            upstream->cancelled[upstream->cancelled_count++] = id;
        }
    }
    notifier_raise(&upstream->wake);
    free_call(call);
}
