#include "cli/session/notebook.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

enum { CHUNK = 65536 };

bool notebook_is_name(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && strcmp(dot, ".ipynb") == 0;
}

/* Reads the whole file. 0, 1 if it has more than `max` bytes, or -1 with errno. */
static int read_all(int fd, size_t max, struct strbuf *text)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    ssize_t length;

    while ((length = read(fd, chunk, CHUNK)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return -1;
        strbuf_add(text, chunk, (size_t)length);
        if (text->length > max)
            return 1;
    }
    return 0;
}

/* Adds the text, which is a string or an array of strings. False if it is neither, or has a NUL. */
static bool add_source(struct strbuf *code, const json_t *source)
{
    const size_t before = code->length;
    size_t i;
    json_t *line;

    if (json_is_string(source))
        strbuf_add(code, json_string_value(source), json_string_length(source));
    else if (!json_is_array(source))
        return false;
    json_array_foreach(source, i, line) {
        if (!json_is_string(line))
            return false;
        strbuf_add(code, json_string_value(line), json_string_length(line));
    }
    return !memchr(strbuf_string(code) + before, '\0', code->length - before);
}

/* False if this is not a notebook of nbformat 4. */
static bool take_cells(struct notebook *notebook, const json_t *root)
{
    const json_t *metadata = json_object_get(root, "metadata");
    const json_t *cells = json_object_get(root, "cells"), *cell;
    const json_t *language = json_object_get(json_object_get(metadata, "kernelspec"), "language");
    size_t i;

    if (!json_is_array(cells))
        return false;
    json_array_foreach(cells, i, cell) {
        CLEANUP(strbuf_release) struct strbuf code = STRBUF_INIT;
        const char *type = json_string_value(json_object_get(cell, "cell_type"));

        if (!type)
            return false;
        if (strcmp(type, "code") != 0)
            continue;
        if (!add_source(&code, json_object_get(cell, "source")))
            return false;
        strvec_push(&notebook->cells, strbuf_string(&code));
    }
    if (!json_is_string(language))
        language = json_object_get(json_object_get(metadata, "language_info"), "name");
    if (json_is_string(language))
        notebook->language = string_copy(json_string_value(language));
    return true;
}

int notebook_read(struct notebook *notebook, int fd, const char *name, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *shown = text_escape(name);
    const int result = read_all(fd, JSON_TEXT_MAX, &text);
    json_t *root;
    bool good;

    if (result < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read '%s'", shown);
    if (result > 0 || json_text_count(strbuf_string(&text), text.length) > JSON_TEXT_VALUES_MAX)
        return error_set(error, ERROR_INPUT,
                         "the notebook '%s' has more than %d MiB or %d values; clear its outputs",
                         shown, JSON_TEXT_MAX >> 20, JSON_TEXT_VALUES_MAX);
    root = json_text_parse(strbuf_string(&text), text.length, NULL);
    good = take_cells(notebook, root);
    json_decref(root);
    return good ? 0
                : error_set(error, ERROR_INPUT,
                            "'%s' is not a Jupyter notebook of format 4; save it in that format",
                            shown);
}

void notebook_release(struct notebook *notebook)
{
    strvec_release(&notebook->cells);
    free(notebook->language);
    notebook->language = NULL;
}
