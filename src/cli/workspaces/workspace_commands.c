#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/jobs/job_discard.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/run_text.h"
#include "service/workspaces.h"

/* ---- create */

/* A time of the command line; 0 (not given): what the configuration allows. */
static int choose_seconds(long long given, int most, const char *option, long long *seconds,
                          struct error *error)
{
    *seconds = given > 0 ? given : most;
    return given <= most
               ? 0
               : error_set(error, ERROR_USAGE, "%s: the configuration allows %d seconds at most",
                           option, most);
}

static void create(void *context, struct service *service, const struct config *config,
                   const struct run_options *options, const struct plan *plan,
                   struct result *result)
{
    const struct workspace_settings *settings = &config->workspaces;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct job_note note = JOB_NOTE_INIT;
    char id[JOB_ID_SIZE];
    struct workspace_start start = {.service = service,
                                    .plan = plan,
                                    .name = options->name,
                                    .keep_hours = config->jobs.keep_hours,
                                    .max_running = settings->max_running,
                                    .cancel = signals_cancel()};
    bool *created = context;

    if (choose_seconds(options->lifetime_seconds, settings->lifetime_seconds, "--lifetime",
                       &start.lifetime_seconds, &error) != 0 ||
        choose_seconds(options->idle_seconds, settings->idle_seconds, "--idle", &start.idle_seconds,
                       &error) != 0) {
        result_fail(result, &error);
        return;
    }
    *created = workspaces_create(&start, &note, result);
    memcpy(id, note.id, sizeof id);
    job_note_release(&note); /* who reads the name may use it at once */
    if (!*created)
        return;
    print_format("%s\n", options->name ? options->name : id);
    if (print_failure() != 0)
        job_discard(&service->docker, id);
}

static int report_create(void *context, const struct run_options *options, struct result *result,
                         int status)
{
    const bool *created = context;

    (void)options;
    run_request_print_messages(result, !*created);
    return *created ? command_line_printed("name of the workspace") : status;
}

int create_command(int argc, char **argv)
{
    bool created = false;
    const struct run_request_view view = {
        .start = create, .report = report_create, .context = &created};

    return run_request_main(RUN_OPTIONS_CREATE, argc, argv, &view);
}

/* ---- exec */

static int prepare_exec(void *context, const struct run_options *options, struct request *request,
                        struct error *error)
{
    struct job_note *note = context;

    if (workspaces_open(note, options->name, error) != 0)
        return -1;
    workspaces_complete(note, request);
    return 0;
}

static void run_in_workspace(void *context, struct service *service, const struct plan *plan,
                             const struct run_observer *observer, const struct notifier *cancel,
                             struct result *result)
{
    workspaces_exec(service, context, plan, observer, cancel, result);
}

static int report_exec(void *context, const struct run_options *options, struct result *result,
                       int status)
{
    const struct job_note *note = context;

    return run_text_report(json_pack("{s:s}", "workspace", note->name ? note->name : note->id),
                           options, result, status);
}

int exec_command(int argc, char **argv)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    const struct run_request_view view = {
        .prepare = prepare_exec, .run = run_in_workspace, .report = report_exec, .context = &note};

    return run_request_main(RUN_OPTIONS_EXEC, argc, argv, &view);
}
