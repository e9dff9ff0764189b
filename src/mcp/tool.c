#include "mcp/tool.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/snippets.h"
#include "config/tool_arguments.h"
#include "execute_code.h" /* generated: static const char execute_code[] */

/* Bytes of the names of a language's packages, and of the names of snippets. */
enum { PACKAGES_BYTES_MAX = 600, SNIPPETS_BYTES_MAX = 600 };

const char TOOL_NAME[] = "execute_code";

/* The packages in the image, as many as there is room for. */
static void describe_packages(struct strbuf *text, const struct strvec *packages)
{
    size_t listed = 0;

    for (size_t bytes = 0; listed < packages->count; listed++) {
        bytes += strlen(packages->items[listed]) + 2;
        if (bytes > PACKAGES_BYTES_MAX)
            break;
        strbuf_addf(text, "%s %s", listed == 0 ? "; packages:" : ",", packages->items[listed]);
    }
    if (listed < packages->count)
        strbuf_addf(text, " and %zu more", packages->count - listed);
}

/* A line for each offered language with its default limits. */
static void describe_languages(struct strbuf *text, const struct config *config,
                               const bool *offered)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        if (offered && !offered[i])
            continue;
        CLEANUP(sandbox_policy_release) struct sandbox_policy policy;
        config_policy(config, language, &policy);
        strbuf_addf(text, "\n- %s: %.10g s, %.10g MB of memory, %.10g CPU, %.10g MB for files, ",
                    language->name, policy.limits.number[LIMIT_TIMEOUT],
                    policy.limits.number[LIMIT_MEMORY], policy.limits.number[LIMIT_CPUS],
                    policy.limits.number[LIMIT_WORKDIR]);
        if (isfinite(policy.limits.number[LIMIT_CPU_TIME]))
            strbuf_addf(text, "%.10g s of CPU time, ", policy.limits.number[LIMIT_CPU_TIME]);
        if (strcmp(policy.network, "none") == 0)
            strbuf_addstr(text, "no network");
        else
            strbuf_addf(text, "network '%s'", policy.network);
        describe_packages(text, &language->packages);
    }
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

static void add_rules(struct strbuf *text, const struct config *config)
{
    strbuf_addf(
        text,
        "The tool execute_code runs a program in a fresh, locked-down container and returns "
        "its output, its exit status and the reason why it ended. Give either snippet_name, or "
        "both language and entrypoint_code. Only printed output and the files that artifacts "
        "names are returned, pictures as pictures. No state is kept between calls: send all "
        "files that a program needs with each call (additional_files). The program can write "
        "only to its working directory, %s, and to /tmp. It has no access to files of the host. "
        "Packages that are not in the image cannot be installed. The first line of the result "
        "says if a run failed.",
        config->workdir);
}

char *tool_instructions(const struct config *config)
{
    struct strbuf text = STRBUF_INIT;

    add_rules(&text, config);
    strbuf_addstr(&text, " The description of the tool lists the languages and their limits.");
    return strbuf_steal(&text);
}

/* The description of the tool: the rules, then the languages. */
static char *describe_tool(const struct config *config, const bool *offered)
{
    struct strbuf text = STRBUF_INIT;

    add_rules(&text, config);
    strbuf_addstr(&text, " Languages and limits:");
    describe_languages(&text, config, offered);
    return strbuf_steal(&text);
}

/* The description of timeout_seconds, with the maximum if there is one. */
static json_t *describe_timeout(const struct config *config)
{
    const double max = config->maximums.limits.number[LIMIT_TIMEOUT];
    struct strbuf text = STRBUF_INIT;
    json_t *string;

    strbuf_addstr(&text,
                  "How long the program may run, in seconds. Default: the limit of the language. "
                  "Many hosts wait at most 60 seconds for a result.");
    if (!isnan(max))
        strbuf_addf(&text, " A value above %.10g is lowered to %.10g.", max, max);
    string = json_string(strbuf_string(&text));
    strbuf_release(&text);
    return string;
}

/*
 * Completes the arguments that set other limits, and removes those without a maximum: then only the
 * configuration sets them.
 */
static void describe_limits(json_t *properties, const struct config *config)
{
    const char *name;
    json_t *argument;
    void *next;

    json_object_foreach_safe(properties, next, name, argument)
    {
        const enum limit_number which = tool_arguments_limit(name);
        CLEANUP_FREE char *text = NULL;

        if (which == LIMIT_NUMBERS)
            continue;
        if (!tool_arguments_offers(config, which)) {
            json_object_del(properties, name);
            continue;
        }
        text =
            string_format("%s Default: the limit of the language. A value above %.10g is refused.",
                          json_string_value(json_object_get(argument, "description")),
                          config->maximums.limits.number[which]);
        json_object_set_new(argument, "description", json_string(text));
        json_object_set_new(argument, "maximum",
                            limit_rules[which].type == KEY_WHOLE
                                ? json_integer((json_int_t)config->maximums.limits.number[which])
                                : json_real(config->maximums.limits.number[which]));
    }
}

/* Adds the names of the snippets, as many as there is room for, to the description. */
static void describe_snippets(json_t *argument, const struct config *config)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    size_t listed = 0;

    snippets_list(config, &files);
    snippets_shortest_names(&files, &names);
    strbuf_addstr(&text, json_string_value(json_object_get(argument, "description")));
    for (size_t bytes = 0; listed < names.count; listed++) {
        CLEANUP_FREE char *name = text_escape(names.items[listed]);

        bytes += strlen(name) + 2;
        if (bytes > SNIPPETS_BYTES_MAX)
            break;
        strbuf_addf(&text, "%s %s", listed == 0 ? " There are:" : ",", name);
    }
    if (listed > 0 && listed < names.count)
        strbuf_addf(&text, " and %zu more", names.count - listed);
    if (listed > 0)
        strbuf_addch(&text, '.');
    json_object_set_new(argument, "description", json_string(strbuf_string(&text)));
}

/* Completes the definition with what depends on the configuration. */
static void complete_definition(json_t *tool, const struct config *config, const bool *offered)
{
    json_t *properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
    json_t *languages = json_object_get(json_object_get(properties, "language"), "enum");
    CLEANUP_FREE char *description = describe_tool(config, offered);

    for (size_t i = 0; i < config->language_count; i++)
        if (!offered || offered[i])
            json_array_append_new(languages, json_string(config->languages[i].name));
    json_object_set_new(json_object_get(properties, "timeout_seconds"), "description",
                        describe_timeout(config));
    describe_limits(properties, config);
    describe_snippets(json_object_get(properties, "snippet_name"), config);
    json_object_set_new(tool, "description", json_string(description));
    json_object_set_new(json_object_get(tool, "annotations"), "openWorldHint",
                        json_boolean(reaches_network(config, offered)));
}

json_t *tool_definition(const struct config *config, const bool *offered,
                        const struct revision *revision)
{
    json_t *tool = json_loadb(execute_code, sizeof execute_code, 0, NULL);

    complete_definition(tool, config, offered);
    if (!revision->annotations)
        json_object_del(tool, "annotations");
    if (!revision->structured) {
        json_object_del(tool, "title");
        json_object_del(tool, "outputSchema");
    }
    return tool;
}
