#include "cli/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/json_make.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/safe_json.h"
#include "cli/table.h"
#include "config/config.h"
#include "tools/tool_rules.h"
#include "tools/upstream.h"

enum { COLUMNS = 4, DESCRIPTION_MAX = 100 };

struct tools_options {
    struct common_options common;
    bool json;
};

/* What is printed after all servers have answered. */
struct listing {
    struct server_guard guard;
    struct strvec cells; /* of the table */
    json_t *servers;     /* for --json */
    bool failed;         /* at least one of them */
};

static const struct option_rule tools_rules[] = {
    {{0, "--json", NULL, "print them as a JSON array instead", NULL,
      "Print a JSON array with an object for each server instead, with the members *name*, *error* "
      "(what is wrong with it, or null), *dropped* (how many tools are left out) and *tools*: "
      "objects with *name*, *calls* (\"allowed\", \"ask\" or \"refused\"), *title*, *description*, "
      "*inputSchema*, *outputSchema* and *readOnlyHint*, as the server has them."},
     OPTION_FLAG(struct tools_options, json)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table tools_table = {
    .command = "isolator tools",
    .usage = "usage: isolator tools [--json] [--config FILE] [NAME]\n"
             "\n"
             "Starts the configured tool servers, or the one of this name, and lists their\n"
             "tools: server, tool, whether programs may call it (allowed, ask, refused), and\n"
             "the first line of its description.\n",
    .example = "isolator tools",
    .after = "Exit status: 0 success, 2 wrong command line or configuration, 3 a server\n"
             "failed, 128+N signal N. See isolator-tools(1).\n",
    OPTION_RULES(tools_rules)};

/* The first line of a description; owned by the caller. */
static char *first_line(const char *description)
{
    const char *text = description ? description : "";
    CLEANUP_FREE char *line = string_format("%.*s", (int)strcspn(text, "\n"), text);

    return text_escape_short(line, DESCRIPTION_MAX);
}

static void add_row(struct strvec *cells, const struct tool_server *server,
                    const struct tool_entry *tool, enum tool_verdict verdict)
{
    strvec_push_each(cells, server->name, tool->name, tool_verdict_name(verdict), NULL);
    strvec_push_owned(cells, first_line(tool->description));
}

/* A new reference. */
static json_t *tool_to_json(const struct tool_entry *tool, enum tool_verdict verdict)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", tool->name, "calls",
                     tool_verdict_name(verdict), "title", json_make_text(tool->title),
                     "description", json_make_text(tool->description), "inputSchema",
                     json_deep_copy(tool->input_schema), "outputSchema",
                     tool->output_schema ? json_deep_copy(tool->output_schema) : json_null(),
                     "readOnlyHint", tool->has_read_only_hint);
}

/* Starts a server and returns its list; NULL: the error. */
static struct upstream_tools *fetch_list(const struct listing *listing, const struct config *config,
                                         const struct tool_server *server, struct error *error)
{
    struct upstream *upstream = upstream_new(server, &config->tool_limits, &listing->guard, error);
    struct upstream_tools *tools = NULL;

    if (upstream)
        upstream_list(upstream, 0, signals_cancel(), &tools, error);
    upstream_free(upstream);
    return tools;
}

static void add_tools(struct listing *listing, const struct tool_server *server,
                      const struct tool_rules *rules, const struct upstream_tools *tools,
                      json_t *array)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct tool_entry *tool = &tools->items[i];
        const enum tool_verdict verdict =
            tool_rules_verdict(rules, tool->name, tool->has_read_only_hint);

        add_row(&listing->cells, server, tool, verdict);
        json_array_append_new(array, tool_to_json(tool, verdict));
    }
    if (tools->dropped > 0)
        diagnostics_line("tool server '%s': %zu tools are left out, which are too many, have names "
                         "that are not valid, or have names of others",
                         server->name, tools->dropped);
}

/* Adds a server to the listing. -1: the error of one that failed, or the cancellation. */
static int add_server(struct listing *listing, const struct config *config,
                      const struct tool_server *server, struct error *error)
{
    CLEANUP(upstream_tools_release)
    struct upstream_tools *tools = fetch_list(listing, config, server, error);
    CLEANUP(tool_rules_release) struct tool_rules rules = {.by_hint = false};
    json_t *array = json_array();
    int result = tools ? 0 : -1;

    if (tools)
        result = tool_rules_init(&rules, server, error);
    if (result == 0)
        add_tools(listing, server, &rules, tools, array);
    json_array_append_new(listing->servers,
                          json_pack("{s:s, s:o, s:I, s:o}", "name", server->name, "error",
                                    json_make_text(error->message), "dropped",
                                    (json_int_t)(tools ? tools->dropped : 0), "tools", array));
    return result;
}

/* Adds all servers, or the one of this name, and reports those that fail. */
static void add_servers(struct listing *listing, const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->tool_count && signals_caught() == 0; i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;

        if (name && strcmp(config->tools[i].name, name) != 0)
            continue;
        if (add_server(listing, config, &config->tools[i], &error) == 0)
            continue;
        if (signals_caught() == 0)
            exit_status_report(&error);
        listing->failed = true;
    }
}

static int check_name(const struct config *config, const char *name, struct error *error)
{
    CLEANUP_FREE char *shown = NULL, *known = NULL;

    if (!name || config_tool_server(config, name))
        return 0;
    shown = text_escape_short(name, TEXT_SHOWN_MAX);
    known = config_tool_names(config);
    return error_set(error, ERROR_USAGE, "unknown tool server '%s'; known are: %s", shown, known);
}

static int run_tools_command(void *context, char **operands, const struct config *config,
                             struct error *error)
{
    const struct tools_options *options = context;
    struct listing listing = {.cells = STRVEC_INIT};

    if (check_name(config, operands[0], error) != 0 || signals_catch(error) != 0)
        return -1;
    server_guard_start(&listing.guard);
    listing.servers = json_array();
    strvec_push_each(&listing.cells, "SERVER", "TOOL", "CALLS", "DESCRIPTION", NULL);
    add_servers(&listing, config, operands[0]);
    if (signals_caught() == 0 && options->json)
        safe_json_print(listing.servers, isatty(STDOUT_FILENO));
    else if (signals_caught() == 0)
        table_print(&listing.cells, COLUMNS);
    signals_release();
    server_guard_end(&listing.guard);
    strvec_release(&listing.cells);
    json_decref(listing.servers);
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return listing.failed ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

const struct command_line tools_command = {.options_size = sizeof(struct tools_options),
                                           .options = &tools_table,
                                           .operands_max = 1,
                                           .run = run_tools_command,
                                           .output = "list of tools"};
