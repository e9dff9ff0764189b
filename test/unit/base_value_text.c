#include "json.h"

#include <string.h>

#include "base/value_text.h"

static void check_tagged(const char *text, const char *expected)
{
    check_new_json(value_text_parse(text, strlen(text), NULL), expected);
}

CASE(value_text__tags_objects_and_long_integers)
{
    check_tagged("[null, true, -1.5e3, \"a\"]", "[null,true,-1500.0,\"a\"]");
    check_tagged("{\"a\": {}, \"{\": [\"}\\\"{\"]}",
                 "{\"dict\":{\"a\":{\"dict\":{}},\"{\":[\"}\\\"{\"]}}");
    check_tagged("999999999999999999", "999999999999999999");
    check_tagged("[1000000000000000000,-18446744073709551616]",
                 "[{\"number\":\"1000000000000000000\"},{\"number\":\"-18446744073709551616\"}]");
    check_tagged("1000000000000000000.0", "1e18");
    check_tagged("1000000000000000000e1", "1e19");
    check_tagged("\"1000000000000000000\"", "\"1000000000000000000\"");
}

CASE(value_text__refuses_what_is_not_json)
{
    static const char *const wrong[] = {"",
                                        "{",
                                        "}",
                                        "[1}",
                                        "0000000000000000000",
                                        "-00000000000000000001",
                                        "--1000000000000000000",
                                        "1000000000000000000x",
                                        "1 1000000000000000000",
                                        "{\"a\": 1, \"a\": 1}",
                                        "\"a",
                                        "\"a\\",
                                        "{1000000000000000000: 1}"};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        json_error_t where = {.column = 0};
        json_t *value = value_text_parse(wrong[i], strlen(wrong[i]), &where);

        if (value)
            fail_msg("%s", wrong[i]);
        assert_string_not_equal(where.text, "");
    }
}
