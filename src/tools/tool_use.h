/*
 * What all connections of one program share, and may have together (tools/tool_session.h).
 */
#ifndef TOOLS_TOOL_USE_H
#define TOOLS_TOOL_USE_H

#include <stddef.h>

#include "base/notifier.h"
#include "base/strvec.h"
#include "tools/tool_consent.h"
#include "tools/tool_log.h"
#include "tools/tool_set.h"

/* Bytes of requests that are not answered. */
enum { TOOL_USE_BYTES_MAX = 16 << 20 };

/* Pages of lists that are made at once: each takes some milliseconds. */
enum { TOOL_USE_PAGES = 4 };

/* Messages, in addition to ten for each call that is allowed. */
enum { TOOL_USE_MESSAGES = 10000 };

struct tool_use {
    struct tool_set *set;         /* borrowed, as the next three are */
    const struct strvec *servers; /* names of those that it may use, in the order of a list */
    struct tool_log *log;
    struct tool_consent *consent;
    struct notifier done; /* owned; raised when a request may go on */
    int running;          /* calls, at their servers */
    size_t waiting_bytes; /* of requests that are not answered */
    int pages_left;       /* of lists that may be made before others have their turn */
};

#endif
