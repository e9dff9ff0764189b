#include "cli/session/session_output.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/escaped_output.h"
#include "cli/print.h"
#include "cli/run_request.h"

/* Whether the program has said itself why it failed. */
static bool says_why(const struct result *result)
{
    return result->reason == REASON_EXCEPTION || result->reason == REASON_EXIT;
}

static void print_value(const struct session_result *session, const char *label)
{
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    CLEANUP_FREE char *text = NULL;

    if (isatty(STDOUT_FILENO))
        text = escaped_output_text(&escaped, PROCESS_STDOUT, session->value.data,
                                   session->value.length);
    print_text(label);
    print_bytes(text ? text : session->value.data, text ? strlen(text) : session->value.length);
    print_text(session->value_cut ? "...\n" : "\n");
}

void session_output_result(const struct result *result, const char *label)
{
    if (result->session && result->session->has_value)
        print_value(result->session, label);
    run_request_print_messages(result, !says_why(result));
}
