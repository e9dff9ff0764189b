#include "cli/command.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/escaped_output.h"
#include "cli/exit_status.h"
#include "cli/prepare_list.h"
#include "cli/prepare_options.h"
#include "cli/prepare_preload.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "config/config.h"
#include "prepare/prepare.h"
#include "service/service.h"

/* The exit status of a shell for a command that does not exist. */
enum { STATUS_NOT_FOUND = 127 };

/* ---- prepare: each function returns an exit status, or -1 with the error */

/*
 * Gives *prepared, a copy of the language, the steps of the command line. Steps of the
 * configuration file have precedence, so that is an error.
 */
static int with_steps(const struct prepare_options *options, const struct language *language,
                      struct language *prepared, struct error *error)
{
    if (language->preparation.steps.count > 0 && !language->preparation.noted)
        return error_set(error, ERROR_USAGE,
                         "cannot replace the steps of '%s': they are in the configuration; change "
                         "languages.%s.prepare there",
                         language->name, language->name);
    prepared->preparation = (struct preparation){.steps = options->steps,
                                                 .files = options->files,
                                                 .network = options->network,
                                                 .noted = true};
    config_prepare(prepared);
    return 0;
}

/*
 * Steps replace saved steps. Reports those that are lost, in case the caller wanted to keep them.
 */
static void report_replaced_steps(const struct language *language, const struct language *prepared)
{
    const struct strvec *steps = &language->preparation.steps;

    if (steps->count == 0 || strvec_equal(steps, &prepared->preparation.steps))
        return;
    for (size_t i = 0; i < steps->count; i++) {
        CLEANUP_FREE char *escaped = text_escape(steps->items[i]);

        diagnostics_line("%s: replacing the saved step: %s", language->name, escaped);
    }
}

static void report_warnings(const char *language, struct strvec *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        CLEANUP_FREE char *escaped = text_escape(warnings->items[i]);

        diagnostics_line("warning: %s: %s", language, escaped);
    }
    strvec_release(warnings);
}

static int prepare_one_language(const struct prepare *prepare, const struct language *language,
                                struct error *error)
{
    CLEANUP_FREE char *step = string_format("preparing %s", language->name);
    const long long start = clock_now_ms();
    struct prepare_outcome outcome;
    struct progress progress;
    int result;

    if (language->preparation.steps.count == 0)
        return error_set(
            error, ERROR_USAGE,
            "'%s' has no steps; use --run STEP, or set languages.%s.prepare in the configuration",
            language->name, language->name);
    progress_begin(&progress);
    progress_step(&progress, 0, 0, step);
    result = prepare_language(prepare, language, &outcome, error);
    progress_end(&progress);
    escaped_output_end(prepare->context);
    report_warnings(language->name, prepare->warnings);
    if (result != 0)
        return error->kind == ERROR_USAGE ? -1 : error_prefix(error, "%s", language->name);
    if (outcome.status != 0) {
        diagnostics_line("%s: the last step failed with exit status %d; nothing was saved%s",
                         language->name, outcome.status,
                         outcome.network || outcome.status == STATUS_NOT_FOUND
                             ? ""
                             : "; it had no network, try --allow-host HOST or "
                               "--network bridge");
        return EXIT_STATUS_PROGRAM;
    }
    if (outcome.already_prepared)
        print_format("%s is already prepared: %s\n", language->name, outcome.reference);
    else
        print_format("%s is prepared: %s (%.1f s)\n", language->name, outcome.reference,
                     (double)(clock_now_ms() - start) / 1000);
    if (outcome.list_status != 0)
        diagnostics_line(
            "warning: %s: listPackages failed with exit status %d: models do not see its packages",
            language->name, outcome.list_status);
    return EXIT_STATUS_SUCCESS;
}

static int run_steps(const struct prepare_options *options, const struct docker *docker,
                     const struct config *config, const struct language *language,
                     struct error *error)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    const bool is_new = options->steps.count > 0;
    const struct prepare prepare = {.docker = docker,
                                    .cancel = signals_cancel(),
                                    .network = &options->network,
                                    .tag = options->tag,
                                    .prepared_for = is_new ? config->prepared_for
                                                           : config_prepared_for(config, language),
                                    .config_file = config->file,
                                    .output = escaped_output_take,
                                    .context = &output,
                                    .warnings = &warnings};
    struct language prepared = *language;
    int status;

    if (!is_new)
        return prepare_one_language(&prepare, language, error);
    if (with_steps(options, language, &prepared, error) != 0)
        return -1;
    report_replaced_steps(language, &prepared);
    status = prepare_one_language(&prepare, &prepared, error);
    free(prepared.preparation.tag); /* the other members are borrowed */
    return status;
}

/* ---- remove, and all languages */

static int remove_prepared(const struct docker *docker, const struct config *config,
                           const struct language *language, struct error *error)
{
    CLEANUP_FREE char *kept_for = NULL;
    const int removed = prepare_remove(docker, language, config_prepared_for(config, language),
                                       signals_cancel(), &kept_for, error);

    if (removed < 0)
        return error_prefix(error, "%s", language->name);
    if (kept_for) {
        CLEANUP_FREE char *shown = text_escape(kept_for);

        print_format("%s: removed, but the image stays for the %s%s%s\n", language->name,
                     *shown ? "configuration '" : "default configuration", shown,
                     *shown ? "'" : "");
    } else {
        print_format("%s: %s\n", language->name, removed ? "removed" : "nothing to remove");
    }
    return EXIT_STATUS_SUCCESS;
}

static int handle_language(const struct prepare_options *options, struct service *service,
                           const struct config *config, const struct language *language,
                           struct error *error)
{
    if (options->preload)
        return prepare_try_preload(service, config, language, error);
    if (options->remove)
        return remove_prepared(&service->docker, config, language, error);
    return run_steps(options, &service->docker, config, language, error);
}

/* Whether a language is meant that no operand names. */
static bool is_meant(const struct prepare_options *options, const struct language *language)
{
    return (options->preload ? language->preload.count : language->preparation.steps.count) > 0;
}

/*
 * Handles the operands, or without operands all languages that are meant. Stops at the first
 * failure.
 */
static int handle_languages(const struct prepare_options *options, struct service *service,
                            char **operands, const struct config *config, struct error *error)
{
    int status = EXIT_STATUS_SUCCESS;
    const bool has_operands = operands[0] != NULL;

    for (; *operands && status == EXIT_STATUS_SUCCESS; operands++)
        status = handle_language(options, service, config,
                                 config_language_called(config, *operands), error);
    for (size_t i = 0; !has_operands && i < config->language_count && status == EXIT_STATUS_SUCCESS;
         i++)
        if (is_meant(options, &config->languages[i]))
            status = handle_language(options, service, config, &config->languages[i], error);
    return status;
}

static int run_prepare_command(void *context, char **operands, const struct config *config,
                               struct error *error)
{
    const struct prepare_options *options = context;
    const struct service_options service_options = {.limits = {.max_active = 1},
                                                    .pool = POOL_ONE_SHOT};
    struct service service;
    int status;

    if (prepare_options_check(options, operands, error) != 0 ||
        config_check_languages(config, operands, NULL, error) != 0 || signals_catch(error) != 0 ||
        service_open(&service, config, &service_options, error) != 0)
        return -1;
    if (options->all || options->unused)
        status = prepare_list_images(&service.docker, operands, config, !options->all,
                                     options->remove, error);
    else if (options->list)
        status = prepare_list_languages(&service.docker, operands, config, error);
    else
        status = handle_languages(options, &service, operands, config, error);
    service_close(&service, 0);
    signals_release(); /* nothing remains to be removed */
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return status;
}

static void release_options(void *options)
{
    struct prepare_options *own = options;

    strvec_release(&own->steps);
    strvec_release(&own->files);
    prepare_network_release(&own->network);
}

const struct command_line prepare_command = {.options_size = sizeof(struct prepare_options),
                                             .options = &prepare_table,
                                             .operands_max = COMMAND_ANY_OPERANDS,
                                             .run = run_prepare_command,
                                             .output = "list",
                                             .release = release_options};
