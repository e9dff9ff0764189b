#include "test.h"

#include <math.h>

#include "mcp/host_edit.h"

/* Edits a text for a host, with the server of another machine as its entry. */
static int edit(const char *name, const char *text, size_t length, struct strbuf *edited,
                struct error *error)
{
    const struct host_config_options options = {.ssh = "me@server", .max_timeout = 45};
    CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;
    const struct host *host = hosts_find(name, "--install", error);

    assert_no_error(error);
    assert_int_equal(host_config_make(host, &options, &made, error), 0);
    return host_edit(host, &made, text, length, edited, error);
}

/* The text has the entry already. */
static void check_up_to_date(const char *name, const char *text)
{
    CLEANUP(strbuf_release) struct strbuf edited = STRBUF_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    edit(name, text, strlen(text), &edited, &error);
    assert_no_error(&error);
    assert_string_equal(strbuf_string(&edited), "");
}

/* The text gets this content, and then has the entry. */
static void check(const char *name, const char *before, const char *after)
{
    CLEANUP(strbuf_release) struct strbuf edited = STRBUF_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    edit(name, before, strlen(before), &edited, &error);
    assert_no_error(&error);
    assert_string_equal(strbuf_string(&edited), after);
    check_up_to_date(name, after);
}

static void check_refused(const char *name, const char *text, const char *message)
{
    CLEANUP(strbuf_release) struct strbuf edited = STRBUF_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(edit(name, text, strlen(text), &edited, &error), -1);
    assert_error(&error, ERROR_CONFIG, message);
}

/* ---- JSON */

#define ARGS                                                                                       \
    "[\n        \"-T\",\n        \"-o\",\n        \"ServerAliveInterval=15\",\n"                   \
    "        \"me@server\",\n        \"isolator-mcp\"\n      ]"
#define STARTED "      \"command\": \"ssh\",\n      \"args\": " ARGS
#define SERVER  "    \"isolator\": {\n" STARTED "\n    }\n"

CASE(host_edit__blank_text_becomes_the_entry)
{
    check("lm-studio", "", "{\n  \"mcpServers\": {\n" SERVER "  }\n}\n");
    check("lm-studio", " \r\n\t\n", "{\n  \"mcpServers\": {\n" SERVER "  }\n}\n");
    check("lm-studio", "\xef\xbb\xbf\n", "\xef\xbb\xbf{\n  \"mcpServers\": {\n" SERVER "  }\n}\n");
}

CASE(host_edit__adds_a_server)
{
    check("lm-studio", "{\n  \"mcpServers\": {\n    \"x\": {} // mine\n  }\n}\n",
          "{\n  \"mcpServers\": {\n    \"x\": {}, // mine\n" SERVER "  }\n}\n");
}

CASE(host_edit__keeps_what_a_person_chose)
{
    check(
        "cline",
        "{\n  \"mcpServers\": {\n    \"isolator\": {\"autoApprove\": [\"execute_code\"], "
        "\"command\": \"old\", \"timeout\": 9, \"note\": 0.1, \"env\": {\"A\": \"1\"}, "
        "\"disabled\": true}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"isolator\": {\n      \"autoApprove\": [\n"
        "        \"execute_code\"\n      ],\n      \"command\": \"ssh\",\n      \"timeout\": 60,\n"
        "      \"note\": 0.1,\n      \"env\": {\n        \"A\": \"1\"\n      },\n"
        "      \"disabled\": true,\n      \"args\": " ARGS "\n    }\n  }\n}\n");
    check("lm-studio", "{\n  \"mcpServers\": {\n    \"isolator\": null\n  }\n}\n",
          "{\n  \"mcpServers\": {\n" SERVER "  }\n}\n");
}

CASE(host_edit__variables_are_added)
{
    const struct host_config_options options = {.max_timeout = 45};
    CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct host *host = hosts_find("zed", "--install", &error);
    json_t *former = json_loads(
        "{\"env\": {\"A\": \"1\", \"DOCKER_HOST\": \"x\"}, \"command\": \"y\"}", 0, NULL);
    json_t *merged;
    CLEANUP_FREE char *env = NULL;

    setenv("DOCKER_HOST", "tcp://h", 1);
    assert_int_equal(host_config_make(host, &options, &made, &error), 0);
    unsetenv("DOCKER_HOST");
    merged = host_config_merge(host, &made, former);
    env = json_dumps(json_object_get(merged, "env"), JSON_COMPACT);
    assert_string_equal(env, "{\"A\":\"1\",\"DOCKER_HOST\":\"tcp://h\"}");
    json_decref(merged);
    json_decref(former);
}

CASE(host_edit__json_that_it_leaves_alone)
{
    CLEANUP(strbuf_release) struct strbuf edited = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;
    struct error error = ERROR_INIT;

    check_refused("zed", "{\n  // my settings",
                  "line 2: the name of a member, in double quotes, "
                  "or a closing brace is missing");
    check_refused("zed", "{\"context_servers\": {\"isolator\": {\"a\": 1, // mine\n}}}",
                  "its entry 'isolator' has comments or is not strict JSON");
    check_refused("zed", "{\"context_servers\": {\"isolator\": {\"a\": 1, \"a\": 2}}}",
                  "its entry 'isolator' has comments or is not strict JSON");
    check_refused("zed", "{\"a\": \"\xff\"}", "it is not UTF-8 text");
    assert_int_equal(edit("zed", "{}\0", 3, &edited, &error), -1);
    assert_error(&error, ERROR_CONFIG, "it is not UTF-8 text");
    strbuf_addstr(&many, "{\"a\": [1");
    for (int i = 0; i < 200000; i++)
        strbuf_addstr(&many, ",1");
    strbuf_addstr(&many, "]}");
    check_refused("zed", many.data, "it has more than 200000 values");
}

/* ---- TOML */

#define TABLE                                                                                      \
    "[mcp_servers.isolator]\ncommand = \"ssh\"\nargs = [\"-T\", \"-o\", "                          \
    "\"ServerAliveInterval=15\", \"me@server\", \"isolator-mcp\"]\ntool_timeout_sec = 60\n"

CASE(host_edit__adds_a_toml_table)
{
    check("codex", "", TABLE);
    check("codex", "model = \"x\"\n", "model = \"x\"\n\n" TABLE);
    check("codex", "model = \"x\"", "model = \"x\"\n\n" TABLE);
    check("codex", "# mcp_servers = {isolator = {}}\n[mcp_servers.a]\ncommand = \"isolator\"\n",
          "# mcp_servers = {isolator = {}}\n[mcp_servers.a]\ncommand = \"isolator\"\n\n" TABLE);
    check("codex", "[ mcp_servers ]\n[projects.\"/home/isolator\"]\n",
          "[ mcp_servers ]\n[projects.\"/home/isolator\"]\n\n" TABLE);
    check_up_to_date("codex", TABLE "enabled = false\n\n[x]\n[mcp_servers.isolator.env]\n");
    check("codex", "a = 1\r\n",
          "a = 1\r\n\r\n[mcp_servers.isolator]\r\ncommand = \"ssh\"\r\nargs = [\"-T\", \"-o\", "
          "\"ServerAliveInterval=15\", \"me@server\", \"isolator-mcp\"]\r\n"
          "tool_timeout_sec = 60\r\n");
}

CASE(host_edit__toml_that_it_leaves_alone)
{
    static const char own[] = "line 1: 'mcp_servers' is there in a form of its own";

    check_refused("codex", "[mcp_servers.isolator]\ncommand = \"x\"\n", own);
    check_refused("codex", "[mcp_servers.\"isolator\"]\n", own);
    check_refused("codex", "  [ mcp_servers . 'isolator' ]\n", own);
    check_refused("codex", "[mcp_servers.isolator.env]\n", own);
    check_refused("codex", "[[mcp_servers]]\n", own);
    check_refused("codex", "[\"mcp_servers\"]\n", own);
    check_refused("codex", "[mcp_servers.a.mcp_servers]\n", own);
    check_refused("codex", "[mcp_servers_2]\n", own);
    check_refused("codex", "mcp_servers = {}\n", own);
    check_refused("codex", "\"mcp_servers\".a = {}\n", own);
    check_refused("codex", "mcp_servers.isolator.command = \"x\"\n", own);
    check_refused("codex", "[mcp_servers]\nisolator = {}\n", "line 2: 'isolator' is there already");
    check_refused("codex", "[mcp_servers]\n  'isolator'.command = \"x\"\n",
                  "line 2: 'isolator' is there already");
    check_refused("codex",
                  "\xef\xbb\xbf"
                  "mcp_servers = {}\n",
                  own);
    check_refused("codex", "\"mcp\\u005fservers\" = {}\n", "line 1: a name with a backslash");
}

/* ---- YAML */

#define EXTENSION                                                                                  \
    "  isolator:\n    type: \"stdio\"\n    name: \"isolator\"\n    enabled: true\n"                \
    "    cmd: \"ssh\"\n    args:\n      - \"-T\"\n      - \"-o\"\n"                                \
    "      - \"ServerAliveInterval=15\"\n      - \"me@server\"\n      - \"isolator-mcp\"\n"        \
    "    timeout: 300\n"

CASE(host_edit__adds_a_yaml_mapping)
{
    check("goose", "", "extensions:\n" EXTENSION);
    check("goose", "GOOSE_MODEL: x\nlist:\n- extensions:\n  more: 1\n\n# extensions:\n",
          "GOOSE_MODEL: x\nlist:\n- extensions:\n  more: 1\n\n# "
          "extensions:\nextensions:\n" EXTENSION);
    check_up_to_date("goose", "extensions:\n  a: {}\n" EXTENSION "    bundled: false\n");
}

CASE(host_edit__yaml_that_it_leaves_alone)
{
    check_refused("goose", "a: 1\nextensions:\n  developer:\n    enabled: true\n",
                  "line 2: 'extensions' is there already");
    check_refused("goose", "\"extensions\":\n", "line 1: not the key of a block mapping");
    check_refused("goose", "{extensions: {}}\n", "line 1: not the key of a block mapping");
    check_refused("goose", "  a: 1\n  extensions: {}\n", "line 1: not the key of a block mapping");
    check_refused("goose", "- a\n", "line 1: not the key of a block mapping");
    check_refused("goose", "a: 1\n---\nb: 1\n", "line 2: not the key of a block mapping");
    check_refused("goose", "a: 1\n? extensions\n: 1\n", "line 2: not the key of a block mapping");
    check_refused("goose", "a: 1\n...\n", "line 2: not the key of a block mapping");
    check_refused("goose", "a: 1\nextensions : 1\n", "line 2: not the key of a block mapping");
    check_refused("goose", "a: |\n  x", "line 2: it does not end with a line feed");
}

CASE(host_edit__adds_a_yaml_list)
{
    static const char list[] =
        "mcpServers:\n  - name: \"isolator\"\n    type: \"stdio\"\n    command: \"ssh\"\n"
        "    args:\n      - \"-T\"\n      - \"-o\"\n      - \"ServerAliveInterval=15\"\n"
        "      - \"me@server\"\n      - \"isolator-mcp\"\n";
    CLEANUP(strbuf_release) struct strbuf marked = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf named = STRBUF_INIT;

    strbuf_addf(&marked, "\xef\xbb\xbf%s", list);
    strbuf_addf(&named, "name: \"mine\"\n%s", list);
    check("continue", "", list);
    check("continue", "name: \"mine\"\n", strbuf_string(&named));
    check_up_to_date("continue", strbuf_string(&marked));
    check_refused("continue", "mcpServers:\n  - name: \"x\"\n",
                  "line 1: 'mcpServers' is there already");
}
