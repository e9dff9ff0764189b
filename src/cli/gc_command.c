#include "cli/gc_command.h"

#include <getopt.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "sandbox/config.h"
#include "sandbox/sweep.h"

struct options {
    const char *config; /* borrowed from argv; NULL: the usual places */
    bool dry, help;
};

struct tally {
    bool dry;
    int failed;
};

static void print_help(void)
{
    puts("usage: isolator gc [-n] [--config FILE]\n"
         "\n"
         "Removes the containers that isolators which were killed have left behind, and lists "
         "them.\n"
         "Those of isolators that live are not touched, those of other hosts only when they are\n"
         "long overdue. Each start of isolator does the same by itself.\n"
         "\n"
         "  -n, --dry-run      only list them\n"
         "      --config FILE  configuration file\n"
         "  -h, --help         print this summary\n"
         "\n"
         "Exit status: 0 when nothing is left, or nothing had to be removed, 2 wrong command line "
         "or\n"
         "configuration, 3 the engine failed, 128+N on signal N.");
}

static int parse(struct options *options, int argc, char **argv, struct error *error)
{
    enum { OPTION_CONFIG = 256 };
    static const struct option known[] = {
        {"dry-run", no_argument, NULL, 'n'},
        {"config", required_argument, NULL, OPTION_CONFIG},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *options = (struct options){.config = NULL};
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":nh", known, NULL)) != -1) {
        if (option == 'n')
            options->dry = true;
        else if (option == OPTION_CONFIG)
            options->config = optarg;
        else if (option == 'h')
            options->help = true;
        else
            return command_line_refuse(option, "gc", known, argv, error);
    }
    if (optind < argc)
        return error_set(error, ERROR_USAGE, "gc takes no argument like '%s'", argv[optind]);
    return 0;
}

static void print_leftover(void *context, const struct leftover *leftover)
{
    struct tally *tally = context;
    const char *did = leftover->failure ? "cannot remove" : tally->dry ? "would remove" : "removed";

    printf("%s %s (%s): ", did, leftover->name, leftover->state);
    if (leftover->verdict == OWNER_ENDED)
        printf("its isolator, process %s, has ended", leftover->pid);
    else
        printf("overdue; it was made by process %s on %s", leftover->pid, leftover->host);
    if (leftover->failure) {
        tally->failed++;
        printf(": %s", leftover->failure);
    }
    putchar('\n');
}

static int run(const struct options *options, const struct config *config, struct error *error)
{
    const struct docker docker = config_docker(config);
    struct tally tally = {.dry = options->dry};
    int found;

    found = sweep_leftovers(&docker, options->dry ? SWEEP_LIST : SWEEP_INSIST, print_leftover,
                            &tally, signals_cancel(), error);
    signals_release();
    if (found == 0)
        puts("nothing is left behind");
    if (command_line_flush("list", error) != 0)
        return -1;
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (found < 0)
        return -1;
    return tally.failed > 0 ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

int gc_command(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct options options;
    int status;

    config_init(&config);
    if (parse(&options, argc, argv, &error) != 0)
        return exit_status_report(&error);
    if (options.help) {
        print_help();
        return EXIT_STATUS_SUCCESS;
    }
    if (config_load(&config, options.config, NULL, &error) != 0 || signals_catch(&error) != 0)
        return exit_status_report(&error);
    status = run(&options, &config, &error);
    return status >= 0 ? status : exit_status_report(&error);
}
