#include "request/tools_argument.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "request/argument_names.h"
#include "request/request.h"

int tools_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                        const struct strvec *permitted, struct strvec *tools)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of names of tool servers");
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = argument_text(reader, item_name, item);

        if (!text)
            return -1;
        if (!strvec_contains(permitted, text)) {
            CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);
            CLEANUP_FREE char *known =
                permitted->count > 0 ? strvec_join(permitted, ", ") : string_copy("none");

            return error_set(reader->error, ERROR_USAGE,
                             "%s: there is no tool server '%s' for this program; there are: %s",
                             item_name, shown, known);
        }
        strvec_push_once(tools, text);
    }
    return 0;
}

int tools_argument_resolve(const struct strvec *names, const struct config *config,
                           struct strvec *tools, struct error *error)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];

        if (!config_tool_server(config, name)) {
            CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);
            CLEANUP_FREE char *known = config_tool_names(config);

            error_set(error, ERROR_USAGE, ERROR_SUBJECT ": unknown tool server '%s'; known are: %s",
                      shown, known);
            return error_about(error, REQUEST_TOOLS);
        }
        strvec_push_once(tools, name);
    }
    return 0;
}

/* ---- search_tools */

static int read_query(struct argument_reader *reader, const json_t *value, struct strvec *words)
{
    const char *text = argument_text(reader, "query", value);

    if (!text)
        return -1;
    if (strlen(text) > TOOL_QUERY_MAX)
        return error_set(reader->error, ERROR_USAGE, "query cannot have more than %d bytes",
                         TOOL_QUERY_MAX);
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        const size_t length = strcspn(text, " \t\r\n");

        strvec_pushf(words, "%.*s", (int)length, text);
        text += length;
    }
    return 0;
}

static int read_detail(struct argument_reader *reader, const json_t *value,
                       enum tool_detail *detail)
{
    static const char *const names[] = {[TOOL_DETAIL_NAME] = "name",
                                        [TOOL_DETAIL_DESCRIPTION] = "description",
                                        [TOOL_DETAIL_SCHEMA] = "schema"};
    const char *text = json_string_value(value);

    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0 && strlen(text) == json_string_length(value)) {
            *detail = (enum tool_detail)i;
            return 0;
        }
    return argument_wrong(reader, "detail", "\"name\", \"description\" or \"schema\"");
}

int tool_search_arguments_read(const json_t *arguments, struct tool_search_arguments *search,
                               struct error *error)
{
    struct argument_reader reader = {.error = error};
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT;
    const struct argument_names names = {.known = &known};
    json_auto_t *resolved = NULL, *query = NULL, *detail = NULL;

    *search = (struct tool_search_arguments){STRVEC_INIT, TOOL_DETAIL_DESCRIPTION, STRVEC_INIT};
    strvec_push_each(&known, "query", "detail", NULL);
    resolved = argument_names_resolve(&names, arguments, &search->warnings, error);
    query = argument_given(&reader, resolved, "query", ARGUMENT_TEXT);
    detail = argument_given(&reader, resolved, "detail", ARGUMENT_NAME);
    if (!resolved || (query && read_query(&reader, query, &search->words) != 0))
        return -1;
    return detail ? read_detail(&reader, detail, &search->detail) : 0;
}
