#include "mcp/tool.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "close_session.h" /* generated: static const char close_session[] */
#include "execute_code.h"  /* likewise, as is the next one */
#include "mcp/file_uris.h"
#include "mcp/tool_description.h"
#include "request/hosts_argument.h"
#include "request/inputs_dir.h"
#include "request/job_arguments.h"
#include "request/session_arguments.h"
#include "request/snippets.h"
#include "request/tool_arguments.h"
#include "search_tools.h"
#include "wait_job.h"

/* Bytes of the names of snippets and of input files. */
enum { SNIPPETS_BYTES_MAX = 600, INPUTS_BYTES_MAX = 600 };

/* Tools for programs that are listed, as names or patterns. */
enum { TOOLS_LISTED_MAX = 20 };

const char TOOL_NAME[] = "execute_code";
const char TOOL_CLOSE_NAME[] = "close_session";
const char TOOL_WAIT_NAME[] = "wait_job";
const char TOOL_SEARCH_NAME[] = "search_tools";

static bool has_sessions(const struct config *config)
{
    return config->sessions.max > 0;
}

static bool has_tools(const struct config *config)
{
    return config->tool_count > 0;
}

/* The tools other than execute_code, and which configurations have them. */
static const struct {
    const char *name;
    bool (*exists)(const struct config *config);
} others[] = {
    {TOOL_CLOSE_NAME, has_sessions},
    {TOOL_WAIT_NAME, job_arguments_offered},
    {TOOL_SEARCH_NAME, has_tools},
};
enum { OTHERS = sizeof others / sizeof *others };

/* The offered languages that keep variables in a session, as in "python, javascript". */
static char *names_of_interpreters(const struct config *config, const bool *offered)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < config->language_count; i++)
        if ((!offered || offered[i]) && config->languages[i].session_command.count > 0)
            strvec_push(&names, config->languages[i].name);
    return strvec_join(&names, ", ");
}

char *tool_instructions(const struct config *config)
{
    return string_format(
        "%s runs code in a locked-down container%s. Its description has the rules, the languages "
        "and their limits.",
        TOOL_NAME, has_sessions(config) ? "; to work in several steps, open a session" : "");
}

/* What a model reads of a limit; a maximum of NAN is none. */
static char *describe_limit(enum limit_number which, double maximum)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "%s", limit_rules[which].for_models);
    if (which == LIMIT_TIMEOUT)
        strbuf_addstr(&text, " Many hosts wait at most 60 seconds.");
    if (which == LIMIT_TIMEOUT && !isnan(maximum))
        strbuf_addf(&text, " A value above %.10g is lowered to %.10g.", maximum, maximum);
    else if (!isnan(maximum))
        strbuf_addf(&text, " A value above %.10g is refused.", maximum);
    return strbuf_steal(&text);
}

static json_t *json_of_number(const struct key_rule *key, double number)
{
    return key->type == KEY_WHOLE ? json_integer((json_int_t)number) : json_real(number);
}

/* The schema of the argument of a limit. 0, which means no limit, is above each maximum. */
static json_t *limit_schema(enum limit_number which, double maximum)
{
    const struct key_rule *key = &limit_rules[which].key;
    CLEANUP_FREE char *description = describe_limit(which, maximum);
    json_t *schema = json_object();

    json_object_set_new(schema, "type", json_string(key->type == KEY_WHOLE ? "integer" : "number"));
    if (key->minimum > 0)
        json_object_set_new(schema, "minimum", json_of_number(key, key->minimum));
    else
        json_object_set_new(schema, "exclusiveMinimum", json_integer(0));
    json_object_set_new(schema, "description", json_string(description));
    if (which != LIMIT_TIMEOUT)
        json_object_set_new(schema, "maximum", json_of_number(key, maximum));
    return schema;
}

/* Adds the arguments of the limits that a model can ask for. */
static void add_limits(json_t *properties, const struct config *config)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const enum limit_number which = (enum limit_number)i;

        if (tool_arguments_offers(config, which))
            json_object_set_new(properties, limit_rules[i].argument,
                                limit_schema(which, config->maximums.limits.number[i]));
    }
}

/*
 * Sets the description of an argument: its text, `start` and as many of the names as there is room
 * for. Without names it stays as it is.
 */
static void describe_names(json_t *argument, const char *start, const struct strvec *names,
                           size_t max)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    size_t listed = 0;

    strbuf_addstr(&text, json_string_value(json_object_get(argument, "description")));
    for (size_t bytes = 0; listed < names->count; listed++) {
        CLEANUP_FREE char *name = text_escape(names->items[listed]);

        bytes += strlen(name) + 2;
        if (bytes > max)
            break;
        strbuf_addf(&text, "%s %s", listed == 0 ? start : ",", name);
    }
    if (listed > 0 && listed < names->count)
        strbuf_addf(&text, " and %zu more", names->count - listed);
    if (listed > 0)
        strbuf_addch(&text, '.');
    json_object_set_new(argument, "description", json_string(strbuf_string(&text)));
}

static void describe_snippets(json_t *argument, const struct config *config)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    snippets_list(config, &files);
    snippets_shortest_names(&files, &names);
    describe_names(argument, " There are:", &names, SNIPPETS_BYTES_MAX);
}

/* Adds the names of the input files to the description of additional_files[].uri. */
static void describe_inputs(json_t *files, const struct config *config)
{
    json_t *members = json_object_get(json_object_get(files, "items"), "properties");
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    inputs_dir_list(config, &paths);
    describe_names(json_object_get(members, "uri"), " Or " INPUTS_URI "NAME:", &paths,
                   INPUTS_BYTES_MAX);
}

static char *describe_session(const struct config *config, const bool *offered)
{
    CLEANUP_FREE char *interpreters = names_of_interpreters(config, offered);
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text,
                "\"%s\" opens a session and returns its id; calls with the id share its files, and "
                "need no language.",
                SESSION_NEW);
    if (interpreters[0] != '\0')
        strbuf_addf(&text,
                    " %s: variables stay too; the value of the last expression and matplotlib "
                    "figures are returned.",
                    interpreters);
    return strbuf_steal(&text);
}

static json_t *results_of(const json_t *tool)
{
    return json_object_get(json_object_get(tool, "outputSchema"), "properties");
}

/* Removes what only the results of sessions have. */
static void remove_session_results(json_t *results)
{
    json_t *reasons = json_object_get(json_object_get(results, "reason"), "enum");

    json_object_del(results, "session");
    json_object_del(results, "value");
    json_array_remove(reasons, json_array_size(reasons) - 1); /* "exception" */
}

/* Completes the arguments of sessions, or removes all that only sessions have. */
static void describe_sessions(json_t *tool, json_t *properties, const struct config *config,
                              const bool *offered)
{
    static const char *const arguments[] = {"session", "keep_processes"};
    json_t *results = results_of(tool);
    CLEANUP_FREE char *description = describe_session(config, offered);

    if (has_sessions(config)) {
        json_object_set_new(json_object_get(properties, "session"), "description",
                            json_string(description));
        return;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        json_object_del(properties, arguments[i]);
    remove_session_results(results);
}

/*
 * Completes the argument for a job, or removes all that only jobs have. `with_hosts`: programs may
 * reach hosts, which jobs cannot.
 */
static void describe_jobs(json_t *tool, json_t *properties, const struct config *config,
                          bool with_hosts)
{
    json_t *results = results_of(tool);
    json_t *statuses = json_object_get(json_object_get(results, "status"), "enum");
    CLEANUP_FREE char *description = string_format(
        "Start the program, return the id of its job at once, and let %s get the result: for a "
        "program that may take longer than %d s. timeout_seconds is then %.10g by default.%s%s",
        TOOL_WAIT_NAME, TOOL_TIMEOUT, job_arguments_timeout(config),
        has_sessions(config) ? " Not in a session." : "",
        with_hosts ? " It needs \"hosts\": [] if its language can reach hosts." : "");

    if (job_arguments_offered(config)) {
        json_object_set_new(json_object_get(properties, "background"), "description",
                            json_string(description));
        return;
    }
    json_object_del(properties, "background");
    json_object_del(results, "job");
    json_object_del(results, "secondsLeft");
    json_array_remove(statuses, json_array_size(statuses) - 1); /* "running", without a reason */
    json_array_append_new(json_object_get(json_object_get(tool, "outputSchema"), "required"),
                          json_string("reason"));
}

/*
 * The tools of a server that programs may call: names and patterns, as the owner has written them,
 * since the server itself is not started for a list. Adds at most *left, and counts them down.
 */
static void list_tools(struct strbuf *text, const struct tool_server *server, int *left)
{
    const size_t count = server->allow.count + server->ask.count;

    if (!server->has_allow && count == 0) {
        strbuf_addf(text, ", %s.* if it is read-only", server->name);
        return;
    }
    for (size_t i = 0; i < count; i++, --*left) {
        const bool asks = i >= server->allow.count;

        if (*left == 0) {
            strbuf_addf(text, " and %zu more of %s", count - i, server->name);
            return;
        }
        strbuf_addf(text, ", %s.%s%s", server->name,
                    asks ? server->ask.items[i - server->allow.count] : server->allow.items[i],
                    asks ? " if a person agrees" : "");
    }
}

/* Completes the argument for tools, or removes it. */
static void describe_tools(json_t *properties, const struct config *config)
{
    CLEANUP_FREE char *names = config_tool_names(config);
    CLEANUP(strbuf_release) struct strbuf listed = STRBUF_INIT;
    CLEANUP_FREE char *description = NULL;
    int left = TOOLS_LISTED_MAX;

    for (size_t i = 0; i < config->tool_count; i++)
        list_tools(&listed, &config->tools[i], &left);
    description = string_format(
        "The servers whose tools the program may call: %s; the default is all, [] is none. There "
        "are: %s. In Python: import tools; tools.SERVER.TOOL(argument=value); "
        "tools.search(\"word\") and %s find them. "
        "In JavaScript: const tools = require('./tools.cjs'); await tools.SERVER.TOOL({argument: "
        "value}). In other languages, the command: isolator-call SERVER.TOOL JSON.",
        names, listed.length > 2 ? listed.data + 2 : "none", TOOL_SEARCH_NAME);

    if (config->tool_count > 0)
        json_object_set_new(json_object_get(properties, REQUEST_TOOLS), "description",
                            json_string(description));
    else
        json_object_del(properties, REQUEST_TOOLS);
}

/* Completes the definition with what depends on the configuration. */
static void complete_definition(json_t *tool, const struct config *config,
                                const struct tool_languages *available)
{
    const bool *offered = available->offered;
    const bool with_hosts = hosts_argument_offered(config, offered);
    json_t *properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
    json_t *languages = json_object_get(json_object_get(properties, "language"), "enum");
    CLEANUP_FREE char *description = tool_description(config, available);

    for (size_t i = 0; i < config->language_count; i++)
        if (!offered || offered[i])
            json_array_append_new(languages, json_string(config->languages[i].name));
    add_limits(properties, config);
    describe_snippets(json_object_get(properties, "snippet_name"), config);
    describe_inputs(json_object_get(properties, "additional_files"), config);
    describe_sessions(tool, properties, config, offered);
    describe_jobs(tool, properties, config, with_hosts);
    if (!with_hosts)
        json_object_del(properties, REQUEST_HOSTS);
    describe_tools(properties, config);
    json_object_set_new(tool, "description", json_string(description));
    json_object_set_new(json_object_get(tool, "annotations"), "openWorldHint",
                        json_boolean(tool_reaches_network(config, offered)));
}

/* Removes the members that the revision does not define. */
static json_t *limit_to(const struct revision *revision, json_t *tool)
{
    if (!revision->annotations)
        json_object_del(tool, "annotations");
    if (!revision->titles)
        json_object_del(tool, "title");
    if (!revision->structured)
        json_object_del(tool, "outputSchema");
    return tool;
}

json_t *tool_definition(const struct config *config, const struct tool_languages *languages,
                        const struct revision *revision)
{
    json_t *tool = json_loads(execute_code, 0, NULL);

    complete_definition(tool, config, languages);
    return limit_to(revision, tool);
}

/* wait_job, whose result is that of execute_code without a session. */
static json_t *wait_definition(const struct revision *revision)
{
    json_t *execute = json_loads(execute_code, 0, NULL);
    json_t *tool = json_loads(wait_job, 0, NULL);
    json_t *properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
    CLEANUP_FREE char *seconds = string_format("At most %d.", JOB_WAIT_SECONDS_MAX);

    json_object_set_new(json_object_get(properties, "wait_seconds"), "description",
                        json_string(seconds));
    remove_session_results(results_of(execute));
    json_object_set(tool, "outputSchema", json_object_get(execute, "outputSchema"));
    json_decref(execute);
    return limit_to(revision, tool);
}

json_t *tool_definitions(const struct config *config, const struct tool_languages *languages,
                         const struct revision *revision)
{
    json_t *tools = json_array();

    json_array_append_new(tools, tool_definition(config, languages, revision));
    if (has_sessions(config))
        json_array_append_new(tools, limit_to(revision, json_loads(close_session, 0, NULL)));
    if (job_arguments_offered(config))
        json_array_append_new(tools, wait_definition(revision));
    if (has_tools(config))
        json_array_append_new(tools, limit_to(revision, json_loads(search_tools, 0, NULL)));
    return tools;
}

bool tool_exists(const struct config *config, const char *name)
{
    for (size_t i = 0; i < OTHERS; i++)
        if (strcmp(name, others[i].name) == 0)
            return others[i].exists(config);
    return strcmp(name, TOOL_NAME) == 0;
}

char *tool_names(const struct config *config)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    strvec_push(&names, TOOL_NAME);
    for (size_t i = 0; i < OTHERS; i++)
        if (others[i].exists(config))
            strvec_push(&names, others[i].name);
    return strvec_join(&names, ", ");
}
