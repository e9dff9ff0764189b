#include "cli/command.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "config/config.h"
#include "docker/image_store.h"

static const struct option_rule pull_rules[] = {
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table pull_table = {
    .command = "isolator pull",
    .usage = "usage: isolator pull [--config FILE] [LANGUAGE...]\n"
             "\n"
             "Fetches or updates the images of languages with docker pull, and shows docker's\n"
             "progress. Without LANGUAGE: all languages of the configuration.\n",
    .example = "isolator pull python c++",
    .after = "Exit status: 0 success, 2 wrong command line or configuration, 3 an image could\n"
             "not be fetched, 128+N signal N. See isolator-pull(1).\n",
    .operands = VALUES_LANGUAGES,
    OPTION_RULES(pull_rules)};

/* The images of these languages, or of all, without duplicates. */
static void collect_images(const struct config *config, char **operands, struct strvec *images)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];
        bool wanted = !operands[0];

        for (char **operand = operands; *operand; operand++)
            wanted |= config_language_called(config, *operand) == language;
        if (wanted)
            strvec_push_once(images, language->image);
    }
}

static int run_pull_command(void *context, char **operands, const struct config *config,
                            struct error *error)
{
    CLEANUP(strvec_release) struct strvec images = STRVEC_INIT;
    const struct docker docker = config_docker(config);
    int status = EXIT_STATUS_SUCCESS;

    (void)context;
    if (config_check_languages(config, operands, NULL, error) != 0 || signals_catch(error) != 0)
        return -1;
    collect_images(config, operands, &images);
    for (size_t i = 0; i < images.count && signals_caught() == 0; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;

        if (image_store_pull(&docker, images.items[i], signals_cancel(), &failure) == 0)
            continue;
        if (failure.kind != ERROR_CANCELLED)
            status = exit_status_report(&failure);
        if (failure.kind == ERROR_ENGINE) /* it would be the same for all of them */
            break;
    }
    signals_release();
    return signals_caught() != 0 ? EXIT_STATUS_INTERRUPTED + signals_caught() : status;
}

const struct command_line pull_command = {.options_size = sizeof(struct common_options),
                                          .options = &pull_table,
                                          .operands_max = COMMAND_ANY_OPERANDS,
                                          .run = run_pull_command,
                                          .output = "list"};
