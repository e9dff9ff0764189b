#include "cli/test_command.h"

#include "base/cleanup.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/test_table.h"

/* Prints what the compiler has written: some write their errors to stdout. */
static void print_build(const struct build_result *build)
{
    for (int i = 0; i < 2; i++) {
        const struct strbuf *text = &build->text[i];
        CLEANUP_FREE char *output = test_table_build(strbuf_string(text), text->length);

        print_text(output);
    }
}

/*
 * For a person: the table, or the output of the build that failed. What else went wrong goes to
 * stderr, except that tests are not passed, which the table says.
 */
static int report_table(struct result *result)
{
    const bool settled = result->reason == REASON_EXIT || result->reason == REASON_TESTS;

    if (result->reason == REASON_BUILD && result->build)
        print_build(result->build);
    else if (settled || test_results_have_begun(&result->tests)) {
        CLEANUP_FREE char *table = test_table_text(&result->tests);

        print_text(table);
    }
    run_request_print_messages(result, !settled);
    return run_request_printed();
}

static int report_tests(const struct run_options *options, struct result *result, int status)
{
    return (run_options_want_table(options) ? report_table(result)
                                            : run_request_print_json(result)) == 0
               ? status
               : EXIT_STATUS_ENGINE;
}

int test_command(int argc, char **argv)
{
    return run_request_main(RUN_OPTIONS_TEST, argc, argv, report_tests);
}
