#include "test.h"

#include <math.h>

#include "cli/grade/case_directory.h"
#include "cli/grade/case_scores.h"

/* A file below the directory of the tests; one that ends in .in makes a test. */
struct file {
    const char *path, *text;
};

/* Makes the files, which end with one without a path. Returns their directory, owned. */
static char *make_files(const struct file *files)
{
    char *directory = temp_create();

    for (; files->path; files++) {
        CLEANUP_FREE char *path = path_in(directory, files->path);

        for (char *slash = path + strlen(directory) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = '\0';
            mkdir(path, 0700);
            *slash = '/';
        }
        write_in(directory, files->path, files->text);
    }
    return directory;
}

/* Changed by a test of a scoring problem. */
#define NO_GRADER                                                                                  \
    "grading: only a problem package in the legacy format can have a grader of its own"
static struct case_directory_options options = {.no_expected = true, .no_grader = NO_GRADER};

static int read_tests(const char *directory, struct case_requests *tests, struct error *error)
{
    static const struct case_request defaults = CASE_REQUEST_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;

    return case_directory_read(directory, &options, &defaults, tests, &warnings, error);
}

static void add_groups(struct strbuf *text, const struct score_groups *groups)
{
    for (size_t i = 0; groups && i < groups->count; i++) {
        const struct score_group *group = &groups->items[i];

        strbuf_addf(text, "; %s %s %g", *group->name ? group->name : "all",
                    score_aggregation_name(group->aggregation), group->max_score);
        for (size_t j = 0; j < group->require_pass.count; j++)
            strbuf_addf(text, " +%s", group->require_pass.items[j]);
    }
}

/* Expects the tests with their groups, and then the groups, as they are before they are settled. */
static void check_groups(const struct file *files, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    char *directory = make_files(files);

    read_tests(directory, &tests, &error);
    assert_no_error(&error);
    for (size_t i = 0; i < tests.count; i++)
        strbuf_addf(&text, "%s%s:%s", i > 0 ? " " : "", tests.items[i].name,
                    tests.items[i].group ? tests.items[i].group : "-");
    add_groups(&text, tests.groups);
    assert_string_equal(strbuf_string(&text), expected);
    temp_remove(directory);
}

/* The message begins with the path of the file in the directory of the tests. */
static void check_refused(const struct file *files, const char *file, const char *message)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    struct error error = ERROR_INIT;
    char *directory = make_files(files);
    CLEANUP_FREE char *expected = string_format("'%s/%s'%s", directory, file, message);

    assert_int_equal(read_tests(directory, &tests, &error), -1);
    assert_error(&error, ERROR_INPUT, expected);
    temp_remove(directory);
}

#define FILES(...)                                                                                 \
    (const struct file[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define A_FILE "secret/a/test_group.yaml"
#define A_TEST                                                                                     \
    {                                                                                              \
        "secret/a/1.in", ""                                                                        \
    }
#define A(text) {A_FILE, text}, A_TEST

CASE(case_scores__groups)
{
    check_groups(FILES({"sample/1.in", ""}, {"secret/test_group.yaml", "max_score: 90\n"},
                       {"secret/b/test_group.yaml",
                        "max_score: 60\nscore_aggregation: sum\nrequire_pass: [sample, secret/a]"},
                       {"secret/b/x/1.in", ""}, {"secret/b/2.in", ""},
                       A("max_score: 30\nrequire_pass: sample\nargs: [x]\n")),
                 "sample/1:sample secret/a/1:secret/a secret/b/2:secret/b secret/b/x/1:secret/b; "
                 "all sum nan; sample pass-fail 0; secret sum 90; secret/a pass-fail 30 +sample; "
                 "secret/b sum 60 +sample +secret/a");
}

/* A file that says nothing of scores makes no groups, also in the older format. */
CASE(case_scores__none)
{
    check_groups(FILES(A("args: [x]\n")), "secret/a/1:-");
    check_groups(FILES(A_TEST, {"secret/a/testdata.yaml", "grader_flags: min\n"}), "secret/a/1:-");
}

/* The defaults of the format, as far as a file is not there or says nothing. */
CASE(case_scores__defaults)
{
    check_groups(FILES(A("require_pass: []\n"), {"x.in", ""}, {"other/1.in", ""}),
                 "other/1:- secret/a/1:secret/a x:-; all sum nan; secret sum 100; secret/a "
                 "pass-fail inf");
    check_groups(FILES(A("max_score: unbounded\nscore_aggregation: min\n"),
                       {"secret/test_group.yaml", "max_score: unbounded"}),
                 "secret/a/1:secret/a; all sum nan; secret sum inf; secret/a min inf");
    check_groups(
        FILES(A("max_score: 1\n"), {"sample/1.in", ""}, {"sample/test_group.yaml", "args: [x]\n"}),
        "sample/1:sample secret/a/1:secret/a; all sum nan; sample pass-fail 0; secret sum "
        "100; secret/a pass-fail 1");
}

/* Those of a scoring problem, of which no file speaks of scores. */
CASE(case_scores__of_a_scoring_problem)
{
    options.is_scoring = true;
    check_groups(FILES({"sample/1.in", ""}, {"secret/1.in", ""}, {"secret/b/2.in", ""}),
                 "sample/1:sample secret/1:secret secret/b/2:secret; all sum nan; sample pass-fail "
                 "0; secret sum 100");
    check_groups(FILES(A_TEST, {"secret/testdata.yaml", "accept_score: 7\n"}),
                 "secret/a/1:secret/a; all sum nan; secret sum nan; secret/a sum nan");
    options.is_legacy = true;
    check_groups(FILES(A_TEST),
                 "secret/a/1:secret/a; all sum nan; secret sum nan; secret/a sum nan");
    check_groups(FILES(A("max_score: 30\n")),
                 "secret/a/1:secret/a; all sum nan; secret sum 100; secret/a pass-fail 30");
    options = (struct case_directory_options){.no_expected = true, .no_grader = NO_GRADER};
}

/* The directory itself can be that of one group, or "secret". */
CASE(case_scores__file_at_the_top)
{
    check_groups(
        FILES({"test_group.yaml", "max_score: 30\nscore_aggregation: min\n"}, {"1.in", ""}),
        "1:-; all min 30");
    check_refused(FILES({"test_group.yaml", "max_score: 30\n"}, {"1.in", ""}), "test_group.yaml",
                  " needs both max_score and score_aggregation, since it is not known whether it "
                  "is the file of secret; or give the directory in which secret is");
}

CASE(case_scores__refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"max_score: -1\n", ": max_score: must be a number from 0 to 1e9, or unbounded"},
        {"max_score: 1000000001\n", ": max_score: must be a number from 0 to 1e9, or unbounded"},
        {"max_score: [1]\n", ": max_score: must be a number from 0 to 1e9, or unbounded"},
        {"score_aggregation: avg\n", ": score_aggregation: must be sum, min or pass-fail"},
        {"require_pass: {a: b}\n",
         ": require_pass: must be a name or a sequence of at most 100 names"},
        {"require_pass: [[a]]\n",
         ": require_pass: must be a name or a sequence of at most 100 names"},
        {"score_aggregation: max\n", ": score_aggregation: must be sum, min or pass-fail"},
        {"max_score: 1\nmax_score: 2\n", ": line 2: 'max_score' is there twice"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_refused(FILES(A(cases[i].text)), A_FILE, cases[i].message);
    check_refused(FILES(A("max_score: 1\n"), {"sample/1.in", ""},
                        {"sample/test_group.yaml", "max_score: 0\n"}),
                  "sample/test_group.yaml",
                  ": sample cannot have max_score, score_aggregation or require_pass");
}

/* Also if it gives no points, and in a group without tests. */
CASE(case_scores__static_validation)
{
    static const char *const message =
        ": static_validation_score: isolator has no static validation, so verdicts and scores "
        "would be wrong; remove the key";

    check_refused(FILES(A("max_score: 10\nstatic_validation_score: 5\n")), A_FILE, message);
    check_refused(FILES(A("static_validation_score: pass-fail\n")), A_FILE, message);
    check_refused(FILES({"1.in", ""}, {A_FILE, "static_validation_score: 0\n"}), A_FILE, message);
}

/* Also if it gives no points. */
CASE(case_scores__custom_grader)
{
    check_refused(FILES(A_TEST, {"testdata.yaml", "grading: custom\n"}), "testdata.yaml",
                  ": " NO_GRADER);
    check_refused(FILES(A_TEST, {"testdata.yaml", "grading: mine\n"}), "testdata.yaml",
                  ": grading: must be default or custom");
    check_groups(FILES(A_TEST, {"testdata.yaml", "grading: default\n"}), "secret/a/1:-");
}

/* ---- testdata.yaml */

#define LEGACY(name, text)                                                                         \
    {                                                                                              \
        name "testdata.yaml", text                                                                 \
    }
#define LEGACY_TOP LEGACY("", "on_reject: continue\ngrader_flags: ignore_sample\n")
#define LEGACY_SECRET                                                                              \
    LEGACY("secret/", "on_reject: continue\ngrader_flags: first_error accept_if_any_accepted\n")

/* Samples give no points; each directory is a group. */
CASE(case_scores__legacy_subtasks)
{
    check_groups(FILES(LEGACY_TOP, LEGACY_SECRET, {"sample/1.in", ""},
                       LEGACY("sample/", "range: 0 0\naccept_score: 0\n"),
                       LEGACY("secret/a/", "grader_flags: min\naccept_score: 40\nrange: 0 40\n"),
                       LEGACY("secret/b/", "grader_flags: min\naccept_score: 60\n"), A_TEST,
                       {"secret/b/1.in", ""}, {"secret/b/2.in", ""}),
                 "sample/1:sample secret/a/1:secret/a secret/b/1:secret/b secret/b/2:secret/b; all "
                 "sum nan; sample pass-fail 0; secret sum nan; secret/a min nan; secret/b min nan");
}

/* The score of all is that of secret, and not the least of that and the samples. */
CASE(case_scores__legacy_minimum_without_samples)
{
    check_groups(FILES(LEGACY("", "grader_flags: min ignore_sample\n"), {"sample/1.in", ""},
                       LEGACY("secret/", "grader_flags: min\naccept_score: 40\n"),
                       {"secret/1.in", ""}, {"secret/2.in", ""}),
                 "sample/1:sample secret/1:secret secret/2:secret; all sum nan; sample pass-fail "
                 "0; secret min nan");
}

/* Without ignore_sample, samples are graded like all others. */
CASE(case_scores__legacy_samples_that_count)
{
    check_groups(FILES(LEGACY("", "on_reject: continue\ngrader_flags: sum\n"), {"sample/1.in", ""},
                       LEGACY("secret/", "accept_score: 40\n"), {"secret/1.in", ""}),
                 "sample/1:sample secret/1:secret; all sum nan; sample sum nan; secret sum nan");
    check_groups(FILES(LEGACY("", "grader_flags: min\n"), {"sample/1.in", ""},
                       LEGACY("secret/", "accept_score: 40\n"), {"secret/1.in", ""}),
                 "sample/1:sample secret/1:secret; all min nan; sample min nan; secret min nan");
}

/* The last of several modes counts. */
CASE(case_scores__legacy_average)
{
    check_groups(
        FILES(LEGACY_TOP, {"sample/1.in", ""},
              LEGACY("secret/", "on_reject: continue\ngrader_flags: min avg\nrange: 0 9\n"),
              {"secret/1.in", ""}, LEGACY("secret/b/", "grader_flags: avg max\n"),
              {"secret/b/1.in", ""}),
        "sample/1:sample secret/1:secret secret/b/1:secret/b; all sum nan; sample "
        "pass-fail 0; secret avg nan; secret/b max nan");
}

/* `expected` is that of the files of the directory "DIR"; "" if there are none. */
static void check_warnings(const struct file *files, const char *expected)
{
    static const struct case_request defaults = CASE_REQUEST_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP_FREE char *joined = NULL, *found = NULL;
    char *directory = make_files(files);

    case_directory_read(directory, &options, &defaults, &tests, &warnings, &error);
    assert_no_error(&error);
    joined = strvec_join(&warnings, "; ");
    found = string_copy(joined);
    for (char *at; (at = strstr(found, directory));) {
        memcpy(at, "DIR", 3);
        memmove(at + 3, at + strlen(directory), strlen(at + strlen(directory)) + 1);
    }
    assert_string_equal(found, expected);
    temp_remove(directory);
}

/* Once, and not if it counts by the format. */
CASE(case_scores__legacy_sum_that_counts_in_any_case)
{
    check_warnings(FILES(LEGACY("", "on_reject: continue\naccept_score: 2\n"), {"secret/1.in", ""},
                         {"secret/2.in", ""}, {"secret/a/1.in", ""}, {"secret/a/2.in", ""}),
                   "'DIR/secret/testdata.yaml': the sum counts in any case, as with problemtools "
                   "and DOMjudge; by the format it needs the flag accept_if_any_accepted or "
                   "always_accept");
    check_warnings(FILES(LEGACY("secret/", "on_reject: continue\naccept_score: 2\n"
                                           "grader_flags: avg\n"),
                         {"secret/1.in", ""}, {"secret/2.in", ""}),
                   "'DIR/secret/testdata.yaml': the average counts in any case, as with "
                   "problemtools and DOMjudge; by the format it needs the flag "
                   "accept_if_any_accepted or always_accept");
    check_warnings(FILES(LEGACY("", "on_reject: continue\naccept_score: 2\n"
                                    "grader_flags: always_accept\n"),
                         {"secret/1.in", ""}, {"secret/2.in", ""}),
                   "");
    check_warnings(FILES(LEGACY("secret/", "on_reject: continue\naccept_score: 2\n"
                                           "grader_flags: accept_if_any_accepted\n"),
                         {"secret/1.in", ""}, {"secret/2.in", ""}),
                   "");
}

CASE(case_scores__legacy_key_that_is_there_twice)
{
    check_warnings(FILES(LEGACY("", "on_reject: break\non_reject: continue\naccept_score: 2\n"
                                    "grader_flags: always_accept\n"),
                         {"secret/1.in", ""}, {"secret/2.in", ""}),
                   "'DIR/testdata.yaml': line 2: 'on_reject' is there twice, so the last one "
                   "counts");
}

/* Groups below have the grader and the flags of those above; ranges say how much they can give. */
CASE(case_scores__legacy_graders)
{
    static const struct file files[] = {
        LEGACY("", "grading: custom\ngrader_flags: all ignore_sample\n"),
        {"sample/1.in", ""},
        LEGACY("sample/", "grading: default\ngrader_flags: first_error\n"),
        {"secret/1.in", ""},
        LEGACY("secret/", "range: -5 60\non_reject: continue\ngrader_flags: sum  40\n"),
        {"secret/x/1.in", ""},
        LEGACY("secret/x/", "on_reject: break\nrange: 0 inf\n"),
        {0}};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    char *directory = make_files(files);

    options.no_grader = NULL;
    options.is_scoring = options.is_legacy = true;
    read_tests(directory, &tests, &error);
    assert_no_error(&error);
    for (size_t i = 0; i < tests.groups->count; i++) {
        const struct score_group *group = &tests.groups->items[i];
        CLEANUP_FREE char *flags = strvec_join(&group->grader_flags, "|");

        strbuf_addf(&text, "%s%s:%d%s%s %s %g", i > 0 ? "; " : "", group->name, group->grading,
                    group->breaks ? " breaks" : "", group->is_ignored ? " ignored" : "", flags,
                    group->max_score);
    }
    assert_string_equal(
        strbuf_string(&text),
        ":4 breaks all|ignore_sample inf; sample:1 breaks  nan; secret:4 sum|40 60; "
        "secret/x:4 breaks sum|40 inf");
    temp_remove(directory);
    options.is_scoring = false;
    check_refused(FILES(A_TEST, {"testdata.yaml", "grading: custom\n"}), "testdata.yaml",
                  ": grading: custom is for problems of the type scoring");
    options.is_legacy = false;
    options.no_grader = NO_GRADER;
}

/* The points of the tests, of which those of a directory below are not set there. */
CASE(case_scores__legacy_points)
{
    static const struct file files[] = {
        LEGACY_TOP,
        LEGACY("secret/", "on_reject: continue\ngrader_flags: always_accept\naccept_score: 2.5\n"),
        {"sample/1.in", ""},
        {"secret/x/1.in", ""},
        LEGACY("secret/x/", "accept_score: 7\n"),
        {"secret/y/1.in", ""},
        {0}};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    char *directory = make_files(files);

    read_tests(directory, &tests, &error);
    assert_no_error(&error);
    assert_true(isnan(tests.items[0].points));
    assert_true(tests.items[1].points == 7);
    assert_true(tests.items[2].points == 2.5);
    temp_remove(directory);
}

/* Those of the validator, if it gives scores. */
CASE(case_scores__legacy_points_of_a_validator)
{
    static const struct file files[] = {
        LEGACY("", "grader_flags: min\n"), {"secret/1.in", ""}, {0}};
    char *directory = make_files(files);

    options.is_scoring = options.is_legacy = options.has_validator = true;
    for (int i = 0; i < 2; i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;

        options.gives_no_score = i == 1;
        read_tests(directory, &tests, &error);
        assert_no_error(&error);
        assert_true(tests.items[0].points == (i == 1 ? 1 : INFINITY));
    }
    options.is_scoring = options.is_legacy = options.has_validator = false;
    options.gives_no_score = false;
    temp_remove(directory);
}

/* Grading that would give another score than the default grader. */
CASE(case_scores__legacy_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"grader_flags: pass-fail\nrange: 0 1\n",
         ": grader_flags: isolator grades with sum, min, avg and max, worst_error, first_error, "
         "always_accept, accept_if_any_accepted and ignore_sample"},
        {"grader_flags: avg\nrange: 0 1\n",
         ": an average needs 'on_reject: continue', since isolator counts all tests"},
        {"grader_flags: max\nrange: 0 1\n",
         ": a maximum needs 'on_reject: continue', since isolator counts all tests"},
        {"output_validator_flags: {name: v, flags: x}\nrange: 0 1\n",
         ": output_validator_flags: must be a string, since isolator runs only one output "
         "validator"},
        {"grader_flags: min ignore_sample\nrange: 0 1\n",
         ": grader_flags: only the directory above sample and secret can have ignore_sample; set "
         "the flags here, too"},
        {"reject_score: 1\n",
         ": reject_score: isolator gives no points to a test that is not accepted"},
        {"accept_score: -1\n", ": accept_score: must be a number from 0 to 1e9"},
        {"accept_score: [1]\n", ": accept_score: must be a number from 0 to 1e9"},
        {"range: 0 1\ngrader_flags: accept_if_any_accepted\n",
         ": a sum needs 'on_reject: continue', since isolator counts all tests"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_refused(FILES(A_TEST, {"secret/a/2.in", ""}, LEGACY("secret/a/", cases[i].text)),
                      "secret/a/testdata.yaml", cases[i].message);
    check_refused(FILES(A_TEST, {"sample/1.in", ""}, LEGACY("", "range: 0 1\n")), "testdata.yaml",
                  ": grader_flags needs ignore_sample, or a sum 'on_reject: continue', since "
                  "isolator counts all tests");
    /* above, everything is accepted, so that the sum counts in any case */
    check_groups(FILES(LEGACY_TOP, LEGACY("secret/", "grader_flags: always_accept\n"), A_TEST,
                       {"secret/a/2.in", ""},
                       LEGACY("secret/a/", "range: 0 1\ngrader_flags: sum\n")),
                 "secret/a/1:secret/a secret/a/2:secret/a; all sum nan; secret sum nan; secret/a "
                 "sum nan");
}
