#include "cli/command_line.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "config/config_load.h"

enum { OPTION_CONFIG = COMMAND_OPTION - 1 };

/* What stands in front of the configuration on a command line. */
struct given {
    const char *config; /* borrowed from argv; NULL: the usual places */
    bool help;
};

/* The option that getopt_long() complains of, where it knows it. */
static const struct option *complained(const struct option *known)
{
    for (; known->name; known++)
        if (optopt != 0 && known->val == optopt)
            return known;
    return NULL;
}

static int refuse_unknown(const char *argument, const char *command, const struct option *known,
                          struct error *error)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape(argument);
    CLEANUP_FREE char *name = string_copy(argument + strspn(argument, "-"));
    const char *nearest = NULL;

    name[strcspn(name, "=")] = '\0';
    for (; known->name; known++)
        strvec_push(&names, known->name);
    if (strncmp(argument, "--", 2) == 0)
        nearest = text_nearest(name, (const char *const *)names.items, names.count);
    if (nearest)
        return error_set(error, ERROR_USAGE, "unknown option '%s'; did you mean --%s?", shown,
                         nearest);
    return error_set(error, ERROR_USAGE, "unknown option '%s'; see isolator %s --help", shown,
                     command);
}

int command_line_refuse(int option, const char *command, const struct option *known,
                        const char *argument, struct error *error)
{
    const struct option *named = option == ':' || option == '?' ? complained(known) : NULL;
    const bool is_long = strncmp(argument, "--", 2) == 0;
    const char letter[] = {'-', (char)optopt, '\0'};

    if (option == ':' && !is_long)
        return error_set(error, ERROR_USAGE, "option '%s' needs a value", letter);
    if (named)
        return error_set(error, ERROR_USAGE, "option '--%s' %s", named->name,
                         option == ':' ? "needs a value" : "takes no value");
    /* A byte of a longer character does not stand alone: then all of the argument is shown. */
    return refuse_unknown(is_long || optopt <= 0 || optopt >= 0x80 ? argument : letter, command,
                          known, error);
}

bool command_line_abbreviates(const struct option *known, const char *argument)
{
    const size_t length = strcspn(argument, "=");

    if (strncmp(argument, "--", 2) != 0)
        return false;
    for (; known->name; known++)
        if (strlen(known->name) == length - 2 &&
            strncmp(known->name, argument + 2, length - 2) == 0)
            return false;
    return true;
}

/* The argument that getopt_long() reads next: it passes over operands, which it puts at the end. */
static const char *next_argument(char *const *argv)
{
    int at = optind;

    while (argv[at] && (argv[at][0] != '-' || argv[at][1] == '\0'))
        at++;
    return argv[at] ? argv[at] : "";
}

static int parse(const struct command_line *command, int argc, char **argv, void *options,
                 struct given *given, struct error *error)
{
    const char *argument = next_argument(argv);
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, command->letters, command->known, NULL)) != -1) {
        if (option == ':' || option == '?' || command_line_abbreviates(command->known, argument))
            return command_line_refuse(option, command->name, command->known, argument, error);
        if (option == OPTION_CONFIG)
            given->config = optarg;
        else if (option == 'h')
            given->help = true;
        else if (command->take(options, option, optarg, error) != 0)
            return -1;
        argument = next_argument(argv);
    }
    if (argc - optind > command->operands_most)
        return error_set(error, ERROR_USAGE,
                         "'%s' is one argument too many; see isolator %s --help",
                         argv[optind + command->operands_most], command->name);
    return 0;
}

/* -1: the process ends. */
static int load(const struct command_line *command, const char *file, void *options,
                struct config *config, struct error *error)
{
    if (config_load(config, file, NULL, error) == 0)
        return 0;
    if (!command->without_config || command->without_config(options, error) != 0)
        return -1;
    config_release(config); /* of what was read before the mistake */
    config_init(config);
    return config_load_built_in(config, error);
}

int command_line_printed(const char *what)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (print_error() == 0)
        return EXIT_STATUS_SUCCESS;
    if (print_error() == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    errno = print_error();
    error_set_errno(&error, ERROR_SYSTEM, "cannot write the %s", what);
    return exit_status_report(&error);
}

int command_line_main(const struct command_line *command, int argc, char **argv, void *options)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct given given = {.config = NULL};
    int status, printed;

    config_init(&config);
    if (parse(command, argc, argv, options, &given, &error) != 0)
        return exit_status_report(&error);
    if (given.help) {
        print_text(command->help);
        return command_line_printed("help");
    }
    if (load(command, given.config, options, &config, &error) != 0)
        return exit_status_report(&error);
    status = command->run(options, argv + optind, &config, &error);
    if (status < 0)
        return exit_status_report(&error);
    printed = command_line_printed(command->output);
    return printed == EXIT_STATUS_SUCCESS ? status : printed;
}
