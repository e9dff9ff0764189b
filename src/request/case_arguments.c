#include "request/case_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "request/argument_members.h"
#include "request/call_arguments.h"
#include "request/group_arguments.h"

/* No file: a batch would run out of descriptors with the tests of a few lines. */
static int read_stdin(struct argument_reader *reader, const char *name, const json_t *value,
                      void *target)
{
    struct case_request *test = target;

    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    test->stdin_data = argument_bytes(value, &test->stdin_length);
    return 0;
}

static int read_expected(struct argument_reader *reader, const char *name, const json_t *value,
                         void *target)
{
    struct case_request *test = target;

    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    if (test->expected)
        return argument_wrong(reader, name, "the only member that says what is expected");
    test->expected = argument_bytes(value, &test->expected_length);
    return 0;
}

static int read_compare(struct argument_reader *reader, const char *name, const json_t *value,
                        void *mode)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    return comparison_mode_parse(text, mode, reader->error) == 0
               ? 0
               : error_prefix(reader->error, "%s", name);
}

#define TEST(member) .offset = offsetof(struct case_request, member)
static const struct argument_member members[] = {
    {"name", ARGUMENT_NAME, TEST(name), .maximum = TEST_NAME_MAX},
    {"stdin", ARGUMENT_TEXT, .read = read_stdin},
    {"arguments", ARGUMENT_WORDS, TEST(arguments)},
    {"environment", ARGUMENT_OBJECT, TEST(environment)},
    {"files", ARGUMENT_FILES, TEST(files)},
    {"expected_stdout", ARGUMENT_TEXT, .read = read_expected},
    {"call_arguments", ARGUMENT_ARRAY, .read = call_arguments_read},
    {"call_arguments_json", ARGUMENT_TEXT, .read = call_arguments_read_json},
    {"expected_value", ARGUMENT_VALUE, .read = call_arguments_expected},
    {"expected_value_json", ARGUMENT_TEXT, .read = call_arguments_expected_json},
    {"expected_values", ARGUMENT_ARRAY, .read = call_arguments_any},
    {"expected_values_json", ARGUMENT_TEXT, .read = call_arguments_any_json},
    {"no_expected", ARGUMENT_BOOLEAN, TEST(no_expected)},
    {"compare", ARGUMENT_NAME, TEST(comparison.mode), .read = read_compare},
    {"ignore_case", ARGUMENT_BOOLEAN, TEST(comparison.ignore_case)},
    {"exact_space", ARGUMENT_BOOLEAN, TEST(comparison.exact_space)},
    {"tolerance", ARGUMENT_NUMBER, TEST(comparison.tolerance)},
    {"absolute_tolerance", ARGUMENT_NUMBER, TEST(comparison.absolute)},
    {"relative_tolerance", ARGUMENT_NUMBER, TEST(comparison.relative)},
    {"timeout_seconds", ARGUMENT_SECONDS, TEST(timeout_seconds)},
    {"cpu_seconds", ARGUMENT_SECONDS, TEST(cpu_seconds)},
    {"max_output_bytes", ARGUMENT_WHOLE, TEST(max_output_bytes), 1, TEST_MAX_OUTPUT_BYTES},
    {"group", ARGUMENT_NAME, TEST(group)},
    {"points", ARGUMENT_NUMBER, TEST(points), .read = group_arguments_points},
    ARGUMENT_MEMBERS_END,
};

/* Nothing passes without having been compared, unless that is asked for. */
static int check_expected(struct argument_reader *reader, const char *name,
                          const struct case_request *test)
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
                     bool has_checker, struct case_request *test)
{
    if (!json_is_object(value)) {
        argument_wrong(reader, name, "an object");
        return argument_hint(reader, value, ARGUMENT_OBJECT);
    }
    reader->words = words;
    if (argument_members_read(reader, members, name, value, test) != 0 ||
        call_arguments_check(reader, name, test) != 0)
        return -1;
    if (comparison_rule_complete(&test->comparison, &comparison_names, reader->error) != 0)
        return error_prefix(reader->error, "%s", name);
    if (has_checker && !test->expected)
        test->no_expected = true;
    return check_expected(reader, name, test);
}

/* The names tell the results apart. */
static int check_names(struct argument_reader *reader, const char *name,
                       const struct case_requests *tests)
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

int case_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                        bool has_checker, struct case_requests *tests)
{
    const size_t words = reader->words;
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0 || json_array_size(value) > TESTS_MAX)
        return argument_wrong(reader, name, "an array of 1 to 10000 tests");
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        struct case_request *test = case_requests_add(tests);

        json_t *meant = argument_meant(reader, item, ARGUMENT_OBJECT);
        const int result = read_test(reader, item_name, meant, words, has_checker, test);

        json_decref(meant);
        if (result != 0)
            return -1;
        if (!test->name)
            test->name = string_format("%zu", i + 1);
        if (test->group || !isnan(test->points))
            case_requests_groups(tests);
    }
    return check_names(reader, name, tests);
}

int case_arguments_detail(struct argument_reader *reader, const char *name, const json_t *value,
                          void *target)
{
    struct case_requests *tests = target;
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (strcmp(text, "full") != 0 && strcmp(text, "outcome") != 0)
        return argument_wrong(reader, name, "\"full\" or \"outcome\"");
    tests->outcome_only = strcmp(text, "outcome") == 0;
    return 0;
}
