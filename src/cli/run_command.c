#include "cli/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/jobs/job_discard.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/run_text.h"
#include "service/jobs.h"

/* ---- jobs */

static void start_job(void *context, struct service *service, const struct config *config,
                      const struct run_options *options, const struct plan *plan,
                      struct result *result)
{
    struct job_note note = JOB_NOTE_INIT;
    char directory[PATH_MAX];
    const struct job_start start = {
        .docker = &service->docker,
        .plan = plan,
        .audit = &service->audit,
        .name = options->name,
        .artifacts = options->artifacts ? realpath(options->artifacts, directory) : NULL,
        .force = options->force,
        .keep_hours = config->jobs.keep_hours,
        .cancel = signals_cancel()};
    char id[JOB_ID_SIZE];
    bool *started = context;

    *started = jobs_start(&start, &note, result);
    memcpy(id, note.id, sizeof id);
    job_note_release(&note); /* who reads the id may use it at once */
    if (!*started)
        return;
    print_format("%s\n", id);
    if (print_failure() != 0)
        job_discard(&service->docker, id);
}

static int report_job(const struct result *result, bool started, int status)
{
    run_request_print_messages(result, !started);
    return started ? command_line_printed("id of the job") : status;
}

static int report_run(void *context, const struct run_options *options, struct result *result,
                      int status)
{
    const bool *started = context;

    return options->detach ? report_job(result, *started, status)
                           : run_text_report(json_object(), options, result, status);
}

static int run_or_start(enum run_options_command command, int argc, char **argv)
{
    bool started = false;
    const struct run_request_view view = {
        .start = start_job, .report = report_run, .context = &started};

    return run_request_main(command, argc, argv, &view);
}

int run_command(int argc, char **argv)
{
    return run_or_start(RUN_OPTIONS_RUN, argc, argv);
}

int start_command(int argc, char **argv)
{
    return run_or_start(RUN_OPTIONS_START, argc, argv);
}
