#define _GNU_SOURCE
#include "mcp/tool_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "mcp/tool_result.h"
#include "tools/tool_log.h"
#include "tools/tool_request.h"
#include "tools/tool_use.h"

/* Bytes that are shown of the first line of a description. */
enum { LINE_MAX_BYTES = 200 };

struct tool_search {
    struct responder responder;
    struct strvec words;    /* owned; all have to occur */
    struct strvec warnings; /* owned; about the arguments */
    enum tool_detail detail;
    struct tool_log log; /* for its warnings */
    struct tool_consent consent;
    struct tool_use use;
    struct tool_request *request; /* for the next page; NULL: there is none */
    struct strbuf text;           /* of the result */
    size_t found, omitted;
    struct tool_search *next;
};

void tool_searches_init(struct tool_searches *searches, struct tool_set *set,
                        const struct strvec *servers, size_t max_text,
                        const struct notifier *changed)
{
    *searches = (struct tool_searches){
        .set = set, .servers = servers, .changed = changed, .max_text = max_text};
}

static void free_search(struct tool_search *search)
{
    tool_request_free(search->request);
    tool_log_release(&search->log);
    strvec_release(&search->words);
    strvec_release(&search->warnings);
    strbuf_release(&search->text);
    free(search);
}

/* ---- what is found */

static const char *string_of(const json_t *tool, const char *key)
{
    const char *text = json_string_value(json_object_get(tool, key));

    return text ? text : "";
}

static bool matches(const struct tool_search *search, const json_t *tool)
{
    for (size_t i = 0; i < search->words.count; i++)
        if (!strcasestr(string_of(tool, "name"), search->words.items[i]) &&
            !strcasestr(string_of(tool, "title"), search->words.items[i]) &&
            !strcasestr(string_of(tool, "description"), search->words.items[i]))
            return false;
    return true;
}

/* The line about a tool; owned by the caller. */
static char *describe(const json_t *tool, enum tool_detail detail)
{
    const char *description = string_of(tool, "description");
    CLEANUP_FREE char *line = NULL;
    CLEANUP_FREE char *shown = NULL;

    if (detail == TOOL_DETAIL_SCHEMA)
        return json_dumps(tool, JSON_COMPACT);
    if (detail == TOOL_DETAIL_NAME || *description == '\0')
        return string_copy(string_of(tool, "name"));
    line = string_format("%.*s", (int)strcspn(description, "\r\n"), description);
    shown = text_escape_short(line, LINE_MAX_BYTES);
    return string_format("%s: %s", string_of(tool, "name"), shown);
}

static void add_line(struct strbuf *text, const char *line)
{
    strbuf_addf(text, "%s%s", text->length > 0 ? "\n" : "", line);
}

static void add_tools(const struct tool_searches *searches, struct tool_search *search,
                      const json_t *tools)
{
    size_t i;
    json_t *tool;

    json_array_foreach(tools, i, tool) {
        CLEANUP_FREE char *line = NULL;

        if (!matches(search, tool))
            continue;
        line = describe(tool, search->detail);
        if (search->omitted > 0 || search->text.length + strlen(line) >= searches->max_text) {
            search->omitted++;
            continue;
        }
        add_line(&search->text, line);
        search->found++;
    }
}

static json_t *make_result(struct tool_search *search)
{
    const struct strvec *warnings = &search->log.warnings;
    struct strbuf *text = &search->text;
    CLEANUP_FREE char *more =
        string_format("%zu more found: use more words%s", search->omitted,
                      search->detail == TOOL_DETAIL_NAME ? "" : ", or detail \"name\"");

    if (search->found + search->omitted == 0)
        add_line(text, "no tool was found");
    if (search->omitted > 0)
        add_line(text, more);
    for (size_t i = 0; i < warnings->count; i++)
        add_line(text, warnings->items[i]);
    for (size_t i = 0; i < search->warnings.count; i++)
        add_line(text, search->warnings.items[i]);
    return search->found + search->omitted == 0 && warnings->count > 0
               ? tool_result_of_failure(strbuf_string(text))
               : tool_result_of_text(strbuf_string(text));
}

/* ---- pages */

static void ask_for_page(struct tool_search *search, const json_t *params)
{
    const char *problem; /* none: it is a cursor that a page has had */
    json_t *id = json_null();

    search->request = tool_request_list(&search->use, id, params, 0, &problem);
}

/* Takes what has arrived. Returns whether all pages have. */
static bool goes_on(const struct tool_searches *searches, struct tool_search *search)
{
    while (search->request) {
        json_auto_t *message = tool_request_serve(search->request);
        const json_t *result = json_object_get(message, "result");
        json_t *cursor = json_object_get(result, "nextCursor");
        json_auto_t *params = NULL;

        if (!message)
            return false;
        search->request = NULL;
        add_tools(searches, search, json_object_get(result, "tools"));
        if (!cursor)
            break;
        params = json_pack("{s:O}", "cursor", cursor);
        ask_for_page(search, params);
    }
    return true;
}

/* ---- searches */

int tool_searches_begin(struct tool_searches *searches, struct responder *responder,
                        struct tool_search_arguments *arguments, const struct tool_asker *asker,
                        struct error *error)
{
    struct tool_search **last = &searches->list;
    struct tool_search *search;

    if (searches->count == TOOL_SEARCHES_MAX)
        return error_set(error, ERROR_ENGINE, "%d searches are running; try again later",
                         TOOL_SEARCHES_MAX);
    search = memory_allocate(sizeof *search);
    *search = (struct tool_search){.responder = *responder,
                                   .words = arguments->words,
                                   .warnings = arguments->warnings,
                                   .detail = arguments->detail,
                                   .log = TOOL_LOG_INIT,
                                   .consent = TOOL_CONSENT_INIT,
                                   .text = STRBUF_INIT};
    search->use = (struct tool_use){.set = searches->set,
                                    .servers = searches->servers,
                                    .log = &search->log,
                                    .consent = &search->consent,
                                    .done = *searches->changed};
    search->consent.asker = asker;
    *responder = (struct responder){.writer = NULL};
    arguments->words = arguments->warnings = (struct strvec)STRVEC_INIT;
    ask_for_page(search, NULL);
    while (*last)
        last = &(*last)->next;
    *last = search;
    searches->count++;
    tool_searches_serve(searches);
    return 0;
}

/* Takes it out of the list and frees it; it has used its responder. */
static void remove_search(struct tool_searches *searches, struct tool_search **link)
{
    struct tool_search *search = *link;

    *link = search->next;
    searches->count--;
    free_search(search);
}

void tool_searches_serve(struct tool_searches *searches)
{
    struct tool_search **link = &searches->list;

    while (*link) {
        (*link)->use.pages_left = TOOL_USE_PAGES;
        if (goes_on(searches, *link)) {
            responder_result(&(*link)->responder, make_result(*link));
            remove_search(searches, link);
        } else {
            link = &(*link)->next;
        }
    }
}

void tool_searches_cancel(struct tool_searches *searches, const json_t *id)
{
    struct tool_search **link = &searches->list;

    while (*link) {
        if (json_equal((*link)->responder.id, id)) {
            responder_nothing(&(*link)->responder);
            remove_search(searches, link);
        } else {
            link = &(*link)->next;
        }
    }
}

bool tool_searches_done(const struct tool_searches *searches)
{
    return searches->count == 0;
}

void tool_searches_end(struct tool_searches *searches)
{
    while (searches->list) {
        responder_result(&searches->list->responder,
                         tool_result_of_failure("the server is shutting down"));
        remove_search(searches, &searches->list);
    }
}
