#include "json.h"

#include "request/case_arguments.h"
#include "request/group_arguments.h"

struct fixture {
    struct error error;
    struct case_requests tests;
};

/* Reads and settles tests and groups, as a line of a batch has them; NULL: no groups. */
static int complete(struct fixture *fixture, const char *tests, const char *groups,
                    bool has_checker)
{
    struct argument_reader reader = {.error = &fixture->error, .workdir = "/workspace"};
    CLEANUP_FREE char *no_expected = string_format("[%s]", tests);
    json_t *of_tests = json_of(no_expected);
    json_t *of_groups = json_of(groups ? groups : "[]");
    size_t i;
    json_t *test;
    int result;

    json_array_foreach(of_tests, i, test)
        json_object_set_new(test, "no_expected", json_true());
    result = case_arguments_read(&reader, "tests", of_tests, has_checker, &fixture->tests);
    if (result == 0 && groups)
        result = group_arguments_read(&reader, "groups", of_groups, &fixture->tests);
    if (result == 0)
        result = score_groups_complete(&fixture->tests, has_checker, &fixture->error);
    json_decref(of_tests);
    json_decref(of_groups);
    return result;
}

/* Expects the points of the tests, and the maximums of the groups, that of all tests first. */
static void check_points(const char *tests, const char *groups, bool has_checker,
                         const char *expected)
{
    struct fixture fixture = {.error = ERROR_INIT};
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    complete(&fixture, tests, groups, has_checker);
    assert_no_error(&fixture.error);
    for (size_t i = 0; i < fixture.tests.count; i++)
        strbuf_addf(&text, "%g ", fixture.tests.items[i].points);
    for (size_t i = 0; i < fixture.tests.groups->count; i++)
        strbuf_addf(&text, "%s%g", i > 0 ? " " : "of ", fixture.tests.groups->items[i].max_score);
    assert_string_equal(strbuf_string(&text), expected);
    assert_int_equal(score_groups_complete(&fixture.tests, has_checker, &fixture.error), 0);
    case_requests_release(&fixture.tests);
}

static void check_refused(const char *tests, const char *groups, bool has_checker,
                          const char *message)
{
    struct fixture fixture = {.error = ERROR_INIT};

    assert_int_equal(complete(&fixture, tests, groups, has_checker), -1);
    assert_error(&fixture.error, ERROR_USAGE, message);
    case_requests_release(&fixture.tests);
}

/* Two tests in the group "a". */
#define TWO "{\"group\": \"a\"}, {\"group\": \"a\"}"

CASE(score_groups__points)
{
    check_points(TWO, "[{\"name\": \"a\", \"max_score\": 60}]", false, "30 30 of 60 60");
    check_points(TWO, "[{\"name\": \"a\", \"max_score\": 60, \"aggregation\": \"min\"}]", false,
                 "60 60 of 60 60");
    check_points(TWO, "[{\"name\": \"a\", \"max_score\": 60, \"aggregation\": \"pass-fail\"}]",
                 false, "nan nan of 60 60");
    check_points("{\"points\": 3}, {}", NULL, false, "3 nan of 3");
    check_points("{\"group\": \"a\", \"points\": 3}, {\"group\": \"a\", \"points\": 4.5}",
                 "[{\"name\": \"a\"}]", false, "3 4.5 of 7.5 7.5");
    check_points("{\"group\": \"a\", \"points\": 3}, {\"group\": \"a\", \"points\": 4.5}",
                 "[{\"name\": \"a\", \"aggregation\": \"min\"}]", false, "3 4.5 of 3 3");
    check_points(TWO, "[{\"name\": \"a\"}]", true, "inf inf of inf inf");
    check_points("{\"group\": \"a/b\"}, {\"group\": \"c\"}",
                 "[{\"name\": \"a\"}, {\"name\": \"a/b\", \"max_score\": 7}, {\"name\": \"c\", "
                 "\"max_score\": 1}]",
                 false, "7 1 of 8 7 7 1");
    check_points("{\"points\": 1e9}", NULL, false, "1e+09 of 1e+09");
}

/* "a/b" is in "a" only if there is that group; so is "a/b/c/d". */
CASE(score_groups__parents)
{
    struct fixture fixture = {.error = ERROR_INIT};

    complete(&fixture, "{\"group\": \"a/b\"}, {\"group\": \"a/b/c/d\"}, {\"group\": \"ab\"}",
             "[{\"name\": \"a/b/c/d\", \"max_score\": 1}, {\"name\": \"a/b\"}, "
             "{\"name\": \"ab\", \"max_score\": 1}]",
             true);
    assert_no_error(&fixture.error);
    assert_int_equal(fixture.tests.groups->items[1].parent, 2);
    assert_int_equal(fixture.tests.groups->items[2].parent, 0);
    assert_int_equal(fixture.tests.groups->items[3].parent, 0);
    assert_int_equal(fixture.tests.items[1].group_place, 1);
    case_requests_release(&fixture.tests);
}

CASE(score_groups__refused)
{
    check_refused("{\"group\": \"b\"}", NULL, false, "there is no group 'b'");
    check_refused(TWO, "[{\"name\": \"a\", \"max_score\": 1, \"require_pass\": [\"x\"]}]", false,
                  "there is no group 'x'");
    check_refused(TWO, "[{\"name\": \"a\"}, {\"name\": \"a\"}]", true,
                  "the group 'a' is there twice");
    check_refused(TWO, "[{\"name\": \"a\"}, {\"name\": \"b\"}]", true,
                  "the group 'b' has no tests");
    check_refused(TWO, "[{\"name\": \"a\"}]", false,
                  "the group 'a' needs a max_score, or each of its tests points");
    check_refused(TWO, "[{\"name\": \"a\", \"aggregation\": \"pass-fail\"}]", true,
                  "the group 'a' needs a max_score");
    check_refused("{\"group\": \"a\", \"points\": 2}",
                  "[{\"name\": \"a\", \"aggregation\": \"pass-fail\", \"max_score\": 2}]", true,
                  "the group 'a' is pass-fail, so its tests cannot have points");
    check_refused("{\"group\": \"a\", \"points\": 2}", "[{\"name\": \"a\", \"max_score\": 1}]",
                  false, "the group 'a' has more points in it than its max_score");
    check_refused(TWO ", {\"group\": \"a/b\"}",
                  "[{\"name\": \"a\", \"max_score\": 1}, {\"name\": \"a/b\", \"max_score\": 1}]",
                  false, "the group 'a' has groups in it, so each of its own tests needs points");
    check_refused("{\"group\": \"a/b\"}",
                  "[{\"name\": \"a\", \"max_score\": 1}, {\"name\": \"a/b\"}]", true,
                  "the group 'a' has more points in it than its max_score");
    check_refused("{\"points\": 1e9}, {\"points\": 1}", NULL, false,
                  "the group '' has more than 1e9 points");
}

/* A group cannot require itself, one that it is in, one in it, or one that requires it. */
CASE(score_groups__circles)
{
    static const char *const groups[] = {
        "[{\"name\": \"a\", \"max_score\": 1, \"require_pass\": [\"a\"]}, "
        "{\"name\": \"a/b\", \"max_score\": 1}]",
        "[{\"name\": \"a\", \"max_score\": 1, \"require_pass\": [\"a/b\"]}, "
        "{\"name\": \"a/b\", \"max_score\": 1, \"require_pass\": [\"a\"]}]",
        "[{\"name\": \"a\", \"max_score\": 1}, "
        "{\"name\": \"a/b\", \"max_score\": 1, \"require_pass\": [\"a\"]}]",
    };

    for (size_t i = 0; i < COUNT(groups); i++)
        check_refused("{\"group\": \"a/b\"}", groups[i], false,
                      "the group 'a' requires itself, perhaps by other groups");
}

/* A chain of groups, each of which requires the next one. */
CASE(score_groups__levels)
{
    for (int count = 99; count <= 100; count++) {
        struct fixture fixture = {.error = ERROR_INIT};
        CLEANUP(strbuf_release) struct strbuf tests = STRBUF_INIT, groups = STRBUF_INIT;

        for (int i = 1; i <= count; i++) {
            strbuf_addf(&tests, "%s{\"group\": \"%d\"}", i > 1 ? ", " : "", i);
            strbuf_addf(&groups, "%s{\"name\": \"%d\", \"max_score\": 1", i > 1 ? ", " : "[", i);
            strbuf_addf(&groups, i < count ? ", \"require_pass\": [\"%d\"]}" : "}]", i + 1);
        }
        if (count == 99) {
            assert_int_equal(
                complete(&fixture, strbuf_string(&tests), strbuf_string(&groups), false), 0);
            case_requests_release(&fixture.tests);
        } else {
            check_refused(strbuf_string(&tests), strbuf_string(&groups), false,
                          "the group '100' comes after too many others");
        }
    }
}

CASE(score_groups__wrong_members)
{
    static const struct {
        const char *groups, *message;
    } cases[] = {
        {"[]", "groups must be an array of 1 to 999 groups"},
        {"{}", "groups must be an array of 1 to 999 groups"},
        {"[7]", "groups[0] must be an object"},
        {"[null]", "groups[0] must be an object"},
        {"[{}]", "groups[0].name must be a string of 1 to 255 bytes"},
        {"[{\"name\": \"\"}]", "groups[0].name must be a string of 1 to 255 bytes"},
        {"[{\"name\": null}]", "groups[0].name must be a string of 1 to 255 bytes"},
        {"[{\"name\": \"a\", \"max_score\": -1}]",
         "groups[0].max_score must be a number from 0 to 1e9"},
        {"[{\"name\": \"a\", \"max_score\": 1000000001}]",
         "groups[0].max_score must be a number from 0 to 1e9"},
        {"[{\"name\": \"a\", \"aggregation\": \"avg\"}]",
         "groups[0].aggregation must be \"sum\", \"min\" or \"pass-fail\""},
        {"[{\"name\": \"a\", \"require_pass\": [1]}]",
         "groups[0].require_pass[0] must be a string"},
        {"[{\"name\": \"a\", \"points\": 1}]",
         "groups[0] has no member 'points'; known are: name, max_score, aggregation, "
         "require_pass"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_refused("{}", cases[i].groups, false, cases[i].message);
    check_refused("{\"points\": -1}", NULL, false,
                  "tests[0].points must be a number from 0 to 1e9");
    check_refused("{\"points\": \"x\"}", NULL, false,
                  "tests[0].points must be a number from 0 to 1e9; text came, which is not that in "
                  "JSON");
}

CASE(score_groups__names_of_255_bytes)
{
    for (int length = 255; length <= 256; length++) {
        CLEANUP_FREE char *groups =
            string_format("[{\"name\": \"%0*d\", \"max_score\": 0}]", length, 0);

        check_refused(
            "{}", groups, false,
            length == 255
                ? "the group '"
                  "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
                  "...' has no tests"
                : "groups[0].name must be a string of 1 to 255 bytes");
    }
}
