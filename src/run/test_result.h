/*
 * The results of the tests of a run, and their JSON form.
 */
#ifndef RUN_TEST_RESULT_H
#define RUN_TEST_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* What became of a test: a closed set. Its names in JSON stand in test_result.c. */
enum test_status {
    TEST_PASSED,
    TEST_WRONG_ANSWER,  /* it ended with status 0, and its output is not the expected one */
    TEST_TIMEOUT,       /* isolator ended it at its deadline */
    TEST_CPU_TIME,      /* it used up its CPU time */
    TEST_OOM,           /* it failed after the kernel had killed one of its processes for memory */
    TEST_OUTPUT_LIMIT,  /* isolator ended it for writing more than OUTPUT_HARD_MAX */
    TEST_RUNTIME_ERROR, /* it ended with another exit status, or by a signal */
    TEST_NOT_RUN,       /* the run ended before its turn */
    TEST_ENGINE,        /* the engine or this host failed; says nothing about the program */
};

struct test_result {
    char *name; /* owned; valid UTF-8 */
    enum test_status status;
    int exit_code;               /* as in struct result */
    int signal;                  /* that ended the program; 0: none did */
    long long duration_ms;       /* 0 if it never ran */
    long long cpu_ms;            /* -1: not known */
    long long peak_memory_bytes; /* largest resident set of one of its processes; -1: not known */
    struct strbuf text[2];       /* stdout and stderr as valid UTF-8, head and tail kept */
    bool truncated[2];
    char *message; /* owned; why it did not pass, "line 3 differs"; NULL if nothing is to be said */
};

#define TEST_RESULT_INIT                                                                           \
    {                                                                                              \
        .status = TEST_NOT_RUN, .exit_code = -1, .cpu_ms = -1, .peak_memory_bytes = -1             \
    }

struct test_results {
    struct test_result *items; /* owned; in the order of the request */
    size_t count;
};

#define TEST_RESULTS_INIT                                                                          \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/*
 * The tests by what became of them: `failed` ones have shown that the program is wrong. Those that
 * did not run or that the engine failed are neither passed nor failed.
 */
struct test_summary {
    size_t passed, failed, not_run, engine, total;
    const char *first_failure; /* the name of the first failed test, borrowed; NULL: none failed */
};

/* Makes room for the results of `count` tests, each with the values of TEST_RESULT_INIT. */
void test_results_init(struct test_results *results, size_t count);
void test_results_release(struct test_results *results);

/* The name of the status in JSON. */
const char *test_result_status(const struct test_result *result);

/* Whether the test has shown that the program is wrong. */
bool test_result_failed(const struct test_result *result);

struct test_summary test_results_summary(const struct test_results *results);

/*
 * The JSON array of the tests and the JSON object of the summary, new references. Members and their
 * order are described in isolator(1). The first one takes the texts out of the results, so that
 * they are not in memory twice.
 */
json_t *test_results_to_json(struct test_results *results);
json_t *test_results_summary_to_json(const struct test_results *results);

#endif
