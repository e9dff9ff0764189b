#include "tools/tool_log.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "config/tool_servers.h"
#include "tools/upstream_tools.h"

enum { NAME_SHOWN_MAX = TOOL_SERVER_NAME_MAX + 1 + TOOL_NAME_MAX };

void tool_log_release(struct tool_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free(log->entries[i].name);
    free(log->entries);
    strvec_release(&log->warnings);
    *log = (struct tool_log)TOOL_LOG_INIT;
}

void tool_log_add(struct tool_log *log, const char *name, bool ok, long long ms, size_t bytes)
{
    *(ok ? &log->succeeded : &log->failed) += 1;
    log->bytes += bytes;
    if (log->count == TOOL_LOG_MAX)
        return;
    log->entries = memory_resize(log->entries, (log->count + 1) * sizeof *log->entries);
    log->entries[log->count++] = (struct tool_call_entry){
        .name = text_escape_short(name, NAME_SHOWN_MAX), .ok = ok, .ms = ms, .bytes = bytes};
}

void tool_log_warn(struct tool_log *log, const char *text)
{
    if (log->warnings.count < TOOL_LOG_WARNINGS_MAX)
        strvec_push_once(&log->warnings, text);
}

json_t *tool_log_calls(const struct tool_log *log)
{
    json_t *calls = json_array();

    for (size_t i = 0; i < log->count; i++) {
        const struct tool_call_entry *entry = &log->entries[i];

        json_array_append_new(calls, json_pack("{s:s, s:b, s:I, s:I}", "name", entry->name, "ok",
                                               entry->ok, "ms", (json_int_t)entry->ms, "bytes",
                                               (json_int_t)entry->bytes));
    }
    return calls;
}

json_t *tool_log_counts(const struct tool_log *log)
{
    return json_pack("{s:I, s:I, s:I}", "ok", (json_int_t)log->succeeded, "failed",
                     (json_int_t)log->failed, "bytes", (json_int_t)log->bytes);
}
