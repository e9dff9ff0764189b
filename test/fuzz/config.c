/*
 * Fuzz target: the configuration. The input is a file, which is merged into the built-in
 * configuration. These properties are checked:
 *
 * - An accepted configuration is complete, and its limits, names, paths and languages are valid.
 * - A request for each of its languages becomes a plan within the maximums.
 * - Merging the same file again is accepted.
 * - A refused configuration has one ERROR_CONFIG that begins with the name of the file.
 * - No other files are used.
 */
#include "fuzz.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include <jansson.h>

#include "base/archive.h"
#include "config/config_read.h"
#include "config/environment.h"
#include "config/workdir.h"
#include "docker/image.h"
#include "request/plan.h"

/* A message may have the names of all languages, with four bytes for each byte. */
enum { MESSAGE_ROOM = 1000 };

static void check_network(const char *network)
{
    fuzz_require(isalnum((unsigned char)network[0]) && strcmp(network, "host") != 0 &&
                     !strchr(network, ':') && !strchr(network, '/'),
                 "%s", network);
}

/* Credentials are for hosts whose TLS is terminated, each in a header of its own. */
static void check_hosts(const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        fuzz_require(host->port_count > 0 && !(host->raw && host->terminate), "%s", host->name);
        fuzz_require(host->terminate || host->credential_count == 0, "%s", host->name);
        for (size_t k = 0; k < host->credential_count; k++) {
            const struct network_credential *credential = &host->credentials[k];

            fuzz_require(fuzz_is_line(credential->header) && fuzz_is_line(credential->prefix) &&
                             !strchr(credential->header, ':'),
                         "%s", credential->header);
            fuzz_require(strncmp(credential->from, "env:", 4) == 0 ||
                             strncmp(credential->from, "file:/", 6) == 0,
                         "%s", credential->from);
            for (size_t other = 0; other < k; other++)
                fuzz_require(strcasecmp(host->credentials[other].header, credential->header) != 0,
                             "%s", credential->header);
        }
    }
}

static void check_policy(const struct sandbox_policy *policy)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const double number = policy->limits.number[i];
        const struct key_rule *rule = &limit_rules[i].key;

        if (isnan(number) || (i == LIMIT_CPU_TIME && isinf(number))) /* none is given */
            continue;
        fuzz_require(number >= rule->minimum && number <= rule->maximum &&
                         (rule->type != KEY_WHOLE || number == floor(number)),
                     "%s is %g", rule->name, number);
    }
    if (policy->network)
        check_network(policy->network);
    check_hosts(&policy->network_rules);
    fuzz_require(policy->read_only >= -1 && policy->read_only <= 1, "%d", policy->read_only);
    fuzz_require(policy->uid <= ARCHIVE_ID_MAX && policy->gid <= ARCHIVE_ID_MAX, "%u:%u",
                 policy->uid, policy->gid);
    for (size_t i = 0; i < policy->cap_drop.count; i++) {
        const char *name = policy->cap_drop.items[i];

        fuzz_require(*name && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name), "%s",
                     name);
    }
}

static void check_strings(const struct language *language)
{
    size_t entrypoints = 0;

    for (size_t i = 0; i < language->command.count; i++)
        entrypoints += strstr(language->command.items[i], "{entrypoint}") != NULL;
    fuzz_require(entrypoints > 0 || language->build.count > 0, "%s has no entrypoint",
                 language->name);
    fuzz_require(language->extensions.count > 0, "%s has no extensions", language->name);
    for (size_t i = 0; i < language->extensions.count; i++)
        fuzz_require(language->extensions.items[i][0] == '.', "%s", language->extensions.items[i]);
    for (size_t i = 0; i < language->environment.count; i++) {
        const char *variable = language->environment.items[i];
        const size_t length = strcspn(variable, "=");

        fuzz_require(variable[length] == '=' && environment_is_name(variable, length) &&
                         !environment_is_reserved(variable, length),
                     "%s", variable);
    }
}

/* Checks that a request with only its name becomes a plan. */
static void check_plan(const struct config *config, const char *language)
{
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    struct error error = ERROR_INIT;

    request_init(&request);
    request.language = string_copy(language);
    request.input.code = string_copy("");
    fuzz_require(plan_resolve(&plan, config, &request, &error) == 0, "%s: %s", language,
                 error.message);
    fuzz_require(sandbox_policy_check(&plan.policy, &config->maximums, &error) == 0, "%s: %s",
                 language, error.message);
    check_policy(&plan.policy);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        fuzz_require(!isnan(plan.policy.limits.number[i]), "%s is not given",
                     limit_rules[i].key.name);
}

static void check_language(const struct config *config, const struct language *language)
{
    struct error error = ERROR_INIT;

    fuzz_require(config_language(config, language->name) == language, "%s is there twice",
                 language->name);
    fuzz_require(fuzz_is_line(language->name), "%s", language->name);
    fuzz_require(image_check_reference(language->image, &error) == 0, "%s", error.message);
    fuzz_require(language->warm >= 0 && language->warm <= 100, "%d wait", language->warm);
    check_policy(&language->policy);
    check_strings(language);
    check_plan(config, language->name);
}

static void check_config(const struct config *config)
{
    struct error error = ERROR_INIT;

    CLEANUP_FREE char *workdir = workdir_parse(config->workdir, &error);
    fuzz_require(workdir && strcmp(workdir, config->workdir) == 0, "%s", config->workdir);
    fuzz_require(*config->container_command, "no command");
    fuzz_require(config->prompts_dir[0] == '/', "%s", config->prompts_dir);
    fuzz_require(config->engine_timeout >= 1 && config->engine_timeout <= 600, "%d",
                 config->engine_timeout);
    fuzz_require(config->max_concurrent >= 0 && config->max_concurrent <= 1024, "%d",
                 config->max_concurrent);
    fuzz_require(config->max_queued >= 0 && config->max_queued <= 100000, "%d", config->max_queued);
    fuzz_require(config->max_text_bytes >= 1000 && config->max_text_bytes <= 450000, "%d",
                 config->max_text_bytes);
    fuzz_require(config->warm_max_age >= 1 && config->warm_max_age <= 86400, "%d",
                 config->warm_max_age);
    fuzz_require(config->sessions.max >= 0 && config->sessions.max <= 256, "%d",
                 config->sessions.max);
    fuzz_require(config->sessions.idle_seconds >= 1 && config->sessions.lifetime_seconds >= 1 &&
                     config->sessions.cpu_seconds >= 1 && config->sessions.output_bytes >= 1024,
                 "a limit of sessions is too small");
    check_policy(&config->defaults);
    check_policy(&config->maximums);
    for (size_t i = 0; i < config->language_count; i++)
        check_language(config, &config->languages[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_object_seed(1); /* otherwise the order of members differs from run to run */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    const char *json = (const char *)data;

    fuzz_configure(&config, "{}");
    if (config_overlay(&config, json, size, "file", &error) == 0) {
        check_config(&config);
        fuzz_require(config_overlay(&config, json, size, "file", &error) == 0, "%s", error.message);
        check_config(&config);
        return 0;
    }
    fuzz_check_error(&error, fuzz_is_utf8(json, size), 4 * size + MESSAGE_ROOM);
    fuzz_require(error.kind == ERROR_CONFIG, "kind %d: %s", error.kind, error.message);
    fuzz_require(strncmp(error.message, "file:", 5) == 0, "%s", error.message);
    return 0;
}
