#include "tools/upstream_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

bool tool_name_is_valid(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.-";
    const size_t length = strlen(name);

    return length > 0 && length <= TOOL_NAME_MAX && strspn(name, allowed) == length;
}

struct upstream_tools *upstream_tools_new(void)
{
    struct upstream_tools *list = memory_allocate(sizeof *list);

    *list = (struct upstream_tools){.items = NULL};
    atomic_init(&list->references, 1);
    return list;
}

const struct tool_entry *upstream_tools_find(const struct upstream_tools *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static char *copy_member(const json_t *tool, const char *member)
{
    const char *text = json_string_value(json_object_get(tool, member));

    return text ? string_copy(text) : NULL;
}

/* The name of a tool that can be added, borrowed; NULL: it is dropped. */
static const char *usable_name(const struct upstream_tools *list, const json_t *tool)
{
    const json_t *value = json_object_get(tool, "name");
    const char *name = json_string_value(value);

    if (!name || strlen(name) != json_string_length(value) || !tool_name_is_valid(name))
        return NULL;
    return list->count < UPSTREAM_TOOLS_MAX && !upstream_tools_find(list, name) ? name : NULL;
}

void upstream_tools_add(struct upstream_tools *list, const json_t *tools)
{
    json_t *tool;
    size_t i;

    json_array_foreach(tools, i, tool) {
        const char *name = usable_name(list, tool);
        json_t *input = json_object_get(tool, "inputSchema");
        json_t *output = json_object_get(tool, "outputSchema");
        const json_t *annotations = json_object_get(tool, "annotations");

        if (!name) {
            list->dropped++;
            continue;
        }
        list->items = memory_resize(list->items, (list->count + 1) * sizeof *list->items);
        list->items[list->count++] = (struct tool_entry){
            .name = string_copy(name),
            .title = copy_member(tool, "title"),
            .description = copy_member(tool, "description"),
            .input_schema = json_is_object(input) ? json_incref(input) : json_object(),
            .output_schema = json_is_object(output) ? json_incref(output) : NULL,
            .has_read_only_hint = json_is_true(json_object_get(annotations, "readOnlyHint")),
        };
    }
}

struct upstream_tools *upstream_tools_share(struct upstream_tools *list)
{
    atomic_fetch_add(&list->references, 1);
    return list;
}

void upstream_tools_release(struct upstream_tools **list)
{
    struct upstream_tools *released = *list;

    *list = NULL;
    if (!released || atomic_fetch_sub(&released->references, 1) != 1)
        return;
    for (size_t i = 0; i < released->count; i++) {
        free(released->items[i].name);
        free(released->items[i].title);
        free(released->items[i].description);
        json_decref(released->items[i].input_schema);
        json_decref(released->items[i].output_schema);
    }
    free(released->items);
    free(released);
}
