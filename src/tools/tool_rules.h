/*
 * Whether a program may call a tool: the rules of the owner of the configuration. A pure function
 * of the rules, the name and, without rules, of what the server says about the tool.
 */
#ifndef TOOLS_TOOL_RULES_H
#define TOOLS_TOOL_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/glob.h"
#include "config/tool_servers.h"

enum tool_verdict {
    TOOL_REFUSED,
    TOOL_ASK, /* if a person agrees to the call */
    TOOL_ALLOWED,
};

/* The rules of a server, compiled. */
struct tool_rules {
    bool by_hint; /* there are no rules: the server's readOnlyHint decides */
    struct glob allow[TOOL_PATTERNS_MAX], ask[TOOL_PATTERNS_MAX];
    size_t allow_count, ask_count;
};

/*
 * Compiles the rules of the server, which is not needed afterwards. The caller releases them, after
 * a failure too. ERROR_USAGE if a pattern is wrong, which the configuration has excluded.
 */
int tool_rules_init(struct tool_rules *rules, const struct tool_server *server,
                    struct error *error);

/*
 * A name that matches `allow` is allowed, else one that matches `ask` needs an answer. Without
 * both, tools with a readOnlyHint are allowed. Names are compared byte by byte: upper and lower
 * case differ.
 */
enum tool_verdict tool_rules_verdict(const struct tool_rules *rules, const char *name,
                                     bool has_read_only_hint);

/* "allowed", "ask" or "refused"; a literal. */
const char *tool_verdict_name(enum tool_verdict verdict);

void tool_rules_release(struct tool_rules *rules);

#endif
