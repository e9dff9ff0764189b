#include "cli/complete_command.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/signals.h"
#include "cli/attack.h"
#include "cli/command_line.h"
#include "cli/print.h"
#include "config/config.h"
#include "config/config_load.h"
#include "config/option_completion.h"
#include "docker/engine_names.h"
#include "service/job_note.h"

enum { ENGINE_MS = 5000 };

static void add_commands(struct option_completion *completion, const struct command *commands,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        option_completion_add(completion, commands[i].name, commands[i].help);
}

static void add_attacks(struct option_completion *completion)
{
    for (size_t i = 0; i < attack_count(); i++)
        option_completion_add(completion, attack_get(i).name, NULL);
}

/* Loads the configuration that the command would read, or the built-in one. */
static void load_config(const struct option_completion *completion, struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (config_load(config, completion->config, NULL, &error) == 0)
        return;
    error_release(&error);
    config_release(config); /* drop what was read before the error */
    config_init(config);
    config_load_built_in(config, &error);
}

static void add_languages(struct option_completion *completion, const struct config *config)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        option_completion_add(completion, language->name, NULL);
        for (size_t k = 0; k < language->aliases.count; k++)
            option_completion_add(completion, language->aliases.items[k], NULL);
    }
}

/* Adds nothing if the engine does not answer. */
static void list_names(const struct config *config, enum engine_names kind, struct strvec *names)
{
    const struct docker docker = config_docker(config);
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (signals_catch(&error) != 0)
        return;
    engine_names_list(&docker, kind, clock_now_ms() + ENGINE_MS, signals_cancel(), names, &error);
    signals_release();
}

static void add_images(struct option_completion *completion, const struct config *config)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    list_names(config, ENGINE_IMAGES, &names);
    for (size_t i = 0; i < names.count; i++)
        option_completion_add(completion, names.items[i], NULL);
}

/* Two exist on every engine; that of the host is refused. */
static void add_networks(struct option_completion *completion, const struct config *config)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    strvec_push_each(&names, "none", "bridge", NULL);
    list_names(config, ENGINE_NETWORKS, &names);
    for (size_t i = 0; i < names.count; i++)
        if (i < 2 || (strcmp(names.items[i], "none") != 0 &&
                      strcmp(names.items[i], "bridge") != 0 && strcmp(names.items[i], "host") != 0))
            option_completion_add(completion, names.items[i], NULL);
}

static void add_jobs(struct option_completion *completion)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;

    job_notes_list(&words, true);
    for (size_t i = 0; i < words.count; i++)
        option_completion_add(completion, words.items[i], NULL);
}

/* Adds the values that the tables of options do not have. */
static void add_values(struct option_completion *completion, const struct command *commands,
                       size_t count)
{
    CLEANUP(config_release) struct config config;

    config_init(&config);
    switch (completion->values) {
    case VALUES_COMMANDS:
        add_commands(completion, commands, count);
        break;
    case VALUES_ATTACKS:
        add_attacks(completion);
        break;
    case VALUES_JOBS:
        add_jobs(completion);
        break;
    case VALUES_LANGUAGES:
        load_config(completion, &config);
        add_languages(completion, &config);
        break;
    case VALUES_IMAGES:
        load_config(completion, &config);
        add_images(completion, &config);
        break;
    case VALUES_NETWORKS:
        load_config(completion, &config);
        add_networks(completion, &config);
        break;
    default:
        break;
    }
}

int complete_command(const struct command *commands, size_t count, char *const *words)
{
    CLEANUP(option_completion_release)
    struct option_completion completion = OPTION_COMPLETION_INIT;

    if (!words[1]) {
        completion.word = words[0];
        add_commands(&completion, commands, count);
        option_completion_add(&completion, "--help", "print this list");
        option_completion_add(&completion, "--version", "print the version");
    }
    for (size_t i = 0; words[1] && i < count; i++)
        if (strcmp(commands[i].name, words[0]) == 0)
            option_completion_find(&completion, command_options(&commands[i]), words + 1);
    add_values(&completion, commands, count);
    print_text(strbuf_string(&completion.lines));
    return command_line_printed("completion");
}
