#include "mcp/host_config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strvec.h"
#include "base/text.h"

/* From the documentation of each host, 2026-11. */
static const struct host {
    const char *name;
    const char *servers; /* the member with the servers */
    const char *type;    /* member "type" of a server; NULL: none */
    const char *extra;   /* more members, as JSON; NULL: none */
    const char *file;    /* the file that the entry belongs in */
} hosts[] = {
    {"claude-desktop", "mcpServers", NULL, NULL, "~/.config/Claude/claude_desktop_config.json"},
    {"claude-code", "mcpServers", NULL, NULL, ".mcp.json of a project, or ~/.claude.json"},
    {"vscode", "servers", "stdio", NULL, ".vscode/mcp.json, or the user's mcp.json"},
    {"cursor", "mcpServers", "stdio", NULL, "~/.cursor/mcp.json, or .cursor/mcp.json of a project"},
    {"cline", "mcpServers", NULL, "{\"disabled\": false, \"autoApprove\": [], \"timeout\": 60}",
     "cline_mcp_settings.json (in Cline: MCP Servers, Configure)"},
};
enum { HOSTS = sizeof hosts / sizeof *hosts };

/* Hosts pass on few variables. These select the engine. */
static const char *const engine_variables[] = {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG",
                                               "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"};

char *host_config_names(void)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (int i = 0; i < HOSTS; i++)
        strvec_push(&names, hosts[i].name);
    return strvec_join(&names, ", ");
}

static const struct host *find_host(const char *name, struct error *error)
{
    CLEANUP_FREE char *known = host_config_names();
    CLEANUP_FREE char *escaped = text_escape(name);

    for (int i = 0; i < HOSTS; i++)
        if (strcmp(hosts[i].name, name) == 0)
            return &hosts[i];
    error_set(error, ERROR_USAGE, "--print-config: unknown host '%s'; known are: %s", escaped,
              known);
    return NULL;
}

/* The program file of this process, owned; NULL with errno set. */
static char *own_path(void)
{
    return realpath("/proc/self/exe", NULL);
}

/* The path as JSON, a new reference; NULL with the error set. */
static json_t *path_string(const char *path, struct error *error)
{
    json_t *string = json_string(path);
    CLEANUP_FREE char *escaped = text_escape(path);

    if (!string)
        error_set(error, ERROR_CONFIG, "cannot print the path '%s': it is not UTF-8; rename it",
                  escaped);
    return string;
}

/* Adds an option with a path as its value. */
static int add_option(json_t *arguments, const char *option, const char *path, struct error *error)
{
    json_t *string = path_string(path, error);

    if (!string)
        return -1;
    json_array_append_new(arguments, json_string(option));
    json_array_append_new(arguments, string);
    return 0;
}

static int add_config(json_t *arguments, const char *config, struct error *error)
{
    CLEANUP_FREE char *path = realpath(config, NULL);

    return path
               ? add_option(arguments, "--config", path, error)
               : error_set_errno(error, ERROR_CONFIG, "cannot find the configuration '%s'", config);
}

/*
 * The arguments of the server, a new reference: --config with the absolute path of the
 * configuration file and --inputs, each unless it is NULL. NULL with the error set.
 */
static json_t *make_arguments(const char *config, const char *inputs, struct error *error)
{
    json_t *arguments = json_array();

    if ((!config || add_config(arguments, config, error) == 0) &&
        (!inputs || add_option(arguments, "--inputs", inputs, error) == 0))
        return arguments;
    json_decref(arguments);
    return NULL;
}

static json_t *make_environment(void)
{
    json_t *environment = json_object();

    for (size_t i = 0; i < sizeof engine_variables / sizeof *engine_variables; i++) {
        const char *value = getenv(engine_variables[i]);

        if (value && *value)
            json_object_set_new(environment, engine_variables[i], json_string(value));
    }
    return environment;
}

static json_t *make_server(const struct host *host, json_t *command, json_t *arguments)
{
    json_t *server = json_object();
    json_t *environment = make_environment();
    json_t *extra = host->extra ? json_loads(host->extra, 0, NULL) : NULL;

    if (host->type)
        json_object_set_new(server, "type", json_string(host->type));
    json_object_set_new(server, "command", command);
    json_object_set_new(server, "args", arguments);
    if (json_object_size(environment) > 0)
        json_object_set(server, "env", environment);
    if (extra)
        json_object_update(server, extra);
    json_decref(environment);
    json_decref(extra);
    return server;
}

char *host_config_entry(const char *host_name, const char *config, const char *inputs,
                        const char **file, struct error *error)
{
    const struct host *host = find_host(host_name, error);
    CLEANUP_FREE char *path = NULL;
    CLEANUP_FREE char *text = NULL;
    json_t *command, *arguments, *document;

    if (!host)
        return NULL;
    path = own_path();
    if (!path) {
        error_set_errno(error, ERROR_SYSTEM, "cannot find the path of this program");
        return NULL;
    }
    command = path_string(path, error);
    arguments = command ? make_arguments(config, inputs, error) : NULL;
    if (!arguments) {
        json_decref(command);
        return NULL;
    }
    document =
        json_pack("{s:{s:o}}", host->servers, "isolator", make_server(host, command, arguments));
    text = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    *file = host->file;
    return string_format("%s\n", text);
}
