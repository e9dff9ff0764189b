#include "config/tool_keys.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/process.h"
#include "config/config.h"
#include "config/environment.h"
#include "config/key_macros.h"

#define SERVER_MEMBER(member) .offset = offsetof(struct tool_server, member)
#define LIMIT_MEMBER(member)  .offset = offsetof(struct tool_limits, member)

/* ---- members of a server */

static int set_command(struct json_reader *reader, const json_t *value, void *object)
{
    char **command = object;

    if (json_reader_string(reader, value, command) != 0)
        return -1;
    if (strlen(*command) > TOOL_TEXT_MAX)
        return json_reader_wrong_type(reader, "shorter");
    return 0;
}

/* Unlike json_reader_list(): a word of a command may be empty. */
static int set_arguments(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *arguments = object;
    CLEANUP_FREE char *expected = string_format(
        "an array of at most %d strings of at most %d bytes", TOOL_ARGUMENTS_MAX, TOOL_TEXT_MAX);
    json_t *item;
    size_t i;

    if (!json_is_array(value) || json_array_size(value) > TOOL_ARGUMENTS_MAX)
        return json_reader_wrong_type(reader, expected);
    strvec_release(arguments);
    json_array_foreach(value, i, item) {
        const char *text = json_string_value(item);

        if (!text || strlen(text) != json_string_length(item) || strlen(text) > TOOL_TEXT_MAX)
            return json_reader_wrong_type(reader, expected);
        strvec_push(arguments, text);
    }
    return 0;
}

/*
 * The variable has a secret, so no other command that isolator starts gets it, unless the docker
 * command and ssh(1) may need it.
 */
static void withhold(const char *variable)
{
    static const char *const needed[] = {"DOCKER_", "CONTAINER", "XDG_", "SSH_", "LC_"};
    static const char *const needed_whole[] = {"PATH", "HOME", "USER", "LANG", "TMPDIR"};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strncmp(variable, needed[i], strlen(needed[i])) == 0)
            return;
    for (size_t i = 0; i < sizeof needed_whole / sizeof *needed_whole; i++)
        if (strcmp(variable, needed_whole[i]) == 0)
            return;
    process_withhold(variable);
}

static int read_variable(struct json_reader *reader, const char *name, const json_t *value,
                         void *target)
{
    struct strvec *environment = target;
    const char *text = json_string_value(value);
    CLEANUP_FREE char *assignment = NULL;

    if (!environment_is_name(name, strlen(name)))
        return json_reader_wrong_type(reader, "named like a variable: letters, digits, _");
    if (!text || strlen(text) != json_string_length(value) || strlen(text) > TOOL_TEXT_MAX)
        return json_reader_wrong_type(reader, "a string of at most 4096 bytes");
    if (json_reader_checked(reader, tool_value_check(text, reader->error)) != 0)
        return -1;
    if (tool_value_variable(text))
        withhold(tool_value_variable(text));
    assignment = string_format("%s=%s", name, text);
    environment_set(environment, assignment);
    return 0;
}

static int set_environment(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *environment = object;

    if (json_reader_members(reader, value, read_variable, environment) != 0)
        return -1;
    if (environment->count > TOOL_VARIABLES_MAX)
        return json_reader_wrong_type(reader, "an object of at most 64 variables");
    return 0;
}

static int set_patterns(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *patterns = object;

    if (json_reader_list(reader, value, patterns) != 0)
        return -1;
    if (patterns->count > TOOL_PATTERNS_MAX)
        return json_reader_wrong_type(reader, "an array of at most 64 patterns");
    for (size_t i = 0; i < patterns->count; i++)
        if (!tool_pattern_is_valid(patterns->items[i]))
            return json_reader_wrong_type(
                reader, "names of tools, at most 128 of A-Z, a-z, 0-9, '_', '.' and '-' each, with "
                        "'*' for any characters and '?' for one");
    return 0;
}

static int set_allow(struct json_reader *reader, const json_t *value, void *object)
{
    struct tool_server *server = object;

    server->has_allow = true;
    return set_patterns(reader, value, &server->allow);
}

/* ---- the table */

static const struct config_key keys[] = {
    {CONFIG_LEVEL_TOOL_SERVER,
     RANGE("command", KEY_STRING, 1, TOOL_TEXT_MAX, "Command",
           "Name or path of the program, which is an MCP server over standard input and output."),
     SERVER_MEMBER(command), .set = set_command},
    {CONFIG_LEVEL_TOOL_SERVER,
     RANGE("args", KEY_STRINGS, 0, TOOL_ARGUMENTS_MAX, "Arguments",
           "Arguments of the command, one per string."),
     SERVER_MEMBER(arguments), .set = set_arguments,
     .schema = "{\"items\": {\"type\": \"string\", \"maxLength\": 4096}}"},
    {CONFIG_LEVEL_TOOL_SERVER,
     RULE("env", KEY_STRINGS_BY_NAME, "Environment",
          "Variables by name. env:NAME takes the value from the environment of isolator, "
          "file:/ABSOLUTE/PATH from a file; any other text is the value itself.",
          .pattern = "^[A-Za-z_][A-Za-z0-9_]*$"),
     SERVER_MEMBER(environment), .set = set_environment,
     .schema = "{\"maxProperties\": 64, \"additionalProperties\": {\"type\": \"string\", "
               "\"maxLength\": 4096, \"pattern\": "
               "\"^(?!env:|file:)|^env:[A-Za-z_][A-Za-z0-9_]*$|^file:/\"}}"},
    {CONFIG_LEVEL_TOOL_SERVER,
     RANGE("allow", KEY_STRINGS, 0, TOOL_PATTERNS_MAX, "Allowed tools",
           "Patterns of the tools that programs may call, like list_*. Without it, those that the "
           "server itself calls read-only.",
           .pattern = TOOL_PATTERN_PATTERN),
     .set = set_allow},
    {CONFIG_LEVEL_TOOL_SERVER,
     RANGE("ask", KEY_STRINGS, 0, TOOL_PATTERNS_MAX, "Tools with permission",
           "Patterns of the tools that programs may call if a person agrees to each call.",
           .pattern = TOOL_PATTERN_PATTERN),
     SERVER_MEMBER(ask), .set = set_patterns},

    {CONFIG_LEVEL_TOOL_LIMITS,
     RANGE("calls", KEY_WHOLE, 1, 100000, "Calls", "How many calls a run may make in all."),
     LIMIT_MEMBER(calls)},
    {CONFIG_LEVEL_TOOL_LIMITS,
     RANGE("atOnce", KEY_WHOLE, 1, 64, "Concurrent calls",
           "How many calls of a run may wait for their results at once."),
     LIMIT_MEMBER(at_once)},
    {CONFIG_LEVEL_TOOL_LIMITS,
     RANGE("callSeconds", KEY_WHOLE, 1, 3600, "Time of a call",
           "Seconds that a call may take; then it is cancelled."),
     LIMIT_MEMBER(call_seconds)},
    {CONFIG_LEVEL_TOOL_LIMITS,
     RANGE("valueBytes", KEY_WHOLE, 1000, 8 << 20, "Size of a value",
           "Bytes that the result of a call may have as JSON; a larger one is refused."),
     LIMIT_MEMBER(value_bytes)},
    {CONFIG_LEVEL_TOOL_LIMITS,
     RANGE("totalBytes", KEY_WHOLE, 1000, 1 << 30, "Size of all values",
           "Bytes that the results of all calls of a run may have together."),
     LIMIT_MEMBER(total_bytes)},
};
enum { KEYS = sizeof keys / sizeof *keys };

const struct config_key *tool_keys_next(enum config_level level, const struct config_key *key)
{
    return config_keys_in(keys, KEYS, level, key);
}

/* ---- servers */

/* The servers of one object of the file. */
struct target {
    struct config *config;
    struct tool_server *server;
    bool is_mcp_server;
};

static int read_member(struct json_reader *reader, const char *name, const json_t *value,
                       void *context)
{
    const struct target *target = context;
    const struct config_key *key = NULL;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    while ((key = tool_keys_next(CONFIG_LEVEL_TOOL_SERVER, key)) &&
           strcmp(key->rule->name, name) != 0)
        ;
    if (target->is_mcp_server && (strcmp(name, "allow") == 0 || strcmp(name, "ask") == 0))
        key = NULL; /* hosts do not have them */
    if (key)
        return key->set(reader, value, (char *)target->server + key->offset);
    if (target->is_mcp_server)
        return 0;
    while ((key = tool_keys_next(CONFIG_LEVEL_TOOL_SERVER, key)))
        strvec_push(&names, key->rule->name);
    return json_reader_unknown_key(reader, (const char *const *)names.items, names.count);
}

static struct tool_server *find_or_add(struct config *config, const char *name, bool is_mcp_server)
{
    struct tool_server *server = (struct tool_server *)config_tool_server(config, name);

    if (server)
        return server;
    config->tools = memory_resize(config->tools, (config->tool_count + 1) * sizeof *config->tools);
    server = &config->tools[config->tool_count++];
    *server = (struct tool_server){
        .name = string_copy(name), .is_mcp_server = is_mcp_server, .has_allow = is_mcp_server};
    return server;
}

/* Refuses an entry of a .mcp.json that is not a server over stdio; the path of the reader names it.
 */
static int check_transport(struct json_reader *reader, const json_t *entry)
{
    const json_t *type = json_object_get(entry, "type");
    const char *name = json_string_value(type);

    if (!json_object_get(entry, "url") && (!type || (name && strcmp(name, "stdio") == 0)))
        return 0;
    return json_reader_wrong_type(reader, "a server over stdio, with \"command\"; servers with "
                                          "\"url\" or another \"type\" cannot be used");
}

static int read_server(struct json_reader *reader, const char *name, const json_t *value,
                       void *context)
{
    struct target target = *(struct target *)context;

    if (!tool_server_name_is_valid(name))
        return json_reader_wrong_type(
            reader, "named with a letter first, then at most 31 of A-Z, a-z, 0-9, '_' and '-'");
    if (strcmp(name, "aio") == 0 || strcmp(name, "ToolError") == 0 || strcmp(name, "then") == 0)
        return json_reader_wrong_type(reader, "another name, since tools.aio, tools.ToolError and "
                                              "tools.then have a meaning for programs");
    target.server = find_or_add(target.config, name, target.is_mcp_server);
    if (target.server->is_mcp_server != target.is_mcp_server)
        return json_reader_wrong_type(reader, "in tools or in mcpServers, not in both");
    if (target.config->tool_count > TOOL_SERVERS_MAX)
        return json_reader_wrong_type(reader, "one of at most 32 servers");
    if (target.is_mcp_server && check_transport(reader, value) != 0)
        return -1;
    if (json_reader_members(reader, value, read_member, &target) != 0)
        return -1;
    if (!target.server->command)
        return json_reader_wrong_type(reader, "complete: a server needs command");
    return 0;
}

int config_value_tools(struct json_reader *reader, const json_t *value, void *object)
{
    return json_reader_members(reader, value, read_server, &(struct target){.config = object});
}

int config_value_mcp_servers(struct json_reader *reader, const json_t *value, void *object)
{
    return json_reader_members(reader, value, read_server,
                               &(struct target){.config = object, .is_mcp_server = true});
}
