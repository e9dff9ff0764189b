#include "mcp/tool_description.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"

/* Bytes of the names of a language's packages. */
enum { PACKAGES_BYTES_MAX = 600 };

/* Bytes of the names of languages that are not offered; more are of no use to a model. */
enum { MISSING_BYTES_MAX = 200 };

/* Names of hosts that are listed. */
enum { HOSTS_LISTED_MAX = 10 };

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

/*
 * Adds the names of up to HOSTS_LISTED_MAX hosts, of those with credentials alone if
 * `with_credentials`, and how many more there are. Returns how many hosts there are.
 */
static size_t list_hosts(struct strbuf *text, const struct network_rules *rules,
                         bool with_credentials)
{
    size_t count = 0;

    for (size_t i = 0; i < rules->count; i++) {
        CLEANUP_FREE char *name = network_host_text(&rules->hosts[i]);

        if (with_credentials && rules->hosts[i].credential_count == 0)
            continue;
        if (count < HOSTS_LISTED_MAX)
            strbuf_addf(text, "%s %s", count > 0 ? "," : "", name);
        count++;
    }
    if (count > HOSTS_LISTED_MAX)
        strbuf_addf(text, " and %zu more", count - HOSTS_LISTED_MAX);
    return count;
}

/* What a program reaches: nothing, hosts over the proxy of the container, or a network. */
static void describe_network(struct strbuf *text, const struct sandbox_policy *policy)
{
    const struct network_rules *rules = &policy->network_rules;
    CLEANUP(strbuf_release) struct strbuf authorized = STRBUF_INIT;

    if (rules->count == 0) {
        if (strcmp(policy->network, "none") == 0)
            strbuf_addstr(text, "no network");
        else
            strbuf_addf(text, "network '%s'", policy->network);
        return;
    }
    strbuf_addstr(text, "no network except HTTP and HTTPS to");
    list_hosts(text, rules, false);
    strbuf_addstr(text, ", through the proxy in http_proxy");
    if (list_hosts(&authorized, rules, true) > 0)
        strbuf_addf(text,
                    ", which adds the credentials for%s: send requests to them by HTTPS and "
                    "without a key",
                    authorized.data);
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
    describe_network(&text, &policy);
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

bool tool_reaches_network(const struct config *config, const bool *offered)
{
    bool reaches = config->tool_count > 0;

    for (size_t i = 0; i < config->language_count; i++) {
        if (offered && !offered[i])
            continue;
        CLEANUP(sandbox_policy_release) struct sandbox_policy policy;

        config_policy(config, &config->languages[i], &policy);
        reaches |= sandbox_policy_reaches_network(&policy);
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
                config->sessions.max > 0 ? "Nothing is kept between calls without a session"
                                         : "Nothing is kept between calls");
}

char *tool_description(const struct config *config, const struct tool_languages *languages)
{
    struct strbuf text = STRBUF_INIT;

    add_rules(&text, config, languages);
    strbuf_addstr(&text, " Languages and limits:");
    describe_languages(&text, config, languages);
    return strbuf_steal(&text);
}
