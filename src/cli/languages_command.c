#include "cli/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/safe_json.h"
#include "cli/table.h"
#include "config/config.h"
#include "service/language_images.h"

struct languages_options {
    struct common_options common;
    bool json, names;
};

static const struct option_rule languages_rules[] = {
    {{0, "--json", NULL, "print them as a JSON array instead", NULL,
      "Print a JSON array of objects instead, with the members *name*, *image*, *present* (true, "
      "false, or null if the engine does not answer), *tooOld* (the same), *prepared* (the same, "
      "and null if there are no steps), *extensions*, *defaultFilename*, *aliases* and *limits*."},
     OPTION_FLAG(struct languages_options, json)},
    {{0, "--names", NULL, "print only the names and aliases, without asking the engine", NULL,
      "Print only the names, each followed by its aliases, one per line, without asking the "
      "engine."},
     OPTION_FLAG(struct languages_options, names)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table languages_table = {
    .command = "isolator languages",
    .usage = "usage: isolator languages [--json | --names] [--config FILE]\n"
             "\n"
             "Lists the languages: name, image, whether the engine has the image and it is new\n"
             "enough, whether the language is prepared (\"-\": it has no steps), extensions,\n"
             "default file, aliases, and the limits that differ from the defaults.\n",
    .example = "isolator languages",
    .after = "Exit status: 0 success, 2 wrong command line or configuration, 3 the engine\n"
             "does not answer, 128+N signal N. See isolator-languages(1).\n",
    OPTION_RULES(languages_rules)};

/* As in the configuration; a new reference. */
static json_t *network_to_json(const struct sandbox_policy *policy)
{
    if (policy->network_rules.count == 0)
        return json_string(policy->network);
    return network_rules_to_json(&policy->network_rules);
}

static bool has_same_network(const struct sandbox_policy *one, const struct sandbox_policy *other)
{
    if (one->network_rules.count == 0 && other->network_rules.count == 0)
        return strcmp(one->network, other->network) == 0;
    return network_rules_equal(&one->network_rules, &other->network_rules);
}

/*
 * The limits of the language that differ from the defaults, as configuration keys; a new
 * reference.
 */
static json_t *own_limits(const struct config *config, const struct language *language)
{
    const struct sandbox_policy *defaults = &config->defaults;
    json_t *own = json_object();
    struct sandbox_policy policy;

    config_policy(config, language, &policy);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const double limit = policy.limits.number[i];
        const double number = isinf(limit) ? 0 : limit; /* as the configuration has no limit */

        if (limit != defaults->limits.number[i])
            json_object_set_new(own, limit_rules[i].key.name,
                                number == floor(number) ? json_integer((json_int_t)number)
                                                        : json_real(number));
    }
    if (!has_same_network(&policy, defaults))
        json_object_set_new(own, "network", network_to_json(&policy));
    if (policy.read_only != defaults->read_only)
        json_object_set_new(own, "readOnly", json_boolean(policy.read_only));
    if (policy.has_user &&
        (!defaults->has_user || policy.uid != defaults->uid || policy.gid != defaults->gid))
        json_object_set_new(own, "user", json_sprintf("%u:%u", policy.uid, policy.gid));
    if (policy.oci_runtime &&
        (!defaults->oci_runtime || strcmp(policy.oci_runtime, defaults->oci_runtime) != 0))
        json_object_set_new(own, "ociRuntime", json_string(policy.oci_runtime));
    CLEANUP_FREE char *drop = strvec_join(&policy.cap_drop, ",");
    CLEANUP_FREE char *default_drop = strvec_join(&defaults->cap_drop, ",");
    if (strcmp(drop, default_drop) != 0)
        json_object_set_new(own, "capDrop", json_string(drop));
    sandbox_policy_release(&policy);
    return own;
}

static bool has_steps(const struct language *language)
{
    return language->preparation.steps.count > 0;
}

/* The JSON of a language; a new reference. `images` is NULL if the engine did not answer. */
static json_t *language_to_json(const struct config *config, const struct language *language,
                                const struct language_images *images)
{
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "name", language->name, "image",
        language->image, "present", images ? json_boolean(images->base.present) : json_null(),
        "tooOld", images ? json_boolean(images->too_old) : json_null(), "prepared",
        images && has_steps(language) ? json_boolean(images->prepared.present) : json_null(),
        "extensions", json_make_list(&language->extensions), "defaultFilename",
        language->default_filename, "aliases", json_make_list(&language->aliases), "limits",
        own_limits(config, language));
}

static void print_languages_json(const struct config *config, const struct language_images *images)
{
    json_t *all = json_array();

    for (size_t i = 0; i < config->language_count; i++)
        json_array_append_new(
            all, language_to_json(config, &config->languages[i], images ? &images[i] : NULL));
    safe_json_print(all, isatty(STDOUT_FILENO));
    json_decref(all);
}

enum { COLUMNS = 8 };

static void add_limits_cell(struct strvec *cells, const struct config *config,
                            const struct language *language)
{
    json_t *own = own_limits(config, language);
    struct strbuf cell = STRBUF_INIT;
    const char *key;
    json_t *value;

    json_object_foreach(own, key, value) {
        strbuf_addf(&cell, "%s%s ", cell.length > 0 ? ", " : "", key);
        if (json_is_string(value))
            strbuf_addstr(&cell, json_string_value(value));
        else
            safe_json_dump(value, JSON_ENCODE_ANY | SAFE_JSON_FLAGS, safe_json_add, &cell);
    }
    strvec_push_owned(cells, strbuf_steal(&cell));
    json_decref(own);
}

/* The cell that tells whether the engine has an image. `facts` is NULL if that is unknown. */
static const char *presence_cell(const struct image_facts *facts)
{
    if (!facts)
        return "unknown";
    return facts->present ? "yes" : "no";
}

static void add_language_row(struct strvec *cells, const struct config *config,
                             const struct language *language, const struct language_images *images)
{
    CLEANUP_FREE char *extensions = strvec_join(&language->extensions, " ");
    CLEANUP_FREE char *aliases = strvec_join(&language->aliases, " ");

    strvec_push(cells, language->name);
    strvec_push(cells, language->image);
    strvec_push(cells, images && images->too_old ? "too old"
                                                 : presence_cell(images ? &images->base : NULL));
    strvec_push(cells,
                has_steps(language) ? presence_cell(images ? &images->prepared : NULL) : "-");
    strvec_push_owned(cells, text_escape(extensions));
    strvec_push_owned(cells, text_escape(language->default_filename));
    strvec_push(cells, language->aliases.count > 0 ? aliases : "-");
    add_limits_cell(cells, config, language);
}

static void print_languages_table(const struct config *config, const struct language_images *images)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "NAME", "IMAGE", "PRESENT", "PREPARED", "EXTENSIONS", "DEFAULT FILE",
                     "ALIASES", "LIMITS", NULL);
    for (size_t i = 0; i < config->language_count; i++)
        add_language_row(&cells, config, &config->languages[i], images ? &images[i] : NULL);
    table_print(&cells, COLUMNS);
}

/* Fills in the images of all languages. */
static int inspect_images(const struct config *config, struct language_images *images,
                          struct error *error)
{
    const struct docker docker = config_docker(config);
    int result;

    if (signals_catch(error) != 0)
        return -1;
    result = language_images_inspect(&docker, config, signals_cancel(), images, error);
    signals_release();
    return result;
}

/* Prints each name, and after it its aliases. */
static void print_names(const struct config *config)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        print_format("%s\n", language->name);
        for (size_t k = 0; k < language->aliases.count; k++)
            print_format("%s\n", language->aliases.items[k]);
    }
}

static int run_languages_command(void *context, char **operands, const struct config *config,
                                 struct error *error)
{
    const struct languages_options *options = context;
    CLEANUP_FREE struct language_images *images = NULL;
    bool inspected;

    (void)operands;
    if (options->json && options->names)
        return error_set(error, ERROR_USAGE, "--json and --names cannot be used together");
    if (options->names) {
        print_names(config);
        return EXIT_STATUS_SUCCESS;
    }
    images = memory_allocate(config->language_count * sizeof *images);
    inspected = inspect_images(config, images, error) == 0;
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (options->json)
        print_languages_json(config, inspected ? images : NULL);
    else
        print_languages_table(config, inspected ? images : NULL);
    return inspected ? EXIT_STATUS_SUCCESS : -1;
}

const struct command_line languages_command = {.options_size = sizeof(struct languages_options),
                                               .options = &languages_table,
                                               .run = run_languages_command,
                                               .output = "languages"};
