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

/* Checks the members of the first revision that has links: structured, links, media. */
static void check_reads(const char *name, const char *expected)
{
    json_auto_t *info = json_pack("{s:s}", "name", name);
    const struct revision revision =
        known_client_reads(known_client_find(info), revision_legacy("2025-06-18"));
    CLEANUP_FREE char *got =
        string_format("%s%s%s", revision.structured ? "structured " : "",
                      revision.links ? "links " : "", revision.media ? "media" : "");

    assert_string_equal(got, expected);
    assert_true(revision.titles);
}

CASE(known_clients__read_a_part)
{
    check_reads("another", "structured links media");
    check_reads("claude-code", "links media");
    check_reads("codex-mcp-client", "links media");
    check_reads("opencode", "structured media");
    check_reads("@cline/core", "");
}

CASE(known_clients__text)
{
    assert_int_equal(known_client_max_text(NULL, 50000), 50000);
    assert_int_equal(known_client_max_text(find("{\"name\": \"claude-code\"}"), 50000), 50000);
    assert_int_equal(known_client_max_text(find("{\"name\": \"codex-mcp-client\"}"), 50000), 10000);
    assert_int_equal(known_client_max_text(find("{\"name\": \"codex-mcp-client\"}"), 5000), 5000);
}
