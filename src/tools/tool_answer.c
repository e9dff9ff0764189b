#include "tools/tool_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/mux.h"

json_t *tool_answer(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

json_t *tool_answer_error(json_t *id, enum jsonrpc_code code, const char *message)
{
    json_t *answer = json_object(), *error = json_object();
    json_t *text = json_string(message);

    json_object_set_new(answer, "jsonrpc", json_string("2.0"));
    json_object_set_new(answer, "id", id ? json_incref(id) : json_null());
    json_object_set_new(error, "code", json_integer(code));
    json_object_set_new(error, "message", text ? text : json_string("the message is not UTF-8"));
    json_object_set_new(answer, "error", error);
    return answer;
}

/* ---- parts */

static void add_part(struct strbuf *out, enum mux_part type, const char *bytes, size_t length)
{
    unsigned char header[MUX_PART_HEADER] = {(unsigned char)type};

    mux_write_number(header + 1, (uint32_t)length);
    strbuf_add(out, header, sizeof header);
    strbuf_add(out, bytes, length);
}

static void add_line(struct strbuf *out, const char *line, size_t length)
{
    add_part(out, MUX_PART_TEXT, line, length);
    if (length == 0 || line[length - 1] != '\n')
        add_part(out, MUX_PART_TEXT, "\n", 1);
}

/* The text of a string, "" of anything else. */
static const char *text_of(const json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : "";
}

static void add_text(struct strbuf *out, const json_t *text)
{
    add_line(out, text_of(text), json_string_length(text));
}

static void add_json(struct strbuf *out, const json_t *value)
{
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    if (text)
        add_line(out, text, strlen(text));
}

/* The extension is the subtype, if that is plain. */
static void add_file(struct strbuf *out, const json_t *data, const json_t *type)
{
    CLEANUP(strbuf_release) struct strbuf file = STRBUF_INIT;
    CLEANUP_FREE char *bytes = NULL;
    const char *slash = strchr(text_of(type), '/');
    char extension[16];
    size_t length = 0;

    snprintf(extension, sizeof extension, "%s", slash ? slash + 1 : "");
    if (extension[0] == '\0' ||
        extension[strspn(extension, "abcdefghijklmnopqrstuvwxyz0123456789")] != '\0')
        strcpy(extension, "bin");
    strbuf_addstr(&file, extension);
    bytes = base64_decode(text_of(data), json_string_length(data), &length);
    if (bytes) {
        strbuf_addch(&file, '\0');
        strbuf_add(&file, bytes, length);
    }
    add_part(out, MUX_PART_FILE, file.data, file.length);
}

/* A part of the content: its text, a file, or else the part itself. */
static void add_content(struct strbuf *out, const json_t *part)
{
    const json_t *resource = json_object_get(part, "resource");
    const json_t *content = resource ? resource : part;
    const json_t *text = json_object_get(content, "text");
    const json_t *data = json_object_get(content, resource ? "blob" : "data");

    if (text)
        add_text(out, text);
    else if (data)
        add_file(out, data, json_object_get(content, "mimeType"));
    else
        add_json(out, part);
}

static void add_value(struct strbuf *out, const json_t *result)
{
    const json_t *structured = json_object_get(result, "structuredContent");
    const json_t *content = json_object_get(result, "content"), *part;
    const bool failed = json_is_true(json_object_get(result, "isError"));
    size_t i;

    if (structured && !failed) {
        add_json(out, structured);
        return;
    }
    if (failed)
        add_part(out, MUX_PART_FAILED, NULL, 0);
    json_array_foreach(content, i, part)
        add_content(out, part);
    if (failed && i == 0)
        add_line(out, "the tool has failed", strlen("the tool has failed"));
}

static void add_error(struct strbuf *out, const json_t *error)
{
    static const char no_object[] = "the arguments are no JSON object, or have too many values";

    add_part(out, MUX_PART_FAILED, NULL, 0);
    if (json_integer_value(json_object_get(error, "code")) == JSONRPC_PARSE_ERROR)
        add_line(out, no_object, strlen(no_object));
    else
        add_text(out, json_object_get(error, "message"));
}

static void add_list(struct strbuf *out, const json_t *tools, const json_t *cursor)
{
    const json_t *tool;
    size_t i;

    json_array_foreach(tools, i, tool) {
        const char *description = text_of(json_object_get(tool, "description"));
        const bool has_line = *description != '\0' && *description != '\n';
        CLEANUP_FREE char *text = string_format("%s%s%s", text_of(json_object_get(tool, "name")),
                                                has_line ? ": " : "", description);

        add_part(out, MUX_PART_TOOL, text, strlen(text));
    }
    if (cursor) {
        CLEANUP_FREE char *text = json_dumps(cursor, JSON_ENCODE_ANY);

        add_part(out, MUX_PART_CURSOR, text, strlen(text));
    }
}

void tool_answer_add_parts(const json_t *message, struct strbuf *out)
{
    const json_t *error = json_object_get(message, "error");
    const json_t *result = json_object_get(message, "result");
    const json_t *tools = json_object_get(result, "tools");

    if (error)
        add_error(out, error);
    else if (tools)
        add_list(out, tools, json_object_get(result, "nextCursor"));
    else
        add_value(out, result);
    add_part(out, MUX_PART_END, NULL, 0);
}
