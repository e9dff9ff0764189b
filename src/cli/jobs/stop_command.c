#include "cli/command.h"

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/jobs/each_job.h"
#include "cli/print.h"
#include "service/jobs.h"

static const struct option_rule stop_rules[] = {
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table stop_table = {
    .command = "isolator stop",
    .usage = "usage: isolator stop [--config FILE] ID...\n"
             "\n"
             "Ends jobs, whose results stay for isolator wait, and workspaces, whose files\n"
             "are gone, and prints the id of each. ID is what isolator start or create has\n"
             "printed, its first digits, or the --name.\n",
    .example = "isolator stop 3f9c",
    .after = "Exit status: 0 the order is given, 2 no such job, 3 the engine failed, 128+N\n"
             "signal N. See isolator-stop(1).\n",
    .operands = VALUES_JOBS,
    OPTION_RULES(stop_rules)};

static int stop_job(void *context, const char *word, struct error *error)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    note.sought = "job or workspace";
    if (job_note_open(&note, word, error) != 0 ||
        jobs_stop(context, &note, signals_cancel(), error) != 0)
        return -1;
    print_format("%s\n", note.id);
    return EXIT_STATUS_SUCCESS;
}

static int run_stop_command(void *context, char **operands, const struct config *config,
                            struct error *error)
{
    struct docker docker = config_docker(config);

    (void)context;
    return each_job(operands, "job or workspace", stop_job, &docker, error);
}

const struct command_line stop_command = {.options_size = sizeof(struct common_options),
                                          .options = &stop_table,
                                          .operands_max = COMMAND_ANY_OPERANDS,
                                          .run = run_stop_command,
                                          .output = "list"};
