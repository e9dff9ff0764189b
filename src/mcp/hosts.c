#include "mcp/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strvec.h"
#include "base/text.h"

/* setTimeout() of JavaScript fires at once if it is told to wait for more than 2^31 - 1 ms. */
enum { HOUR = 3600, JAVASCRIPT = 2147483, ANY = 366 * 24 * HOUR };

/* Most clients are made with the SDKs of MCP, which end a request after 60 s. */
enum { SDK = 60 };

#define SERVERS(members) "{\"mcpServers\": {\"isolator\": {" members "}}}"
#define STDIO            "\"command\": \"{command}\", \"args\": \"{args}\", \"env\": \"{env}\""

/* From the documentation of each host, 2026-11. */
static const struct host hosts[] = {
    /* modelcontextprotocol.io, "Connect to local servers"; anthropics/claude-code issue 44032 */
    {"claude-desktop", "~/.config", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json", NULL,
     HOST_JSON, SERVERS(STDIO), NULL, .ends = 240},
    /* code.claude.com/docs, "MCP"; the default of MCP_TOOL_TIMEOUT is more than a day */
    {"claude-code", "~", NULL, ".claude.json", ".mcp.json of a project", HOST_JSON, SERVERS(STDIO),
     "[\"claude\", \"mcp\", \"add\", \"--scope\", \"user\", \"isolator\", \"{env options}\", "
     "\"--\", \"{command line}\"]",
     .ends = 0},
    /* code.visualstudio.com/docs, "MCP configuration reference"; it waits forever */
    {"vscode", "~/.config", "XDG_CONFIG_HOME", "Code/User/mcp.json",
     ".vscode/mcp.json of a workspace", HOST_JSON,
     "{\"servers\": {\"isolator\": {\"type\": \"stdio\", " STDIO "}}}",
     "[\"code\", \"--add-mcp\", \"{server}\"]", .ends = 0},
    /* cursor.com/docs, "MCP" */
    {"cursor", "~", NULL, ".cursor/mcp.json", ".cursor/mcp.json of a project", HOST_JSON,
     SERVERS("\"type\": \"stdio\", " STDIO), NULL, .ends = SDK},
    /* docs.cline.bot, "Adding & Configuring Servers": 30 s to 1 h */
    {"cline", "~", NULL, ".cline/data/settings/cline_mcp_settings.json",
     "the file that the extension opens (MCP Servers, Configure)", HOST_JSON,
     SERVERS(STDIO ", \"disabled\": false, \"autoApprove\": [], \"timeout\": \"{s}\""), NULL,
     .ends = 60, .longest = HOUR},
    /* docs.windsurf.com, "Cascade MCP Integration" */
    {"windsurf", "~", NULL, ".codeium/windsurf/mcp_config.json", NULL, HOST_JSON, SERVERS(STDIO),
     NULL, .ends = SDK},
    /* zed.dev/docs/ai/mcp; zed-industries/zed pull request 45378 */
    {"zed", "~/.config", "XDG_CONFIG_HOME", "zed/settings.json", ".zed/settings.json of a project",
     HOST_JSON, "{\"context_servers\": {\"isolator\": {" STDIO ", \"timeout\": \"{s}\"}}}", NULL,
     .ends = 60, .longest = 600},
    /* google-gemini/gemini-cli, docs/tools/mcp-server.md */
    {"gemini-cli", "~", NULL, ".gemini/settings.json", ".gemini/settings.json of a project",
     HOST_JSON, SERVERS(STDIO ", \"timeout\": \"{ms}\""),
     "[\"gemini\", \"mcp\", \"add\", \"--scope\", \"user\", \"--timeout\", \"{ms}\", "
     "\"{env options}\", \"isolator\", \"{command}\", \"{dashed args}\"]",
     .ends = 600, .longest = JAVASCRIPT},
    /* openai/codex, docs/config.md */
    {"codex", "~/.codex", "CODEX_HOME", "config.toml", ".codex/config.toml of a project", HOST_TOML,
     "{\"mcp_servers\": {\"isolator\": {" STDIO ", \"tool_timeout_sec\": \"{s}\"}}}",
     "[\"codex\", \"mcp\", \"add\", \"isolator\", \"{env options}\", \"--\", \"{command line}\"]",
     .ends = 60, .longest = ANY},
    /* block/goose, documentation/docs/guides/config-files.md */
    {"goose", "~/.config", "XDG_CONFIG_HOME", "goose/config.yaml", NULL, HOST_YAML,
     "{\"extensions\": {\"isolator\": {\"type\": \"stdio\", \"name\": \"isolator\", "
     "\"enabled\": true, \"cmd\": \"{command}\", \"args\": \"{args}\", \"envs\": \"{env}\", "
     "\"timeout\": \"{s}\"}}}",
     NULL, .ends = 300, .longest = ANY},
    /* lmstudio.ai/docs/app/mcp; lmstudio-ai/lmstudio-bug-tracker issue 727 */
    {"lm-studio", "~", NULL, ".lmstudio/mcp.json", NULL, HOST_JSON, SERVERS(STDIO), NULL,
     .ends = SDK},
    /* jetbrains.com/help/ai-assistant, "Model Context Protocol" */
    {"jetbrains", NULL, NULL, NULL,
     "Settings, Tools, AI Assistant, Model Context Protocol (MCP): Add, as JSON", HOST_JSON,
     SERVERS(STDIO), NULL, .ends = SDK},
    /* continuedev/continue, docs/customize/deep-dives/mcp.mdx */
    {"continue", "~", NULL, ".continue/mcpServers/isolator.yaml",
     ".continue/mcpServers/isolator.yaml of a workspace", HOST_YAML,
     "{\"name\": \"isolator\", \"version\": \"0.0.1\", \"schema\": \"v1\", "
     "\"mcpServers\": [{\"name\": \"isolator\", \"type\": \"stdio\", " STDIO "}]}",
     NULL, .ends = SDK},
    /* docs.github.com, "GitHub Copilot CLI command reference" */
    {"copilot", "~/.copilot", "COPILOT_HOME", "mcp-config.json", ".mcp.json of a project",
     HOST_JSON,
     SERVERS("\"type\": \"local\", " STDIO ", \"tools\": [\"*\"], \"timeout\": \"{ms}\""),
     "[\"copilot\", \"mcp\", \"add\", \"isolator\", \"{env options}\", \"--timeout\", \"{ms}\", "
     "\"--\", \"{command line}\"]",
     .ends = 30, .longest = JAVASCRIPT},
    /* opencode.ai/docs/mcp-servers; version 2 reads it as well, see opencode.ai/docs/migrate-v1 */
    {"opencode", "~/.config", "XDG_CONFIG_HOME", "opencode/opencode.json",
     "opencode.json of a project", HOST_JSON,
     "{\"mcp\": {\"isolator\": {\"type\": \"local\", \"command\": \"{command line}\", "
     "\"enabled\": true, \"environment\": \"{env}\", \"timeout\": \"{ms}\"}}}",
     NULL, .ends = 60, .longest = JAVASCRIPT},
};
enum { HOSTS = sizeof hosts / sizeof *hosts };

char *hosts_names(void)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (int i = 0; i < HOSTS; i++)
        strvec_push(&names, hosts[i].name);
    return strvec_join(&names, ", ");
}

const struct host *hosts_find(const char *name, const char *option, struct error *error)
{
    CLEANUP_FREE char *known = hosts_names();
    CLEANUP_FREE char *escaped = text_escape(name);

    for (int i = 0; i < HOSTS; i++)
        if (strcmp(hosts[i].name, name) == 0)
            return &hosts[i];
    error_set(error, ERROR_USAGE, "%s: unknown host '%s'; known are: %s", option, escaped, known);
    return NULL;
}

/* What the variable names, or else `directory` as it is written. Borrowed. */
static const char *directory_of(const struct host *host)
{
    const char *value = host->variable ? getenv(host->variable) : NULL;

    return value && *value == '/' ? value : host->directory;
}

char *host_path(const struct host *host)
{
    const char *directory = directory_of(host);
    const char *home = getenv("HOME");

    if (*directory != '~')
        return string_format("%s/%s", directory, host->file);
    return home && *home == '/' ? string_format("%s%s/%s", home, directory + 1, host->file) : NULL;
}

char *host_place(const struct host *host)
{
    CLEANUP_FREE char *directory = NULL;

    if (!host->file)
        return string_copy(host->also);
    directory = text_escape(directory_of(host));
    return string_format("%s/%s%s%s", directory, host->file, host->also ? ", or " : "",
                         host->also ? host->also : "");
}
