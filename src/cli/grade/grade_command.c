#include "cli/command.h"

#include "base/cleanup.h"
#include "cli/exit_status.h"
#include "cli/grade/case_table.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/run_request.h"

/*
 * What is displayed while the tests run. The thread of the run adds to it, while the main thread
 * waits for the run.
 */
struct test_view {
    bool shows_rows; /* while the tests run; with --retries they may run again */
    struct case_table table;
    size_t rows;           /* tests in the table so far: the first of the request */
    struct strbuf waiting; /* of the table, for which there was no room */
    struct progress progress;
    long long failed;
};

static void add_rows(struct test_view *view, const struct case_result *results, size_t count)
{
    if (view->rows == 0) {
        CLEANUP_FREE char *heading = case_table_heading(&view->table);

        strbuf_addstr(&view->waiting, heading);
    }
    for (size_t i = 0; i < count; i++) {
        CLEANUP_FREE char *row = case_table_row(&view->table, &results[i]);

        strbuf_addstr(&view->waiting, row);
    }
    view->rows += count;
}

static void begin_tests(void *context, const struct run_options *options,
                        const struct case_requests *tests)
{
    struct test_view *view = context;

    view->shows_rows = run_options_want_table(options) && options->retries == 0;
    case_table_init(&view->table, tests);
    progress_begin_counted(&view->progress, (long long)tests->count);
}

/* It must not wait for a reader, since the container is in use. */
static void show_test(void *context, size_t place, const struct case_result *result)
{
    struct test_view *view = context;
    size_t printed;

    view->failed = (place == 0 ? 0 : view->failed) + (result->status != TEST_PASSED);
    if (view->shows_rows) {
        add_rows(view, result, 1);
        progress_clear(&view->progress);
        printed = print_available(view->waiting.data, view->waiting.length);
        strbuf_drop(&view->waiting, printed);
    }
    if (view->waiting.length == 0) /* else the last row is incomplete */
        progress_count(&view->progress, (long long)place + 1, view->failed);
}

/* Prints what the compiler has written: some write their errors to stdout. */
static void print_build(const struct build_result *build)
{
    for (int i = 0; i < 2; i++) {
        const struct strbuf *text = &build->text[i];
        CLEANUP_FREE char *output = case_table_build(strbuf_string(text), text->length);

        print_text(output);
    }
}

/* Prints what is missing of the table. */
static void print_table(struct test_view *view, const struct case_results *results)
{
    CLEANUP_FREE char *groups = case_table_groups(results);
    CLEANUP_FREE char *summary = case_table_summary(results);

    add_rows(view, results->items + view->rows, results->count - view->rows);
    print_bytes(strbuf_string(&view->waiting), view->waiting.length);
    print_format("%s%s\n", groups, summary);
}

/*
 * For a person: the table, or the output of the build that failed. What else went wrong goes to
 * stderr, except that tests are not passed, which the table says.
 */
static int report_table(struct test_view *view, struct result *result)
{
    const bool has_ended = result->reason == REASON_EXIT || result->reason == REASON_TESTS;

    if (result->reason == REASON_BUILD && result->build)
        print_build(result->build);
    else if (has_ended || case_results_have_begun(&result->tests))
        print_table(view, &result->tests);
    run_request_print_messages(result, !has_ended);
    return run_request_printed();
}

static int report_tests(void *context, const struct run_options *options, struct result *result,
                        int status)
{
    struct test_view *view = context;

    progress_end(&view->progress);
    return (run_options_want_table(options) ? report_table(view, result)
                                            : run_request_print_json(json_object(), result)) == 0
               ? status
               : EXIT_STATUS_ENGINE;
}

int grade_command(int argc, char **argv)
{
    struct test_view view = {.waiting = STRBUF_INIT};
    const struct run_request_view parts = {.begin_tests = begin_tests,
                                           .test_ended = show_test,
                                           .report = report_tests,
                                           .context = &view};
    const int status = run_request_main(RUN_OPTIONS_TEST, argc, argv, &parts);

    strbuf_release(&view.waiting);
    return status;
}
