#include "cli/grade/grade_table.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/grade/case_table.h"
#include "cli/table.h"

/* Maximum bytes of texts before they are escaped, and columns of the names of files. */
enum { TEXT_MAX = 120, NAME_MAX_BYTES = 60, FILE_WIDTH_MAX = 60 };

/* The columns of a figure, as in cli/table.h, and of the longest status. */
enum { FIGURE_WIDTH = 9, STATUS_WIDTH = sizeof "image-missing" - 1 };

enum grade grade_of(const struct result *result)
{
    switch (result->reason) {
    case REASON_EXIT:
        return result_success(result) ? GRADE_PASSED : GRADE_FAILED;
    case REASON_SIGNAL:
    case REASON_TIMEOUT:
    case REASON_CPU_TIME:
    case REASON_OOM:
    case REASON_OUTPUT_LIMIT:
    case REASON_BUILD:
    case REASON_TESTS:
    case REASON_EXCEPTION:
        return GRADE_FAILED;
    case REASON_CANCELLED:
    case REASON_ENGINE:
    case REASON_IMAGE_MISSING:
    case REASON_COMMAND:
    case REASON_INPUT:
    case REASON_JUDGE:
        break;
    }
    return GRADE_NONE;
}

static const char *status_of(const struct result *result)
{
    if (result->reason == REASON_EXIT || result->reason == REASON_TESTS)
        return grade_of(result) == GRADE_PASSED ? "passed" : "failed";
    return result_reason(result);
}

/* ---- the last column */

/*
 * Why the build failed, in one line of the compiler's output: the first that names an error, since
 * warnings and places come before it, or the first that is not a comment. NULL: there is none.
 * Owned by the caller.
 */
static char *compiler_line(const struct strbuf *text)
{
    const char *line = strbuf_string(text), *end;
    char *first = NULL;

    for (; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        CLEANUP_FREE char *copy = string_format("%.*s", (int)(end - line), line);

        if (strstr(copy, "error") || strstr(copy, "Error")) {
            free(first);
            return steal_pointer(&copy);
        }
        if (!first && *copy != '#' && !text_is_blank(copy, strlen(copy)))
            first = steal_pointer(&copy);
    }
    return first;
}

/* A compiler that was ended has not said why. */
char *grade_table_build_detail(const struct result *result)
{
    const struct build_result *build = result->build;
    CLEANUP_FREE char *line = NULL;

    if (build && build->signal == 0 && build->exit_code > 0) {
        line = compiler_line(&build->text[1]);
        if (!line)
            line = compiler_line(&build->text[0]);
    }
    return text_escape_short(line ? line : result->error ? result->error : "", TEXT_MAX);
}

/* The first test that is not passed, and why. */
static char *tests_detail(const struct case_results *tests)
{
    const struct case_result *test = tests->items;

    while (test < tests->items + tests->count && test->status == TEST_PASSED)
        test++;
    if (test == tests->items + tests->count)
        return string_copy("");
    CLEANUP_FREE char *name = text_escape_short(test->name, NAME_MAX_BYTES);
    CLEANUP_FREE char *detail = case_table_detail(test);

    return string_format("first: %s (%s%s%s)", name, case_status_name(test->status),
                         *detail ? ", " : "", detail);
}

char *grade_table_detail(const struct result *result)
{
    if (result->reason == REASON_BUILD)
        return grade_table_build_detail(result);
    if (result->reason == REASON_TESTS)
        return tests_detail(&result->tests);
    return text_escape_short(result->error ? result->error : "", TEXT_MAX);
}

/* ---- rows */

/* The memory of the tests; that of the build, in which the result counts, says little. */
static long long memory_of(const struct case_results *tests)
{
    long long bytes = -1;

    for (size_t i = 0; i < tests->count; i++)
        if (tests->items[i].peak_bytes > bytes)
            bytes = tests->items[i].peak_bytes;
    return bytes;
}

/* As many columns as the score needs if it is a number of up to 10 digits, or all points. */
static size_t score_width(double max_score)
{
    CLEANUP_FREE char *score = table_score(max_score, max_score);

    return isfinite(max_score) && strlen(score) > strlen("SCORE") ? strlen(score) : FIGURE_WIDTH;
}

void grade_table_init(struct grade_table *table, const struct strvec *files,
                      const struct case_requests *tests)
{
    CLEANUP_FREE char *passed = string_format("%zu/%zu", tests->count, tests->count);
    size_t *widths = table->widths;

    *table = (struct grade_table){
        .widths = {strlen("SOLUTION"), STATUS_WIDTH, strlen("PASSED")},
        .columns = 3,
        .tests = tests->count,
        .has_scores = tests->groups != NULL,
    };
    if (widths[2] < strlen(passed))
        widths[2] = strlen(passed);
    if (tests->groups)
        widths[table->columns++] = score_width(tests->groups->items[0].max_score);
    for (int i = 0; i < 3; i++)
        widths[table->columns++] = FIGURE_WIDTH;
    table->columns++; /* the last one has no width */
    for (size_t i = 0; i < files->count; i++) {
        CLEANUP_FREE char *name = text_escape(files->items[i]);
        const size_t width = table_width(name);

        if (width > widths[0])
            widths[0] = width < FILE_WIDTH_MAX ? width : FILE_WIDTH_MAX;
    }
}

static char *row(const struct grade_table *table, const struct strvec *cells)
{
    struct strbuf text = STRBUF_INIT;

    table_add_row(&text, cells->items, table->widths, table->columns);
    return strbuf_steal(&text);
}

char *grade_table_heading(const struct grade_table *table)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "SOLUTION", "STATUS", NULL);
    strvec_pushf(&cells, "%*s", (int)table->widths[2], "PASSED");
    if (table->has_scores)
        strvec_push(&cells, "SCORE");
    strvec_push_each(&cells, "     TIME", "      CPU", "   MEMORY", "DETAIL", NULL);
    return row(table, &cells);
}

char *grade_table_row(const struct grade_table *table, const char *file,
                      const struct result *result)
{
    const struct case_summary summary = case_results_summary(&result->tests);
    CLEANUP_FREE char *passed = string_format("%zu/%zu", summary.passed, table->tests);
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;
    const bool ran = case_results_have_begun(&result->tests);

    strvec_push_owned(&cells, text_escape(file));
    strvec_push(&cells, status_of(result));
    strvec_pushf(&cells, "%*s", (int)table->widths[2], passed);
    if (table->has_scores)
        strvec_push_owned(&cells, summary.all
                                      ? table_score(summary.all->score, summary.all->max_score)
                                      : string_copy("-"));
    strvec_push_owned(&cells, table_milliseconds(ran ? result->duration_ms : -1));
    strvec_push_owned(&cells,
                      table_milliseconds(ran && result->cpu_us >= 0 ? result->cpu_us / 1000 : -1));
    strvec_push_owned(&cells, table_megabytes(ran ? memory_of(&result->tests) : -1));
    strvec_push_owned(&cells, grade_table_detail(result));
    return row(table, &cells);
}

void grade_table_end_summary(struct strbuf *line, const struct grade_engine *engine)
{
    if (engine->failed > 0)
        strbuf_addf(line, ", %zu of them since the engine failed", engine->failed);
    if (engine->retries > 0)
        strbuf_addf(line, "; %zu %s", engine->retries, engine->retries == 1 ? "retry" : "retries");
    strbuf_addstr(line, "\n");
}

char *grade_table_summary(size_t passed, size_t failed, size_t total,
                          const struct grade_engine *engine)
{
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "%zu of %zu solutions passed all tests", passed, total);
    if (passed + failed < total)
        strbuf_addf(&line, "; %zu not graded", total - passed - failed);
    grade_table_end_summary(&line, engine);
    return strbuf_steal(&line);
}
