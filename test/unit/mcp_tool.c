#include "mcp_client.h"

#include "mcp/tool.h"
#include "request/job_arguments.h"
#include "request/tool_arguments.h"
#include "run/result.h"

#define SESSIONS "{\"sessions\": {\"max\": 2}}"
#define INTERPRETER                                                                                \
    "{\"sessions\": {\"max\": 2}, \"languages\": {\"py\": {\"sessionCommand\": "                   \
    "[\"python3\", \"-c\", \"{python_driver}\"]}}}"

#define JOBS "{\"jobs\": {\"maxRunning\": 1}}"

static const struct tool_languages all = {.offered = NULL};

/* The definition for a revision; `more` is added to the configuration, or NULL. */
static json_t *define(const char *revision, const char *more)
{
    const struct revision *modern = revision_modern(revision);
    struct config config;
    json_t *tool;

    set_up_config(&config, more);
    tool = tool_definition(&config, &all, modern ? modern : revision_legacy(revision));
    assert_non_null(tool);
    config_release(&config);
    return tool;
}

static void check_keys(const json_t *object, const char *expected)
{
    CLEANUP(strvec_release) struct strvec keys = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
        strvec_push(&keys, key);
    joined = strvec_join(&keys, " ");
    assert_string_equal(joined, expected);
}

static void check_members(const char *revision, const char *expected)
{
    json_t *tool = define(revision, NULL);

    check_keys(tool, expected);
    json_decref(tool);
}

/* A client gets only members that its revision defines. */
CASE(tool__members_by_revision)
{
    check_members("2024-11-05", "name description inputSchema");
    check_members("2025-03-26", "name description inputSchema annotations");
    check_members("2025-06-18", "name title description inputSchema outputSchema annotations");
    check_members("2025-11-25", "name title description inputSchema outputSchema annotations");
    check_members("2026-07-28", "name title description inputSchema outputSchema annotations");
}

CASE(tool__names)
{
    json_t *tool = define("2025-11-25", NULL);

    assert_string_equal(TOOL_NAME, "execute_code");
    assert_string_equal(string_at(tool, "name"), "execute_code");
    assert_string_equal(string_at(tool, "title"), "Run code in a sandbox");
    json_decref(tool);
}

static const json_t *input_property(const json_t *tool, const char *name)
{
    const json_t *schema = json_object_get(tool, "inputSchema");

    return json_object_get(json_object_get(schema, "properties"), name);
}

CASE(tool__input_schema)
{
    json_t *tool = define("2024-11-05", NULL);
    const json_t *schema = json_object_get(tool, "inputSchema");

    assert_string_equal(string_at(schema, "type"), "object");
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    check_keys(json_object_get(schema, "properties"),
               "language entrypoint_code entrypoint_filename additional_files snippet_name stdin "
               "arguments environment artifacts timeout_seconds");
    assert_null(json_object_get(schema, "required")); /* model APIs refuse more than that */
    assert_null(json_object_get(schema, "oneOf"));
    json_decref(tool);
}

static void check_languages(const char *more, const char *expected)
{
    json_t *tool = define("2025-11-25", more);

    check_json(json_object_get(input_property(tool, "language"), "enum"), expected);
    json_decref(tool);
}

CASE(tool__languages_are_those_of_the_configuration)
{
    check_languages(NULL, "[\"py\",\"sh\"]");
    check_languages("{\"languages\": {\"ruby\": {\"image\": \"ruby:3\", \"command\": [\"ruby\", "
                    "\"{entrypoint}\"], \"extensions\": [\".rb\"], \"defaultFilename\": "
                    "\"main.rb\"}}}",
                    "[\"py\",\"sh\",\"ruby\"]");
}

/* Checks how the description of snippet_name ends with these snippets. */
static void check_snippets(const char *const *files, const char *expected)
{
    char *directory = temp_create();
    CLEANUP_FREE char *more = string_format("{\"promptsDir\": \"%s\"}", directory);
    json_t *tool;

    for (; *files; files++)
        write_in(directory, *files, "");
    tool = define("2025-11-25", more);
    assert_string_equal(
        strstr(string_at(input_property(tool, "snippet_name"), "description"), "entrypoint_code."),
        expected);
    json_decref(tool);
    temp_remove(directory);
}

/* A name is escaped, so that it cannot give a model instructions on lines of its own. */
CASE(tool__snippets_by_their_shortest_names)
{
    static const char *const none[] = {NULL};
    static const char *const some[] = {"b.sh", "a.py", "b.py", "c\n.py", NULL};

    check_snippets(none, "entrypoint_code.");
    check_snippets(some, "entrypoint_code. There are: a, b.py, b.sh, c\\n.");
}

/* Of 40 names with 50 bytes each, it lists as many as fit into 600 bytes. */
CASE(tool__as_many_snippets_as_there_is_room_for)
{
    char names[40][54];
    const char *files[41] = {NULL};
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;

    strbuf_addstr(&expected, "entrypoint_code. There are:");
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "%050d.py", i);
        files[i] = names[i];
        if (i < 11)
            strbuf_addf(&expected, "%s %050d", i > 0 ? "," : "", i);
    }
    strbuf_addstr(&expected, " and 29 more.");
    check_snippets(files, strbuf_string(&expected));
}

static void check_timeout(const char *more, const char *expected)
{
    static const char always[] =
        "How long the program may run, in seconds. Many hosts wait at most 60 seconds.";
    CLEANUP_FREE char *text = string_format("%s%s", always, expected);
    json_t *tool = define("2025-11-25", more);

    assert_string_equal(string_at(input_property(tool, "timeout_seconds"), "description"), text);
    json_decref(tool);
}

CASE(tool__timeout_with_its_maximum)
{
    check_timeout(NULL, "");
    check_timeout("{\"maximums\": {\"timeoutSeconds\": 90.5}}",
                  " A value above 90.5 is lowered to 90.5.");
}

/* ---- sessions */

CASE(tool__arguments_of_sessions)
{
    json_t *tool = define("2025-11-25", SESSIONS);

    check_json(input_property(tool, "session"),
               "{\"type\":\"string\",\"description\":\"\\\"new\\\" opens a session and returns its "
               "id; calls with the id share its files, and need no language.\"}");
    check_json(
        input_property(tool, "keep_processes"),
        "{\"type\":\"boolean\",\"default\":false,\"description\":\"With session \\\"new\\\": "
        "background processes run on between the calls.\"}");
    json_decref(tool);
    tool = define("2025-11-25", INTERPRETER);
    check_json(input_property(tool, "session"),
               "{\"type\":\"string\",\"description\":\"\\\"new\\\" opens a session and returns its "
               "id; calls with the id share its files, and need no language. py: variables stay "
               "too; the value of the last expression and matplotlib figures are returned.\"}");
    json_decref(tool);
}

/* What only sessions have is not there without them. */
CASE(tool__without_sessions)
{
    json_t *tool = define("2025-11-25", "{\"sessions\": {\"max\": 0}}");
    CLEANUP_FREE char *text = json_dumps(tool, 0);

    assert_null(strstr(text, "ession"));
    assert_null(strstr(text, "keep_processes"));
    assert_null(strstr(text, "exception"));
    json_decref(tool);
}

static void check_tools(const char *revision, const char *more, const char *names,
                        const char *members_of_last)
{
    CLEANUP(strvec_release) struct strvec seen = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;
    CLEANUP_FREE char *listed = NULL;
    struct config config;
    json_t *tools, *tool;
    size_t i;

    set_up_config(&config, more);
    tools = tool_definitions(&config, &all, revision_legacy(revision));
    json_array_foreach(tools, i, tool) {
        strvec_push(&seen, string_at(tool, "name"));
        assert_true(tool_exists(&config, string_at(tool, "name")));
    }
    joined = strvec_join(&seen, ", ");
    assert_string_equal(joined, names);
    listed = tool_names(&config);
    assert_string_equal(listed, names);
    assert_false(tool_exists(&config, "execute"));
    check_keys(json_array_get(tools, json_array_size(tools) - 1), members_of_last);
    json_decref(tools);
    config_release(&config);
}

CASE(tool__all)
{
    check_tools("2025-11-25", NULL, "execute_code",
                "name title description inputSchema outputSchema annotations");
    check_tools("2024-11-05", SESSIONS, "execute_code, close_session",
                "name description inputSchema");
    check_tools("2025-03-26", SESSIONS, "execute_code, close_session",
                "name description inputSchema annotations");
    check_tools("2025-11-25", SESSIONS, "execute_code, close_session",
                "name title description inputSchema annotations");
    check_tools("2024-11-05", JOBS, "execute_code, wait_job", "name description inputSchema");
    check_tools("2025-11-25", "{\"jobs\": {\"maxRunning\": 1}, \"sessions\": {\"max\": 1}}",
                "execute_code, close_session, wait_job",
                "name title description inputSchema outputSchema annotations");
}

/* ---- jobs */

static void check_texts(const json_t *array, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(array, JSON_COMPACT);

    assert_string_equal(text, expected);
}

static const json_t *output_property(const json_t *tool, const char *name)
{
    const json_t *schema = json_object_get(tool, "outputSchema");

    return json_object_get(json_object_get(schema, "properties"), name);
}

/* With jobs, a result may have a job in place of a reason. */
static void check_output(const json_t *tool, bool jobs)
{
    check_texts(json_object_get(output_property(tool, "status"), "enum"),
                jobs ? "[\"success\",\"timeout\",\"error\",\"running\"]"
                     : "[\"success\",\"timeout\",\"error\"]");
    check_texts(json_object_get(json_object_get(tool, "outputSchema"), "required"),
                jobs ? "[\"status\",\"exitCode\",\"stdout\",\"stderr\",\"error\",\"artifacts\","
                       "\"warnings\"]"
                     : "[\"status\",\"exitCode\",\"stdout\",\"stderr\",\"error\",\"artifacts\","
                       "\"warnings\",\"reason\"]");
    assert_int_equal(output_property(tool, "job") != NULL, jobs);
    assert_int_equal(output_property(tool, "secondsLeft") != NULL, jobs);
}

CASE(tool__background)
{
    json_t *tool = define("2025-11-25", JOBS);

    assert_string_equal(string_at(input_property(tool, "background"), "description"),
                        "Start the program, return the id of its job at once, and let wait_job get "
                        "the result: for a program that may take longer than 45 s. "
                        "timeout_seconds is then 3600 by default.");
    check_output(tool, true);
    json_decref(tool);
    tool = define("2025-11-25", "{\"jobs\": {\"maxRunning\": 1}, \"sessions\": {\"max\": 1}, "
                                "\"maximums\": {\"timeoutSeconds\": 100}}");
    assert_non_null(strstr(string_at(input_property(tool, "background"), "description"),
                           "timeout_seconds is then 100 by default. Not in a session."));
    json_decref(tool);
    tool = define("2025-11-25", SESSIONS);
    assert_null(input_property(tool, "background"));
    check_output(tool, false);
    json_decref(tool);
}

/* ---- hosts */

#define ALLOWED "\"languages\": {\"py\": {\"network\": {\"allow\": [\"example.com\"]}}}"

/* Models have the argument only if there are hosts, and are told only then that a job has none. */
CASE(tool__hosts)
{
    json_t *tool = define("2025-11-25", "{" ALLOWED ", \"jobs\": {\"maxRunning\": 1}}");
    const char *background = string_at(input_property(tool, "background"), "description");

    check_json(input_property(tool, "hosts"),
               "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"Reach only "
               "these of the allowed hosts, such as [\\\"example.com\\\", "
               "\\\"*.example.com:443\\\"], or none with []; the default is all.\"}");
    assert_non_null(strstr(background, " It needs \"hosts\": [] if its language can reach hosts."));
    json_decref(tool);
    tool = define("2025-11-25", "{\"defaults\": {\"network\": \"bridge\"}}");
    assert_null(input_property(tool, "hosts"));
    json_decref(tool);
}

/* Only languages that are offered count. */
CASE(tool__hosts_of_another_language)
{
    bool offered[] = {false, true};
    const struct tool_languages languages = {.offered = offered};
    struct config config;
    json_t *tool;

    set_up_config(&config, "{" ALLOWED "}");
    tool = tool_definition(&config, &languages, revision_legacy("2025-11-25"));
    assert_null(input_property(tool, "hosts"));
    json_decref(tool);
    config_release(&config);
}

CASE(tool__wait_job)
{
    struct config config;
    json_t *tools;
    const json_t *tool;

    set_up_config(&config, "{\"jobs\": {\"maxRunning\": 1}, \"sessions\": {\"max\": 1}}");
    tools = tool_definitions(&config, &all, revision_legacy("2025-11-25"));
    tool = json_array_get(tools, 2);
    assert_string_equal(string_at(tool, "name"), "wait_job");
    check_keys(json_object_get(json_object_get(tool, "inputSchema"), "properties"),
               "job wait_seconds stop");
    assert_string_equal(string_at(input_property(tool, "wait_seconds"), "description"),
                        "At most 50.");
    assert_int_equal(
        json_integer_value(json_object_get(input_property(tool, "wait_seconds"), "default")),
        JOB_WAIT_SECONDS);
    check_output(tool, true);
    assert_null(output_property(tool, "session"));
    assert_null(output_property(tool, "value"));
    json_decref(tools);
    config_release(&config);
}

/* ---- annotations */

static void check_open_world(const char *more, bool expected)
{
    json_t *tool = define("2025-11-25", more);
    const json_t *hint = json_object_get(json_object_get(tool, "annotations"), "openWorldHint");

    assert_true(json_is_boolean(hint));
    assert_int_equal(json_is_true(hint), expected);
    json_decref(tool);
}

CASE(tool__open_world_hint_is_the_network)
{
    check_open_world(NULL, false);
    check_open_world("{\"defaults\": {\"network\": \"bridge\"}}", true);
    check_open_world("{\"languages\": {\"sh\": {\"network\": \"bridge\"}}}", true);
    check_open_world("{\"languages\": {\"py\": {\"network\": \"mine\"}}}", true);
    check_open_world("{\"languages\": {\"py\": {\"network\": \"none\"}}}", false);
    check_open_world("{\"network\": {\"allow\": [\"a.example\"]}}", true);
    check_open_world("{\"languages\": {\"py\": {\"network\": {\"allow\": [\"a\"]}}}}", true);
    check_open_world("{\"network\": {\"allow\": []}}", false);
    check_open_world("{\"network\": {\"allow\": [\"a\"]}, \"maximums\": {\"network\": \"none\"}}",
                     false);
    check_open_world(
        "{\"defaults\": {\"network\": \"bridge\"}, \"maximums\": {\"network\": \"none\"}}", false);
}

CASE(tool__annotations)
{
    json_t *tool = define("2025-03-26", NULL);

    check_json(json_object_get(tool, "annotations"),
               "{\"title\":\"Run code in a sandbox\",\"readOnlyHint\":false,"
               "\"destructiveHint\":false,\"idempotentHint\":false,\"openWorldHint\":false}");
    json_decref(tool);
}

/* ---- the result */

static const json_t *output_schema(const json_t *tool)
{
    return json_object_get(tool, "outputSchema");
}

/* What the schema names or requires is in each result, or in one of a session. */
static void check_schema(struct result *result, const char *more, const char *properties)
{
    json_t *tool = define("2025-11-25", more);
    json_t *object = result_to_json(result);
    const json_t *required = json_object_get(output_schema(tool), "required");
    const char *key;
    json_t *value;
    size_t i;

    check_keys(json_object_get(output_schema(tool), "properties"), properties);
    json_object_foreach(json_object_get(output_schema(tool), "properties"), key, value)
        if (!json_object_get(object, key))
            fail_msg("a result has no %s", key);
    json_array_foreach(required, i, value)
        if (!json_object_get(object, json_string_value(value)))
            fail_msg("a result has no %s", json_string_value(value));
    assert_int_equal(json_array_size(required), 8);
    json_decref(object);
    json_decref(tool);
}

CASE(tool__output_schema_is_that_of_a_result)
{
    struct result result = RESULT_INIT;

    check_schema(&result, NULL, "status exitCode stdout stderr error reason artifacts warnings");
    result_add_session(&result, "0123456789abcdef0123456789abcdef")->cell = true;
    check_schema(&result, SESSIONS,
                 "status exitCode stdout stderr error reason session value artifacts warnings");
    result_release(&result);
}

/* Hosts send the tools with each conversation. */
CASE(tool__definitions_are_short)
{
    struct config config;
    CLEANUP_FREE char *text = NULL;
    json_t *tools;

    set_up_config(&config, INTERPRETER);
    tools = tool_definitions(&config, &all, revision_legacy("2025-11-25"));
    text = json_dumps(tools, JSON_COMPACT);
    assert_in_range(strlen(text), 1000, 4500);
    json_decref(tools);
    config_release(&config);
}

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {"object", "array",   "string",  "integer",
                                        "number", "boolean", "boolean", "null"};

    return names[json_typeof(value)];
}

static bool is_among(const json_t *string_or_array, const char *name)
{
    size_t i;
    json_t *item;

    if (json_is_string(string_or_array))
        return strcmp(json_string_value(string_or_array), name) == 0;
    json_array_foreach(string_or_array, i, item)
        if (strcmp(json_string_value(item), name) == 0)
            return true;
    return false;
}

/* Checks types and enums of all members against the schema; takes the texts out of the result. */
static void check_conforms(struct result *result)
{
    json_t *tool = define("2026-07-28", SESSIONS);
    json_t *object = result_to_json(result);
    const json_t *properties = json_object_get(output_schema(tool), "properties");
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value) {
        const json_t *property = json_object_get(properties, key);
        const json_t *choice = json_object_get(property, "enum");

        if (property && !is_among(json_object_get(property, "type"), type_name(value)))
            fail_msg("%s is of type %s", key, type_name(value));
        if (choice && !is_among(choice, json_string_value(value)))
            fail_msg("%s is '%s'", key, json_string_value(value));
    }
    json_decref(object);
    json_decref(tool);
}

CASE(tool__results_conform_to_the_schema)
{
    struct result empty = RESULT_INIT;
    struct result full = RESULT_INIT;
    struct session_result *session;

    check_conforms(&empty);
    result_release(&empty);
    full.exit_code = 137;
    full.error = string_copy("error");
    full.image_tag = string_copy("tag");
    full.image = string_copy("image");
    full.container = string_copy("container");
    full.peak_bytes = full.cpu_us = 5000;
    strvec_push(&full.warnings, "warning");
    check_conforms(&full);
    session = result_add_session(&full, "0123456789abcdef0123456789abcdef");
    check_conforms(&full);
    session->cell = session->has_value = session->value_cut = true;
    session->ended = string_copy("ended");
    check_conforms(&full);
    result_release(&full);
}

/* All values that a result can have, and no others. */
CASE(tool__reasons_of_the_schema)
{
    json_t *tool = define("2025-06-18", NULL);
    const json_t *properties = json_object_get(output_schema(tool), "properties");
    const json_t *choice = json_object_get(json_object_get(properties, "reason"), "enum");

    assert_int_equal(json_array_size(choice), REASON_BUILD + 1); /* a model gives no tests */
    for (int reason = REASON_EXIT; reason <= REASON_BUILD; reason++) {
        struct result result = RESULT_INIT;
        json_t *object;

        result.reason = (enum reason)reason;
        object = result_to_json(&result);
        assert_string_equal(json_string_value(json_array_get(choice, (size_t)reason)),
                            string_at(object, "reason"));
        json_decref(object);
        check_conforms(&result);
        result_release(&result);
    }
    json_decref(tool);
    tool = define("2025-06-18", SESSIONS);
    choice = json_object_get(
        json_object_get(json_object_get(output_schema(tool), "properties"), "reason"), "enum");
    assert_int_equal(json_array_size(choice), REASON_BUILD + 2);
    assert_string_equal(json_string_value(json_array_get(choice, REASON_BUILD + 1)), "exception");
    json_decref(tool);
}

/* ---- instructions and description */

static void check_description(const char *more, const char *expected)
{
    json_t *tool = define("2025-11-25", more);

    if (!strstr(string_at(tool, "description"), expected))
        fail_msg("'%s' is not in '%s'", expected, string_at(tool, "description"));
    json_decref(tool);
}

CASE(tool__description_states_the_limits)
{
    check_description(NULL, "Languages and limits:\n"
                            "- py: 45 s, 256 MB of memory, 0.5 CPU, 64 MB for files, no network\n"
                            "- sh: 45 s, 512 MB of memory, 0.5 CPU, 64 MB for files, no network");
    check_description(
        "{\"languages\": {\"py\": {\"timeoutSeconds\": 1.5, \"cpus\": 2,"
        " \"workdirMB\": 10, \"network\": \"bridge\"}}}",
        "\n- py: 1.5 s, 256 MB of memory, 2 CPU, 10 MB for files, network 'bridge'\n");
    check_description("{\"maximums\": {\"memoryMB\": 300, \"timeoutSeconds\": 10}}",
                      "\n- py: 10 s, 256 MB of memory, 0.5 CPU, 64 MB for files, no network\n"
                      "- sh: 10 s, 300 MB of memory, 0.5 CPU, 64 MB for files, no network");
    check_description("{\"languages\": {\"py\": {\"memoryMB\": 512}}}",
                      "Languages and limits:\n"
                      "- py, sh: 45 s, 512 MB of memory, 0.5 CPU, 64 MB for files, no network");
    check_description(
        "{\"maximums\": {\"cpuSeconds\": 2.5}}",
        "\n- py: 45 s, 256 MB of memory, 0.5 CPU, 64 MB for files, 2.5 s of CPU time, "
        "no network\n");
    check_description("{\"containerWorkdir\": \"/elsewhere\"}", " working directory, /elsewhere, ");
}

CASE(tool__description_lists_the_hosts)
{
    check_description(
        "{\"languages\": {\"py\": {\"network\": {\"allow\": [\"a.example\", \"*.b.example:8080\","
        " \"[::1]\"]}}}}",
        " 64 MB for files, no network except HTTP and HTTPS to "
        "a.example, *.b.example, [::1], through the proxy in http_proxy\n- sh: 45 s, 512 MB of "
        "memory, 0.5 CPU, 64 "
        "MB for files, no network");
    check_description(
        "{\"network\": {\"allow\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\","
        " \"i\", \"j\"]}}",
        "HTTPS to a, b, c, d, e, f, g, h, i, j, through the proxy in http_proxy\n- sh: ");
    check_description(
        "{\"network\": {\"allow\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\","
        " \"i\", \"j\", \"k\", \"l\"]}}",
        "HTTPS to a, b, c, d, e, f, g, h, i, j and 2 more, through the proxy in http_proxy\n- "
        "sh: ");
    check_description(
        "{\"network\": {\"allow\": [\"a\", {\"host\": \"b\", \"tls\": \"terminate\"},"
        " {\"host\": \"c\", \"tls\": \"terminate\"}, {\"host\": \"*.d\", \"tls\": \"terminate\"}],"
        " \"credentials\": [{\"host\": \"b\", \"from\": \"env:A\"}, {\"host\": \"b\", \"header\":"
        " \"X\", \"from\": \"env:A\"}, {\"host\": \"*.d\", \"from\": \"env:A\"}]}}",
        "HTTPS to a, b, c, *.d, through the proxy in http_proxy, which adds the credentials for b, "
        "*.d: send requests to them by HTTPS and without a key\n- sh: ");
}

CASE(tool__description_lists_the_packages)
{
    struct strbuf many = STRBUF_INIT;

    check_description("{\"languages\": {\"py\": {\"packages\": [\"numpy\", \"@a/b\"]}}}",
                      "\n- py: 45 s, 256 MB of memory, 0.5 CPU, 64 MB for files, no network; "
                      "packages: numpy, @a/b\n- sh: ");
    strbuf_addstr(&many, "{\"languages\": {\"sh\": {\"packages\": [\"one\"");
    for (int i = 100; i < 200; i++)
        strbuf_addf(&many, ", \"name-%d\"", i);
    strbuf_addstr(&many, "]}}}");
    check_description(strbuf_string(&many), "no network; packages: one, name-100, ");
    check_description(strbuf_string(&many), ", name-158 and 41 more");
    strbuf_release(&many);
}

static void check_instructions(const char *more, const char *expected)
{
    struct config config;
    CLEANUP_FREE char *text = NULL;

    set_up_config(&config, more);
    text = tool_instructions(&config);
    assert_string_equal(text, expected);
    config_release(&config);
}

/* The rules come once, with the tool. */
CASE(tool__instructions_are_short)
{
    check_instructions(NULL, "execute_code runs code in a locked-down container. Its description "
                             "has the rules, the languages and their limits.");
    check_instructions(SESSIONS,
                       "execute_code runs code in a locked-down container; to work in several "
                       "steps, open a session. Its description has the rules, the languages and "
                       "their limits.");
}

CASE(tool__description_has_the_rules)
{
    check_description(NULL, " Nothing is kept between calls, so send all files ");
    check_description(SESSIONS, " Nothing is kept between calls without a session, so send all ");
}

CASE(tool__only_offered_languages)
{
    bool offered[] = {false, true}, unprepared[] = {true, true};
    const struct tool_languages some = {offered, unprepared};
    struct config config;
    const json_t *languages;
    json_t *tool;

    set_up_config(&config, "{\"languages\": {\"py\": {\"network\": \"bridge\"}}}");
    assert_int_equal(config.language_count, COUNT(offered));
    tool = tool_definition(&config, &some, revision_legacy("2025-11-25"));
    languages = json_object_get(
        json_object_get(json_object_get(json_object_get(tool, "inputSchema"), "properties"),
                        "language"),
        "enum");
    assert_int_equal(json_array_size(languages), 1);
    assert_string_equal(json_string_value(json_array_get(languages, 0)), "sh");
    assert_null(strstr(string_at(tool, "description"), "- py: "));
    assert_non_null(strstr(string_at(tool, "description"), "- sh: "));
    assert_non_null(strstr(
        string_at(tool, "description"),
        "no network; slow or without its packages until the user has run 'isolator prepare sh'\n"
        "Once the user has run 'isolator pull LANGUAGE', also: py."));
    assert_false(
        json_is_true(json_object_get(json_object_get(tool, "annotations"), "openWorldHint")));
    json_decref(tool);
    config_release(&config);
}

/* The definition lists exactly the arguments that are accepted. */
static void check_arguments(const char *more)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *joined = NULL;
    CLEANUP_FREE char *message = NULL;
    struct config config;
    struct request request;
    json_t *tool, *value, *wrong = json_of("{\"max\": 1}");
    const char *key;

    set_up_config(&config, more);
    request_init(&request);
    tool = tool_definition(&config, &all, revision_legacy("2025-11-25"));
    json_object_foreach(json_object_get(json_object_get(tool, "inputSchema"), "properties"), key,
                        value)
        strvec_push(&names, key);
    joined = strvec_join(&names, ", ");
    message = string_format("there is no argument 'max'; known are: %s", joined);
    assert_int_equal(tool_arguments_read(wrong, TOOL_CALLER_MODEL, &config, NULL, &request, &error),
                     -1);
    assert_string_equal(error.message, message);
    json_decref(wrong);
    json_decref(tool);
    request_release(&request);
    config_release(&config);
}

#define MAXIMUMS                                                                                   \
    "{\"maximums\": {\"memoryMB\": 1024, \"cpus\": 1.5, \"cpuSeconds\": 20, \"pidsLimit\": 100}}"

CASE(tool__arguments_are_those_that_are_accepted)
{
    check_arguments(NULL);
    check_arguments("{\"maximums\": {\"memoryMB\": 1024}}");
    check_arguments(MAXIMUMS);
    check_arguments(SESSIONS);
}

/* A model can ask for a limit only below a maximum, and is told the maximum. */
CASE(tool__limits_with_their_maximums)
{
    json_t *tool = define("2025-11-25", MAXIMUMS);
    const json_t *schema = json_object_get(tool, "inputSchema");

    check_keys(json_object_get(schema, "properties"),
               "language entrypoint_code entrypoint_filename additional_files snippet_name stdin "
               "arguments environment artifacts timeout_seconds memory_mb cpus cpu_seconds "
               "pids_limit");
    check_json(
        input_property(tool, "memory_mb"),
        "{\"type\":\"integer\",\"minimum\":6,\"description\":\"Memory of all processes of the "
        "program and of the files that it writes, in MB. "
        "A value above 1024 is refused.\",\"maximum\":1024}");
    check_json(
        input_property(tool, "cpus"),
        "{\"type\":\"number\",\"minimum\":0.01,\"description\":\"How many CPU cores the program "
        "may use. A value above 1.5 is refused.\","
        "\"maximum\":1.5}");
    assert_non_null(input_property(tool, "cpu_seconds"));
    json_decref(tool);
    tool = define("2025-11-25", "{\"maximums\": {\"pidsLimit\": 100, \"cpuSeconds\": 0}}");
    assert_non_null(input_property(tool, "pids_limit"));
    assert_null(input_property(tool, "cpus"));
    assert_null(input_property(tool, "cpu_seconds"));
    json_decref(tool);
}
