#include "cli/gc_command.h"

#include <getopt.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "config/config.h"
#include "service/gc.h"

struct options {
    bool dry;
};

struct tally {
    bool dry;
    int failed;
};

static const char help[] =
    "usage: isolator gc [-n] [--config FILE]\n"
    "\n"
    "Removes and lists orphaned containers, whose isolator was killed. Containers of\n"
    "running isolators are never removed, those of other hosts only long after their\n"
    "deadline. Every start of isolator does the same.\n"
    "\n"
    "  -n, --dry-run      list them and remove none\n"
    "      --config FILE  configuration file\n"
    "  -h, --help         print this summary\n"
    "\n"
    "Exit status: 0 no orphan remains, 2 wrong command line or configuration, 3 the\n"
    "engine failed, 128+N signal N. See isolator-gc(1).\n";

static const struct option known[] = {
    {"dry-run", no_argument, NULL, 'n'},
    COMMAND_OPTIONS_COMMON,
};

static int take(void *context, int option, char *value, struct error *error)
{
    struct options *options = context;

    (void)option;
    (void)value;
    (void)error;
    options->dry = true;
    return 0;
}

static void print_leftover(void *context, const struct orphan *leftover)
{
    struct tally *tally = context;
    const char *did = leftover->failure ? "cannot remove" : tally->dry ? "would remove" : "removed";

    print_format("%s %s (%s): ", did, leftover->name, leftover->state);
    if (leftover->status == OWNER_ENDED)
        print_format("its isolator, process %s, has ended", leftover->pid);
    else
        print_format("overdue; it was made by process %s on %s", leftover->pid, leftover->host);
    if (leftover->failure) {
        tally->failed++;
        print_format(": %s", leftover->failure);
    }
    print_text("\n");
}

static int run(void *context, char **operands, const struct config *config, struct error *error)
{
    const struct options *options = context;
    const struct docker docker = config_docker(config);
    struct tally tally = {.dry = options->dry};
    int found;

    (void)operands;
    if (signals_catch(error) != 0)
        return -1;
    found = gc_collect(&docker, options->dry ? GC_LIST : GC_UNTIL_GONE, print_leftover, &tally,
                       signals_cancel(), error);
    signals_release();
    if (found == 0)
        print_text("nothing is left behind\n");
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (found < 0)
        return -1;
    return tally.failed > 0 ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

int gc_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "gc",
                                                .help = help,
                                                .letters = ":nh",
                                                .known = known,
                                                .take = take,
                                                .run = run,
                                                .output = "list"};
    struct options options = {.dry = false};

    return command_line_main(&command, argc, argv, &options);
}
