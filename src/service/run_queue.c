#include "service/run_queue.h"

#include <stdlib.h>

#include "base/memory.h"

struct run_handle *run_handle_new(struct plan *plan, const struct run_callbacks *callbacks,
                                  struct error *error)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct run_handle *handle;

    if (notifier_open(&cancel, error) != 0)
        return NULL;
    handle = memory_allocate(sizeof *handle);
    *handle = (struct run_handle){
        .plan = *plan,
        .callbacks = *callbacks,
        .cancel = cancel,
        .bytes = plan_bytes(plan),
        .problems = STRVEC_INIT,
    };
    *plan = (struct plan)PLAN_INIT;
    return handle;
}

void run_handle_free(struct run_handle *handle)
{
    plan_release(&handle->plan);
    notifier_release(&handle->cancel);
    strvec_release(&handle->problems);
    free(handle);
}

void run_queue_append(struct run_handle **queue, struct run_handle *handle)
{
    while (*queue)
        queue = &(*queue)->next;
    *queue = handle;
}

bool run_queue_remove(struct run_handle **queue, struct run_handle *handle)
{
    while (*queue && *queue != handle)
        queue = &(*queue)->next;
    if (!*queue)
        return false;
    *queue = handle->next;
    handle->next = NULL;
    return true;
}

struct run_handle *run_queue_take(struct run_handle **queue)
{
    struct run_handle *first = *queue;

    run_queue_remove(queue, first);
    return first;
}

/* Runs of one session, and commands of one workspace, follow each other. */
static bool must_wait(const struct run_handle *handle, const struct run_handle *active)
{
    for (; active; active = active->next)
        if ((handle->session && active->session == handle->session) ||
            (handle->visit && active->visit == handle->visit))
            return true;
    return false;
}

struct run_handle *run_queue_due(struct run_handle *queue, const struct run_handle *active,
                                 long long now)
{
    while (queue && (queue->not_before > now || must_wait(queue, active)))
        queue = queue->next;
    return queue;
}

long long run_queue_next_due(const struct run_handle *queue, const struct run_handle *active)
{
    long long earliest = -1;

    for (; queue; queue = queue->next)
        if (!must_wait(queue, active) && (earliest < 0 || queue->not_before < earliest))
            earliest = queue->not_before;
    return earliest;
}
