#include "request/test_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "request/argument_files.h"
#include "request/call_arguments.h"
#include "request/group_arguments.h"

typedef int member_reader(struct argument_reader *reader, const char *name, const json_t *value,
                          struct test_request *test);

static int read_name(struct argument_reader *reader, const char *name, const json_t *value,
                     struct test_request *test)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (strlen(text) > TEST_NAME_MAX)
        return argument_wrong(reader, name, "a string of at most 255 bytes");
    test->name = string_copy(text);
    return 0;
}

/* No file: a batch would run out of descriptors with the tests of a few lines. */
static int read_stdin(struct argument_reader *reader, const char *name, const json_t *value,
                      struct test_request *test)
{
    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    test->stdin_data = argument_bytes(value, &test->stdin_length);
    return 0;
}

static int read_arguments(struct argument_reader *reader, const char *name, const json_t *value,
                          struct test_request *test)
{
    return argument_words(reader, name, value, &test->arguments);
}

static int read_environment(struct argument_reader *reader, const char *name, const json_t *value,
                            struct test_request *test)
{
    return argument_variables(reader, name, value, &test->environment);
}

static int read_files(struct argument_reader *reader, const char *name, const json_t *value,
                      struct test_request *test)
{
    return argument_files(reader, name, value, &test->files);
}

static int read_expected(struct argument_reader *reader, const char *name, const json_t *value,
                         struct test_request *test)
{
    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    if (test->expected)
        return argument_wrong(reader, name, "the only member that says what is expected");
    test->expected = argument_bytes(value, &test->expected_length);
    return 0;
}

static int read_no_expected(struct argument_reader *reader, const char *name, const json_t *value,
                            struct test_request *test)
{
    return argument_flag(reader, name, value, &test->no_expected);
}

static int read_compare(struct argument_reader *reader, const char *name, const json_t *value,
                        struct test_request *test)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    return comparison_mode_parse(text, &test->comparison.mode, reader->error) == 0
               ? 0
               : error_prefix(reader->error, "%s", name);
}

static int read_ignore_case(struct argument_reader *reader, const char *name, const json_t *value,
                            struct test_request *test)
{
    return argument_flag(reader, name, value, &test->comparison.ignore_case);
}

static int read_exact_space(struct argument_reader *reader, const char *name, const json_t *value,
                            struct test_request *test)
{
    return argument_flag(reader, name, value, &test->comparison.exact_space);
}

static int read_number(struct argument_reader *reader, const char *name, const json_t *value,
                       double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && *number >= 0
               ? 0
               : argument_wrong(reader, name, "a number, 0 or greater");
}

static int read_tolerance(struct argument_reader *reader, const char *name, const json_t *value,
                          struct test_request *test)
{
    return read_number(reader, name, value, &test->comparison.tolerance);
}

static int read_absolute(struct argument_reader *reader, const char *name, const json_t *value,
                         struct test_request *test)
{
    return read_number(reader, name, value, &test->comparison.absolute);
}

static int read_relative(struct argument_reader *reader, const char *name, const json_t *value,
                         struct test_request *test)
{
    return read_number(reader, name, value, &test->comparison.relative);
}

static int read_timeout(struct argument_reader *reader, const char *name, const json_t *value,
                        struct test_request *test)
{
    return argument_seconds(reader, name, value, &test->timeout_seconds);
}

static int read_cpu_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                            struct test_request *test)
{
    return argument_seconds(reader, name, value, &test->cpu_seconds);
}

static int read_max_output(struct argument_reader *reader, const char *name, const json_t *value,
                           struct test_request *test)
{
    const json_int_t bytes = json_integer_value(value);

    if (!json_is_integer(value) || bytes < 1 || bytes > TEST_MAX_OUTPUT_BYTES)
        return argument_wrong(reader, name, "a whole number from 1 to 67108864");
    test->max_output_bytes = (int)bytes;
    return 0;
}

static int read_group(struct argument_reader *reader, const char *name, const json_t *value,
                      struct test_request *test)
{
    const char *text = argument_text(reader, name, value);

    test->group = text ? string_copy(text) : NULL;
    return text ? 0 : -1;
}

static int read_points(struct argument_reader *reader, const char *name, const json_t *value,
                       struct test_request *test)
{
    return group_arguments_points(reader, name, value, &test->points);
}

static const struct member {
    const char *name;
    enum argument_type type;
    member_reader *read;
} members[] = {
    {"name", ARGUMENT_NAME, read_name},
    {"stdin", ARGUMENT_TEXT, read_stdin},
    {"arguments", ARGUMENT_ARRAY, read_arguments},
    {"environment", ARGUMENT_OBJECT, read_environment},
    {"files", ARGUMENT_ARRAY, read_files},
    {"expected_stdout", ARGUMENT_TEXT, read_expected},
    {"call_arguments", ARGUMENT_ARRAY, call_arguments_read},
    {"call_arguments_json", ARGUMENT_TEXT, call_arguments_read_json},
    {"expected_value", ARGUMENT_VALUE, call_arguments_expected},
    {"expected_value_json", ARGUMENT_TEXT, call_arguments_expected_json},
    {"expected_values", ARGUMENT_ARRAY, call_arguments_any},
    {"expected_values_json", ARGUMENT_TEXT, call_arguments_any_json},
    {"no_expected", ARGUMENT_BOOLEAN, read_no_expected},
    {"compare", ARGUMENT_NAME, read_compare},
    {"ignore_case", ARGUMENT_BOOLEAN, read_ignore_case},
    {"exact_space", ARGUMENT_BOOLEAN, read_exact_space},
    {"tolerance", ARGUMENT_NUMBER, read_tolerance},
    {"absolute_tolerance", ARGUMENT_NUMBER, read_absolute},
    {"relative_tolerance", ARGUMENT_NUMBER, read_relative},
    {"timeout_seconds", ARGUMENT_NUMBER, read_timeout},
    {"cpu_seconds", ARGUMENT_NUMBER, read_cpu_seconds},
    {"max_output_bytes", ARGUMENT_NUMBER, read_max_output},
    {"group", ARGUMENT_NAME, read_group},
    {"points", ARGUMENT_NUMBER, read_points},
};
enum { MEMBERS = sizeof members / sizeof *members };

static int refuse_member(struct argument_reader *reader, const char *test, const char *key)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (int i = 0; i < MEMBERS; i++)
        strvec_push(&names, members[i].name);
    return argument_unknown(reader, test, key, &names);
}

static const struct member *find_member(const char *key)
{
    for (int i = 0; i < MEMBERS; i++)
        if (strcmp(members[i].name, key) == 0)
            return &members[i];
    return NULL;
}

static int read_member(struct argument_reader *reader, const char *test_name, const char *key,
                       json_t *value, struct test_request *test)
{
    const struct member *member = find_member(key);
    CLEANUP_FREE char *path = string_format("%s.%s", test_name, key);
    json_t *meant;
    int result;

    if (!member)
        return refuse_member(reader, test_name, key);
    meant = argument_meant(reader, value, member->type);
    result = meant ? member->read(reader, path, meant, test) : 0;
    if (result != 0)
        argument_hint(reader, meant, member->type);
    json_decref(meant);
    return result;
}

/* Nothing passes without having been compared, unless that is asked for. */
static int check_expected(struct argument_reader *reader, const char *name,
                          const struct test_request *test)
{
    if (!test->expected && !test->no_expected)
        return error_set(reader->error, ERROR_USAGE,
                         "%s has no %s; to check only the exit status, give \"no_expected\": true",
                         name, test->is_call ? "expected_value" : "expected_stdout");
    if (test->expected && test->no_expected)
        return error_set(reader->error, ERROR_USAGE,
                         "%s has both %s and no_expected; give one of them", name,
                         test->is_call ? "expected_value" : "expected_stdout");
    return 0;
}

static const struct comparison_names comparison_names = {
    .mode = "compare",
    .exact_space = "exact_space",
    .tolerance = "tolerance",
    .absolute = "absolute_tolerance",
    .relative = "relative_tolerance",
};

/* `words` are those of the request, which every program gets. */
static int read_test(struct argument_reader *reader, const char *name, json_t *value, size_t words,
                     bool has_checker, struct test_request *test)
{
    const char *key;
    json_t *member;

    if (!json_is_object(value)) {
        argument_wrong(reader, name, "an object");
        return argument_hint(reader, value, ARGUMENT_OBJECT);
    }
    reader->words = words;
    json_object_foreach(value, key, member)
    {
        if (read_member(reader, name, key, member, test) != 0)
            return -1;
    }
    if (call_arguments_check(reader, name, test) != 0)
        return -1;
    if (comparison_rule_complete(&test->comparison, &comparison_names, reader->error) != 0)
        return error_prefix(reader->error, "%s", name);
    if (has_checker && !test->expected)
        test->no_expected = true;
    return check_expected(reader, name, test);
}

/* The names tell the results apart. */
static int check_names(struct argument_reader *reader, const char *name,
                       const struct test_requests *tests)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < tests->count; i++)
        strvec_push(&names, tests->items[i].name);
    strvec_sort(&names);
    for (size_t i = 1; i < names.count; i++)
        if (strcmp(names.items[i - 1], names.items[i]) == 0) {
            CLEANUP_FREE char *shown = text_escape_short(names.items[i], TEXT_SHOWN_MAX);

            return error_set(reader->error, ERROR_USAGE, "%s: there are two tests named '%s'", name,
                             shown);
        }
    return 0;
}

int test_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                        bool has_checker, struct test_requests *tests)
{
    const size_t words = reader->words;
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0 || json_array_size(value) > TESTS_MAX)
        return argument_wrong(reader, name, "an array of 1 to 10000 tests");
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        struct test_request *test = test_requests_add(tests);

        json_t *meant = argument_meant(reader, item, ARGUMENT_OBJECT);
        const int result = read_test(reader, item_name, meant, words, has_checker, test);

        json_decref(meant);
        if (result != 0)
            return -1;
        if (!test->name)
            test->name = string_format("%zu", i + 1);
        if (test->group || !isnan(test->points))
            test_requests_groups(tests);
    }
    return check_names(reader, name, tests);
}

int test_arguments_detail(struct argument_reader *reader, const char *name, const json_t *value,
                          struct test_requests *tests)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (strcmp(text, "full") != 0 && strcmp(text, "outcome") != 0)
        return argument_wrong(reader, name, "\"full\" or \"outcome\"");
    tests->outcome_only = strcmp(text, "outcome") == 0;
    return 0;
}
