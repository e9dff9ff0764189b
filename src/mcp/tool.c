#include "mcp/tool.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "close_session.h" /* generated: static const char close_session[] */
#include "execute_code.h"  /* likewise */
#include "mcp/file_uris.h"
#include "request/inputs_dir.h"
#include "request/session_arguments.h"
#include "request/snippets.h"
#include "request/tool_arguments.h"

/* Bytes of the names of a language's packages, of snippets and of input files. */
enum { PACKAGES_BYTES_MAX = 600, SNIPPETS_BYTES_MAX = 600, INPUTS_BYTES_MAX = 600 };

/* Bytes of the names of languages that are not offered; more are of no use to a model. */
enum { MISSING_BYTES_MAX = 200 };

const char TOOL_NAME[] = "execute_code";
const char TOOL_CLOSE_NAME[] = "close_session";

static bool has_sessions(const struct config *config)
{
    return config->sessions.max > 0;
}

/* The offered languages that keep variables in a session, as in "python, javascript". */
static char *names_of_interpreters(const struct config *config, const bool *offered)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < config->language_count; i++)
        if ((!offered || offered[i]) && config->languages[i].session_command.count > 0)
            strvec_push(&names, config->languages[i].name);
    return strvec_join(&names, ", ");
}

void tool_add_packages(struct strbuf *text, const char *start, const struct strvec *packages,
                       size_t max)
{
    size_t listed = 0;

    for (size_t bytes = 0; listed < packages->count; listed++) {
        bytes += strlen(packages->items[listed]) + 2;
        if (bytes > max)
            break;
        strbuf_addf(text, "%s %s", listed == 0 ? start : ",", packages->items[listed]);
    }
    if (listed > 0 && listed < packages->count)
        strbuf_addf(text, " and %zu more", packages->count - listed);
}

/* The default limits of a program in a language, its packages, and whether it starts slowly. */
static char *describe_language(const struct config *config, size_t index,
                               const struct tool_languages *languages)
{
    const struct language *language = &config->languages[index];
    CLEANUP(sandbox_policy_release) struct sandbox_policy policy;
    struct strbuf text = STRBUF_INIT;

    config_policy(config, language, &policy);
    strbuf_addf(&text, "%.10g s, %.10g MB of memory, %.10g CPU, %.10g MB for files, ",
                policy.limits.number[LIMIT_TIMEOUT], policy.limits.number[LIMIT_MEMORY],
                policy.limits.number[LIMIT_CPUS], policy.limits.number[LIMIT_WORKDIR]);
    if (isfinite(policy.limits.number[LIMIT_CPU_TIME]))
        strbuf_addf(&text, "%.10g s of CPU time, ", policy.limits.number[LIMIT_CPU_TIME]);
    if (strcmp(policy.network, "none") == 0)
        strbuf_addstr(&text, "no network");
    else
        strbuf_addf(&text, "network '%s'", policy.network);
    tool_add_packages(&text, "; packages:", &language->packages, PACKAGES_BYTES_MAX);
    if (languages->unprepared && languages->unprepared[index])
        strbuf_addf(&text,
                    "; slow or without its packages until the user has run 'isolator prepare %s'",
                    language->name);
    return strbuf_steal(&text);
}

/* The languages that are not offered, and who can change that. */
static void describe_missing(struct strbuf *text, const struct config *config, const bool *offered)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    for (size_t i = 0; offered && i < config->language_count; i++)
        if (!offered[i])
            strvec_push(&names, config->languages[i].name);
    joined = strvec_join(&names, ", ");
    if (names.count > 0 && strlen(joined) <= MISSING_BYTES_MAX)
        strbuf_addf(text, "\nOnce the user has run 'isolator pull LANGUAGE', also: %s.", joined);
}

/* The offered languages with their default limits: a line for those that have the same. */
static void describe_languages(struct strbuf *text, const struct config *config,
                               const struct tool_languages *languages)
{
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT; /* what follows the names */

    for (size_t i = 0; i < config->language_count; i++)
        strvec_push_owned(&lines, languages->offered && !languages->offered[i]
                                      ? string_copy("")
                                      : describe_language(config, i, languages));
    for (size_t i = 0; i < lines.count; i++) {
        if (lines.items[i][0] == '\0')
            continue;
        strbuf_addf(text, "\n- %s", config->languages[i].name);
        for (size_t k = i + 1; k < lines.count; k++)
            if (strcmp(lines.items[k], lines.items[i]) == 0) {
                strbuf_addf(text, ", %s", config->languages[k].name);
                lines.items[k][0] = '\0'; /* it has its line */
            }
        strbuf_addf(text, ": %s", lines.items[i]);
    }
    describe_missing(text, config, languages->offered);
}

/* Whether a program in some offered language gets a network. */
static bool reaches_network(const struct config *config, const bool *offered)
{
    bool reaches = false;

    for (size_t i = 0; i < config->language_count; i++) {
        if (offered && !offered[i])
            continue;
        CLEANUP(sandbox_policy_release) struct sandbox_policy policy;

        config_policy(config, &config->languages[i], &policy);
        reaches |= strcmp(policy.network, "none") != 0;
    }
    return reaches;
}

/* Whether the packages of an offered language are known. */
static bool has_packages(const struct config *config, const bool *offered)
{
    for (size_t i = 0; i < config->language_count; i++)
        if ((!offered || offered[i]) && config->languages[i].packages.count > 0)
            return true;
    return false;
}

/* What a program can reach, and what comes back. */
static void add_rules(struct strbuf *text, const struct config *config,
                      const struct tool_languages *languages)
{
    strbuf_addf(text,
                "Runs a program in a fresh, locked-down container. Give language and "
                "entrypoint_code, or snippet_name. Returned are what it prints, pictures that it "
                "writes, and the files that artifacts names. It can write only to its working "
                "directory, %s, and to /tmp, "
                "sees no file of the host, and cannot install packages: there are only %s. %s, so "
                "send all files that it needs (additional_files), those of earlier calls by their "
                "uri.",
                config->workdir,
                has_packages(config, languages->offered)
                    ? "standard libraries and the packages below"
                    : "standard libraries",
                has_sessions(config) ? "Nothing is kept between calls without a session"
                                     : "Nothing is kept between calls");
}

char *tool_instructions(const struct config *config)
{
    return string_format(
        "%s runs code in a locked-down container%s. Its description has the rules, the languages "
        "and their limits.",
        TOOL_NAME, has_sessions(config) ? "; to work in several steps, open a session" : "");
}

/* The description of the tool: the rules, then the languages. */
static char *describe_tool(const struct config *config, const struct tool_languages *languages)
{
    struct strbuf text = STRBUF_INIT;

    add_rules(&text, config, languages);
    strbuf_addstr(&text, " Languages and limits:");
    describe_languages(&text, config, languages);
    return strbuf_steal(&text);
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

/* Completes the arguments of sessions, or removes all that only sessions have. */
static void describe_sessions(json_t *tool, json_t *properties, const struct config *config,
                              const bool *offered)
{
    static const char *const arguments[] = {"session", "keep_processes"};
    static const char *const members[] = {"session", "value"};
    json_t *results = json_object_get(json_object_get(tool, "outputSchema"), "properties");
    json_t *reasons = json_object_get(json_object_get(results, "reason"), "enum");
    CLEANUP_FREE char *description = describe_session(config, offered);

    if (has_sessions(config)) {
        json_object_set_new(json_object_get(properties, "session"), "description",
                            json_string(description));
        return;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        json_object_del(properties, arguments[i]);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_del(results, members[i]);
    json_array_remove(reasons, json_array_size(reasons) - 1); /* "exception" */
}

/* Completes the definition with what depends on the configuration. */
static void complete_definition(json_t *tool, const struct config *config,
                                const struct tool_languages *available)
{
    const bool *offered = available->offered;
    json_t *properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
    json_t *languages = json_object_get(json_object_get(properties, "language"), "enum");
    CLEANUP_FREE char *description = describe_tool(config, available);

    for (size_t i = 0; i < config->language_count; i++)
        if (!offered || offered[i])
            json_array_append_new(languages, json_string(config->languages[i].name));
    add_limits(properties, config);
    describe_snippets(json_object_get(properties, "snippet_name"), config);
    describe_inputs(json_object_get(properties, "additional_files"), config);
    describe_sessions(tool, properties, config, offered);
    json_object_set_new(tool, "description", json_string(description));
    json_object_set_new(json_object_get(tool, "annotations"), "openWorldHint",
                        json_boolean(reaches_network(config, offered)));
}

/* Removes the members that the revision does not define. */
static json_t *limit_to(const struct revision *revision, json_t *tool)
{
    if (!revision->annotations)
        json_object_del(tool, "annotations");
    if (!revision->structured) {
        json_object_del(tool, "title");
        json_object_del(tool, "outputSchema");
    }
    return tool;
}

json_t *tool_definition(const struct config *config, const struct tool_languages *languages,
                        const struct revision *revision)
{
    json_t *tool = json_loads(execute_code, 0, NULL);

    complete_definition(tool, config, languages);
    return limit_to(revision, tool);
}

json_t *tool_definitions(const struct config *config, const struct tool_languages *languages,
                         const struct revision *revision)
{
    json_t *tools = json_array();

    json_array_append_new(tools, tool_definition(config, languages, revision));
    if (has_sessions(config))
        json_array_append_new(tools, limit_to(revision, json_loads(close_session, 0, NULL)));
    return tools;
}

bool tool_exists(const struct config *config, const char *name)
{
    return strcmp(name, TOOL_NAME) == 0 ||
           (has_sessions(config) && strcmp(name, TOOL_CLOSE_NAME) == 0);
}

char *tool_names(const struct config *config)
{
    return has_sessions(config) ? string_format("%s, %s", TOOL_NAME, TOOL_CLOSE_NAME)
                                : string_copy(TOOL_NAME);
}
