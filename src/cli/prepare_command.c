#include "cli/prepare_command.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/escaped_output.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/table.h"
#include "config/config.h"
#include "config/prepare_rules.h"
#include "docker/image.h"
#include "service/prepare.h"
#include "service/service.h"

struct prepare_options {
    struct strvec steps; /* --run */
    const char *network; /* borrowed from argv; NULL */
    const char *tag;     /* borrowed from argv; NULL */
    bool list, remove;
};

static const char prepare_help[] =
    "usage: isolator prepare [--run STEP]... [--network NAME] [--tag TAG]\n"
    "                        [--config FILE] [LANGUAGE...]\n"
    "       isolator prepare --list | --remove [--config FILE] [LANGUAGE...]\n"
    "\n"
    "Runs the steps of a language, for example 'pip install numpy', in a container of\n"
    "its image, and saves the result as the image that its programs then run in,\n"
    "without a network. Without LANGUAGE: all languages that have steps.\n"
    "\n"
    "      --run STEP      a shell command; repeatable; the steps replace\n"
    "                      those that were saved\n"
    "      --network NAME  network of the steps (none)\n"
    "      --tag TAG       give the image this tag too\n"
    "      --list          list the prepared languages\n"
    "      --remove        remove the prepared images and the saved steps\n"
    "      --config FILE   configuration file\n"
    "  -h, --help          print this summary\n"
    "\n"
    "Exit status: 0 success, 1 a step failed, 2 wrong command line or configuration,\n"
    "3 the engine failed or the image is missing, 128+N signal N.\n"
    "See isolator-prepare(1).\n";

/* The exit status of a shell for a command that does not exist. */
enum { STATUS_NOT_FOUND = 127 };

enum {
    OPTION_RUN = COMMAND_OPTION,
    OPTION_NETWORK,
    OPTION_TAG,
    OPTION_LIST,
    OPTION_REMOVE,
};

static const struct option known_options[] = {
    {"run", required_argument, NULL, OPTION_RUN},
    {"network", required_argument, NULL, OPTION_NETWORK},
    {"tag", required_argument, NULL, OPTION_TAG},
    {"list", no_argument, NULL, OPTION_LIST},
    {"remove", no_argument, NULL, OPTION_REMOVE},
    COMMAND_OPTIONS_COMMON,
};

static int prepare_take_option(void *context, int option, char *value, struct error *error)
{
    struct prepare_options *options = context;

    switch (option) {
    case OPTION_RUN:
        strvec_push(&options->steps, value);
        return prepare_check_steps(&options->steps, error) == 0 ? 0 : error_prefix(error, "--run");
    case OPTION_NETWORK:
        options->network = value;
        return prepare_check_network(value, error) == 0 ? 0 : error_prefix(error, "--network");
    case OPTION_TAG:
        options->tag = value;
        return image_check_tag(value, error) == 0 ? 0 : error_prefix(error, "--tag");
    case OPTION_LIST:
        options->list = true;
        return 0;
    default:
        options->remove = true;
        return 0;
    }
}

/* Checks which options need or exclude each other. */
static int check_combination(const struct prepare_options *options, char **operands,
                             struct error *error)
{
    const bool prepares = options->steps.count > 0 || options->network || options->tag;

    if (options->list && options->remove)
        return error_set(error, ERROR_USAGE, "--list and --remove cannot be used together");
    if ((options->list || options->remove) && prepares)
        return error_set(error, ERROR_USAGE, "--%s cannot be used with other options",
                         options->list ? "list" : "remove");
    if (options->steps.count > 0 && !operands[0])
        return error_set(error, ERROR_USAGE, "--run needs a LANGUAGE");
    if (options->tag && (!operands[0] || operands[1]))
        return error_set(error, ERROR_USAGE, "--tag needs one LANGUAGE");
    return 0;
}

/* ---- prepare: each function returns an exit status, or -1 with the error */

/*
 * Sets *prepared to the language with the steps of the command line. Steps of the configuration
 * file have precedence, so that is an error.
 */
static int with_steps(const struct prepare_options *options, const struct language *language,
                      struct language *prepared, struct error *error)
{
    if (language->preparation.steps.count > 0 && !language->preparation.noted)
        return error_set(error, ERROR_USAGE,
                         "cannot replace the steps of '%s': they are in the configuration; change "
                         "languages.%s.prepare there",
                         language->name, language->name);
    *prepared = *language;
    prepared->preparation = (struct preparation){
        .steps = options->steps, .network = (char *)options->network, .noted = true};
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
    const long long start = clock_now_ms();
    struct prepare_outcome outcome;
    int result;

    if (language->preparation.steps.count == 0)
        return error_set(
            error, ERROR_USAGE,
            "'%s' has no steps; use --run STEP, or set languages.%s.prepare in the configuration",
            language->name, language->name);
    result = prepare_language(prepare, language, &outcome, error);
    escaped_output_end(prepare->context);
    report_warnings(language->name, prepare->warnings);
    if (result != 0)
        return error->kind == ERROR_USAGE ? -1 : error_prefix(error, "%s", language->name);
    if (outcome.status != 0) {
        diagnostics_line("%s: the last step failed with exit status %d; nothing was saved%s",
                         language->name, outcome.status,
                         outcome.network || outcome.status == STATUS_NOT_FOUND
                             ? ""
                             : "; it had no network, try --network bridge");
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
                     const struct language *language, struct error *error)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    const struct prepare prepare = {.docker = docker,
                                    .cancel = signals_cancel(),
                                    .network = options->network,
                                    .tag = options->tag,
                                    .output = escaped_output_take,
                                    .context = &output,
                                    .warnings = &warnings};
    struct language prepared;
    int status;

    if (options->steps.count == 0)
        return prepare_one_language(&prepare, language, error);
    if (with_steps(options, language, &prepared, error) != 0)
        return -1;
    report_replaced_steps(language, &prepared);
    status = prepare_one_language(&prepare, &prepared, error);
    free(prepared.preparation.tag); /* the other members are borrowed */
    return status;
}

/* ---- the list */

enum { LIST_COLUMNS = 7 };

static int add_prepared_row(struct strvec *cells, const struct docker *docker,
                            const struct language *language, struct error *error)
{
    static const char *const states[] = {
        [PREPARE_MISSING] = "missing", [PREPARE_OUTDATED] = "outdated", [PREPARE_READY] = "ready"};
    const struct preparation *preparation = &language->preparation;
    CLEANUP_FREE char *steps = strvec_join(&preparation->steps, "; ");
    CLEANUP_FREE char *size = NULL;
    struct prepare_view view;
    bool exists;

    if (prepare_inspect(docker, language, signals_cancel(), &view, error) != 0)
        return -1;
    exists = view.state != PREPARE_MISSING;
    size = string_format("%lld MB", view.size / 1000000);
    strvec_push_each(cells, language->name, states[view.state], preparation->tag, language->image,
                     exists ? size : "-", exists ? view.created : "-", NULL);
    strvec_push_owned(cells, text_escape(steps));
    return 0;
}

/* Whether the language is listed: it has steps, and is an operand if there are operands. */
static bool is_listed(const struct language *language, char *const *operands)
{
    bool named = !operands[0];

    for (; *operands && !named; operands++)
        named = strcmp(*operands, language->name) == 0;
    return named && language->preparation.steps.count > 0;
}

static int list_prepared(const struct docker *docker, char *const *operands,
                         const struct config *config, struct error *error)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "NAME", "STATE", "IMAGE", "BASE", "SIZE", "CREATED", "STEPS", NULL);
    for (size_t i = 0; i < config->language_count; i++)
        if (is_listed(&config->languages[i], operands) &&
            add_prepared_row(&cells, docker, &config->languages[i], error) != 0)
            return -1;
    table_print(&cells, LIST_COLUMNS);
    return EXIT_STATUS_SUCCESS;
}

/* ---- remove, and all languages */

static int remove_prepared(const struct docker *docker, const struct language *language,
                           struct error *error)
{
    const int removed = prepare_remove(docker, language, signals_cancel(), error);

    if (removed < 0)
        return error_prefix(error, "%s", language->name);
    print_format("%s: %s\n", language->name, removed ? "removed" : "nothing to remove");
    return EXIT_STATUS_SUCCESS;
}

static int handle_language(const struct prepare_options *options, const struct docker *docker,
                           const struct language *language, struct error *error)
{
    if (options->remove)
        return remove_prepared(docker, language, error);
    return run_steps(options, docker, language, error);
}

/*
 * Handles the operands, or without operands all languages with steps. Stops at the first failure.
 */
static int handle_languages(const struct prepare_options *options, const struct docker *docker,
                            char **operands, const struct config *config, struct error *error)
{
    int status = EXIT_STATUS_SUCCESS;
    const bool has_operands = operands[0] != NULL;

    for (; *operands && status == EXIT_STATUS_SUCCESS; operands++)
        status = handle_language(options, docker, config_language_called(config, *operands), error);
    for (size_t i = 0; !has_operands && i < config->language_count && status == EXIT_STATUS_SUCCESS;
         i++)
        if (config->languages[i].preparation.steps.count > 0)
            status = handle_language(options, docker, &config->languages[i], error);
    return status;
}

static int run_prepare_command(void *context, char **operands, const struct config *config,
                               struct error *error)
{
    const struct prepare_options *options = context;
    const struct service_options service_options = {.limits = {.max_active = 1}};
    struct service service;
    int status;

    if (check_combination(options, operands, error) != 0 ||
        config_check_languages(config, operands, error) != 0 || signals_catch(error) != 0 ||
        service_open(&service, config, &service_options, error) != 0)
        return -1;
    status = options->list ? list_prepared(&service.docker, operands, config, error)
                           : handle_languages(options, &service.docker, operands, config, error);
    service_close(&service, 0);
    signals_release(); /* nothing remains to be removed */
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return status;
}

int prepare_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "prepare",
                                                .help = prepare_help,
                                                .letters = ":h",
                                                .known_options = known_options,
                                                .operands_max = COMMAND_ANY_OPERANDS,
                                                .take_option = prepare_take_option,
                                                .run = run_prepare_command,
                                                .output = "list"};
    struct prepare_options options = {.steps = STRVEC_INIT};
    const int status = command_line_main(&command, argc, argv, &options);

    strvec_release(&options.steps);
    return status;
}
