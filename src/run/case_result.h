/*
 * The result of one test of a request, and the summary of all of them, with their JSON forms.
 */
#ifndef RUN_CASE_RESULT_H
#define RUN_CASE_RESULT_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct result;

/* How a test ended: a closed set. Its names in JSON are in case_result.c. */
enum case_status {
    TEST_NOT_RUN, /* the build failed, an earlier test failed, or the container broke off */
    TEST_PASSED,
    TEST_WRONG_ANSWER, /* the exit status is 0, and stdout is not what is expected */
    TEST_TIMEOUT,
    TEST_CPU_TIME,
    TEST_OOM,
    TEST_OUTPUT_LIMIT,
    TEST_RUNTIME_ERROR, /* an exit status that is not 0, or a signal */
    TEST_ENGINE,        /* the engine or this host failed while the test ran */
    TEST_PARTLY_RIGHT,  /* the checker has given it points */
    TEST_JUDGE_ERROR    /* the checker failed when it looked at the output */
};

/* How the interactor has ended that the program talked to. */
struct interactor_result {
    int exit_code, signal; /* as in struct case_result, like the next two */
    long long duration_ms;
    long long cpu_us;
    bool relayed;             /* isolator has passed on what they said */
    struct strbuf error_text; /* what it wrote to stderr, as valid UTF-8 */
    bool truncated;
    struct strbuf transcript; /* see run/transcript.h */
    bool has_transcript, transcript_truncated;
};

struct case_result {
    char *name; /* owned */
    enum case_status status;
    int exit_code; /* EXIT_CODE_NONE (run/result.h) if the program never ran */
    int signal;    /* that ended the program; 0: none did */
    long long duration_ms;
    long long cpu_us;      /* -1: not known */
    long long peak_bytes;  /* the largest resident set of one of its processes; -1: not known */
    struct strbuf text[2]; /* stdout and stderr as valid UTF-8, head and tail kept */
    bool truncated[2];
    struct strbuf value; /* that its function has returned: JSON, head and tail kept */
    bool is_call;        /* it calls a function */
    bool has_value, value_truncated;
    bool is_skipped;  /* it did not run, as skip_from of another test says */
    char *message;    /* owned; why it did not pass, for a person; NULL: it passed */
    double score;     /* that the checker has given, or that it has in its group; NAN: none */
    double max_score; /* the most that this can be; NAN: not known, INFINITY: without a bound */
    struct interactor_result *interactor; /* owned; NULL: there was none */
};

#define CASE_RESULT_INIT                                                                           \
    {                                                                                              \
        .status = TEST_NOT_RUN, .exit_code = -1, .cpu_us = -1, .peak_bytes = -1, .score = NAN,     \
        .max_score = NAN                                                                           \
    }

/* What the tests of a group say of it: a closed set, with its names in case_result.c. */
enum group_status {
    GROUP_UNKNOWN, /* not all of its tests ran and were judged */
    GROUP_PASSED,
    GROUP_FAILED,
    GROUP_BLOCKED /* a group that it requires is not passed */
};

/* The result of a group of tests, see judge/scoring.h. */
struct group_result {
    char *name; /* owned */
    enum group_status status;
    double score;         /* NAN: not known */
    double max_score;     /* INFINITY: without a bound */
    size_t passed, total; /* tests in it and in the groups in it */
};

/* What graders say of a group (judge/grader.h). */
struct group_grade {
    /* TEST_PASSED, TEST_WRONG_ANSWER, TEST_TIMEOUT or TEST_RUNTIME_ERROR; TEST_NOT_RUN: unknown */
    enum case_status verdict;
    double score; /* of a program; NAN: not known */
};

struct case_results {
    struct case_result *items; /* owned; in the order of the request */
    size_t count;
    struct group_result *groups; /* owned; in the order of the request, the first is that of all
                                    tests; NULL: the tests give no scores */
    size_t group_count;
    struct group_grade *grades; /* owned; as many; NULL: no program of a package has graded them */
};

#define CASE_RESULTS_INIT                                                                          \
    {                                                                                              \
        NULL, 0, NULL, 0, NULL                                                                     \
    }

struct case_summary {
    size_t passed, failed, total;   /* tests that did not run are failed ones */
    const char *first_failure;      /* name of the first test that is not passed; NULL: none */
    const struct group_result *all; /* the score of all tests; NULL: they give none */
};

/* The name in JSON: "wrong-answer". */
const char *case_status_name(enum case_status status);

/* What the end of its program says about a test: TEST_PASSED if nothing is wrong with it. */
enum case_status case_status_of(const struct result *program);

/* The name in JSON: "blocked". */
const char *group_status_name(enum group_status status);

/* Borrows from the results. */
struct case_summary case_results_summary(const struct case_results *results);

/* Whether at least one test came to its turn. */
bool case_results_have_begun(const struct case_results *results);

/*
 * The JSON objects, new references. Members and their order are described in isolator(1). The first
 * takes the texts out of the result, so that they are not in memory twice.
 */
json_t *case_result_to_json(struct case_result *result);
json_t *case_summary_to_json(const struct case_summary *summary);

/* The array of groups, without that of all tests. */
json_t *case_results_groups_to_json(const struct case_results *results);

/* Frees the groups; the tests have none then. */
void case_results_drop_groups(struct case_results *results);

void case_result_release(struct case_result *result);
void case_results_release(struct case_results *results);

#endif
