#include "test.h"

#include "base/json_text.h"
#include "base/mux.h"
#include "tools/tool_answer.h"

/* The parts as a text, "NAME:PAYLOAD;" each, with "|" for a NUL. */
static char *parts_of(const char *message)
{
    static const char *const names[] = {"", "text", "file", "failed", "tool", "cursor", "end"};
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct strbuf text = STRBUF_INIT;
    json_t *json = json_text_parse(message, strlen(message), NULL);
    size_t at = 0, length;

    assert_non_null(json);
    tool_answer_add_parts(json, &out);
    json_decref(json);
    while (at < out.length) {
        assert_in_range(out.data[at], 1, MUX_PART_END);
        assert_true(out.length - at >= MUX_PART_HEADER);
        length = mux_read_number((const unsigned char *)out.data + at + 1);
        strbuf_addf(&text, "%s:", names[(int)out.data[at]]);
        at += MUX_PART_HEADER;
        assert_true(out.length - at >= length);
        for (size_t end = at + length; at < end; at++)
            strbuf_addch(&text, out.data[at] == '\0' ? '|' : out.data[at]);
        strbuf_addch(&text, ';');
    }
    return strbuf_steal(&text);
}

static void check_parts(const char *message, const char *expected)
{
    CLEANUP_FREE char *parts = parts_of(message);

    assert_string_equal(parts, expected);
}

#define RESULT(members)  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}"
#define TEXT(text)       "{\"type\":\"text\",\"text\":\"" text "\"}"
#define DATA(data, type) "{\"type\":\"image\",\"data\":\"" data "\",\"mimeType\":\"" type "\"}"

CASE(tool_answer__values)
{
    check_parts(RESULT("\"content\":[" TEXT("no") "],\"structuredContent\":{\"a\":[1,\"\u00e9\"]}"),
                "text:{\"a\":[1,\"\u00e9\"]};text:\n;end:;");
    check_parts(RESULT("\"structuredContent\":null"), "text:null;text:\n;end:;");
    check_parts(
        RESULT("\"content\":[" TEXT("one") "," TEXT("two\\n") "," TEXT("") "],\"isError\":false"),
        "text:one;text:\n;text:two\n;text:;text:\n;end:;");
    check_parts(RESULT("\"content\":[]"), "end:;");
    check_parts(RESULT("\"content\":[{\"type\":\"resource_link\",\"uri\":\"x\"},"
                       "{\"type\":\"resource\",\"resource\":{\"text\":\"t\"}},{\"text\":5},7]"),
                "text:{\"type\":\"resource_link\",\"uri\":\"x\"};text:\n;text:t;text:\n;"
                "text:;text:\n;text:7;text:\n;end:;");
}

CASE(tool_answer__files)
{
    check_parts(RESULT("\"content\":[" DATA("YWI=", "image/png") "," DATA("YQ==", "x") "]"),
                "file:png|ab;file:bin|a;end:;");
    check_parts(RESULT("\"content\":[{\"resource\":{\"blob\":\"\",\"mimeType\":\"x/../y\"}}]"),
                "file:bin|;end:;");
    check_parts(RESULT("\"content\":[" DATA("", "a/abcdefghijklmnopq") "]"),
                "file:abcdefghijklmno|;end:;");
    check_parts(RESULT("\"content\":[" DATA("?", "a/b") "," TEXT("after") "]"),
                "file:b;text:after;text:\n;end:;");
}

CASE(tool_answer__errors)
{
    check_parts(RESULT("\"content\":[" TEXT("no such\\nthing") "," DATA(
                    "YQ==", "a/b") "],\"isError\":true,\"structuredContent\":{}"),
                "failed:;text:no such\nthing;text:\n;file:b|a;end:;");
    check_parts(RESULT("\"content\":[],\"isError\":true"),
                "failed:;text:the tool has failed;text:\n;end:;");
    check_parts("{\"id\":1,\"error\":{\"code\":-32602,\"message\":\"why\"}}",
                "failed:;text:why;text:\n;end:;");
    check_parts("{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"why\"}}",
                "failed:;text:the arguments are no JSON object, or have too many values;text:\n;"
                "end:;");
}

CASE(tool_answer__lists)
{
    check_parts(RESULT("\"tools\":[{\"name\":\"a.one\",\"description\":\"The one.\\nMore.\"},"
                       "{\"name\":\"a.two\"},{\"name\":\"a.three\",\"description\":\"\\nx\"}],"
                       "\"nextCursor\":\"0.2\""),
                "tool:a.one: The one.\nMore.;tool:a.two;tool:a.three\nx;cursor:\"0.2\";end:;");
    check_parts(RESULT("\"tools\":[]"), "end:;");
}
