#include "test.h"

#include "mcp/host_format.h"

static void check(enum host_format format, const char *json, const char *expected)
{
    json_t *object = json_loads(json, 0, NULL);
    CLEANUP_FREE char *text = NULL;

    assert_non_null(object);
    text = host_format(object, format);
    json_decref(object);
    assert_string_equal(text, expected);
}

/* All members of each kind, in an order that TOML has to change. */
static const char all[] = "{\"name\": \"x\", \"env\": {\"A\": \"1\"}, \"empty\": [], \"on\": true, "
                          "\"off\": false, \"args\": [\"a\", \"b c\"], \"timeout\": 60}";

CASE(host_format__json)
{
    check(HOST_JSON, "{\"a\": {\"b\": [\"c\"]}}",
          "{\n  \"a\": {\n    \"b\": [\n      \"c\"\n    ]\n  }\n}\n");
}

CASE(host_format__toml)
{
    check(HOST_TOML, all,
          "name = \"x\"\nempty = []\non = true\noff = false\nargs = [\"a\", \"b c\"]\n"
          "timeout = 60\n\n[env]\nA = \"1\"\n");
    check(HOST_TOML, "{\"a\": {\"b\": {\"c\": {\"d\": 1}, \"e\": 2}}}",
          "[a.b]\ne = 2\n\n[a.b.c]\nd = 1\n");
}

CASE(host_format__yaml)
{
    check(HOST_YAML, all,
          "name: \"x\"\nenv:\n  A: \"1\"\nempty: []\non: true\noff: false\nargs:\n  - \"a\"\n"
          "  - \"b c\"\ntimeout: 60\n");
    check(HOST_YAML, "{\"a\": [{\"b\": \"c\", \"d\": [\"e\"], \"f\": {\"g\": 1}}]}",
          "a:\n  - b: \"c\"\n    d:\n      - \"e\"\n    f:\n      g: 1\n");
}

CASE(host_format__strings)
{
    check(HOST_YAML, "{\"a\": \"\\\"\\\\\"}", "a: \"\\\"\\\\\"\n");
    check(HOST_TOML, "{\"t\": {\"a\": \"\\\"\\\\\"}}", "[t]\na = \"\\\"\\\\\"\n");
    check(HOST_YAML, "{\"a\": \"x: #y - 'z'\"}", "a: \"x: #y - 'z'\"\n");
    check(HOST_YAML, "{\"a\": \"\\n\\t\\u0001\\u007f\"}", "a: \"\\u000a\\u0009\\u0001\\u007f\"\n");
    check(HOST_YAML, "{\"a\": \"caf\xc3\xa9\"}", "a: \"caf\xc3\xa9\"\n");
    check(HOST_YAML, "{\"a\": \"\xe2\x80\xae\xf3\xa0\x80\x81\"}", "a: \"\\u202e\\U000e0001\"\n");
    check(HOST_YAML, "{\"a\": \"\"}", "a: \"\"\n");
}
