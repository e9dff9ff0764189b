#include "tools/upstream_state.h"

#include "base/strbuf.h"

void upstream_end_call(struct upstream *upstream, struct upstream_call *call, json_t *result,
                       char *why)
{
    struct upstream_call **link = &upstream->calls;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    call->ended = true;
    call->result = result;
    call->why = why;
    if (call->done)
        notifier_raise(call->done); /* within the lock: a caller that cancels may free it then */
}

void upstream_end_waiters(struct upstream *upstream, struct tool_list *tools, const char *why)
{
    while (upstream->waiters) {
        struct upstream_waiter *waiter = upstream->waiters;

        upstream->waiters = waiter->next;
        waiter->ended = true;
        waiter->tools = tools ? tool_list_share(tools) : NULL;
        waiter->why = why ? string_copy(why) : NULL;
        notifier_raise(&waiter->done);
    }
}
