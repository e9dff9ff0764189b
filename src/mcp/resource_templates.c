#include "mcp/resource_templates.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "mcp/file_uris.h"
#include "request/inputs_dir.h"
#include "request/snippets.h"

/* By server/utilities/completion. */
enum { COMPLETIONS_MAX = 100 };

/* The values that an argument may have, up to that number. */
struct completion {
    json_t *values;
    size_t total;
};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void offer(struct completion *completion, const char *name, const char *start)
{
    if (begins_with(name, start) && completion->total++ < COMPLETIONS_MAX)
        json_array_append_new(completion->values, json_string(name));
}

static void complete_snippet(struct completion *completion, const struct config *config,
                             const char *start)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    snippets_list(config, &files);
    snippets_shortest_names(&files, &names);
    for (size_t i = 0; i < names.count; i++)
        offer(completion, begins_with(names.items[i], start) ? names.items[i] : files.items[i],
              start);
}

static void complete_input(struct completion *completion, const struct config *config,
                           const char *start)
{
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    inputs_dir_list(config, &paths);
    for (size_t i = 0; i < paths.count; i++)
        offer(completion, paths.items[i], start);
}

enum { ARGUMENTS_MAX = 4 };

/* The templates (RFC 6570). */
static const struct template
{
    const char *uri, *name, *description;
    const char *mime_type;                /* NULL: it depends on the resource */
    const char *arguments[ARGUMENTS_MAX]; /* NULL after the last */
    /* Offers the values of the first argument; NULL: none are known. */
    void (*complete)(struct completion * completion, const struct config *config,
                     const char *start);
    bool needs_inputs; /* it exists only if the configuration has inputsDir */
}
templates[] = {
    {"isolator://snippets/{snippet_name}",
     "snippet",
     "A stored snippet; execute_code runs it by snippet_name.",
     "text/plain",
     {"snippet_name"},
     complete_snippet,
     false},
    {INPUTS_URI "{name}{?offset,length}",
     "input",
     "An input file, or a part of it.",
     NULL,
     {"name", "offset", "length"},
     complete_input,
     true},
    {RUNS_URI "{id}/files/{name}{?offset,length}",
     "artifact",
     "A file of an earlier call, or a part of it.",
     NULL,
     {"id", "name", "offset", "length"},
     NULL,
     false},
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static bool exists(const struct template *template, const struct config *config)
{
    return !template->needs_inputs || config->inputs_dir;
}

json_t *resource_templates_list(const struct config *config)
{
    json_t *list = json_array();

    for (int i = 0; i < TEMPLATES; i++) {
        const struct template *template = &templates[i];
        json_t *item;

        if (!exists(template, config))
            continue;
        item = json_pack("{s:s, s:s, s:s}", "uriTemplate", template->uri, "name", template->name,
                         "description", template->description);
        if (template->mime_type)
            json_object_set_new(item, "mimeType", json_string(template->mime_type));
        json_array_append_new(list, item);
    }
    return json_pack("{s:o}", "resourceTemplates", list);
}

/* The index of the argument; -1 if the template has no such argument. */
static int find_argument(const struct template *template, const char *argument)
{
    for (int i = 0; i < ARGUMENTS_MAX && template->arguments[i]; i++)
        if (strcmp(template->arguments[i], argument) == 0)
            return i;
    return -1;
}

json_t *resource_templates_complete(const struct config *config, const char *uri,
                                    const char *argument, const char *value)
{
    for (int i = 0; i < TEMPLATES; i++) {
        const struct template *template = &templates[i];
        const int index = find_argument(template, argument);
        struct completion completion;

        if (index < 0 || !exists(template, config) || strcmp(uri, template->uri) != 0)
            continue;
        completion = (struct completion){.values = json_array()};
        if (index == 0 && template->complete)
            template->complete(&completion, config, value);
        return json_pack("{s:{s:o, s:I, s:b}}", "completion", "values", completion.values, "total",
                         (json_int_t)completion.total, "hasMore",
                         completion.total > COMPLETIONS_MAX);
    }
    return NULL;
}
