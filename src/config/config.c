#include "config/config.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/filename_pattern.h"
#include "config/prepare_rules.h"
#include "docker/engine_kind.h"

void config_set_audit_file(struct config *config, const char *file)
{
    if (!file)
        return;
    free(config->audit_file);
    config->audit_file = string_copy(file);
}

void config_set_runtime(struct config *config, const char *runtime)
{
    if (!runtime ||
        engine_kind_of_command(runtime) == engine_kind_of_command(config->container_command))
        return;
    free(config->container_command);
    config->container_command = string_copy(runtime);
}

void config_set_oci_runtime(struct config *config, const char *name)
{
    struct sandbox_policy given;

    if (!name)
        return;
    sandbox_policy_init(&given);
    given.oci_runtime = string_copy(name);
    sandbox_policy_overlay(&config->defaults, &given);
    for (size_t i = 0; i < config->language_count; i++)
        sandbox_policy_overlay(&config->languages[i].policy, &given);
    sandbox_policy_release(&given);
}

void config_prepare(struct language *language)
{
    struct preparation *preparation = &language->preparation;

    free(preparation->tag);
    preparation->tag = NULL;
    if (preparation->steps.count > 0)
        preparation->tag =
            prepare_tag(language->name, language->image, &preparation->steps, &preparation->files);
}

const char *config_prepared_for(const struct config *config, const struct language *language)
{
    return language->preparation.shared ? NULL : config->prepared_for;
}

struct docker config_docker(const struct config *config)
{
    return (struct docker){.command = config->container_command,
                           .kind = engine_kind_of_command(config->container_command),
                           .engine_timeout = config->engine_timeout,
                           .allow_unenforced = config->allow_unenforced,
                           .users = config->users};
}

const struct language *config_language(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->language_count; i++)
        if (strcmp(config->languages[i].name, name) == 0)
            return &config->languages[i];
    return NULL;
}

const struct tool_server *config_tool_server(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->tool_count; i++)
        if (strcmp(config->tools[i].name, name) == 0)
            return &config->tools[i];
    return NULL;
}

char *config_tool_names(const struct config *config)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < config->tool_count; i++)
        strvec_push(&names, config->tools[i].name);
    return names.count > 0 ? strvec_join(&names, ", ") : string_copy("none");
}

/* The only language that is called so, by its name or an alias; NULL: none is, or several are. */
static const struct language *find_called(const struct config *config, const char *name,
                                          int (*compare)(const char *, const char *))
{
    const struct language *found = NULL;

    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];
        bool called = compare(language->name, name) == 0;

        for (size_t k = 0; k < language->aliases.count; k++)
            called |= compare(language->aliases.items[k], name) == 0;
        if (called && found)
            return NULL;
        if (called)
            found = language;
    }
    return found;
}

const struct language *config_language_called(const struct config *config, const char *name)
{
    const struct language *found = find_called(config, name, strcmp);

    return found ? found : find_called(config, name, strcasecmp);
}

int config_check_languages(const struct config *config, char *const *names, const bool *offered,
                           struct error *error)
{
    for (; *names; names++) {
        CLEANUP_FREE char *known = config_language_names(config, offered);
        CLEANUP_FREE char *shown = text_escape_short(*names, 80);

        if (!config_language_called(config, *names))
            return error_set(error, ERROR_USAGE, "unknown language '%s'; known are: %s", shown,
                             known);
    }
    return 0;
}

/* Whether the language has the extension, in upper or lower case. */
static bool has_extension(const struct language *language, const char *extension)
{
    for (size_t i = 0; i < language->extensions.count; i++)
        if (strcasecmp(language->extensions.items[i], extension) == 0)
            return true;
    return false;
}

const struct language *config_language_of_file(const struct config *config, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const struct language *found = NULL;

    for (size_t i = 0; dot && i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        if (strvec_contains(&language->extensions, dot) &&
            (!found || language->layer > found->layer))
            found = language;
    }
    if (found || !dot)
        return found;
    for (size_t i = 0; i < config->language_count; i++)
        if (has_extension(&config->languages[i], dot) &&
            (!found || config->languages[i].layer > found->layer))
            found = &config->languages[i];
    return found;
}

void config_policy(const struct config *config, const struct language *language,
                   struct sandbox_policy *policy)
{
    sandbox_policy_init(policy);
    sandbox_policy_overlay(policy, &config->defaults);
    sandbox_policy_overlay(policy, &language->policy);
    sandbox_policy_clamp(policy, &config->maximums);
}

char *config_language_names(const struct config *config, const bool *offered)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < config->language_count; i++)
        if (!offered || offered[i])
            strvec_push(&names, config->languages[i].name);
    return strvec_join(&names, ", ");
}

void config_init(struct config *config)
{
    *config = (struct config){.file = NULL};
    sandbox_policy_init(&config->defaults);
    sandbox_policy_init(&config->maximums);
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < config->language_count; i++) {
        struct language *language = &config->languages[i];

        free(language->name);
        strvec_release(&language->aliases);
        free(language->image);
        strvec_release(&language->image_versions);
        strvec_release(&language->command);
        strvec_release(&language->build);
        free(language->standard);
        free(language->package_standard);
        strvec_release(&language->session_command);
        strvec_release(&language->extensions);
        free(language->default_filename);
        filename_pattern_free(language->filename_pattern);
        free(language->hello);
        strvec_release(&language->environment);
        sandbox_policy_release(&language->policy);
        strvec_release(&language->preparation.steps);
        strvec_release(&language->preparation.files);
        prepare_network_release(&language->preparation.network);
        free(language->preparation.tag);
        strvec_release(&language->list_packages);
        strvec_release(&language->packages);
        strvec_release(&language->preload);
    }
    for (size_t i = 0; i < config->layer_count; i++) {
        free(config->layers[i].name);
        json_decref(config->layers[i].root);
    }
    for (size_t i = 0; i < config->tool_count; i++)
        tool_server_release(&config->tools[i]);
    free(config->tools);
    free(config->layers);
    free(config->languages);
    free(config->file);
    free(config->prepared_for);
    free(config->container_command);
    free(config->workdir);
    free(config->prompts_dir);
    free(config->inputs_dir);
    free(config->audit_file);
    strvec_release(&config->images);
    sandbox_policy_release(&config->defaults);
    sandbox_policy_release(&config->maximums);
}
