#include "test.h"

#include "mcp/json_edit.h"

/* Sets {"c": 1} as the entry. NULL: refused with `error`. Owned by the caller. */
static char *set(const char *text, size_t length, struct error *error)
{
    struct json_places places;
    struct strbuf edited = STRBUF_INIT;
    json_t *entry;

    if (json_places_find(text, length, "servers", "isolator", &places, error) != 0)
        return NULL;
    entry = json_pack("{si}", "c", 1);
    json_edit(text, length, &places, "servers", "isolator", entry, &edited);
    json_decref(entry);
    return strbuf_steal(&edited);
}

static void check(const char *before, const char *after)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = set(before, strlen(before), &error);
    CLEANUP_FREE char *again = NULL;

    assert_no_error(&error);
    assert_string_equal(got, after);
    again = set(got, strlen(got), &error);
    assert_no_error(&error);
    assert_string_equal(again, after);
}

static void check_refused(const char *text, size_t length, const char *message)
{
    struct error error = ERROR_INIT;
    /* an exact copy, so that a sanitizer sees what is read after it */
    char *copy = malloc(length + (length == 0));
    char *got;

    assert_non_null(copy);
    memcpy(copy, text, length);
    got = set(copy, length, &error);
    free(copy);
    assert_text_or_null(got, NULL);
    assert_error(&error, ERROR_CONFIG, message);
}

#define REFUSED(text, message) check_refused(text, sizeof(text) - 1, message)

/* The entry at the indentation of two levels of two spaces. */
#define ENTRY "    \"isolator\": {\n      \"c\": 1\n    }"

CASE(json_edit__adds_the_last_member)
{
    check("{\n  \"servers\": {\n    \"a\": {}\n  }\n}\n",
          "{\n  \"servers\": {\n    \"a\": {},\n" ENTRY "\n  }\n}\n");
    check("{\n  \"servers\": {\n    \"a\": {}\n  },\n  \"x\": [1, 2.50]\n}",
          "{\n  \"servers\": {\n    \"a\": {},\n" ENTRY "\n  },\n  \"x\": [1, 2.50]\n}");
    check("{\n\t\"servers\": {\n\t\t\"a\": {}\n\t}\n}\n",
          "{\n\t\"servers\": {\n\t\t\"a\": {},\n\t\t\"isolator\": {\n\t\t\t\"c\": "
          "1\n\t\t}\n\t}\n}\n");
    check("{\"servers\": {\"a\": {}}}", "{\"servers\": {\"a\": {}, \"isolator\": {\"c\": 1}}}");
    check("{\n  \"servers\": {\"a\": {}}\n}\n",
          "{\n  \"servers\": {\"a\": {}, \"isolator\": {\"c\": 1}}\n}\n");
    check("{\"servers\": {\"a\": {}\n}}",
          "{\"servers\": {\"a\": {},\n  \"isolator\": {\n    \"c\": 1\n  }\n}}");
}

CASE(json_edit__fills_an_empty_object)
{
    check("{\n  \"servers\": {}\n}\n", "{\n  \"servers\": {\n" ENTRY "\n  }\n}\n");
    check("{\n  \"servers\": {\n  }\n}\n", "{\n  \"servers\": {\n" ENTRY "\n  }\n}\n");
    check("{\n  \"servers\": { /* none */ }\n}\n",
          "{\n  \"servers\": { /* none */\n" ENTRY "\n   }\n}\n");
    check("{\n  \"servers\": { // none \n  }\n}\n",
          "{\n  \"servers\": { // none \n" ENTRY "\n  }\n}\n");
}

CASE(json_edit__adds_the_servers)
{
    check("{}", "{\n  \"servers\": {\n" ENTRY "\n  }\n}");
    check("{}\n", "{\n  \"servers\": {\n" ENTRY "\n  }\n}\n");
    check("{\n    \"x\": 1\n}\n",
          "{\n    \"x\": 1,\n    \"servers\": {\n        \"isolator\": {\n            \"c\": 1\n"
          "        }\n    }\n}\n");
    check("{\"x\": 1}", "{\"x\": 1, \"servers\": {\"isolator\": {\"c\": 1}}}");
    check("{\"x\": {\"servers\": {\"isolator\": 1}}}",
          "{\"x\": {\"servers\": {\"isolator\": 1}}, \"servers\": {\"isolator\": {\"c\": 1}}}");
}

CASE(json_edit__replaces_the_entry)
{
    check("{\n  \"servers\": {\n    \"isolator\": {\"old\": [{}]},\n    \"b\": 1\n  }\n}\n",
          "{\n  \"servers\": {\n" ENTRY ",\n    \"b\": 1\n  }\n}\n");
    check("{\"servers\": {\"isolator\": null, \"b\": 1}}",
          "{\"servers\": {\"isolator\": {\"c\": 1}, \"b\": 1}}");
    check("{\"serv\\u0065rs\": {\"isol\\u0061tor\": 1}}",
          "{\"serv\\u0065rs\": {\"isol\\u0061tor\": {\"c\": 1}}}");
}

CASE(json_edit__keeps_comments_and_commas)
{
    check(
        "// { \"servers\"\n{\n  \"servers\": {\n    \"a\": {} // \"isolator\": 1 }\n  } /* } */\n}"
        "\n// end",
        "// { \"servers\"\n{\n  \"servers\": {\n    \"a\": {}, // \"isolator\": 1 }\n" ENTRY
        "\n  } /* } */\n}\n// end");
    check("{\n  \"servers\": {\n    \"a\": {}, // last\n    // more\n  },\n}\n",
          "{\n  \"servers\": {\n    \"a\": {}, // last\n    // more\n" ENTRY "\n  },\n}\n");
    check("{\"servers\": {\"a\": 1,}}", "{\"servers\": {\"a\": 1, \"isolator\": {\"c\": 1}}}");
    check("{\"servers\": {\"a\": 1 // x\n}}",
          "{\"servers\": {\"a\": 1, // x\n  \"isolator\": {\n    \"c\": 1\n  }\n}}");
    check("{\"a\": [1, 2,], /**/ \"servers\" /*:*/ : /*{*/ {\"a\": \"}\\\"//\" /* , */ , }}",
          "{\"a\": [1, 2,], /**/ \"servers\" /*:*/ : /*{*/ {\"a\": \"}\\\"//\" /* , */ , "
          "\"isolator\": {\"c\": 1} }}");
    check("{\"a\": \"isolator servers { /* \"}",
          "{\"a\": \"isolator servers { /* \", \"servers\": {\"isolator\": {\"c\": 1}}}");
}

CASE(json_edit__keeps_mark_and_line_ends)
{
    check("\xef\xbb\xbf{}", "\xef\xbb\xbf{\n  \"servers\": {\n" ENTRY "\n  }\n}");
    check("{\r\n  \"servers\": {\r\n    \"a\": 1 // x\r\n  }\r\n}\r\n",
          "{\r\n  \"servers\": {\r\n    \"a\": 1, // x\r\n    \"isolator\": {\r\n      \"c\": 1\r\n"
          "    }\r\n  }\r\n}\r\n");
}

CASE(json_edit__refuses_what_it_cannot_read)
{
    REFUSED("", "line 1: an object is missing: { ... }");
    REFUSED("[]", "line 1: an object is missing: { ... }");
    REFUSED("{\n\"servers\": null}", "line 2: an object is missing: { ... }");
    REFUSED("{\"servers\": []}", "line 1: an object is missing: { ... }");
    REFUSED("{\"servers\": {},\n\"servers\": {}}",
            "line 2: a member of this name was there before");
    REFUSED("{\"servers\": {\"isolator\": {}, \"isolator\": {}}}",
            "line 1: a member of this name was there before");
    REFUSED("{\"servers\": {\"isolator\": {}, \"\\u0069solator\": {}}}",
            "line 1: a member of this name was there before");
    REFUSED("{", "line 1: the name of a member, in double quotes, or a closing brace is missing");
    REFUSED("{,}", "line 1: the name of a member, in double quotes, or a closing brace is missing");
    REFUSED("{\"a\": 1,,}",
            "line 1: the name of a member, in double quotes, or a closing brace is missing");
    REFUSED("{a: 1}",
            "line 1: the name of a member, in double quotes, or a closing brace is missing");
    REFUSED("{\"a\" 1}", "line 1: a colon is missing");
    REFUSED("{\"a\": 1 \"b\": 2}", "line 1: a comma or a closing bracket is missing");
    REFUSED("{\"a\": [1}", "line 1: a comma or a closing bracket is missing");
    REFUSED("{\"a\": [,]}", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": }", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": -}", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": 01}", "line 1: a comma or a closing bracket is missing");
    REFUSED("{\"a\": 1.}", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": 1e}", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": tru}", "line 1: a value is missing or not JSON");
    REFUSED("{\"a\": 'x'}", "line 1: a value is missing or not JSON");
    REFUSED("{} {}", "line 1: something follows the closing brace");
    REFUSED("{}\0", "line 1: something follows the closing brace");
}

CASE(json_edit__refuses_strings_and_comments_without_an_end)
{
    REFUSED("{\n\"", "line 2: a string without an end in its line");
    REFUSED("{\"a\n\": 1}", "line 1: a string without an end in its line");
    REFUSED("{\"a\\", "line 1: an unknown escape sequence in a string");
    REFUSED("{\"a\\u12", "line 1: an unknown escape sequence in a string");
    REFUSED("{\"a\\x\"", "line 1: an unknown escape sequence in a string");
    REFUSED("{\n/* }\n", "line 2: a comment without an end");
    REFUSED("{} /*/", "line 1: a comment without an end");
    REFUSED("{} /", "line 1: something follows the closing brace");
    REFUSED("{} // x\ry", "line 1: a carriage return in a comment");
    REFUSED("{ // x",
            "line 1: the name of a member, in double quotes, or a closing brace is missing");
}

CASE(json_edit__depth_is_bounded)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = NULL;

    strbuf_addstr(&text, "{\"a\": ");
    for (int i = 1; i < JSON_PLACES_DEPTH_MAX; i++)
        strbuf_addch(&text, '[');
    for (int i = 1; i < JSON_PLACES_DEPTH_MAX; i++)
        strbuf_addch(&text, ']');
    strbuf_addch(&text, '}');
    got = set(text.data, text.length, &error);
    assert_no_error(&error);
    text.data[JSON_PLACES_DEPTH_MAX - 1 + 6] = '[';
    check_refused(text.data, text.length, "line 1: nested too deeply");
}
