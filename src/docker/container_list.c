#include "docker/container_list.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "docker/engine_kind.h"

/*
 * The Go template of a row: a JSON array of name, status and labels. JSON quotes whatever a label
 * holds, so that a row is one line.
 */
static char *row_template(enum engine_kind kind, const struct strvec *keys)
{
    struct strbuf template = STRBUF_INIT;

    strbuf_addstr(&template, "[{{json .Names}},{{json .Status}}");
    for (size_t i = 0; keys && i < keys->count; i++) {
        strbuf_addch(&template, ',');
        engine_add_member(kind, &template, keys->items[i]);
    }
    strbuf_addch(&template, ']');
    return strbuf_steal(&template);
}

enum { NAME, STATUS, LABELS };

static bool is_row(const json_t *row, size_t keys)
{
    size_t i;
    json_t *value;

    if (!json_is_array(row) || json_array_size(row) != LABELS + keys)
        return false;
    json_array_foreach(row, i, value)
        if (!json_is_string(value) ||
            strlen(json_string_value(value)) != json_string_length(value)) /* a NUL */
            return false;
    return true;
}

bool container_list_add(struct container_list *list, const char *line, size_t length, size_t keys)
{
    /* The array itself counts too. */
    json_auto_t *values = json_text_count(line, length) > LABELS + keys + 1
                              ? NULL
                              : json_text_parse(line, length, NULL);
    struct container_row *row;

    if (!is_row(values, keys))
        return false;
    list->rows = memory_resize(list->rows, (list->count + 1) * sizeof *list->rows);
    row = &list->rows[list->count++];
    *row = (struct container_row){
        .name = string_copy(json_string_value(json_array_get(values, NAME))),
        .status = string_copy(json_string_value(json_array_get(values, STATUS))),
        .labels = STRVEC_INIT};
    for (size_t i = 0; i < keys; i++)
        strvec_push(&row->labels, json_string_value(json_array_get(values, LABELS + i)));
    return true;
}

/* The last row may be cut off; then it is not JSON. */
static void add_lines(struct container_list *list, const struct strbuf *text, size_t keys)
{
    const char *rest = strbuf_string(text);

    while (*rest) {
        const size_t length = strcspn(rest, "\n");

        container_list_add(list, rest, length, keys);
        rest += length + (rest[length] == '\n');
    }
}

int container_list(const struct docker *docker, const struct strvec *filters,
                   const struct strvec *keys, long long deadline, const struct notifier *cancel,
                   struct container_list *list, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP_FREE char *template = row_template(docker->kind, keys);
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "ps", "--all", "--no-trunc", "--format", template, NULL);
    for (size_t i = 0; i < filters->count; i++) {
        strvec_push(&call.arguments, "--filter");
        strvec_pushf(&call.arguments, "label=%s", filters->items[i]);
    }
    if (docker_succeed(docker, &call, "cannot list the containers", &output, error) != 0)
        return -1;
    list->truncated = output.out.is_cut;
    add_lines(list, &output.out, keys ? keys->count : 0);
    return 0;
}

void container_list_release(struct container_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].name);
        free(list->rows[i].status);
        strvec_release(&list->rows[i].labels);
    }
    free(list->rows);
    *list = (struct container_list)CONTAINER_LIST_INIT;
}
