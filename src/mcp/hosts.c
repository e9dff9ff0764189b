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
    /* code.claude.com/docs, "MCP"; the default of MCP_TOOL_TIMEOUT is more than a day */
    {"claude-code", "~", "CLAUDE_CONFIG_DIR", ".claude.json", ".mcp.json of a project", HOST_JSON,
     SERVERS(STDIO),
     "[\"claude\", \"mcp\", \"add\", \"--scope\", \"user\", \"isolator\", \"{env options}\", "
     "\"--\", \"{command line}\"]",
     .ends = 0},
    /* modelcontextprotocol.io, "Connect to local servers"; anthropics/claude-code issue 44032 */
    {"claude-desktop", "~/.config", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json", NULL,
     HOST_JSON, SERVERS(STDIO), NULL, .ends = 240},
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
     .note = "it starts no server of yours in a folder that it does not trust", .ends = 600,
     .longest = JAVASCRIPT},
    /* QwenLM/qwen-code, docs/users/features/mcp.md; made from Gemini CLI */
    {"qwen-code", "~", NULL, ".qwen/settings.json", ".qwen/settings.json of a project", HOST_JSON,
     SERVERS(STDIO ", \"timeout\": \"{ms}\""),
     "[\"qwen\", \"mcp\", \"add\", \"--scope\", \"user\", \"--timeout\", \"{ms}\", "
     "\"{env options}\", \"isolator\", \"{command}\", \"{dashed args}\"]",
     .ends = 600, .longest = JAVASCRIPT},
    /* openai/codex, docs/config.md; "codex mcp add" replaces an entry and has no timeout */
    {"codex", "~/.codex", "CODEX_HOME", "config.toml", ".codex/config.toml of a project", HOST_TOML,
     "{\"mcp_servers\": {\"isolator\": {" STDIO ", \"tool_timeout_sec\": \"{s}\"}}}", NULL,
     .note =
         "its approval policy \"never\" refuses a server that reaches a network, unless its table "
         "has default_tools_approval_mode = \"approve\"",
     .ends = 60, .longest = ANY},
    /* its own "grok help", config.toml: 6000 s */
    {"grok", "~", NULL, ".grok/config.toml", ".grok/config.toml of a project", HOST_TOML,
     "{\"mcp_servers\": {\"isolator\": {" STDIO ", \"tool_timeout_sec\": \"{s}\"}}}", NULL,
     .ends = 6000, .longest = ANY},
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
    /* continuedev/continue, docs/reference.mdx; its CLI reads no file of ~/.continue/mcpServers */
    {"continue", "~", NULL, ".continue/config.yaml", NULL, HOST_YAML,
     "{\"mcpServers\": [{\"name\": \"isolator\", \"type\": \"stdio\", " STDIO "}]}", NULL,
     .ends = SDK},
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
    /* kilo.ai/docs, "Using MCP in Kilo Code"; made from opencode */
    {"kilo", "~/.config", "XDG_CONFIG_HOME", "kilo/kilo.json", "kilo.json of a project", HOST_JSON,
     "{\"mcp\": {\"isolator\": {\"type\": \"local\", \"command\": \"{command line}\", "
     "\"enabled\": true, \"environment\": \"{env}\", \"timeout\": \"{ms}\"}}}",
     NULL, .ends = 60, .longest = JAVASCRIPT},
    /* docs.augmentcode.com, "Auggie: integrations"; "auggie mcp add" splits arguments at spaces */
    {"auggie", "~", NULL, ".augment/settings.json", ".augment/settings.json of a project",
     HOST_JSON, SERVERS("\"type\": \"stdio\", " STDIO), NULL, .ends = SDK},
    /* kiro.dev/docs/cli/mcp/configuration */
    {"kiro", "~", NULL, ".kiro/settings/mcp.json", ".kiro/settings/mcp.json of a workspace",
     HOST_JSON, SERVERS(STDIO ", \"disabled\": false"), NULL, .ends = SDK},
    /* antigravity.google/docs/mcp; its IDE and its CLI share the file */
    {"antigravity", "~", NULL, ".gemini/config/mcp_config.json", NULL, HOST_JSON, SERVERS(STDIO),
     NULL, .ends = SDK},
    /* MoonshotAI/kimi-code, docs: "MCP" */
    {"kimi-code", "~", NULL, ".kimi-code/mcp.json", ".kimi-code/mcp.json of a project", HOST_JSON,
     SERVERS(STDIO ", \"toolTimeoutMs\": \"{ms}\""), NULL, .ends = SDK, .longest = JAVASCRIPT},
    /* charmbracelet/crush, README.md and schema.json; its "timeout" is that of the connection */
    {"crush", "~/.config", "XDG_CONFIG_HOME", "crush/crush.json", "crush.json of a project",
     HOST_JSON, "{\"mcp\": {\"isolator\": {\"type\": \"stdio\", " STDIO "}}}", NULL, .ends = 0},
    /* docs.factory.ai/cli/configuration/mcp */
    {"droid", "~", NULL, ".factory/mcp.json", ".factory/mcp.json of a project", HOST_JSON,
     SERVERS("\"type\": \"stdio\", " STDIO ", \"disabled\": false"), NULL, .ends = SDK},
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
    const char *names[HOSTS], *nearest;

    for (int i = 0; i < HOSTS; i++) {
        if (strcmp(hosts[i].name, name) == 0)
            return &hosts[i];
        names[i] = hosts[i].name;
    }
    nearest = text_nearest(name, names, HOSTS);
    error_set(error, ERROR_USAGE, "%s: unknown host '%s'%s%s%s; known are: %s", option, escaped,
              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
              known);
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
