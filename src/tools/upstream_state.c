#include "tools/upstream_state.h"

#include "base/diagnostics.h"
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

void upstream_end_listings(struct upstream *upstream, struct upstream_tools *tools, const char *why)
{
    while (upstream->listings) {
        struct upstream_listing *listing = upstream->listings;

        upstream->listings = listing->next;
        listing->ended = true;
        listing->tools = tools ? upstream_tools_share(tools) : NULL;
        listing->why =
            tools ? NULL : string_format("tool server '%s': %s", upstream->server->name, why);
        notifier_raise(listing->done);
    }
}

char *upstream_quote(const struct upstream_session *session, const char *text)
{
    if (*text == '\0')
        return string_copy("");
    if (!session->upstream->hides_errors)
        return string_format(": %s", text);
    diagnostics_line("tool server '%s': %s", session->upstream->server->name, text);
    return string_copy("");
}
