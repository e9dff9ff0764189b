#include "cli/selftest_tools.h"

#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/strbuf.h"
#include "config/config_read.h"

/* A server of MCP (2025-11-25) whose tools answer "called". Its client sends the id as a number. */
static const char server[] =
    "say() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; }\n"
    "while IFS= read -r line; do\n"
    "    id=${line#*'\"id\":'}\n"
    "    id=${id%%[!0-9]*}\n"
    "    case $line in\n"
    "    *'\"method\":\"initialize\"'*) say '{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
    "{\"tools\":{}},\"serverInfo\":{\"name\":\"selftest\",\"version\":\"1\"}}' ;;\n"
    "    *'\"method\":\"tools/list\"'*) say '{\"tools\":[{\"name\":\"open\",\"inputSchema\":"
    "{\"type\":\"object\"}},{\"name\":\"closed\",\"inputSchema\":{\"type\":\"object\"}}]}' ;;\n"
    "    *'\"method\":\"tools/call\"'*) say "
    "'{\"content\":[{\"type\":\"text\",\"text\":\"called\"}]}' "
    ";;\n"
    "    esac\n"
    "done\n";

static json_t *make_server(const char *allowed, const char *secret)
{
    return json_pack("{s:s, s:[s, s], s:{s:s}, s:[s]}", "command", "/bin/sh", "args", "-c", server,
                     "env", "TOKEN", secret, "allow", allowed);
}

int selftest_tools_add(struct config *config, struct error *error)
{
    CLEANUP_FREE char *secret = NULL;
    CLEANUP_FREE char *text = NULL;
    json_auto_t *object = NULL;
    char digits[33];

    linux_random_digits(digits, sizeof digits);
    secret = string_format(SELFTEST_SECRET "%s", digits);
    object = json_pack("{s:{s:o, s:o}}", "tools", SELFTEST_TOOLS, make_server("open", secret),
                       SELFTEST_TOOLS "-other", make_server("*", secret));
    text = json_dumps(object, JSON_COMPACT);
    return config_overlay(config, text, strlen(text), "isolator selftest", error);
}
