#include "test.h"

#include <jansson.h>
#include <math.h>

#include "base/strvec.h"
#include "mcp/host_config.h"

/* Makes the entry of a host for a server on another machine, which does not name this program. */
static void make(const char *name, double max_timeout, struct host_config *made)
{
    const struct host_config_options options = {.ssh = "me@server", .max_timeout = max_timeout};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct host *host = hosts_find(name, "--print-config", &error);

    assert_no_error(&error);
    assert_int_equal(host_config_make(host, &options, made, &error), 0);
    assert_no_error(&error);
}

/* The number after this text in the entry; -1: it is not there. */
static long number_after(const struct host_config *made, const char *text)
{
    const char *found = strstr(made->entry, text);

    return found ? strtol(found + strlen(text), NULL, 10) : -1;
}

static void check_timeout(const char *name, const char *key, double max_timeout, long printed,
                          int ends, int fits)
{
    CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;

    make(name, max_timeout, &made);
    assert_int_equal(number_after(&made, key), printed);
    assert_int_equal(made.ends, ends);
    assert_int_equal(made.fits, fits);
}

CASE(host_config__timeout_in_the_entry)
{
    check_timeout("cline", "\"timeout\": ", 120, 135, 0, 0);
    check_timeout("cline", "\"timeout\": ", 119.2, 135, 0, 0);
    check_timeout("cline", "\"timeout\": ", 5, 60, 0, 0);
    check_timeout("cline", "\"timeout\": ", NAN, 3600, 0, 0);
    check_timeout("cline", "\"timeout\": ", 3586, 3600, 3600, 3585);
    check_timeout("zed", "\"timeout\": ", 585, 600, 0, 0);
    check_timeout("zed", "\"timeout\": ", NAN, 600, 600, 585);
    check_timeout("gemini-cli", "\"timeout\": ", 700, 715000, 0, 0);
    check_timeout("gemini-cli", "\"timeout\": ", 31622400, 2147483000, 2147483, 2147468);
    check_timeout("codex", "tool_timeout_sec = ", 31622400, 31622400, 31622400, 31622385);
    check_timeout("goose", "timeout: ", 400, 415, 0, 0);
}

CASE(host_config__host_without_a_timeout)
{
    check_timeout("claude-desktop", "\"timeout\": ", 225, -1, 0, 0);
    check_timeout("claude-desktop", "\"timeout\": ", 225.5, -1, 240, 225);
    check_timeout("claude-desktop", "\"timeout\": ", NAN, -1, 240, 225);
    check_timeout("vscode", "\"timeout\": ", NAN, -1, 0, 0);
}

CASE(host_config__every_host)
{
    CLEANUP_FREE char *names = hosts_names();
    int count = 0;

    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;

        make(name, NAN, &made);
        assert_non_null(strstr(made.entry, "\"ssh\""));
        assert_non_null(strstr(made.entry, "isolator"));
        assert_null(strstr(made.entry, "\"{"));
        assert_true(!made.command || !strstr(made.command, "'{c"));
        count++;
    }
    assert_int_equal(count, 24);
}

static void check_refused(const char *destination, const char *message)
{
    const struct host_config_options options = {.ssh = destination, .max_timeout = NAN};
    struct host_config made = HOST_CONFIG_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(
        host_config_make(hosts_find("zed", "--print-config", &error), &options, &made, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_null(made.entry);
}

CASE(host_config__destinations_that_ssh_would_not_take)
{
    check_refused("", "--ssh: '' is not a destination; name it like user@server");
    check_refused("-oProxyCommand=x",
                  "--ssh: '-oProxyCommand=x' is not a destination; name it like user@server");
}

CASE(host_config__not_utf8)
{
    const struct host_config_options options = {.ssh = "a", .config = "\xff", .max_timeout = NAN};
    struct host_config made = HOST_CONFIG_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(
        host_config_make(hosts_find("zed", "--print-config", &error), &options, &made, &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "cannot print 'isolator-mcp --config '\\xff'': it is not UTF-8, as configurations "
                 "of hosts are");
}

static void check_place(const char *name, const char *expected)
{
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *place = host_place(hosts_find(name, "--print-config", &error));

    assert_string_equal(place, expected);
}

CASE(hosts__place_of_the_entry)
{
    unsetenv("XDG_CONFIG_HOME");
    check_place("goose", "~/.config/goose/config.yaml");
    check_place("cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project");
    check_place("jetbrains",
                "Settings, Tools, AI Assistant, Model Context Protocol (MCP): Add, as JSON");
    setenv("XDG_CONFIG_HOME", "/x\n", 1);
    check_place("goose", "/x\\n/goose/config.yaml");
    check_place("cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    check_place("goose", "~/.config/goose/config.yaml");
    setenv("CODEX_HOME", "/codex", 1);
    check_place("codex", "/codex/config.toml, or .codex/config.toml of a project");
}
