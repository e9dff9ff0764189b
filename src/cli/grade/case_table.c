#include "cli/grade/case_table.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "cli/escaped_output.h"
#include "cli/table.h"
#include "run/result.h"

/* Maximum bytes of the program's stderr in a line, and of other texts, before they are escaped. */
enum { ERROR_MAX = 60, NAME_MAX_BYTES = 60, MESSAGE_MAX = 120 };

/* Maximum bytes of what a wrong answer says, which is escaped already: two texts of 100 bytes. */
enum { DIFFERENCE_MAX = 1000 };

/* The columns of a figure, as in cli/table.h, and of the longest status. */
enum { FIGURE_WIDTH = 9, STATUS_WIDTH = sizeof "runtime-error" - 1 };

static char *milliseconds_cell(const struct case_result *result, long long milliseconds)
{
    return table_milliseconds(result->status == TEST_NOT_RUN ? -1 : milliseconds);
}

char *case_table_detail(const struct case_result *result)
{
    struct strbuf cell = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL, *line = NULL;

    if (result->message) {
        message = text_escape_short(
            result->message, result->status == TEST_WRONG_ANSWER ? DIFFERENCE_MAX : MESSAGE_MAX);
        strbuf_addstr(&cell, message);
    } else if (result->status == TEST_RUNTIME_ERROR) {
        const char *signal = signal_name(result->signal);

        if (signal)
            strbuf_addstr(&cell, signal);
        else
            strbuf_addf(&cell, "exit status %d", result->exit_code);
    }
    if (result->status == TEST_RUNTIME_ERROR)
        line = table_last_line(&result->text[1], ERROR_MAX);
    if (line && *line)
        strbuf_addf(&cell, ": %s", line);
    return strbuf_steal(&cell);
}

/*
 * A test that did not run, or that the engine or the checker failed, says nothing about the
 * program.
 */
static bool has_failed(const struct case_result *result)
{
    return result->status != TEST_PASSED && result->status != TEST_NOT_RUN &&
           result->status != TEST_ENGINE && result->status != TEST_JUDGE_ERROR;
}

char *case_table_summary(const struct case_results *results)
{
    size_t passed = 0, engine = 0, not_judged = 0, not_run = 0;
    const char *first_failure = NULL;
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < results->count; i++) {
        const struct case_result *result = &results->items[i];

        passed += result->status == TEST_PASSED;
        engine += result->status == TEST_ENGINE;
        not_judged += result->status == TEST_JUDGE_ERROR;
        not_run += result->status == TEST_NOT_RUN;
        if (!first_failure && has_failed(result))
            first_failure = result->name;
    }
    strbuf_addf(&text, "%zu of %zu passed", passed, results->count);
    if (results->groups) {
        CLEANUP_FREE char *score =
            table_score(results->groups[0].score, results->groups[0].max_score);

        strbuf_addf(&text, "; score %s", score);
    }
    if (engine > 0)
        strbuf_addf(&text, "; %zu ended by an error of the engine", engine);
    if (not_judged > 0)
        strbuf_addf(&text, "; %zu not judged", not_judged);
    if (not_run > 0)
        strbuf_addf(&text, "; %zu not run", not_run);
    if (first_failure) {
        CLEANUP_FREE char *name = text_escape(first_failure);

        strbuf_addf(&text, "; first failure: %s", name);
    }
    return strbuf_steal(&text);
}

char *case_table_groups(const struct case_results *results)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;
    struct strbuf text = STRBUF_INIT;

    strvec_push_each(&cells, "GROUP", "STATUS", "PASSED", "SCORE", NULL);
    for (size_t i = 1; i < results->group_count; i++) {
        const struct group_result *group = &results->groups[i];

        strvec_push_owned(&cells, text_escape_short(group->name, NAME_MAX_BYTES));
        strvec_push(&cells, group_status_name(group->status));
        strvec_pushf(&cells, "%zu/%zu", group->passed, group->total);
        strvec_push_owned(&cells, table_score(group->score, group->max_score));
    }
    if (results->group_count > 1)
        table_add(&text, &cells, 4);
    return strbuf_steal(&text);
}

void case_table_init(struct case_table *table, const struct case_requests *tests)
{
    *table = (struct case_table){
        {strlen("TEST"), STATUS_WIDTH, FIGURE_WIDTH, FIGURE_WIDTH, FIGURE_WIDTH, 0}};
    for (size_t i = 0; i < tests->count; i++) {
        CLEANUP_FREE char *name = text_escape_short(tests->items[i].name, NAME_MAX_BYTES);
        const size_t width = table_width(name);

        if (width > table->widths[0])
            table->widths[0] = width;
    }
}

static char *row(const struct case_table *table, const struct strvec *cells)
{
    struct strbuf text = STRBUF_INIT;

    table_add_row(&text, cells->items, table->widths, TEST_TABLE_COLUMNS);
    return strbuf_steal(&text);
}

char *case_table_heading(const struct case_table *table)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "TEST", "STATUS", "     TIME", "      CPU", "   MEMORY", "DETAIL",
                     NULL);
    return row(table, &cells);
}

char *case_table_row(const struct case_table *table, const struct case_result *result)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_owned(&cells, text_escape_short(result->name, NAME_MAX_BYTES));
    strvec_push(&cells, case_status_name(result->status));
    strvec_push_owned(&cells, milliseconds_cell(result, result->duration_ms));
    strvec_push_owned(&cells,
                      milliseconds_cell(result, result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    strvec_push_owned(&cells,
                      table_megabytes(result->status == TEST_NOT_RUN ? -1 : result->peak_bytes));
    strvec_push_owned(&cells, case_table_detail(result));
    return row(table, &cells);
}

char *case_table_build(const char *output, size_t length)
{
    CLEANUP(escaped_output_release) struct escaped_output escape = ESCAPED_OUTPUT_INIT;
    CLEANUP_FREE char *escaped = escaped_output_text(&escape, PROCESS_STDERR, output, length);
    const size_t end = strlen(escaped);

    return string_format("%s%s", escaped, end == 0 || escaped[end - 1] == '\n' ? "" : "\n");
}
