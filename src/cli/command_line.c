#include "cli/command_line.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "config/config_load.h"

enum { OPTION_CONFIG = COMMAND_OPTION - 1 };

/* The options that every command has. */
struct common_options {
    const char *config; /* borrowed from argv; NULL: the default places */
    bool help;
};

/* The known option that getopt_long() rejected; NULL if it is unknown. */
static const struct option *find_rejected(const struct option *known_options)
{
    for (; known_options->name; known_options++)
        if (optopt != 0 && known_options->val == optopt)
            return known_options;
    return NULL;
}

static int refuse_unknown_option(const char *argument, const char *advice,
                                 const struct option *known_options, struct error *error)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *escaped = text_escape(argument);
    CLEANUP_FREE char *name = string_copy(argument + strspn(argument, "-"));
    const char *nearest = NULL;

    name[strcspn(name, "=")] = '\0';
    for (; known_options->name; known_options++)
        strvec_push(&names, known_options->name);
    if (strncmp(argument, "--", 2) == 0)
        nearest = text_nearest(name, (const char *const *)names.items, names.count);
    if (nearest)
        return error_set(error, ERROR_USAGE, "unknown option '%s'; did you mean --%s?", escaped,
                         nearest);
    return error_set(error, ERROR_USAGE, "unknown option '%s'; %s", escaped, advice);
}

int command_line_refuse(int option, const char *advice, const struct option *known_options,
                        const char *argument, struct error *error)
{
    const struct option *named =
        option == ':' || option == '?' ? find_rejected(known_options) : NULL;
    const bool is_long = strncmp(argument, "--", 2) == 0;
    const char letter[] = {'-', (char)optopt, '\0'};

    if (option == ':' && !is_long)
        return error_set(error, ERROR_USAGE, "option '%s' needs a value", letter);
    if (named)
        return error_set(error, ERROR_USAGE, "option '--%s' %s", named->name,
                         option == ':' ? "needs a value" : "takes no value");
    /* Print the whole argument if optopt is only one byte of a multi-byte character. */
    return refuse_unknown_option(is_long || optopt <= 0 || optopt >= 0x80 ? argument : letter,
                                 advice, known_options, error);
}

bool command_line_abbreviates(const struct option *known_options, const char *argument)
{
    const size_t length = strcspn(argument, "=");

    if (strncmp(argument, "--", 2) != 0)
        return false;
    for (; known_options->name; known_options++)
        if (strlen(known_options->name) == length - 2 &&
            strncmp(known_options->name, argument + 2, length - 2) == 0)
            return false;
    return true;
}

/* The argument that getopt_long() reads next. It skips operands and moves them to the end. */
static const char *next_argument(char *const *argv)
{
    int at = optind;

    while (argv[at] && (argv[at][0] != '-' || argv[at][1] == '\0'))
        at++;
    return argv[at] ? argv[at] : "";
}

static int parse_options(const struct command_line *command, int argc, char **argv, void *options,
                         struct common_options *common, struct error *error)
{
    const char *argument = next_argument(argv);
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, command->letters, command->known_options, NULL)) !=
           -1) {
        if (option == ':' || option == '?' ||
            command_line_abbreviates(command->known_options, argument)) {
            CLEANUP_FREE char *advice = string_format("see isolator %s --help", command->name);
            return command_line_refuse(option, advice, command->known_options, argument, error);
        }
        if (option == OPTION_CONFIG)
            common->config = optarg;
        else if (option == 'h')
            common->help = true;
        else if (command->take_option(options, option, optarg, error) != 0)
            return -1;
        argument = next_argument(argv);
    }
    if (argc - optind > command->operands_max)
        return error_set(error, ERROR_USAGE, "unexpected argument '%s'; see isolator %s --help",
                         argv[optind + command->operands_max], command->name);
    return 0;
}

/* Loads the configuration, or the built-in one if the command accepts that. */
static int load_config(const struct command_line *command, const char *file, void *options,
                       struct config *config, struct error *error)
{
    if (config_load(config, file, NULL, error) == 0)
        return 0;
    if (!command->without_config || command->without_config(options, error) != 0)
        return -1;
    config_release(config); /* drop what was read before the error */
    config_init(config);
    return config_load_built_in(config, error);
}

int command_line_number(const char *option, const char *value, int min, int max, int *result,
                        struct error *error)
{
    double number;

    if (number_parse(value, "", &number, error) != 0)
        return error_prefix(error, "%s", option);
    if (!(number >= min && number <= max) || number != (int)number)
        return error_set(error, ERROR_USAGE, "%s: must be a whole number from %d to %d", option,
                         min, max);
    *result = (int)number;
    return 0;
}

int command_line_printed(const char *what)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (print_failure() == 0)
        return EXIT_STATUS_SUCCESS;
    if (print_failure() == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    errno = print_failure();
    error_set_errno(&error, ERROR_SYSTEM, "cannot write the %s", what);
    return exit_status_report(&error);
}

int command_line_main(const struct command_line *command, int argc, char **argv, void *options)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct common_options common = {.config = NULL};
    int status, printed;

    config_init(&config);
    if (parse_options(command, argc, argv, options, &common, &error) != 0)
        return exit_status_report(&error);
    if (common.help) {
        print_text(command->help);
        return command_line_printed("help");
    }
    if (load_config(command, common.config, options, &config, &error) != 0)
        return exit_status_report(&error);
    status = command->run(options, argv + optind, &config, &error);
    if (status < 0)
        return exit_status_report(&error);
    printed = command_line_printed(command->output);
    return printed == EXIT_STATUS_SUCCESS ? status : printed;
}
