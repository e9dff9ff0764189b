#include "cli/command.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "config/config.h"
#include "service/gc.h"

struct gc_options {
    struct common_options common;
    bool dry_run;
};

struct gc_report {
    bool dry_run;
    int failed;
};

static const struct option_rule gc_rules[] = {
    {{'n', "--dry-run", NULL, "list them and remove none", NULL,
      "List the containers and remove none."},
     OPTION_FLAG(struct gc_options, dry_run)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table gc_table = {
    .command = "isolator gc",
    .usage = "usage: isolator gc [-n] [--config FILE]\n"
             "\n"
             "Removes and lists orphaned containers, whose isolator was killed. Containers of\n"
             "running isolators are never removed, those of other hosts only long after their\n"
             "deadline. Every start of isolator does the same. Sessions are listed as in use.\n",
    .example = "isolator gc -n",
    .after = "Exit status: 0 no orphan remains, 2 wrong command line or configuration, 3 the\n"
             "engine failed, 128+N signal N. See isolator-gc(1).\n",
    OPTION_RULES(gc_rules)};

static void print_removal(struct gc_report *report, const struct orphan *orphan)
{
    const char *action = orphan->failure   ? "cannot remove"
                         : report->dry_run ? "would remove"
                                           : "removed";

    print_format("%s %s (%s): ", action, orphan->name, orphan->state);
    if (orphan->expired)
        print_text("the result of the job was not fetched within jobs.keepHours");
    else if (orphan->status == OWNER_ENDED)
        print_format("isolator process %s has ended", orphan->pid);
    else
        print_format("past its deadline; created by process %s on %s", orphan->pid, orphan->host);
    if (orphan->failure) {
        report->failed++;
        print_format(": %s", orphan->failure);
    }
    print_text("\n");
}

static void print_orphan(void *context, const struct orphan *orphan)
{
    if (orphan->status == OWNER_ALIVE)
        print_format("in use: %s (%s): session of process %s on %s\n", orphan->name, orphan->state,
                     orphan->pid, orphan->host);
    else
        print_removal(context, orphan);
}

static int run_gc_command(void *context, char **operands, const struct config *config,
                          struct error *error)
{
    const struct gc_options *options = context;
    const struct docker docker = config_docker(config);
    struct gc_report report = {.dry_run = options->dry_run};
    int found;

    (void)operands;
    if (signals_catch(error) != 0)
        return -1;
    found = gc_collect(&docker, options->dry_run ? GC_LIST : GC_UNTIL_GONE, print_orphan, &report,
                       signals_cancel(), error);
    signals_release();
    if (found == 0)
        print_text("no orphaned containers\n");
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (found < 0)
        return -1;
    return report.failed > 0 ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

const struct command_line gc_command = {.options_size = sizeof(struct gc_options),
                                        .options = &gc_table,
                                        .run = run_gc_command,
                                        .output = "list"};
