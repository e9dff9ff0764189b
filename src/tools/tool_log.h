/*
 * What a request has done with tools: its calls, by name and how they ended, and never what they
 * were given or returned. It is bounded, since a program chooses the names. The limits of a request
 * are those of all its programs together, so what counts for them is here too.
 */
#ifndef TOOLS_TOOL_LOG_H
#define TOOLS_TOOL_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

/* Calls that are listed, and warnings. */
enum { TOOL_LOG_MAX = 1000, TOOL_LOG_WARNINGS_MAX = 10 };

struct tool_call_entry {
    char *name; /* owned; printable; as the program has it, cut off after some 160 bytes */
    bool ok;    /* the tool has returned a value that is not an error */
    long long ms;
    size_t bytes; /* of the result, as JSON; 0: it has none */
};

struct tool_log {
    struct tool_call_entry *entries; /* owned; in the order in which the calls ended */
    size_t count;
    unsigned long long succeeded, failed, bytes; /* of all calls, also those without an entry */
    int begun;                                   /* calls, refused ones too */
    long long messages;                          /* of programs */
    struct strvec warnings;                      /* each once */
};

#define TOOL_LOG_INIT                                                                              \
    {                                                                                              \
        .entries = NULL, .warnings = STRVEC_INIT                                                   \
    }

void tool_log_release(struct tool_log *log);

/* Notes a call that has ended. */
void tool_log_add(struct tool_log *log, const char *name, bool ok, long long ms, size_t bytes);

/* Notes what its owner should know. The text is printable. */
void tool_log_warn(struct tool_log *log, const char *text);

/* [{"name", "ok", "ms", "bytes"}, ...] and {"ok", "failed", "bytes"}: new references. */
json_t *tool_log_calls(const struct tool_log *log);
json_t *tool_log_counts(const struct tool_log *log);

#endif
