#include "test.h"

#include "base/memory.h"
#include "cli/grade/grade_table.h"

static struct case_results new_results(size_t count, enum case_status status)
{
    struct case_results results = {.items = memory_allocate(count * sizeof *results.items),
                                   .count = count};

    for (size_t i = 0; i < count; i++) {
        results.items[i] = (struct case_result)CASE_RESULT_INIT;
        results.items[i].name = string_format("s%zu", i + 1);
        results.items[i].status = status;
    }
    return results;
}

/* A result with as many tests, none of which has run. */
static struct result new_result(enum reason reason, size_t count, const char *error)
{
    struct result result = RESULT_INIT;

    result.reason = reason;
    result.exit_code = reason == REASON_EXIT ? 0 : EXIT_CODE_NONE;
    result.tests = new_results(count, TEST_NOT_RUN);
    result.error = error ? string_copy(error) : NULL;
    return result;
}

static void check_row(const struct grade_table *table, const char *file, struct result *result,
                      const char *expected)
{
    CLEANUP_FREE char *row = grade_table_row(table, file, result);

    assert_string_equal(row, expected);
    result_release(result);
}

static void init(struct grade_table *table, const char *file, size_t tests)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;

    strvec_push(&files, file);
    grade_table_init(table, &files, &(struct case_requests){.count = tests});
}

/* The rows are aligned with the heading, and no line ends in blanks. */
CASE(grade_table__rows)
{
    struct grade_table table;
    struct result result;
    CLEANUP_FREE char *heading = NULL;

    init(&table, "\xc3\xa4nne-marie.cpp", 3);
    heading = grade_table_heading(&table);
    assert_string_equal(heading, "SOLUTION        STATUS         PASSED       TIME        CPU     "
                                 "MEMORY  DETAIL\n");
    result = new_result(REASON_EXIT, 3, NULL);
    for (size_t i = 0; i < 3; i++)
        result.tests.items[i].status = TEST_PASSED;
    result.duration_ms = 123456;
    result.cpu_us = 9999;
    result.tests.items[1].peak_bytes = 3 << 19;
    result.tests.items[2].peak_bytes = 1 << 19;
    result.peak_bytes = 44 << 20; /* of the compiler */
    check_row(&table, "\xc3\xa4nne-marie.cpp", &result,
              "\xc3\xa4nne-marie.cpp  passed            3/3  123456 ms       9 ms     1.5 MB\n");
    result = new_result(REASON_IMAGE_MISSING, 3, "image 'x' is not on\nthe engine");
    check_row(&table, "\033[2J", &result,
              "\\x1b[2J         image-missing     0/3          -          -          -  "
              "image 'x' is not on\\nthe engine\n");
}

/* A column for the score, as wide as all points; a program that could not be sent has none. */
CASE(grade_table__scores)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *heading = NULL;
    struct result result = new_result(REASON_TESTS, 1, "x");
    struct grade_table table;

    case_requests_groups(&tests)->items[0].max_score = 100;
    strvec_push(&files, "a.c");
    grade_table_init(&table, &files, &tests);
    heading = grade_table_heading(&table);
    assert_string_equal(heading,
                        "SOLUTION  STATUS         PASSED  SCORE            TIME        CPU "
                        "    MEMORY  DETAIL\n");
    result.tests.groups = memory_allocate(sizeof *result.tests.groups);
    result.tests.group_count = 1;
    result.tests.groups[0] = (struct group_result){string_copy(""), GROUP_FAILED, 62.5, 100, 0, 1};
    result.tests.items[0].status = TEST_OOM;
    check_row(&table, "a.c", &result,
              "a.c       failed            0/0  62.5 of 100       0 ms          -          -  "
              "first: s1 (oom)\n");
    result = new_result(REASON_INPUT, 0, "no");
    check_row(&table, "a.c", &result,
              "a.c       input             0/0  -                   -          -          -  no\n");
}

/* The first test that is not passed, with why. */
CASE(grade_table__failed)
{
    struct grade_table table;
    struct result result;
    struct case_result *test;

    init(&table, "a.c", 1000);
    result = new_result(REASON_TESTS, 3, "2 of 3 tests are not passed; the first is 's2'");
    result.tests.items[0].status = TEST_PASSED;
    test = &result.tests.items[1];
    test->status = TEST_WRONG_ANSWER;
    test->message = string_copy("line 3 differs");
    check_row(&table, "a.c", &result,
              "a.c       failed            1/1000       0 ms          -          -  "
              "first: s2 (wrong-answer, line 3 differs)\n");
    result = new_result(REASON_TESTS, 2, "x");
    test = &result.tests.items[0];
    test->status = TEST_RUNTIME_ERROR;
    test->signal = 11;
    strbuf_addstr(&test->text[1], "a\nb\033\n");
    check_row(&table, "a.c", &result,
              "a.c       failed            0/1000       0 ms          -          -  "
              "first: s1 (runtime-error, SIGSEGV: b\\x1b)\n");
    result = new_result(REASON_TESTS, 1, "x");
    result.tests.items[0].status = TEST_TIMEOUT;
    check_row(&table, "a.c", &result,
              "a.c       failed            0/1000       0 ms          -          -  "
              "first: s1 (timeout)\n");
}

static void check_build(const char *out, const char *err, int exit_code, int signal,
                        const char *expected)
{
    CLEANUP_FREE char *line = string_format(
        "a.c       build             0/2          -          -          -  %s\n", expected);
    struct result result = new_result(REASON_BUILD, 2, "build exited with status 1");
    struct grade_table table;

    init(&table, "a.c", 2);
    result.build = memory_allocate(sizeof *result.build);
    *result.build = (struct build_result){.exit_code = exit_code, .signal = signal};
    strbuf_addstr(&result.build->text[0], out);
    strbuf_addstr(&result.build->text[1], err);
    check_row(&table, "a.c", &result, line);
}

/* The line of the compiler that says most. */
CASE(grade_table__build)
{
    check_build("", "a.c: In function 'main':\na.c:3:5: error: x\na.c:4: error: y\n", 1, 0,
                "a.c:3:5: error: x");
    check_build("stdout: error", " \n# comment\n./main.go:3:2: undefined: \033x\nmore", 1, 0,
                "./main.go:3:2: undefined: \\x1bx");
    check_build("SyntaxError: x\n", "", 1, 0, "SyntaxError: x");
    check_build("", "", 1, 0, "build exited with status 1");
    check_build("", "warning: error\n", 137, 9, "build exited with status 1");
}

static void check_grade(enum reason reason, int exit_code, enum grade expected)
{
    struct result result = RESULT_INIT;

    result.reason = reason;
    result.exit_code = exit_code;
    assert_int_equal(grade_of(&result), expected);
}

CASE(grade_table__grades)
{
    check_grade(REASON_EXIT, 0, GRADE_PASSED);
    check_grade(REASON_TESTS, -1, GRADE_FAILED);
    check_grade(REASON_BUILD, -1, GRADE_FAILED);
    check_grade(REASON_INPUT, -1, GRADE_NONE);
    check_grade(REASON_ENGINE, -1, GRADE_NONE);
    check_grade(REASON_IMAGE_MISSING, -1, GRADE_NONE);
    check_grade(REASON_CANCELLED, -1, GRADE_NONE);
}

static void check_summary(size_t passed, size_t failed, size_t total,
                          const struct grade_engine *engine, const char *expected)
{
    CLEANUP_FREE char *line = grade_table_summary(passed, failed, total, engine);

    assert_string_equal(line, expected);
}

CASE(grade_table__summary)
{
    static const struct grade_engine good, failed = {.failed = 1}, again = {1, 3}, once = {0, 1};

    check_summary(42, 8, 50, &good, "42 of 50 solutions passed all tests\n");
    check_summary(1, 2, 5, &good, "1 of 5 solutions passed all tests; 2 not graded\n");
    check_summary(42, 8, 50, &once, "42 of 50 solutions passed all tests; 1 retry\n");
    check_summary(1, 2, 5, &failed,
                  "1 of 5 solutions passed all tests; 2 not graded, 1 of them since the engine "
                  "failed\n");
    check_summary(1, 2, 5, &again,
                  "1 of 5 solutions passed all tests; 2 not graded, 1 of them since the engine "
                  "failed; 3 retries\n");
}

/* A name that is very long does not make all rows so wide. */
CASE(grade_table__long_names)
{
    char name[201] = "";
    CLEANUP_FREE char *heading = NULL;
    struct grade_table table;

    memset(name, 'a', 200);
    init(&table, name, 1);
    heading = grade_table_heading(&table);
    assert_int_equal(strstr(heading, "STATUS") - heading, 62);
}
