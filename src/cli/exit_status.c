#include "cli/exit_status.h"

#include <signal.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/text.h"

int exit_status_report(const struct error *error)
{
    CLEANUP_FREE char *line = text_escape(error->message); /* it may contain untrusted text */

    diagnostics_line("%s", line);
    switch (error->kind) {
    case ERROR_USAGE:
    case ERROR_CONFIG:
    case ERROR_INPUT:
        return EXIT_STATUS_USAGE;
    case ERROR_NONE:
    case ERROR_ENGINE:
    case ERROR_IMAGE:
    case ERROR_COMMAND:
    case ERROR_CANCELLED:
    case ERROR_SYSTEM:
    case ERROR_JUDGE:
        break;
    }
    return EXIT_STATUS_ENGINE;
}

int exit_status_of_result(const struct result *result, int signal)
{
    switch (result->reason) {
    case REASON_EXIT:
        return result_success(result) ? EXIT_STATUS_SUCCESS : EXIT_STATUS_PROGRAM;
    case REASON_SIGNAL:
    case REASON_OOM:
    case REASON_OUTPUT_LIMIT:
    case REASON_BUILD:
    case REASON_TESTS:
    case REASON_EXCEPTION:
        break;
    case REASON_TIMEOUT:
    case REASON_CPU_TIME:
        return EXIT_STATUS_TIMEOUT;
    case REASON_CANCELLED: /* by a signal, or because the reader of the output is gone */
        return EXIT_STATUS_INTERRUPTED + (signal ? signal : SIGPIPE);
    case REASON_ENGINE:
    case REASON_IMAGE_MISSING:
    case REASON_COMMAND:
    case REASON_JUDGE:
        return EXIT_STATUS_ENGINE;
    case REASON_INPUT:
        return EXIT_STATUS_USAGE;
    }
    return EXIT_STATUS_PROGRAM;
}
