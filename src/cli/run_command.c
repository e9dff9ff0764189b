#include "cli/run_command.h"

#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/run_text.h"

/* With --stream the output was written during the run. Warnings and errors go to stderr. */
static int report_stream(const struct result *result, int status)
{
    const bool program_ended = result->reason == REASON_EXIT || result->reason == REASON_SIGNAL ||
                               result->reason == REASON_OOM;
    /* Our exit status already says so. */
    const bool is_exit_status = result->reason == REASON_EXIT && result->exit_code != 0;

    run_request_print_messages(result, !is_exit_status);
    return program_ended && result->exit_code > 0 ? result->exit_code : status;
}

static int report_run(void *context, const struct run_options *options, struct result *result,
                      int status)
{
    (void)context;
    if (options->stream)
        return report_stream(result, status);
    if (run_options_want_text(options) && print_failure() != 0)
        return command_line_printed("output");
    if (run_options_want_text(options)) {
        run_text_print(result);
        return status;
    }
    return run_request_print_json(result) == 0 ? status : EXIT_STATUS_ENGINE;
}

int run_command(int argc, char **argv)
{
    const struct run_request_view view = {.report = report_run};

    return run_request_main(RUN_OPTIONS_RUN, argc, argv, &view);
}
