#include "mcp/known_clients.h"

#include <string.h>

/* What each version does is what test/hosts has seen. */
static const struct known_client clients[] = {
    /* 2.1.332: structured content alone if a run succeeds */
    {"claude-code", .no_structure = true},
    /* 0.171.0: structured content alone; cuts the middle of a result of more than 10,000 tokens */
    {"codex-mcp-client", .no_structure = true, .max_text = 10000},
    /* 1.0.102: both; writes what is larger to a file and shows 500 characters */
    {"copilot-cli", .no_structure = true, .max_text = 8000},
    /* 0.61.0: the text, but both if a run fails */
    {"gemini-cli-mcp-client", .no_structure = true},
    /* 0.24.4, with the name of the server at its end; made from Gemini CLI; writes a result of more
       than 25,000 characters to a file and shows less than 2,000 */
    {"qwen-cli-mcp-client", .no_structure = true, .max_text = 20000},
    /* 1.18.33: no links */
    {"opencode", .no_links = true},
    /* 3.0.65: the JSON of the whole result, with base64, of which it cuts the middle after 8 KB */
    {"@cline/core", .no_structure = true, .no_media = true, .max_text = 6000},
    /* 1.5.47: the JSON of the content, with base64 */
    {"continue-cli-client", .no_structure = true, .no_media = true},
    /* 1.1.4: both; a link ends the conversation */
    {"@langchain/mcp-adapters", .no_structure = true, .no_links = true},
};

/* Some clients add a "-" and the name of the server. */
static bool is_named(const struct known_client *client, const char *name)
{
    const size_t length = strlen(client->name);

    return strncmp(client->name, name, length) == 0 &&
           (name[length] == '\0' || name[length] == '-');
}

const struct known_client *known_client_find(const json_t *client_info)
{
    const char *name = json_string_value(json_object_get(client_info, "name"));

    for (size_t i = 0; name && i < sizeof clients / sizeof *clients; i++)
        if (is_named(&clients[i], name))
            return &clients[i];
    return NULL;
}

struct revision known_client_reads(const struct known_client *client,
                                   const struct revision *revision)
{
    struct revision reads = *revision;

    if (!client)
        return reads;
    reads.structured &= !client->no_structure;
    reads.links &= !client->no_links && !client->no_media;
    reads.media &= !client->no_media;
    reads.blobs &= !client->no_media;
    return reads;
}

size_t known_client_max_text(const struct known_client *client, long long configured)
{
    return (size_t)(client && client->max_text > 0 && client->max_text < configured
                        ? client->max_text
                        : configured);
}
