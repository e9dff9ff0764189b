#include "mcp/host_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"
#include "mcp/host_section.h"
#include "mcp/json_edit.h"
#include "mcp/json_places.h"

static const char NAME[] = "isolator";

/* ---- JSON */

/* Returns the value of these bytes as a new reference; NULL if they are not strict JSON. */
static json_t *parse(const char *text, size_t length)
{
    return json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
}

/* What a strict reader takes the text for after the change, a new reference; NULL: it reads none.
 */
static json_t *expected_after(const char *text, size_t length, const char *key, json_t *entry)
{
    json_t *document = parse(text, length);
    json_t *servers = json_object_get(document, key);

    if (!document)
        return NULL;
    if (servers)
        json_object_set(servers, NAME, entry);
    else
        json_object_set_new(document, key, json_pack("{sO}", NAME, entry));
    return document;
}

/*
 * Whether the entry is in the edited text, and, if a strict reader could read the text before, this
 * is all that it finds changed. A guard against mistakes of mcp/json_edit.h.
 */
static bool is_as_expected(const char *text, size_t length, const struct strbuf *edited,
                           const char *key, json_t *entry)
{
    const size_t mark = json_places_mark(text, length);
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct json_places places;
    json_auto_t *expected = expected_after(text + mark, length - mark, key, entry);
    json_auto_t *after = expected ? parse(edited->data + mark, edited->length - mark) : NULL;
    json_auto_t *found = NULL;

    if (json_places_find(edited->data, edited->length, key, NAME, &places, &ignored) != 0 ||
        !places.found)
        return false;
    found = parse(edited->data + places.value, places.value_end - places.value);
    return json_equal(found, entry) && (!expected || json_equal(after, expected));
}

static int edit_json(const struct host *host, const struct host_config *made, const char *text,
                     size_t length, struct strbuf *edited, struct error *error)
{
    const char *key = host_config_servers_key(made);
    struct json_places places;
    json_auto_t *former = NULL;
    json_auto_t *entry = NULL;

    if (json_text_count(text, length) > JSON_TEXT_VALUES_MAX)
        return error_set(error, ERROR_CONFIG, "it has more than %d values", JSON_TEXT_VALUES_MAX);
    if (json_places_find(text, length, key, NAME, &places, error) != 0)
        return -1;
    if (places.found) {
        former = parse(text + places.value, places.value_end - places.value);
        if (!former)
            return error_set(error, ERROR_CONFIG,
                             "its entry '%s' has comments or is not strict JSON", NAME);
    }
    entry = host_config_merge(host, made, former);
    if (json_equal(former, entry))
        return 0;
    json_edit(text, length, &places, key, NAME, entry, edited);
    if (!is_as_expected(text, length, edited, key, entry))
        return error_set(error, ERROR_CONFIG, "more than its entry would change");
    return 0;
}

/* ---- all formats */

static bool is_blank(const char *text, size_t length)
{
    size_t at = json_places_mark(text, length);

    while (at < length && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at == length;
}

int host_edit(const struct host *host, const struct host_config *made, const char *text,
              size_t length, struct strbuf *edited, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT;

    strbuf_add(&whole, text, length);
    if (is_blank(text, length)) {
        strbuf_add(edited, text, json_places_mark(text, length));
        strbuf_addstr(edited, made->entry);
        return 0;
    }
    if (memchr(text, '\0', length) || !text_is_utf8(strbuf_string(&whole)))
        return error_set(error, ERROR_CONFIG, "it is not UTF-8 text");
    if (host->format == HOST_JSON)
        return edit_json(host, made, text, length, edited, error);
    return host_section_add(host->format, host_config_servers_key(made), NAME, made->entry,
                            strbuf_string(&whole), edited, error);
}
