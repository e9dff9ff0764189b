#include "cli/run_text.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signal_name.h"
#include "base/strbuf.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/terminal.h"
#include "config/limits.h"

static const char *colour_of(const struct result *result)
{
    if (result_success(result))
        return "\033[32m";
    return strcmp(result_status(result), "timeout") == 0 ? "\033[33m" : "\033[31m";
}

/* The option that raises the limit that has ended the program; NULL: none has, or a hint says so.
 */
static const char *option_of(enum reason reason)
{
    switch (reason) {
    case REASON_TIMEOUT:
        return limit_rules[LIMIT_TIMEOUT].option.name;
    case REASON_CPU_TIME:
        return limit_rules[LIMIT_CPU_TIME].option.name;
    default:
        return NULL;
    }
}

char *run_text_summary(const struct result *result)
{
    const char *signal = signal_name(result->signal), *option = option_of(result->reason);
    struct strbuf line = STRBUF_INIT;

    if (result->exit_code == EXIT_CODE_NONE)
        return NULL;
    strbuf_addf(&line, "%s, ", result_status(result));
    if (result->signal == 0)
        strbuf_addf(&line, "exit %d", result->exit_code);
    else if (signal)
        strbuf_addstr(&line, signal);
    else
        strbuf_addf(&line, "signal %d", result->signal);
    if (result->duration_ms < 10000)
        strbuf_addf(&line, ", %lld ms", result->duration_ms);
    else
        strbuf_addf(&line, ", %.1f s", (double)result->duration_ms / 1000);
    if (result->peak_bytes >= 0)
        strbuf_addf(&line, ", %.1f MB", (double)result->peak_bytes / 1048576);
    if (option)
        strbuf_addf(&line, "; %s raises the limit", option);
    return strbuf_steal(&line);
}

void run_text_print(const struct result *result)
{
    CLEANUP_FREE char *summary = run_text_summary(result);
    const bool colours = terminal_has_colours(STDERR_FILENO);
    /* The summary says so, and the program has said why. */
    const bool is_exit_status = result->reason == REASON_EXIT && result->exit_code > 0;
    CLEANUP_FREE char *line = NULL;

    run_request_print_messages(result, !is_exit_status);
    if (!summary)
        return;
    line = string_format("%s%s%s\n", colours ? colour_of(result) : "", summary,
                         colours ? "\033[0m" : "");
    diagnostics_copy(line, strlen(line), NULL);
}

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

int run_text_report(json_t *members, const struct run_options *options, struct result *result,
                    int status)
{
    const bool is_text = options->stream || run_options_want_text(options);

    if (!is_text)
        return run_request_print_json(members, result) == 0 ? status : EXIT_STATUS_ENGINE;
    json_decref(members);
    if (options->stream)
        return report_stream(result, status);
    if (print_failure() != 0)
        return command_line_printed("output");
    run_text_print(result);
    return status;
}
