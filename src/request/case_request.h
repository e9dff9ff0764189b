/*
 * The tests of a request: the runs of one program with the input of each, and what is expected of
 * them. A front end reads them, from JSON or from a directory, and the plan takes them over.
 */
#ifndef REQUEST_CASE_REQUEST_H
#define REQUEST_CASE_REQUEST_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"
#include "compare/compare_mode.h"
#include "config/input_files.h"
#include "request/score_groups.h"

/* Maximum number of tests, and bytes of a test's name. */
enum { TESTS_MAX = 10000, TEST_NAME_MAX = 255 };

/* The largest limit of what a test may write to one stream: OUTPUT_HARD_MAX of every program. */
enum { TEST_MAX_OUTPUT_BYTES = 64 << 20 };

struct case_request {
    char *name;                /* owned; unique among the tests of a request */
    char *stdin_data;          /* standard input, owned, which may have NUL bytes; NULL: */
    size_t stdin_length;       /* bytes */
    int stdin_file;            /* standard input from an open file, owned; -1: empty */
    struct strvec arguments;   /* appended to those of the request */
    struct strvec environment; /* "NAME=VALUE"; in addition to those of the request */
    struct input_files files;  /* in addition to those of the request */
    char *expected;            /* owned; the expected standard output, which may have NUL bytes; */
    size_t expected_length;    /* bytes; with NULL, none is expected */
    /* It calls a function (request/function_call.h), whose arguments are one of `files`, and
     * `expected` is the value that it has to return, in JSON, or an array of which any is one. */
    bool is_call, expects_value, expects_any;
    bool no_expected; /* asked for: every output passes if the exit status is 0 */
    struct comparison_rule comparison;
    struct strvec checker_arguments; /* more arguments of the checker */
    double timeout_seconds;          /* 0: that of the plan */
    double cpu_seconds;              /* maximum CPU time; 0: that of the plan */
    int max_output_bytes; /* of one stream: more ends the program; 0: TEST_MAX_OUTPUT_BYTES */
    char *group; /* owned; name of the group that it is in; NULL: none but that of all tests */
    /* The most that its score can be. NAN: its share of that of its group, or, completed, that it
     * gives no points; INFINITY: there is no bound. */
    double points;
    size_t group_place; /* completed */
    /* The places of tests after it that do not run if it is not accepted; the same twice: none. */
    size_t skip_from, skip_to;
};

#define CASE_REQUEST_INIT                                                                          \
    {                                                                                              \
        .stdin_file = -1, .comparison = COMPARISON_RULE_INIT, .points = NAN                        \
    }

struct case_requests {
    struct case_request *items; /* owned, maybe together with others */
    size_t count;
    struct score_groups *groups; /* owned as the items; NULL: the tests give no scores */
    bool stop_on_failure;        /* the tests after the first one that fails do not run */
    bool tries_checker;          /* on the expected output of a test, before the tests */
    bool outcome_only;           /* results show nothing from which one could learn the tests */
    /* A test without a limit of its own that has used more CPU time is not passed, also if it was
     * not ended for that; once one has used all that the plan allows, the others may use no more.
     * 0: only the limit of the plan counts. */
    double cpu_seconds_allowed;
    unsigned goes_on_after; /* 1 << enum case_status: after these, skip_from does not count */
    atomic_size_t *owners;  /* how many structs own the items; NULL: this one alone */
};

#define CASE_REQUESTS_INIT                                                                         \
    {                                                                                              \
        NULL, 0, NULL, false, false, false, 0, 0, NULL                                             \
    }

/* Adds a test with the values of CASE_REQUEST_INIT, borrowed until the next one is added. */
struct case_request *case_requests_add(struct case_requests *tests);

/* The groups of the tests, borrowed; from now on the tests give scores. */
struct score_groups *case_requests_groups(struct case_requests *tests);

/*
 * Another owner of the same tests, for a request of another program: several programs run with
 * tests that are in memory, and open, once. The last owner frees them, on whichever thread. No test
 * can be added after this.
 */
struct case_requests case_requests_share(struct case_requests *tests);

void case_requests_release(struct case_requests *tests);

#endif
