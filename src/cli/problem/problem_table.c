#include "cli/problem/problem_table.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/table.h"

/* The columns of a figure, as in cli/table.h, and of the longest verdict, and at most of a name. */
enum { FIGURE_WIDTH = 9, VERDICT_WIDTH = sizeof "image-missing" - 1, NAME_WIDTH_MAX = 60 };

static void widen(size_t *width, const char *text)
{
    const size_t wanted = table_width(text);

    if (wanted > *width)
        *width = wanted < NAME_WIDTH_MAX ? wanted : NAME_WIDTH_MAX;
}

/* "-" if nothing is expected; owned. */
static char *expected_cell(const struct submission *submission)
{
    char *text = expectation_text(&submission->expectation);

    return text ? text : string_copy("-");
}

void problem_table_init(struct problem_table *table, const struct submissions *submissions,
                        bool has_scores)
{
    *table = (struct problem_table){
        .widths = {strlen("SUBMISSION"), strlen("EXPECTED"), VERDICT_WIDTH, strlen("differs")},
        .columns = 4,
        .has_scores = has_scores,
    };
    for (int i = 0; i < 1 + has_scores; i++)
        table->widths[table->columns++] = FIGURE_WIDTH;
    table->columns++; /* the last one has no width */
    for (size_t i = 0; i < submissions->count; i++) {
        CLEANUP_FREE char *name = text_escape(submissions->items[i].name);
        CLEANUP_FREE char *expected = expected_cell(&submissions->items[i]);

        widen(&table->widths[0], name);
        widen(&table->widths[1], expected);
    }
}

static char *row(const struct problem_table *table, const struct strvec *cells)
{
    struct strbuf text = STRBUF_INIT;

    table_add_row(&text, cells->items, table->widths, table->columns);
    return strbuf_steal(&text);
}

char *problem_table_heading(const struct problem_table *table)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "SUBMISSION", "EXPECTED", "FOUND", "", "  SLOWEST", NULL);
    if (table->has_scores)
        strvec_push(&cells, "SCORE");
    strvec_push(&cells, "DETAIL");
    return row(table, &cells);
}

/* The time of the slowest test in ms; -1 if none ran. */
static long long slowest(const struct case_results *tests)
{
    long long most = -1;

    for (size_t i = 0; i < tests->count; i++)
        if (tests->items[i].status != TEST_NOT_RUN && tests->items[i].duration_ms > most)
            most = tests->items[i].duration_ms;
    return most;
}

char *problem_table_row(const struct problem_table *table, const struct submission *submission,
                        const struct result *result)
{
    static const char *const marks[] = {"ok", "differs", "-", "-"};
    const enum submission_outcome outcome = submission_outcome(submission, result);
    const struct case_results *tests = &result->tests;
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_owned(&cells, text_escape(submission->name));
    strvec_push_owned(&cells, expected_cell(submission));
    strvec_push(&cells, submission->has_language ? expectation_verdict(result) : "not tested");
    strvec_push(&cells, marks[outcome]);
    strvec_push_owned(&cells, table_milliseconds(slowest(tests)));
    if (table->has_scores)
        strvec_push_owned(
            &cells, tests->groups ? table_score(tests->groups[0].score, tests->groups[0].max_score)
                                  : string_copy("-"));
    strvec_push_owned(&cells, outcome == SUBMISSION_AS_EXPECTED ? string_copy("")
                                                                : grade_table_detail(result));
    return row(table, &cells);
}

char *problem_table_summary(const size_t counts[SUBMISSION_OUTCOMES], size_t total,
                            bool interrupted, const struct grade_engine *engine)
{
    struct strbuf text = STRBUF_INIT;
    const size_t met = counts[SUBMISSION_AS_EXPECTED];
    const size_t judged = met + counts[SUBMISSION_DIFFERS];
    const size_t not_tested = total - judged - counts[SUBMISSION_NOT_EXPECTED];

    strbuf_addf(&text, "%zu of %zu submissions as expected", met, judged);
    if (counts[SUBMISSION_NOT_EXPECTED] > 0)
        strbuf_addf(&text, "; %zu without an expectation", counts[SUBMISSION_NOT_EXPECTED]);
    if (not_tested > 0)
        strbuf_addf(&text, "; %s%zu not tested", interrupted ? "interrupted, " : "", not_tested);
    grade_table_end_summary(&text, engine);
    return strbuf_steal(&text);
}
