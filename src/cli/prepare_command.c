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

struct options {
    struct strvec steps; /* --run */
    const char *network; /* borrowed from argv, as the tag; NULL */
    const char *tag;
    bool list, remove;
};

static const char help[] =
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

/* What a shell says of a command that is not there. */
enum { STATUS_NOT_FOUND = 127 };

enum {
    OPTION_RUN = COMMAND_OPTION,
    OPTION_NETWORK,
    OPTION_TAG,
    OPTION_LIST,
    OPTION_REMOVE,
};

static const struct option known[] = {
    {"run", required_argument, NULL, OPTION_RUN},
    {"network", required_argument, NULL, OPTION_NETWORK},
    {"tag", required_argument, NULL, OPTION_TAG},
    {"list", no_argument, NULL, OPTION_LIST},
    {"remove", no_argument, NULL, OPTION_REMOVE},
    COMMAND_OPTIONS_COMMON,
};

static int take(void *context, int option, char *value, struct error *error)
{
    struct options *options = context;

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

/* What needs, or excludes, what. */
static int check_together(const struct options *options, char **operands, struct error *error)
{
    const bool prepares = options->steps.count > 0 || options->network || options->tag;

    if (options->list && options->remove)
        return error_set(error, ERROR_USAGE, "--list and --remove exclude each other");
    if ((options->list || options->remove) && prepares)
        return error_set(error, ERROR_USAGE, "--%s goes with no other option",
                         options->list ? "list" : "remove");
    if (options->steps.count > 0 && !operands[0])
        return error_set(error, ERROR_USAGE, "--run needs a LANGUAGE");
    if (options->tag && (!operands[0] || operands[1]))
        return error_set(error, ERROR_USAGE, "--tag needs one LANGUAGE");
    return 0;
}

/* ---- the three things it does, each for one language; -1, or the exit status */

/* The language with the steps of the command line, which the configuration's own go before. */
static int give_steps(const struct options *options, const struct language *language,
                      struct language *own, struct error *error)
{
    if (language->preparation.steps.count > 0 && !language->preparation.noted)
        return error_set(error, ERROR_USAGE,
                         "the configuration has steps for %s: change languages.%s.prepare there",
                         language->name, language->name);
    *own = *language;
    own->preparation = (struct preparation){
        .steps = options->steps, .network = (char *)options->network, .noted = true};
    config_prepare(own);
    return 0;
}

/* Steps do not add up: what other steps were remembered is said, in case they were meant to stay. */
static void tell_replaced(const struct language *language, const struct language *own)
{
    const struct strvec *steps = &language->preparation.steps;

    if (steps->count == 0 || strvec_equal(steps, &own->preparation.steps))
        return;
    for (size_t i = 0; i < steps->count; i++) {
        CLEANUP_FREE char *shown = text_escape(steps->items[i]);

        diagnostics_line("%s: this replaces the step: %s", language->name, shown);
    }
}

static void tell_warnings(const char *language, struct strvec *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        CLEANUP_FREE char *shown = text_escape(warnings->items[i]);

        diagnostics_line("warning: %s: %s", language, shown);
    }
    strvec_release(warnings);
}

static int prepare_one(const struct prepare *prepare, const struct language *language,
                       struct error *error)
{
    const long long start = clock_now_ms();
    struct prepare_outcome outcome;
    int result;

    if (language->preparation.steps.count == 0)
        return error_set(error, ERROR_USAGE,
                         "%s has no steps; give --run STEP, or languages.%s.prepare in the "
                         "configuration",
                         language->name, language->name);
    result = prepare_language(prepare, language, &outcome, error);
    escaped_output_end(prepare->context);
    tell_warnings(language->name, prepare->warnings);
    if (result != 0)
        return error->kind == ERROR_USAGE ? -1 : error_prefix(error, "%s", language->name);
    if (outcome.status != 0) {
        diagnostics_line("%s: the last step above ended with status %d; nothing is kept%s",
                         language->name, outcome.status,
                         outcome.network || outcome.status == STATUS_NOT_FOUND
                             ? ""
                             : "; it had no network, which --network bridge gives");
        return EXIT_STATUS_PROGRAM;
    }
    if (outcome.before)
        print_format("%s is prepared already: %s\n", language->name, outcome.reference);
    else
        print_format("%s is prepared: %s (%.1f s)\n", language->name, outcome.reference,
                     (double)(clock_now_ms() - start) / 1000);
    if (outcome.list_status != 0)
        diagnostics_line("warning: %s: listPackages ended with status %d: models are not told of "
                         "its packages",
                         language->name, outcome.list_status);
    return EXIT_STATUS_SUCCESS;
}

static int run_steps(const struct options *options, const struct docker *docker,
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
    struct language own;
    int status;

    if (options->steps.count == 0)
        return prepare_one(&prepare, language, error);
    if (give_steps(options, language, &own, error) != 0)
        return -1;
    tell_replaced(language, &own);
    status = prepare_one(&prepare, &own, error);
    free(own.preparation.tag); /* all else of it is borrowed */
    return status;
}

/* ---- the list */

enum { LIST_COLUMNS = 7 };

static int add_row(struct strvec *cells, const struct docker *docker,
                   const struct language *language, struct error *error)
{
    static const char *const states[] = {
        [PREPARE_MISSING] = "missing", [PREPARE_OUTDATED] = "outdated", [PREPARE_READY] = "ready"};
    const struct preparation *preparation = &language->preparation;
    CLEANUP_FREE char *steps = strvec_join(&preparation->steps, "; ");
    CLEANUP_FREE char *size = NULL;
    struct prepare_view view;
    bool there;

    if (prepare_inspect(docker, language, signals_cancel(), &view, error) != 0)
        return -1;
    there = view.state != PREPARE_MISSING;
    size = string_format("%lld MB", view.size / 1000000);
    strvec_push_each(cells, language->name, states[view.state], preparation->tag, language->image,
                     there ? size : "-", there ? view.created : "-", NULL);
    strvec_push_owned(cells, text_escape(steps));
    return 0;
}

/* Without operands: all. Those without steps are nothing that can be listed. */
static bool is_listed(const struct language *language, char *const *operands)
{
    bool named = !operands[0];

    for (; *operands && !named; operands++)
        named = strcmp(*operands, language->name) == 0;
    return named && language->preparation.steps.count > 0;
}

static int list(const struct docker *docker, char *const *operands, const struct config *config,
                struct error *error)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "NAME", "STATE", "IMAGE", "BASE", "SIZE", "CREATED", "STEPS", NULL);
    for (size_t i = 0; i < config->language_count; i++)
        if (is_listed(&config->languages[i], operands) &&
            add_row(&cells, docker, &config->languages[i], error) != 0)
            return -1;
    table_print(&cells, LIST_COLUMNS);
    return EXIT_STATUS_SUCCESS;
}

/* ---- */

static int remove_one(const struct docker *docker, const struct language *language,
                      struct error *error)
{
    const int removed = prepare_remove(docker, language, signals_cancel(), error);

    if (removed < 0)
        return error_prefix(error, "%s", language->name);
    print_format("%s: %s\n", language->name, removed ? "removed" : "there is nothing to remove");
    return EXIT_STATUS_SUCCESS;
}

static int do_one(const struct options *options, const struct docker *docker,
                  const struct language *language, struct error *error)
{
    if (options->remove)
        return remove_one(docker, language, error);
    return run_steps(options, docker, language, error);
}

/* Without operands: each that has steps. The first that fails ends it. */
static int do_all(const struct options *options, const struct docker *docker, char **operands,
                  const struct config *config, struct error *error)
{
    int status = EXIT_STATUS_SUCCESS;
    bool any = operands[0] != NULL;

    for (; *operands && status == EXIT_STATUS_SUCCESS; operands++)
        status = do_one(options, docker, config_language(config, *operands), error);
    for (size_t i = 0; !any && i < config->language_count && status == EXIT_STATUS_SUCCESS; i++)
        if (config->languages[i].preparation.steps.count > 0)
            status = do_one(options, docker, &config->languages[i], error);
    return status;
}

static int run(void *context, char **operands, const struct config *config, struct error *error)
{
    const struct options *options = context;
    const struct service_options with = {.limits = {.max_active = 1}};
    struct service service;
    int status;

    if (check_together(options, operands, error) != 0 ||
        config_check_languages(config, operands, error) != 0 || signals_catch(error) != 0 ||
        service_open(&service, config, &with, error) != 0)
        return -1;
    status = options->list ? list(&service.docker, operands, config, error)
                           : do_all(options, &service.docker, operands, config, error);
    service_close(&service, 0);
    signals_release(); /* nothing is left that would have to be removed */
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return status;
}

int prepare_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "prepare",
                                                .help = help,
                                                .letters = ":h",
                                                .known = known,
                                                .operands_most = COMMAND_ANY_OPERANDS,
                                                .take = take,
                                                .run = run,
                                                .output = "list"};
    struct options options = {.steps = STRVEC_INIT};
    const int status = command_line_main(&command, argc, argv, &options);

    strvec_release(&options.steps);
    return status;
}
