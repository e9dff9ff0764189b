#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "base/yaml_text.h"
#include "cli/problem/time_limit.h"

static const struct time_limit legacy = {
    .multiplier = 5, .resolution = 1, .margin = 2, .seconds = NAN};

/* ---- which submissions count */

static void check_role(const char *text, bool is_legacy, const char *path, const char *expected)
{
    static const char *const names[] = {"none", "lower", "upper"};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct submission_rules rules = {yaml_text_parse(text, strlen(text), &error), is_legacy};
    CLEANUP(expectation_release) struct expectation expectation = {.items = NULL};

    assert_no_error(&error);
    expectation_find(&expectation, &rules, path);
    assert_string_equal(names[time_limit_role(&expectation, is_legacy, path)], expected);
    json_decref((json_t *)rules.document);
}

CASE(time_limit__roles_by_directory)
{
    static const struct {
        const char *path, *legacy, *later;
    } cases[] = {
        {"accepted/a", "lower", "lower"},         {"time_limit_exceeded/a", "upper", "upper"},
        {"wrong_answer/a", "none", "lower"},      {"run_time_error/a", "none", "lower"},
        {"rejected/a", "none", "none"},           {"brute_force/a", "none", "none"},
        {"accepted_too/a", "none", "none"},       {"mine/accepted/a", "none", "none"},
        {"partially_accepted/a", "none", "none"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        check_role("", true, cases[i].path, cases[i].legacy);
        check_role("", false, cases[i].path, cases[i].later);
    }
}

CASE(time_limit__roles_by_rules)
{
    const char *const rules = "accepted: {use_for_time_limit: false}\n"
                              "'accepted/*.c': {permitted: [AC, WA]}\n"
                              "mine: {permitted: [AC], use_for_time_limit: False}\n"
                              "'mine/a': {use_for_time_limit: lower}\n"
                              "'mine/b': {use_for_time_limit: upper}\n"
                              "'mine/c': {required: [TLE, RTE]}\n"
                              "'mine/d': {required: [TLE]}\n"
                              "'mine/e': {required: [TLE], use_for_time_limit: false}\n";

    check_role(rules, false, "accepted/a", "none");
    check_role(rules, false, "accepted/a.c", "lower");
    check_role(rules, false, "mine/a", "lower");
    check_role(rules, false, "mine/b", "upper");
    check_role(rules, false, "mine/c", "none");
    check_role(rules, false, "mine/d", "upper");
    check_role(rules, false, "mine/e", "none");
    check_role(rules, true, "accepted/a", "lower");
    check_role(rules, true, "mine/a", "none");
}

/* ---- the limit */

static struct limits maximums(double cpu, double timeout)
{
    struct limits limits;

    limits_init(&limits);
    limits.number[LIMIT_CPU_TIME] = cpu;
    limits.number[LIMIT_TIMEOUT] = timeout;
    return limits;
}

static void check_computed(double multiplier, double resolution, double slowest, double max,
                           const char *expected)
{
    CLEANUP(time_limit_release)
    struct time_limit limit = {.multiplier = multiplier, .resolution = resolution, .seconds = NAN};
    const struct limits most = maximums(max, NAN);
    CLEANUP_FREE char *line = NULL;

    time_limit_compute(&limit, &most, "accepted/x.py", slowest);
    line = time_limit_line(&limit);
    assert_string_equal(line, expected);
}

CASE(time_limit__steady)
{
    const struct time_limit limit = {.multiplier = 5, .resolution = 1};

    assert_true(time_limit_is_steady(&limit, 0));
    assert_true(time_limit_is_steady(&limit, 0.1));
    assert_false(time_limit_is_steady(&limit, 0.11));
    assert_false(time_limit_is_steady(&limit, 3));
}

CASE(time_limit__computed)
{
    check_computed(5, 1, 0.52, NAN,
                   "time limit 3 s: 5 times the slowest test of accepted/x.py, 0.52 s\n");
    check_computed(5, 1, 0.6, NAN,
                   "time limit 3 s: 5 times the slowest test of accepted/x.py, 0.6 s\n");
    check_computed(5, 1, 0.60001, NAN,
                   "time limit 4 s: 5 times the slowest test of accepted/x.py, 0.6 s\n");
    check_computed(5, 1, 0, NAN,
                   "time limit 1 s: 5 times the slowest test of accepted/x.py, 0 s\n");
    check_computed(3, 0.1, 0.1, NAN,
                   "time limit 0.3 s: 3 times the slowest test of accepted/x.py, 0.1 s\n");
    check_computed(2, 0.1, 0.151, NAN,
                   "time limit 0.4 s: 2 times the slowest test of accepted/x.py, 0.151 s\n");
    check_computed(2.5, 1.5, 0.01, NAN,
                   "time limit 1.5 s: 2.5 times the slowest test of accepted/x.py, 0.01 s\n");
    check_computed(5, 1, 0.52, 2,
                   "time limit 2 s: 5 times the slowest test of accepted/x.py, 0.52 s, which is 3 "
                   "s, but the configuration allows no more\n");
}

/* Expects the CPU time, the timeout and the CPU time that is allowed. */
static void check_applied(double seconds, enum time_limit_role role, double cpu, double timeout,
                          const char *expected)
{
    const struct limits most = maximums(cpu, timeout);
    struct time_limit limit = legacy;
    struct request request;
    CLEANUP_FREE char *got = NULL;

    request_init(&request);
    limit.seconds = seconds;
    time_limit_apply(&limit, &most, role, &request);
    got = string_format("%g %g %g", request.policy.limits.number[LIMIT_CPU_TIME],
                        request.policy.limits.number[LIMIT_TIMEOUT],
                        request.tests.cpu_seconds_allowed);
    assert_string_equal(got, expected);
    request_release(&request);
}

CASE(time_limit__applied)
{
    check_applied(3, TIME_LIMIT_LOWER, NAN, NAN, "3 10 0");
    check_applied(3, TIME_LIMIT_NONE, NAN, NAN, "3 10 0");
    check_applied(3, TIME_LIMIT_UPPER, NAN, NAN, "6 19 3");
    check_applied(3, TIME_LIMIT_UPPER, 5, 15, "5 15 3");
    check_applied(NAN, TIME_LIMIT_UPPER, 5, 15, "nan nan 0");
}

/* ---- results */

#define TESTS 3

struct fixture {
    struct case_result items[TESTS];
    struct case_results results;
    struct time_limit limit;
};

static void set_up(struct fixture *fixture)
{
    for (int i = 0; i < TESTS; i++) {
        fixture->items[i] = (struct case_result)CASE_RESULT_INIT;
        fixture->items[i].status = TEST_PASSED;
        fixture->items[i].cpu_us = 100000 * (i + 1);
        fixture->items[i].duration_ms = 200 * (i + 1);
    }
    fixture->results = (struct case_results){.items = fixture->items, .count = TESTS};
    fixture->limit = legacy;
    fixture->limit.seconds = 1;
}

static void tear_down(struct fixture *fixture)
{
    (void)fixture;
}

CASE_WITH(time_limit__slowest, set_up(fixture))
{
    assert_true(time_limit_slowest(&fixture->results) == 0.3);
    fixture->items[1].cpu_us = -1; /* its 400 ms by the clock */
    assert_true(time_limit_slowest(&fixture->results) == 0.4);
    fixture->results.count = 0;
    assert_true(time_limit_slowest(&fixture->results) == 0);
}

CASE_WITH(time_limit__kept, set_up(fixture))
{
    const struct limits none = maximums(NAN, NAN), short_time = maximums(NAN, 3.5);

    fixture->items[1].cpu_us = 1000000;
    fixture->items[2].duration_ms = 4000;
    assert_true(time_limit_is_kept(&fixture->limit, &none, &fixture->results));
    assert_false(time_limit_is_kept(&fixture->limit, &short_time, &fixture->results));
    fixture->items[1].cpu_us = 1000001;
    assert_false(time_limit_is_kept(&fixture->limit, &none, &fixture->results));
    fixture->items[1].cpu_us = 0;
    fixture->items[2].duration_ms = 4001;
    assert_false(time_limit_is_kept(&fixture->limit, &none, &fixture->results));
}

static void check_warning(const struct fixture *fixture, enum time_limit_role role,
                          const char *expected)
{
    CLEANUP_FREE char *warning = time_limit_warning(&fixture->limit, role, &fixture->results);

    assert_text_or_null(warning, expected);
}

CASE_WITH(time_limit__margin, set_up(fixture))
{
    check_warning(fixture, TIME_LIMIT_UPPER, NULL); /* it is not too slow */
    fixture->items[0].cpu_us = 1000001;
    check_warning(fixture, TIME_LIMIT_LOWER, NULL);
    check_warning(fixture, TIME_LIMIT_UPPER,
                  "too slow by less than the safety margin: its slowest test takes 1 s, and should "
                  "take 2 times 1 s at least");
    fixture->items[0].cpu_us = 1999999;
    check_warning(fixture, TIME_LIMIT_UPPER,
                  "too slow by less than the safety margin: its slowest test takes 2 s, and should "
                  "take 2 times 1 s at least");
    fixture->items[1].status = TEST_TIMEOUT;
    check_warning(fixture, TIME_LIMIT_UPPER, NULL);
    fixture->items[1].status = TEST_PASSED;
    fixture->items[0].cpu_us = 2000000;
    check_warning(fixture, TIME_LIMIT_UPPER, NULL);
    fixture->limit.seconds = NAN;
    check_warning(fixture, TIME_LIMIT_UPPER, NULL);
}

CASE(time_limit__json)
{
    CLEANUP(time_limit_release) struct time_limit limit = legacy;
    json_t *object = json_object();
    CLEANUP_FREE char *none = NULL, *known = NULL;

    time_limit_add_json(object, &limit);
    none = json_dumps(object, JSON_SORT_KEYS);
    limit.seconds = 0.3;
    limit.source = string_copy("--time-limit");
    time_limit_add_json(object, &limit);
    known = json_dumps(object, JSON_SORT_KEYS);
    json_decref(object);
    assert_string_equal(none, "{\"timeLimitMs\": null, \"timeLimitSource\": null}");
    assert_string_equal(known, "{\"timeLimitMs\": 300, \"timeLimitSource\": \"--time-limit\"}");
    assert_text_or_null(time_limit_line(&legacy), NULL);
}
