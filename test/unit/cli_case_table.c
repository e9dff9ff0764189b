#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "cli/grade/case_table.h"
#include "cli/table.h"

CASE(table__widths)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strvec_push_each(&cells, "NAME", "X", "LAST", "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "22", "", "a",
                     "", "z", "", "", "", NULL);
    table_add(&text, &cells, 3);
    assert_string_equal(text.data, "NAME  X   LAST\n"
                                   "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f  22\n"
                                   "a         z\n"
                                   "\n");
}

/* Rows of a table whose widths are given: a wider cell moves the rest of its row. */
CASE(table__rows_of_given_widths)
{
    static const size_t widths[] = {3, 2, 0};
    char *const narrow[] = {"a", "", "z"};
    char *const wide[] = {"\xc3\xa4xyz", "e", "z"};
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    table_add_row(&text, narrow, widths, 3);
    table_add_row(&text, wide, widths, 3);
    assert_string_equal(text.data, "a        z\n"
                                   "\xc3\xa4xyz  e   z\n");
}

static struct case_results new_results(size_t count)
{
    struct case_results results = {.items = memory_allocate(count * sizeof *results.items),
                                   .count = count};

    for (size_t i = 0; i < count; i++)
        results.items[i] = (struct case_result)CASE_RESULT_INIT;
    return results;
}

static struct case_result *set(struct case_results *results, size_t at, const char *name,
                               enum case_status status)
{
    struct case_result *result = &results->items[at];

    result->name = string_copy(name);
    result->status = status;
    result->exit_code = 0;
    return result;
}

static void assert_table(struct case_results *results, const char *expected)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *heading = NULL, *summary = case_table_summary(results);
    struct case_table table;

    for (size_t i = 0; i < results->count; i++)
        case_requests_add(&tests)->name = string_copy(results->items[i].name);
    case_table_init(&table, &tests);
    heading = case_table_heading(&table);
    strbuf_addstr(&text, heading);
    for (size_t i = 0; i < results->count; i++) {
        CLEANUP_FREE char *row = case_table_row(&table, &results->items[i]);

        strbuf_addstr(&text, row);
    }
    strbuf_addf(&text, "%s\n", summary);
    assert_string_equal(text.data, expected);
    case_results_release(results);
}

CASE(case_table__statuses)
{
    struct case_results results = CASE_RESULTS_INIT;
    struct case_result *result;

    results = new_results(5);
    result = set(&results, 0, "sample-1", TEST_PASSED);
    result->duration_ms = 12;
    result->cpu_us = 9999;
    result->peak_bytes = 10 << 20;
    result = set(&results, 1, "sample-2", TEST_WRONG_ANSWER);
    result->duration_ms = 123456;
    result->cpu_us = 0;
    result->peak_bytes = 1 << 19;
    result->message = string_copy("line 3 differs");
    result = set(&results, 2, "sample-10", TEST_TIMEOUT);
    result->duration_ms = 1000;
    set(&results, 3, "x", TEST_ENGINE)->message = string_copy("the container ended");
    result = set(&results, 4, "y", TEST_NOT_RUN); /* it was cancelled */
    result->duration_ms = 5;
    result->cpu_us = 5000;
    result->peak_bytes = 10 << 20;
    assert_table(&results,
                 "TEST       STATUS              TIME        CPU     MEMORY  DETAIL\n"
                 "sample-1   passed             12 ms       9 ms    10.0 MB\n"
                 "sample-2   wrong-answer   123456 ms       0 ms     0.5 MB  line 3 differs\n"
                 "sample-10  timeout          1000 ms          -          -\n"
                 "x          engine              0 ms          -          -  the container ended\n"
                 "y          not-run                -          -          -\n"
                 "1 of 5 passed; 1 ended by an error of the engine; 1 not run; first failure: "
                 "sample-2\n");
}

CASE(case_table__runtime_errors)
{
    struct case_results results = CASE_RESULTS_INIT;
    struct case_result *result;

    results = new_results(5);
    result = set(&results, 0, "a", TEST_RUNTIME_ERROR);
    result->exit_code = 3;
    result = set(&results, 1, "b", TEST_RUNTIME_ERROR);
    result->signal = 11;
    strbuf_addstr(&result->text[1], " \n");
    result = set(&results, 2, "c", TEST_RUNTIME_ERROR);
    result->exit_code = 1;
    strbuf_addstr(&result->text[1], "Traceback:\n  x\nIndexError: list\tindex \033[31m\r\n\n");
    result = set(&results, 3, "d", TEST_RUNTIME_ERROR);
    result->message = string_copy("it\nfailed");
    strbuf_addstr(&result->text[1],
                  "12345678901234567890123456789012345678901234567890123456789012345");
    result = set(&results, 4, "e", TEST_OOM);
    strbuf_addstr(&result->text[1], "MemoryError");
    assert_table(&results, "TEST  STATUS              TIME        CPU     MEMORY  DETAIL\n"
                           "a     runtime-error       0 ms          -          -  exit status 3\n"
                           "b     runtime-error       0 ms          -          -  SIGSEGV\n"
                           "c     runtime-error       0 ms          -          -  exit status 1: "
                           "IndexError: list\\tindex \\x1b[31m\n"
                           "d     runtime-error       0 ms          -          -  it\\nfailed: "
                           "123456789012345678901234567890123456789012345678901234567890...\n"
                           "e     oom                 0 ms          -          -\n"
                           "0 of 5 passed; first failure: a\n");
}

/* What is expected and found is displayed in full. */
CASE(case_table__wrong_answer)
{
    struct case_results results = new_results(1);
    struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;

    strbuf_addstr(&text, "line 1 differs: expected '");
    for (int i = 0; i < 300; i++)
        strbuf_addch(&text, 'x');
    strbuf_addstr(&text, "', found '\\n'");
    strbuf_addf(&expected,
                "TEST  STATUS              TIME        CPU     MEMORY  DETAIL\n"
                "a     wrong-answer        0 ms          -          -  %s\n"
                "0 of 1 passed; first failure: a\n",
                text.data);
    set(&results, 0, "a", TEST_WRONG_ANSWER)->message = strbuf_steal(&text);
    assert_table(&results, expected.data);
    strbuf_release(&expected);
}

CASE(case_table__names_are_escaped)
{
    struct case_results results = CASE_RESULTS_INIT;

    results = new_results(1);
    set(&results, 0, "\033[2J\n\xe2\x80\xae", TEST_TIMEOUT);
    assert_table(&results,
                 "TEST                   STATUS              TIME        CPU     MEMORY  DETAIL\n"
                 "\\x1b[2J\\n\\xe2\\x80\\xae  timeout             0 ms          -          -\n"
                 "0 of 1 passed; first failure: \\x1b[2J\\n\\xe2\\x80\\xae\n");
}

CASE(case_table__all_passed)
{
    CLEANUP(case_results_release) struct case_results results = CASE_RESULTS_INIT;
    CLEANUP_FREE char *summary = NULL;

    results = new_results(2);
    set(&results, 0, "a", TEST_PASSED);
    set(&results, 1, "b", TEST_PASSED);
    summary = case_table_summary(&results);
    assert_string_equal(summary, "2 of 2 passed");
}

CASE(case_table__no_verdict)
{
    CLEANUP(case_results_release) struct case_results results = CASE_RESULTS_INIT;
    CLEANUP_FREE char *summary = NULL;

    results = new_results(3);
    set(&results, 0, "a", TEST_PASSED);
    set(&results, 1, "b", TEST_ENGINE);
    set(&results, 2, "c", TEST_NOT_RUN);
    summary = case_table_summary(&results);
    assert_string_equal(summary, "1 of 3 passed; 1 ended by an error of the engine; 1 not run");
}

static void check_build(const char *output, size_t length, const char *expected)
{
    CLEANUP_FREE char *text = case_table_build(output, length);

    assert_string_equal(text, expected);
}

CASE(case_table__build)
{
    check_build("main.c:1: error\n\tx\n", 19, "main.c:1: error\n\tx\n");
    check_build("a\033[1m\r\nb\0\xff", 10, "a\\x1b[1m\\x0d\nb\\x00\\xff\n");
    check_build("", 0, "");
}

CASE(case_table__groups)
{
    struct case_results results = new_results(1);
    CLEANUP_FREE char *none = case_table_groups(&results), *groups = NULL, *summary = NULL;

    assert_string_equal(none, "");
    set(&results, 0, "a", TEST_PASSED);
    results.groups = memory_allocate(3 * sizeof *results.groups);
    results.group_count = 3;
    results.groups[0] = (struct group_result){string_copy(""), GROUP_FAILED, 33.125, 100, 1, 2};
    results.groups[1] = (struct group_result){string_copy("x\033"), GROUP_UNKNOWN, NAN, 60, 9, 10};
    results.groups[2] =
        (struct group_result){string_copy("b"), GROUP_PASSED, 1234567, INFINITY, 1, 1};
    groups = case_table_groups(&results);
    summary = case_table_summary(&results);
    assert_string_equal(groups, "GROUP  STATUS   PASSED  SCORE\n"
                                "x\\x1b  unknown  9/10    - of 60\n"
                                "b      passed   1/1     1234567\n");
    assert_string_equal(summary, "1 of 1 passed; score 33.125 of 100");
    case_results_release(&results);
}
