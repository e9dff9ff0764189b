/*
 * Servers of tools that programs in containers may call: MCP servers over stdio, named by the owner
 * of the configuration in "tools", or in "mcpServers" as a .mcp.json has them. This module does not
 * start them (tools/upstream.h).
 */
#ifndef CONFIG_TOOL_SERVERS_H
#define CONFIG_TOOL_SERVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"

/* What a configuration may have; bytes of a command, an argument, a value, a pattern. */
enum {
    TOOL_SERVERS_MAX = 32,
    TOOL_SERVER_NAME_MAX = 32,
    TOOL_ARGUMENTS_MAX = 64,
    TOOL_VARIABLES_MAX = 64,
    TOOL_TEXT_MAX = 4096,
    TOOL_PATTERNS_MAX = 64,
    TOOL_PATTERN_MAX = 128,
};

#define TOOL_SERVER_NAME_PATTERN "^(?!(aio|then|ToolError)$)[A-Za-z][A-Za-z0-9_-]{0,31}$"
#define TOOL_PATTERN_PATTERN     "^[A-Za-z0-9_.*?-]{1,128}$"

struct tool_server {
    char *name;
    bool is_mcp_server;        /* it is in "mcpServers" */
    char *command;             /* looked up on PATH */
    struct strvec arguments;   /* without argv[0] */
    struct strvec environment; /* "NAME=VALUE"; a value as in the configuration: see below */
    bool has_allow;            /* "allow" is given, perhaps empty */
    struct strvec allow, ask;  /* globs of names of tools; see tools/tool_rules.h */
};

/* What one run may do with tools. */
struct tool_limits {
    int calls;        /* in all */
    int at_once;      /* calls that wait for their results */
    int call_seconds; /* that a call may take */
    int value_bytes;  /* of the result of a call, as JSON */
    int total_bytes;  /* of all results */
};

bool tool_server_name_is_valid(const char *name);

/* Whether it is a glob of names of tools: TOOL_PATTERN_PATTERN. */
bool tool_pattern_is_valid(const char *pattern);

/*
 * Checks a value of "env": "env:NAME" and "file:/ABSOLUTE/PATH" name the place of a value, any
 * other text is the value. ERROR_USAGE if it begins like a place and is none.
 */
int tool_value_check(const char *value, struct error *error);

/*
 * The environment variable of isolator that has the value: NAME of "env:NAME", borrowed; NULL: none
 * has it.
 */
const char *tool_value_variable(const char *value);

/*
 * Adds "NAME=VALUE" for each variable of the server, where a place is replaced by what is there
 * now, by the rules of network_credential_read(). ERROR_CONFIG names the variable and the place,
 * and has no part of a value. The caller releases the variables with tool_environment_wipe().
 */
int tool_environment_read(const struct tool_server *server, struct strvec *environment,
                          struct error *error);

/* Overwrites the variables and releases the vector. For CLEANUP(). */
void tool_environment_wipe(struct strvec *environment);

void tool_server_release(struct tool_server *server);

#endif
