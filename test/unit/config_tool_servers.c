#include "configuration.h"

#include "base/process.h"
#include "config/config_layers.h"
#include "config/config_load.h"

CASE(tool_servers__are_read)
{
    const struct tool_server *server;
    struct config config;

    config_init(&config);
    overlay(&config, "{\"tools\": {\"git-hub\": {\"command\": \"mcp\", \"args\": [\"stdio\", \"\"],"
                     " \"env\": {\"TOKEN\": \"env:T\", \"MODE\": \"ro\"}, \"allow\": [\"list_*\"],"
                     " \"ask\": [\"create_?\"]}, \"b\": {\"command\": \"/b\"}},"
                     " \"mcpServers\": {\"c\": {\"type\": \"stdio\", \"command\": \"c\","
                     " \"allow\": [\"*\"], \"disabled\": false}}}");
    assert_int_equal(config.tool_count, 3);
    server = config_tool_server(&config, "git-hub");
    assert_string_equal(server->command, "mcp");
    check_joined(&server->arguments, "stdio|");
    check_joined(&server->environment, "TOKEN=env:T|MODE=ro");
    check_joined(&server->allow, "list_*");
    check_joined(&server->ask, "create_?");
    assert_true(server->has_allow);
    assert_false(config_tool_server(&config, "b")->has_allow);
    assert_true(config_tool_server(&config, "c")->has_allow); /* an empty one */
    check_joined(&config_tool_server(&config, "c")->allow, "");
    assert_null(config_tool_server(&config, "B"));

    overlay(&config, "{\"tools\": {\"b\": {\"env\": {\"A\": \"1\"}, \"allow\": []}}}");
    server = config_tool_server(&config, "b");
    assert_string_equal(server->command, "/b");
    check_joined(&server->environment, "A=1");
    assert_true(server->has_allow);
    config_release(&config);
}

CASE(tool_servers__wrong_ones_are_refused)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    check_refused("{\"tools\": {\"b\": {}}}",
                  "test.json: tools.b: must be complete: a server needs command");
    check_refused(
        "{\"tools\": {\"aio\": {\"command\": \"c\"}}}",
        "test.json: tools.aio: must be another name, since tools.aio, tools.ToolError and "
        "tools.then have a meaning for programs");
    check_refused("{\"tools\": {\"ToolError\": {\"command\": \"c\"}}}",
                  "test.json: tools.ToolError: must be another name, since tools.aio, "
                  "tools.ToolError and tools.then have a meaning for programs");
    check_refused("{\"mcpServers\": {\"then\": {\"command\": \"c\"}}}",
                  "test.json: mcpServers.then: must be another name, since tools.aio, "
                  "tools.ToolError and tools.then have a meaning for programs");
    check_refused("{\"tools\": {\"b\": {\"command\": \"\"}}}",
                  "test.json: tools.b.command: must be a string that is not empty");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"arg\": []}}}",
                  "test.json: tools.b.arg: unknown key; did you mean 'args'?");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"args\": [1]}}}",
                  "test.json: tools.b.args: must be an array of at most 64 strings of at most 4096 "
                  "bytes");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"env\": {\"A-B\": \"x\"}}}}",
                  "test.json: tools.b.env.A-B: must be named like a variable: letters, digits, _");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"env\": {\"A\": \"env:\"}}}}",
                  "test.json: tools.b.env.A: the place of a value is env:NAME or "
                  "file:/ABSOLUTE/PATH");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"env\": {\"A\": \"file:x\"}}}}",
                  "test.json: tools.b.env.A: the place of a value is env:NAME or "
                  "file:/ABSOLUTE/PATH");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\", \"allow\": [\"a/b\"]}}}",
                  "test.json: tools.b.allow: must be names of tools, at most 128 of A-Z, a-z, 0-9, "
                  "'_', '.' and '-' each, with '*' for any characters and '?' for one");
    check_refused("{\"mcpServers\": {\"b\": {\"url\": \"https://example.org\"}}}",
                  "test.json: mcpServers.b: must be a server over stdio, with \"command\"; servers "
                  "with \"url\" or another \"type\" cannot be used");
    check_refused("{\"mcpServers\": {\"b\": {\"command\": \"c\", \"type\": \"http\"}}}",
                  "test.json: mcpServers.b: must be a server over stdio, with \"command\"; servers "
                  "with \"url\" or another \"type\" cannot be used");
    check_refused("{\"tools\": {\"b\": {\"command\": \"c\"}}, \"mcpServers\": {\"b\": "
                  "{\"command\": \"c\"}}}",
                  "test.json: mcpServers.b: must be in tools or in mcpServers, not in both");
    check_refused("{\"toolLimits\": {\"calls\": 0}}",
                  "test.json: toolLimits.calls: must be a whole number from 1 to 100000");
    strbuf_addstr(&many, "{\"tools\": {");
    for (int i = 0; i < 33; i++)
        strbuf_addf(&many, "%s\"s%d\": {\"command\": \"c\"}", i ? ", " : "", i);
    strbuf_addstr(&many, "}}");
    check_refused(strbuf_string(&many), "test.json: tools.s32: must be one of at most 32 servers");
}

CASE(tool_servers__names_and_patterns)
{
    assert_true(tool_server_name_is_valid("a"));
    assert_true(tool_server_name_is_valid("Abcdefghijklmnopqrstuvwxyz_-0123"));
    assert_false(tool_server_name_is_valid("Abcdefghijklmnopqrstuvwxyz_-01234"));
    assert_false(tool_server_name_is_valid(""));
    assert_false(tool_server_name_is_valid("1a"));
    assert_false(tool_server_name_is_valid("a.b"));
    assert_false(tool_server_name_is_valid("a b"));
    assert_true(tool_pattern_is_valid("a.b-*_?"));
    assert_false(tool_pattern_is_valid(""));
    assert_false(tool_pattern_is_valid("[a]"));
    assert_false(tool_pattern_is_valid("\xc3\xa9"));
}

CASE(tool_servers__values_come_from_their_places)
{
    CLEANUP(strvec_release) struct strvec variables = STRVEC_INIT;
    struct tool_server server = {.name = NULL};
    struct error error = ERROR_INIT;
    char *directory = temp_create();
    CLEANUP_FREE char *file = string_format("%s/token", directory);
    FILE *written = fopen(file, "w");

    fputs("of file\n", written);
    fclose(written);
    setenv("ISOLATOR_TEST_TOKEN", "of variable", 1);
    strvec_push(&server.environment, "A=env:ISOLATOR_TEST_TOKEN");
    strvec_pushf(&server.environment, "B=file:%s", file);
    strvec_push(&server.environment, "C=x=y");
    strvec_push(&server.environment, "D=");
    assert_int_equal(tool_environment_read(&server, &variables, &error), 0);
    check_joined(&variables, "A=of variable|B=of file|C=x=y|D=");
    tool_environment_wipe(&variables);
    assert_null(variables.items);

    unsetenv("ISOLATOR_TEST_TOKEN");
    assert_int_equal(tool_environment_read(&server, &variables, &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "variable 'A': environment variable 'ISOLATOR_TEST_TOKEN' is not set; set it "
                 "where isolator is started, or use file:/PATH");
    tool_server_release(&server);
    temp_remove(directory);
}

/* The configuration as isolator prints it names the place and never has the value. */
CASE(tool_servers__no_secret_is_printed)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *text = NULL;
    struct config config;
    json_t *all;

    setenv("ISOLATOR_TEST_TOKEN", "s3cret", 1);
    config_init(&config);
    overlay(&config, "{\"tools\": {\"b\": {\"command\": \"c\", \"env\": "
                     "{\"T\": \"env:ISOLATOR_TEST_TOKEN\"}}}}");
    all = config_resolved(&config, &error);
    text = json_dumps(all, JSON_COMPACT);
    assert_string_equal(text, "{\"tools\":{\"b\":{\"command\":\"c\",\"env\":"
                              "{\"T\":\"env:ISOLATOR_TEST_TOKEN\"}}}}");
    json_decref(all);
    config_release(&config);
    unsetenv("ISOLATOR_TEST_TOKEN");
}

/* Commands of isolator do not get the variable, unless they need it. */
CASE(tool_servers__variables_are_withheld)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments};
    struct process process = PROCESS_INIT;
    const struct process_pump pump = PROCESS_PUMP_INIT;
    struct config config;

    setenv("ISOLATOR_TEST_TOKEN", "s3cret", 1);
    setenv("DOCKER_TEST_TOKEN", "needed", 1);
    config_init(&config);
    overlay(&config, "{\"tools\": {\"b\": {\"command\": \"c\", \"env\": {\"T\": "
                     "\"env:ISOLATOR_TEST_TOKEN\", \"D\": \"env:DOCKER_TEST_TOKEN\", "
                     "\"H\": \"env:HOME\"}}}}");
    strvec_push_each(&arguments, "sh", "-c",
                     "test -z \"${ISOLATOR_TEST_TOKEN+set}\" && test \"$DOCKER_TEST_TOKEN\" = "
                     "needed && test -n \"$HOME\"",
                     NULL);
    assert_int_equal(process_start(&process, &options, &error), 0);
    assert_int_equal(process_pump(&process, &pump), PROCESS_EXITED);
    assert_int_equal(process.status, 0);
    process_release(&process);
    config_release(&config);
    unsetenv("ISOLATOR_TEST_TOKEN");
    unsetenv("DOCKER_TEST_TOKEN");
}
