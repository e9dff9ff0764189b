#include "json.h"

#include "base/yaml_text.h"

static void check(const char *text, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    json_t *value = yaml_text_parse(text, strlen(text), &error);
    CLEANUP_FREE char *got = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    assert_no_error(&error);
    assert_string_equal(got, expected);
    json_decref(value);
}

static void check_wrong(const char *text, const char *message)
{
    struct error error = ERROR_INIT;

    assert_null(yaml_text_parse(text, strlen(text), &error));
    assert_error(&error, ERROR_INPUT, message);
}

CASE(yaml_text__values)
{
    check("", "null");
    check("# nothing\n", "null");
    check("---\n...\n", "null");
    check("a", "\"a\"");
    check("a: 1\nb: [x, 'y z', \"\\u00e4\"]\nc:\n  - d: 007\n  - ~\n  - null\n  - 'null'\n  -\n",
          "{\"a\":\"1\",\"b\":[\"x\",\"y z\",\"\xc3\xa4\"],\"c\":[{\"d\":\"007\"},null,null,"
          "\"null\",null]}");
    check("t: |\n  one\n  two\ne: ''\n", "{\"t\":\"one\\ntwo\\n\",\"e\":\"\"}");
    check("{}", "{}");
    check("a: true\r\nb: 1.5\r\n", "{\"a\":\"true\",\"b\":\"1.5\"}");
}

CASE(yaml_text__refused)
{
    check_wrong("a: &x 1\nb: *x\n", "line 1: aliases, anchors and tags are not taken");
    check_wrong("a: 1\nb: *x\n", "line 2: aliases, anchors and tags are not taken");
    check_wrong("a: !!str 1\n", "line 1: aliases, anchors and tags are not taken");
    check_wrong("a: &x [1]\n", "line 1: aliases, anchors and tags are not taken");
    check_wrong("a: &x {b: 1}\n", "line 1: aliases, anchors and tags are not taken");
    check_wrong("a: 1\na: 2\n", "line 2: 'a' is there twice");
    check_wrong("? [1]\n: 2\n", "line 1: a key is not a text");
    check_wrong("a\n---\nb\n", "line 2: a second document is not taken");
    check_wrong("a: \"x\\0y\"\n", "line 1: a text has a character that cannot be in one");
    check_wrong("\"x\\0y\": 1\n", "line 1: a text has a character that cannot be in one");
    check_wrong("a: [1\nb: 2\n", "line 2: did not find expected ',' or ']'");
    check_wrong("\ta: 1\n", "line 1: found character that cannot start any token");
    check_wrong("a: \xff\n", "line 1: invalid leading UTF-8 octet");
}

CASE(yaml_text__last_of_two_keys)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec repeated = STRVEC_INIT;
    CLEANUP_FREE char *names = NULL;
    const char *text = "a: {b: 1}\nc: 2\na: [3]\nd: {e: 1, e: 2}\n";

    check_new_json(yaml_text_parse_last(text, strlen(text), &repeated, &error),
                   "{\"a\":[\"3\"],\"c\":\"2\",\"d\":{\"e\":\"2\"}}");
    names = strvec_join(&repeated, "; ");
    assert_string_equal(names, "line 3: 'a' is there twice; line 4: 'e' is there twice");
    strvec_release(&repeated);
    text = "{a: 1, a: 1, a: 1, a: 1, a: 1, a: 1, a: 1}";
    check_new_json(yaml_text_parse_last(text, strlen(text), &repeated, &error), "{\"a\":\"1\"}");
    assert_int_equal(repeated.count, 5);
    assert_null(yaml_text_parse_last("a: [", 4, &repeated, &error));
    assert_error(&error, ERROR_INPUT, "line 2: did not find expected node content");
}

CASE(yaml_text__bounds)
{
    char levels[2 * YAML_TEXT_LEVELS_MAX + 3];
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf large = STRBUF_INIT;
    struct error error = ERROR_INIT;

    memset(levels, '[', sizeof levels);
    memset(levels + YAML_TEXT_LEVELS_MAX, ']', YAML_TEXT_LEVELS_MAX);
    levels[2 * YAML_TEXT_LEVELS_MAX] = '\0';
    check(levels, levels);
    memset(levels, '[', YAML_TEXT_LEVELS_MAX + 1);
    check_wrong(levels, "line 1: there are too many levels");
    for (int i = 0; i < YAML_TEXT_VALUES_MAX; i++)
        strbuf_addstr(&many, "- 1\n");
    check_wrong(strbuf_string(&many), "line 20000: there are too many values");
    while (large.length <= YAML_TEXT_MAX)
        strbuf_addstr(&large, "# a comment\n");
    assert_null(yaml_text_parse(large.data, large.length, &error));
    assert_error(&error, ERROR_INPUT, "it has more than 1048576 bytes");
}

CASE(yaml_text__numbers_within_bounds)
{
    static const struct {
        const char *text;
        bool is_number;
        double number;
    } cases[] = {{"1.5", true, 1.5}, {"'-1'", true, -1}, {"2", true, 2},    {"2.01", false, 0},
                 {"-1.1", false, 0}, {"x", false, 0},    {"1 1", false, 0}, {"[1]", false, 0},
                 {"", false, 0},     {"0x1", false, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        json_auto_t *value = yaml_text_parse(cases[i].text, strlen(cases[i].text), &error);
        double number = 0;

        assert_no_error(&error);
        if (yaml_text_number(value, -1, 2, &number) != cases[i].is_number)
            fail_msg("'%s'", cases[i].text);
        if (cases[i].is_number)
            assert_float_equal(number, cases[i].number, 0);
    }
    assert_false(yaml_text_number(NULL, -1, 2, &(double){0}));
}
