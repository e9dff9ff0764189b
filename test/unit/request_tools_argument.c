#include "json.h"

#include "request/tools_argument.h"

static void check_read(const char *arguments, const char *words, enum tool_detail detail)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct tool_search_arguments search;
    json_t *value = arguments ? json_of(arguments) : NULL;
    char *joined;

    assert_int_equal(tool_search_arguments_read(value, &search, &error), 0);
    joined = strvec_join(&search.words, "|");
    assert_string_equal(joined, words);
    assert_int_equal(search.detail, detail);
    free(joined);
    strvec_release(&search.words);
    strvec_release(&search.warnings);
    json_decref(value);
}

static void check_refused(const char *arguments, const char *message)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct tool_search_arguments search;
    json_t *value = json_of(arguments);

    assert_int_equal(tool_search_arguments_read(value, &search, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    strvec_release(&search.words);
    strvec_release(&search.warnings);
    json_decref(value);
}

CASE(tool_search_arguments__words_and_detail)
{
    check_read(NULL, "", TOOL_DETAIL_DESCRIPTION);
    check_read("{}", "", TOOL_DETAIL_DESCRIPTION);
    check_read("{\"query\": null, \"detail\": null}", "", TOOL_DETAIL_DESCRIPTION);
    check_read("{\"query\": \" \\n\", \"detail\": \"name\"}", "", TOOL_DETAIL_NAME);
    check_read("{\"query\": \"\\tone  two\\n\", \"detail\": \"schema\"}", "one|two",
               TOOL_DETAIL_SCHEMA);
}

CASE(tool_search_arguments__wrong)
{
    static const char wrong_detail[] = "detail must be \"name\", \"description\" or \"schema\"";

    check_refused("{\"query\": 1}", "query must be a string");
    check_refused("{\"query\": \"a\\u0000b\"}", "query must be a string without NUL characters");
    check_refused("{\"detail\": 1}", wrong_detail);
    check_refused("{\"detail\": \"schemas\"}", wrong_detail);
    check_refused("{\"detail\": \"name\\u0000\"}", wrong_detail);
    check_refused("{\"query\": \"a\", \"max\\u001b\": null}",
                  "there is no argument 'max\\x1b'; known are: query, detail");
}
