#include "json.h"

#include "mcp/known_clients.h"
#include "mcp/tool.h"

static const struct known_client *find(const char *info)
{
    json_auto_t *object = json_loads(info, JSON_DECODE_ANY, NULL);

    return known_client_find(object);
}

CASE(known_clients__are_found_by_name)
{
    assert_string_equal(find("{\"name\": \"claude-code\", \"version\": \"9\"}")->name,
                        "claude-code");
    assert_string_equal(find("{\"name\": \"qwen-cli-mcp-client-isolator\"}")->name,
                        "qwen-cli-mcp-client");
    assert_null(find("{\"name\": \"claude\"}"));
    assert_null(find("{\"name\": \"opencodex\"}"));
    assert_null(find("{\"name\": 7}"));
    assert_null(find("7"));
    assert_null(known_client_find(NULL));
}

/* Checks what is left of a revision, and of a text of 50,000 bytes. */
static void check_part(const char *name, const char *of, const char *expected, size_t max_text)
{
    json_auto_t *info = json_pack("{s:s}", "name", name);
    const struct known_client *client = known_client_find(info);
    const struct revision revision = known_client_reads(client, revision_legacy(of));
    CLEANUP_FREE char *got = string_format(
        "%s%s%s%s", revision.structured ? "structured " : "", revision.links ? "links " : "",
        revision.blobs ? "blobs " : "", revision.media ? "media" : "");

    assert_string_equal(got, expected);
    assert_int_equal(known_client_max_text(client, 50000), max_text);
}

/* Of the first revision that has links. */
static void check_reads(const char *name, const char *expected, size_t max_text)
{
    check_part(name, "2025-06-18", expected, max_text);
}

CASE(known_clients__read_a_part)
{
    check_reads("another", "structured links media", 50000);
    check_reads("claude-code", "links media", 50000);
    check_reads("codex-mcp-client", "links media", 10000);
    check_reads("copilot-cli", "links media", 8000);
    check_reads("gemini-cli-mcp-client", "links media", 50000);
    check_reads("qwen-cli-mcp-client-isolator", "links media", 20000);
    check_reads("opencode", "structured media", 50000);
    check_reads("@cline/core", "", 6000);
    check_reads("continue-cli-client", "", 50000);
    check_reads("@langchain/mcp-adapters", "media", 50000);
    check_part("another", "2024-11-05", "blobs media", 50000);
    check_part("@cline/core", "2024-11-05", "", 6000);
}

/* The configuration may give less. */
CASE(known_clients__text_of_a_configuration)
{
    assert_int_equal(known_client_max_text(find("{\"name\": \"codex-mcp-client\"}"), 5000), 5000);
}
