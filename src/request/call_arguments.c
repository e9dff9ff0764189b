#include "request/call_arguments.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/value_text.h"
#include "request/argument_members.h"

/* ---- the function */

static bool is_identifier(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
    const size_t first = strspn(text, letters);

    return first > 0 && strspn(text + first, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "_$0123456789") == strlen(text + first);
}

static int read_identifier(struct argument_reader *reader, const char *name, const json_t *value,
                           void *target)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (!is_identifier(text) || strlen(text) > FUNCTION_CALL_NAME_MAX)
        return argument_wrong(reader, name, "a name of letters, digits, _ and $");
    *(char **)target = string_copy(text);
    return 0;
}

int call_argument_read(struct reading *reading, const char *name, const json_t *value)
{
    static const struct argument_member members[] = {
        {"function", ARGUMENT_TEXT, offsetof(struct function_call, function),
         .read = read_identifier},
        {"class", ARGUMENT_TEXT, offsetof(struct function_call, class_name),
         .read = read_identifier},
        ARGUMENT_MEMBERS_END,
    };
    struct function_call *call = &reading->request->call;

    if (!json_is_object(value))
        return argument_wrong(&reading->values, name, "an object");
    if (argument_members_read(&reading->values, members, name, value, call) != 0)
        return -1;
    if (!call->function)
        return error_set(reading->error, ERROR_USAGE, "%s needs a function", name);
    return 0;
}

/* ---- values */

/* Checks that the text is one JSON value. */
static int check_json(struct argument_reader *reader, const char *name, const char *text,
                      size_t length)
{
    json_error_t where = {.column = 0};
    CLEANUP_FREE char *given = NULL, *shown = NULL, *why = NULL;
    json_t *value;

    reader->values += json_text_count(text, length);
    if (reader->values > JSON_TEXT_VALUES_MAX)
        return argument_wrong(reader, name, "shorter: the request has too many values");
    value = value_text_parse(text, length, &where);
    if (value) {
        json_decref(value);
        return 0;
    }
    given = string_format("%.*s", (int)length, text);
    shown = text_escape_short(given, TEXT_SHOWN_MAX);
    why = text_escape_short(where.text, TEXT_SHOWN_MAX);
    return error_set(reader->error, ERROR_USAGE, "%s: '%s' is not a JSON value: %s", name, shown,
                     why);
}

static void set_arguments(struct case_request *test, struct strbuf *text)
{
    const size_t length = text->length;

    input_files_add(&test->files, FUNCTION_CALL_ARGUMENTS, strbuf_steal(text), length);
    test->is_call = true;
}

static char *text_of(const json_t *value)
{
    return json_dumps(value, JSON_ENCODE_ANY | json_text_flags(value));
}

int call_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                        void *target)
{
    struct case_request *test = target;
    struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *array = NULL;

    if (!json_is_array(value) || test->is_call)
        return argument_wrong(reader, name,
                              test->is_call ? "given once, as JSON or as text" : "an array");
    array = text_of(value);
    strbuf_addstr(&text, array);
    set_arguments(test, &text);
    return 0;
}

/* Adds an array of the values in a text, one a line. */
static int read_lines(struct argument_reader *reader, const char *name, const json_t *value,
                      struct strbuf *array)
{
    const char *line = argument_text(reader, name, value);

    if (!line)
        return -1;
    while (*line) {
        const size_t length = strcspn(line, "\n");

        if (strspn(line, " \t\r\n") < length) {
            if (check_json(reader, name, line, length) != 0)
                return -1;
            strbuf_addch(array, array->length > 0 ? ',' : '[');
            strbuf_add(array, line, length);
        }
        line += length + (line[length] == '\n');
    }
    strbuf_addstr(array, array->length > 0 ? "]" : "[]");
    return 0;
}

int call_arguments_read_json(struct argument_reader *reader, const char *name, const json_t *value,
                             void *target)
{
    struct case_request *test = target;
    CLEANUP(strbuf_release) struct strbuf array = STRBUF_INIT;

    if (read_lines(reader, name, value, &array) != 0)
        return -1;
    if (test->is_call)
        return argument_wrong(reader, name, "given once, as JSON or as text");
    set_arguments(test, &array);
    return 0;
}

static int set_expected(struct argument_reader *reader, const char *name, char *text,
                        struct case_request *test)
{
    if (test->expected) {
        free(text);
        return argument_wrong(reader, name, "the only member that says what is expected");
    }
    test->expected = text;
    test->expected_length = strlen(text);
    test->expects_value = true;
    return 0;
}

int call_arguments_expected(struct argument_reader *reader, const char *name, const json_t *value,
                            void *test)
{
    return set_expected(reader, name, text_of(value), test);
}

int call_arguments_expected_json(struct argument_reader *reader, const char *name,
                                 const json_t *value, void *test)
{
    const char *text = argument_text(reader, name, value);

    if (!text || check_json(reader, name, text, strlen(text)) != 0)
        return -1;
    return set_expected(reader, name, string_copy(text), test);
}

/* Takes ownership of the text of an array. */
static int set_any(struct argument_reader *reader, const char *name, char *text,
                   struct case_request *test)
{
    if (strcmp(text, "[]") == 0) {
        free(text);
        return argument_wrong(reader, name, "one value at least");
    }
    test->expects_any = true;
    return set_expected(reader, name, text, test);
}

int call_arguments_any(struct argument_reader *reader, const char *name, const json_t *value,
                       void *test)
{
    return json_is_array(value) ? set_any(reader, name, text_of(value), test)
                                : argument_wrong(reader, name, "an array");
}

int call_arguments_any_json(struct argument_reader *reader, const char *name, const json_t *value,
                            void *test)
{
    CLEANUP(strbuf_release) struct strbuf array = STRBUF_INIT;

    return read_lines(reader, name, value, &array) == 0
               ? set_any(reader, name, strbuf_steal(&array), test)
               : -1;
}

int call_arguments_check(struct argument_reader *reader, const char *name,
                         struct case_request *test)
{
    struct comparison_rule *rule = &test->comparison;

    if (!test->is_call)
        return test->expects_value
                   ? error_set(reader->error, ERROR_USAGE,
                               "%s has an expected value, but no call_arguments", name)
                   : 0;
    if (test->expected && !test->expects_value)
        return error_set(
            reader->error, ERROR_USAGE,
            "%s calls a function, whose output is not compared; give expected_value in "
            "place of expected_stdout",
            name);
    if ((rule->mode != COMPARE_TRIM && rule->mode != COMPARE_FLOAT) || rule->ignore_case ||
        rule->exact_space)
        return error_set(
            reader->error, ERROR_USAGE,
            "%s calls a function: compare, ignore_case and exact_space are for outputs", name);
    rule->mode = COMPARE_FLOAT; /* its tolerances are those of numbers in values */
    return 0;
}
