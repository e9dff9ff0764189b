#include "json.h"

#include <math.h>

#include "request/checker_arguments.h"

/* A checker of these members, of which language and code are given. */
#define WITH(members) "{\"language\": \"py\", \"code\": \"text\", " members "}"

struct fixture {
    struct error error;
    struct argument_reader reader;
    struct request request;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    fixture->reader.error = &fixture->error;
    fixture->reader.workdir = "/workspace";
    request_init(&fixture->request);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    request_release(&fixture->request);
}

static int read_text(struct fixture *fixture, const char *text)
{
    json_t *value = json_of(text);
    const int result =
        checker_arguments_read(&fixture->reader, "checker", value, &fixture->request);

    json_decref(value);
    return result;
}

static const struct request *read_good(struct fixture *fixture, const char *text)
{
    const int result = read_text(fixture, text);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
    assert_non_null(fixture->request.checker);
    return fixture->request.checker;
}

static void check_refused(const char *text, const char *message)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, text), -1);
    if (fixture.error.kind != ERROR_USAGE && fixture.error.kind != ERROR_INPUT)
        fail_msg("an error of kind %d", fixture.error.kind);
    assert_error(&fixture.error, fixture.error.kind, message);
    tear_down(&fixture);
}

CASE_WITH(checker_arguments__defaults, set_up(fixture))
{
    const struct request *checker;

    checker = read_good(fixture, "{\"language\": \"py\", \"code\": \"\"}");
    assert_int_equal(fixture->request.checker_convention, CHECKER_TESTLIB);
    assert_string_equal(checker->language, "py");
    assert_non_null(checker->input.code);
    assert_int_equal(checker->input.code_length, 0);
    assert_null(checker->entrypoint);
    assert_int_equal(checker->input.files.count, 0);
    assert_int_equal(checker->arguments.count, 0);
    assert_true(isnan(checker->policy.limits.number[LIMIT_TIMEOUT]));
    assert_true(isnan(checker->policy.limits.number[LIMIT_MEMORY]));
}

CASE_WITH(checker_arguments__all_members, set_up(fixture))
{
    const struct request *checker;

    checker = read_good(
        fixture, "{\"convention\": \"kattis\", \"language\": \"cpp\", \"code\": \"a\\u0000b\","
                 " \"filename\": \"/workspace/src/check.cpp\","
                 " \"files\": [{\"filename\": \"src/testlib.h\", \"content\": \"lib\"}],"
                 " \"arguments\": [\"strict\", \"\"], \"timeout_seconds\": 1.5,"
                 " \"memory_mb\": 64, \"interactive\": true, \"transcript\": true}");
    assert_int_equal(fixture->request.checker_convention, CHECKER_KATTIS);
    assert_true(fixture->request.interactive);
    assert_true(fixture->request.transcript);
    assert_string_equal(checker->language, "cpp");
    assert_int_equal(checker->input.code_length, 3);
    assert_memory_equal(checker->input.code, "a\0b", 4);
    assert_string_equal(checker->entrypoint, "src/check.cpp");
    assert_int_equal(checker->input.files.count, 1);
    assert_string_equal(checker->input.files.items[0].path, "src/testlib.h");
    assert_int_equal(checker->arguments.count, 2);
    assert_string_equal(checker->arguments.items[0], "strict");
    assert_true(checker->policy.limits.number[LIMIT_TIMEOUT] == 1.5);
    assert_true(checker->policy.limits.number[LIMIT_MEMORY] == 64);
    assert_null(fixture->request.language);
    assert_int_equal(fixture->request.arguments.count, 0);
}

/* As in other arguments, null and the empty name are not given, and clean JSON may be text. */
CASE_WITH(checker_arguments__spellings, set_up(fixture))
{
    const struct request *checker;

    checker = read_good(fixture, WITH("\"convention\": \"\", \"filename\": null, \"files\": null,"
                                      "\"arguments\": \"[\\\"a\\\"]\", \"memory_mb\": \"64\","
                                      "\"timeout_seconds\": null"));
    assert_int_equal(fixture->request.checker_convention, CHECKER_TESTLIB);
    assert_null(checker->entrypoint);
    assert_string_equal(checker->arguments.items[0], "a");
    assert_true(checker->policy.limits.number[LIMIT_MEMORY] == 64);
}

CASE(checker_arguments__wrong_members)
{
    check_refused(WITH("\"convention\": \"icpc\""),
                  "checker.convention must be \"testlib\" or \"kattis\"");
    check_refused(WITH("\"convention\": 1"), "checker.convention must be a string");
    check_refused("{\"language\": [], \"code\": \"\"}", "checker.language must be a string");
    check_refused("{\"language\": \"p\\u0000\", \"code\": \"\"}",
                  "checker.language must be a string without NUL characters");
    check_refused("{\"language\": \"py\", \"code\": 1}", "checker.code must be a string");
    check_refused(WITH("\"filename\": 1"), "checker.filename must be a string");
    check_refused(WITH("\"filename\": \"../check.py\""),
                  "checker.filename: '../check.py' must not have '..', '.' or empty parts");
    check_refused(WITH("\"filename\": \"/check.py\""),
                  "checker.filename: '/check.py' must be relative to the directory");
    check_refused(WITH("\"files\": {}"),
                  "checker.files must be an array of objects with filename and content");
    check_refused(WITH("\"files\": [{\"filename\": \"/a\", \"content\": \"\"}]"),
                  "checker.files[0]: '/a' must be relative to the directory");
    check_refused(WITH("\"arguments\": \"a\""),
                  "checker.arguments must be an array of strings; text came, which is not that in "
                  "JSON");
    check_refused(WITH("\"arguments\": [1]"), "checker.arguments[0] must be a string");
    check_refused(WITH("\"timeout_seconds\": 0"),
                  "checker.timeout_seconds must be a number of seconds greater than 0");
    check_refused(WITH("\"timeout_seconds\": 1e300"),
                  "the checker: timeoutSeconds must be from 0.001 to 31622400 s");
    check_refused(WITH("\"memory_mb\": true"), "checker.memory_mb must be a number");
    check_refused(WITH("\"memory_mb\": 1"), "the checker: memoryMB must be from 6 to 16777216 MB");
    check_refused(WITH("\"memory_mb\": \"x\""),
                  "checker.memory_mb must be a number; text came, which is not that in JSON");
}

CASE(checker_arguments__unknown_members)
{
    check_refused(
        WITH("\"network\": \"bridge\""),
        "checker has no member 'network'; known are: convention, language, code, "
        "filename, files, arguments, timeout_seconds, memory_mb, interactive, transcript");
    check_refused(
        WITH("\"\\u001b\": null"),
        "checker has no member '\\x1b'; known are: convention, language, code, "
        "filename, files, arguments, timeout_seconds, memory_mb, interactive, transcript");
}

CASE(checker_arguments__what_is_needed)
{
    check_refused("5", "checker must be an object");
    check_refused("[]", "checker must be an object");
    check_refused("{}", "checker needs a language and code");
    check_refused("{\"language\": \"py\"}", "checker needs a language and code");
    check_refused("{\"code\": \"\"}", "checker needs a language and code");
    check_refused("{\"language\": \"\", \"code\": \"\"}", "checker needs a language and code");
    check_refused("{\"language\": \"py\", \"code\": null}", "checker needs a language and code");
    check_refused(WITH("\"transcript\": true"),
                  "checker.transcript needs checker.interactive: a checker does not talk");
    check_refused(WITH("\"interactive\": 1"), "checker.interactive must be true or false");
}

/* The words of a checker are those of another program, with a limit of its own. */
CASE_WITH(checker_arguments__words_are_counted_alone, set_up(fixture))
{
    fixture->reader.words = 5;
    read_good(fixture, WITH("\"arguments\": [\"12345678\"]"));
    assert_int_equal(fixture->reader.words, 5);
}
