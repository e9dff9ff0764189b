#include "request/tools_argument.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "request/request.h"

int tools_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                        const struct strvec *permitted, struct strvec *tools)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of names of tool servers");
    json_array_foreach(value, i, item)
    {
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
        if (!strvec_contains(tools, text))
            strvec_push(tools, text);
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
        if (!strvec_contains(tools, name))
            strvec_push(tools, name);
    }
    return 0;
}
