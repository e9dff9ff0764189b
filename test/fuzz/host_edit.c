/*
 * Fuzz target: configuration files of MCP hosts, into which isolator-mcp --install adds an entry.
 * The first byte of the input chooses the host, the rest is the text of its file. These properties
 * are checked:
 *
 * - A refused text sets one error, which is one clean line.
 * - An edited text is up to date.
 * - An edited text has all bytes of the former one in their order, unless an entry was replaced.
 * - If the former text is JSON without comments, the edited one is too, and only the entry differs.
 */
#include "fuzz.h"

#include <jansson.h>

#include "mcp/host_edit.h"
#include "mcp/json_places.h"

enum { HOSTS = 4 };
static const char *const names[HOSTS] = {"cline", "codex", "goose", "continue"};
static const struct host *hosts[HOSTS];
static struct host_config entries[HOSTS];

static json_t *parse(const char *text, size_t length)
{
    const size_t mark = json_places_mark(text, length);

    return json_loadb(text + mark, length - mark, JSON_REJECT_DUPLICATES, NULL);
}

/* Removes the entry, and the object of servers if that is then empty. */
static void remove_entry(json_t *document)
{
    json_t *servers = json_object_get(document, "mcpServers");

    json_object_del(servers, "isolator");
    if (json_object_size(servers) == 0)
        json_object_del(document, "mcpServers");
}

static void check_json(const char *text, size_t size, const struct strbuf *edited)
{
    json_t *before = parse(text, size);
    json_t *after = parse(edited->data, edited->length);

    fuzz_require(!before || after, "no longer JSON: %s", edited->data);
    if (before) {
        fuzz_require(json_object_get(json_object_get(after, "mcpServers"), "isolator"), "%s",
                     edited->data);
        remove_entry(before);
        remove_entry(after);
        fuzz_require(json_equal(before, after), "%s", edited->data);
    }
    json_decref(before);
    json_decref(after);
}

static bool has_all_bytes(const char *text, size_t size, const struct strbuf *edited)
{
    size_t found = 0;

    for (size_t i = 0; i < edited->length && found < size; i++)
        found += edited->data[i] == text[found];
    return found == size;
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = json_places_mark(text, size); i < size; i++)
        if (!text[i] || !strchr(" \t\r\n", text[i]))
            return false;
    return true;
}

static void check_edited(int which, const char *text, size_t size, const struct strbuf *edited)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    struct json_places places = {.found = false};
    const bool json = hosts[which]->format == HOST_JSON;

    fuzz_require(
        host_edit(hosts[which], &entries[which], edited->data, edited->length, &again, &error) == 0,
        "%s: %s", error.message, edited->data);
    fuzz_require(again.length == 0, "'%s' became '%s'", edited->data, again.data);
    if (is_blank(text, size))
        return;
    if (json) {
        fuzz_require(json_places_find(text, size, "mcpServers", "isolator", &places, &error) == 0,
                     "%s", error.message);
        check_json(text, size, edited);
    }
    fuzz_require(places.found || has_all_bytes(text, size, edited), "%s", edited->data);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct host_config_options options = {.ssh = "me@server", .max_timeout = 45};
    struct error error = ERROR_INIT;

    (void)argc, (void)argv;
    for (int i = 0; i < HOSTS; i++) {
        hosts[i] = hosts_find(names[i], "--install", &error);
        fuzz_require(hosts[i] && host_config_make(hosts[i], &options, &entries[i], &error) == 0,
                     "%s", error.message);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strbuf_release) struct strbuf edited = STRBUF_INIT;
    /* a digit, so that seeds are readable; its text is a copy that ends with the input */
    const int which = size > 0 ? data[0] % HOSTS : 0;
    const char *text = (const char *)data + (size > 0);
    const size_t length = size - (size > 0);

    if (host_edit(hosts[which], &entries[which], text, length, &edited, &error) != 0)
        fuzz_check_error(&error, true, 200);
    else if (edited.length > 0)
        check_edited(which, text, length, &edited);
    return 0;
}
