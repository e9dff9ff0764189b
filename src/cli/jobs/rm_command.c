#include "cli/command.h"

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/jobs/each_job.h"
#include "cli/print.h"
#include "service/jobs.h"

struct rm_options {
    struct common_options common;
    bool force;
};

static const struct option_rule rm_rules[] = {
    {{'f', "--force", NULL, "end jobs that run", NULL,
      "Also end and remove jobs that have not ended."},
     OPTION_FLAG(struct rm_options, force)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table rm_table = {
    .command = "isolator rm",
    .usage = "usage: isolator rm [-f] [--config FILE] ID...\n"
             "\n"
             "Removes jobs with their results, and workspaces, and prints the id of each. ID\n"
             "is what isolator start or create has printed, its first digits, or the --name.\n",
    .example = "isolator rm --force 3f9c",
    .after = "Exit status: 0 removed, 2 no such job or it runs, 3 the engine failed, 128+N\n"
             "signal N. See isolator-rm(1).\n",
    .operands = VALUES_JOBS,
    OPTION_RULES(rm_rules)};

struct removal {
    struct docker docker;
    bool force;
};

static int remove_job(void *context, const char *word, struct error *error)
{
    const struct removal *removal = context;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    note.sought = "job or workspace";
    if (job_note_lock(&note, word, error) != 0 ||
        jobs_remove(&removal->docker, &note, removal->force, signals_cancel(), error) != 0)
        return -1;
    print_format("%s\n", note.id);
    return EXIT_STATUS_SUCCESS;
}

static int run_rm_command(void *context, char **operands, const struct config *config,
                          struct error *error)
{
    const struct rm_options *options = context;
    struct removal removal = {config_docker(config), options->force};

    return each_job(operands, "job or workspace", remove_job, &removal, error);
}

const struct command_line rm_command = {.options_size = sizeof(struct rm_options),
                                        .options = &rm_table,
                                        .operands_max = COMMAND_ANY_OPERANDS,
                                        .run = run_rm_command,
                                        .output = "list"};
