#include "mcp/tool_result.h"

#include <string.h>

#include "base/capture.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "mcp/attachments.h"
#include "mcp/file_uris.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"
#include "mcp/uri.h"

/* Bytes of a text around the output: headings, and notes of how much is omitted and where it is. */
enum { HEADING_BYTES = 240, SESSION_BYTES = 160 /* of the line about a session, and of `value` */ };

/* A smaller excerpt does not make a message noticeably smaller. */
enum { OUTPUT_MIN = 256 };

/* Artifacts in one tool result. Names and links of so many fit, unless they are very long. */
enum { ARTIFACTS_MAX = 50 };

/* Warnings in the text, without those that say what helps, and bytes of each. */
enum { WARNINGS_MAX = 10, WARNING_BYTES_MAX = 300 };

/* What the program has written, and the value of a cell. */
struct output {
    struct strbuf text[2];
    struct strbuf value;
    bool has_value;
};

/* The part of the output that the tool result has. */
struct excerpt {
    struct strbuf text[2];
    bool cut[2]; /* this module has cut the text; the run may have cut it before */
    struct strbuf value;
    bool value_cut; /* by this module */
};

/* Moves the output out of the result. */
static struct output take_output(struct result *result)
{
    struct strbuf *texts = result->reason == REASON_BUILD ? result->build->text : result->text;
    struct output output = {.text = {texts[0], texts[1]}};

    texts[0] = texts[1] = (struct strbuf)STRBUF_INIT;
    if (result->session && result->session->has_value) {
        output.value = result->session->value;
        output.has_value = true;
        result->session->value = (struct strbuf)STRBUF_INIT;
    }
    return output;
}

static void release_output(struct output *output)
{
    strbuf_release(&output->text[0]);
    strbuf_release(&output->text[1]);
    strbuf_release(&output->value);
}

static void release_excerpt(struct excerpt *excerpt)
{
    strbuf_release(&excerpt->text[0]);
    strbuf_release(&excerpt->text[1]);
    strbuf_release(&excerpt->value);
}

/*
 * At most `max` bytes of a text, its head and its tail; `bytes` is how much the program wrote, and
 * `rest`, which may be NULL, where more of it is.
 */
static struct strbuf cut(const struct strbuf *text, unsigned long long bytes, size_t max,
                         const char *rest)
{
    struct capture capture = CAPTURE_INIT(max);

    capture.rest = rest;
    capture_add(&capture, strbuf_string(text), text->length);
    if (bytes > capture.total)
        capture.total = bytes; /* so that the note also counts what the run has cut */
    return capture_take_text(&capture);
}

/* Adds a text, at most `max` bytes of it as in cut(). Returns whether that is less than all. */
static bool add_excerpt(struct strbuf *excerpt, const struct strbuf *text, unsigned long long bytes,
                        size_t max, const char *rest)
{
    if (text->length <= max) {
        strbuf_add(excerpt, strbuf_string(text), text->length);
        return false;
    }
    *excerpt = cut(text, bytes, max, rest);
    return true;
}

/*
 * Of `max` bytes, a value gets at most half. Of the rest, each stream gets half, and what the other
 * stream does not need.
 */
static void make_excerpt(struct excerpt *excerpt, const struct result *result,
                         const struct output *output, size_t max, const char *id)
{
    const struct strbuf *full = output->text;

    excerpt->value_cut =
        add_excerpt(&excerpt->value, &output->value, output->value.length, max / 2, NULL);
    max -= excerpt->value.length < max / 2 ? excerpt->value.length : max / 2;
    for (int i = 0; i < 2; i++) {
        const size_t other = full[1 - i].length;
        const size_t share = other < max / 2 ? max - other : max / 2;
        CLEANUP_FREE char *rest = string_format(RUNS_URI "%s/%s", id, stream_names[i]);

        excerpt->cut[i] = add_excerpt(&excerpt->text[i], &full[i], result->bytes[i], share, rest);
    }
}

static void add_section(struct strbuf *text, const char *name, const struct strbuf *section)
{
    if (section->length == 0)
        return;
    if (text->length > 0 && text->data[text->length - 1] != '\n')
        strbuf_addch(text, '\n');
    strbuf_addf(text, "--- %s ---\n", name);
    strbuf_add(text, section->data, section->length);
}

static json_t *text_content(const struct strbuf *text)
{
    return json_pack("{s:s, s:o}", "type", "text", "text",
                     json_stringn_nocheck(strbuf_string(text), text->length));
}

/* How a later call gets an artifact. Models copy such an example better than they follow rules. */
static void add_example(struct strbuf *list, const char *name, const char *id)
{
    CLEANUP_FREE char *start = string_format(RUNS_URI "%s/files/", id);
    CLEANUP_FREE char *uri = uri_of(start, name);
    CLEANUP_FREE char *file = NULL;
    json_t *example = json_pack("[{s:s, s:s}]", "filename", name, "uri", uri);

    file = json_dumps(example, 0);
    strbuf_addf(list, "In a later call: \"additional_files\": %s\n", file);
    json_decref(example);
}

/* The artifacts, and those that are missing. */
static void add_artifacts(struct strbuf *text, const struct artifacts *artifacts, const char *id)
{
    CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;

    for (size_t i = 0; i < artifacts->count; i++) {
        CLEANUP_FREE char *name = text_escape_short(artifacts->items[i].name, ATTACHMENT_NAME_MAX);

        strbuf_addf(&list, "%s (%s, %zu bytes)\n", name, artifacts->items[i].mime_type,
                    artifacts->items[i].length);
    }
    for (size_t i = 0; i < artifacts->count; i++) {
        if (strlen(artifacts->items[i].name) > ATTACHMENT_NAME_MAX)
            continue;
        add_example(&list, artifacts->items[i].name, id);
        break;
    }
    for (size_t i = 0; i < artifacts->missing.count; i++)
        strbuf_addf(&list, "%s\n", artifacts->missing.items[i]);
    add_section(text, "artifacts", &list);
}

/* What helps, and the first of the other warnings; models read only the text of a result. */
static void add_warnings(struct strbuf *text, const struct result *result)
{
    const struct strvec *warnings = &result->warnings;
    CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;
    size_t listed = 0;

    for (; listed < warnings->count && listed < result->hints + WARNINGS_MAX; listed++) {
        const char *warning = warnings->items[listed];
        const size_t max = listed < result->hints ? strlen(warning) : WARNING_BYTES_MAX;
        CLEANUP_FREE char *escaped = text_escape_short(warning, max);

        strbuf_addf(&list, "%s\n", escaped);
    }
    if (listed < warnings->count)
        strbuf_addf(&list, "and %zu more\n", warnings->count - listed);
    add_section(text, "warnings", &list);
}

/* What is kept for the next call. */
static void add_session(struct strbuf *text, const struct session_result *session)
{
    if (!session)
        return;
    if (session->ended)
        strbuf_addf(text, "session %s ended: %s\n", session->id, session->ended);
    else
        strbuf_addf(text, "session %s: %s\n", session->id,
                    !session->cell        ? "files are kept"
                    : session->state_kept ? "variables and files are kept"
                                          : "variables are lost; files are kept");
}

/* The text for models. */
static json_t *text_for_model(const struct result *result, const struct excerpt *excerpt,
                              const char *id)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    const bool ran = result->exit_code != EXIT_CODE_NONE;
    const bool silent =
        excerpt->text[0].length == 0 && excerpt->text[1].length == 0 && excerpt->value.length == 0;

    if (!result_success(result))
        strbuf_addf(&text, "Execution Failed (%s): %s%s", result_status(result),
                    result->error ? result->error : "no reason is known",
                    ran || result->session ? "\n\n" : "");
    add_session(&text, result->session);
    for (int i = 0; i < 2; i++)
        add_section(&text, stream_names[i], &excerpt->text[i]);
    add_section(&text, "value", &excerpt->value);
    if (ran && silent)
        strbuf_addstr(&text, "(no output)");
    add_artifacts(&text, &result->artifacts, id);
    add_warnings(&text, result);
    return text_content(&text);
}

/* Leaves out what the compiler has written: stdout and stderr have it if the build failed. */
static void shorten_build(json_t *object)
{
    json_t *build = json_object_get(object, "build");

    for (int i = 0; i < 2; i++) {
        json_object_del(build, stream_names[i]);
        json_object_del(build, i == 0 ? "stdoutTruncated" : "stderrTruncated");
    }
}

/* Leaves out what programs and people may want to know, and no model. */
static void leave_out_details(json_t *object)
{
    static const char *const details[] = {"imageTag", "image", "container", "warm", "cpuMs"};
    size_t i;
    json_t *artifact;

    for (size_t n = 0; n < sizeof details / sizeof *details; n++) {
        json_object_del(object, details[n]);
        json_object_del(json_object_get(object, "build"), details[n]);
    }
    json_array_foreach(json_object_get(object, "artifacts"), i, artifact)
        json_object_del(artifact, "sha256");
}

/* The result, with the output as it is excerpt. */
static json_t *structured_content(const json_t *object, const struct excerpt *excerpt,
                                  bool has_value)
{
    json_t *copy = json_copy((json_t *)object);

    for (int i = 0; i < 2; i++) {
        json_object_set_new(
            copy, stream_names[i],
            json_stringn_nocheck(strbuf_string(&excerpt->text[i]), excerpt->text[i].length));
        if (excerpt->cut[i])
            json_object_set_new(copy, i == 0 ? "stdoutTruncated" : "stderrTruncated", json_true());
    }
    if (has_value)
        json_object_set_new(
            copy, "value",
            json_stringn_nocheck(strbuf_string(&excerpt->value), excerpt->value.length));
    if (excerpt->value_cut)
        json_object_set_new(copy, "valueTruncated", json_true());
    return copy;
}

static json_t *build(const struct result *result, const json_t *object,
                     const struct excerpt *excerpt, const struct revision *revision, const char *id)
{
    const bool has_value = result->session && result->session->has_value;
    json_t *tool_result = json_object();
    json_t *content = json_array();

    json_array_append_new(content, text_for_model(result, excerpt, id));
    json_object_set_new(tool_result, "content", content);
    if (revision->structured)
        json_object_set_new(tool_result, "structuredContent",
                            structured_content(object, excerpt, has_value));
    json_object_set_new(tool_result, "isError", json_boolean(!result_success(result)));
    return tool_result;
}

/* Attaches the output of a stream, as much as fits into one message. */
static void attach_output(struct attachments *attachments, const struct result *result, int stream,
                          const struct strbuf *full)
{
    CLEANUP(strbuf_release) struct strbuf shortened = STRBUF_INIT;

    if (full->length > STORED_TEXT_MAX)
        shortened = cut(full, result->bytes[stream], STORED_TEXT_MAX, NULL);
    attachments_add_output(attachments, stream_names[stream],
                           full->length > STORED_TEXT_MAX ? &shortened : full);
}

/* Gives the artifacts in the object their URIs, unless their names are very long. */
static void add_uris(json_t *object, const char *id)
{
    CLEANUP_FREE char *start = string_format(RUNS_URI "%s/files/", id);
    size_t i;
    json_t *artifact;

    json_array_foreach(json_object_get(object, "artifacts"), i, artifact) {
        const char *name = json_string_value(json_object_get(artifact, "name"));
        CLEANUP_FREE char *uri = uri_of(start, name);

        if (strlen(name) <= ATTACHMENT_NAME_MAX)
            json_object_set_new(artifact, "uri", json_string(uri));
    }
}

/* Bytes of the output that a text of so many has room for, so that no client cuts the lists. */
static size_t output_room(const struct result *result, size_t max_text, const char *id)
{
    CLEANUP(strbuf_release) struct strbuf lists = STRBUF_INIT;
    size_t other = HEADING_BYTES + (result->session ? SESSION_BYTES : 0);

    add_artifacts(&lists, &result->artifacts, id);
    add_warnings(&lists, result);
    other += lists.length;
    return max_text > other + OUTPUT_MIN ? max_text - other : OUTPUT_MIN;
}

/* Makes the tool result with as much of the output as fits into `max` bytes and into a message. */
static json_t *fit(struct result *result, const struct output *output, size_t max,
                   const struct revision *revision, const char *id, struct excerpt *excerpt)
{
    json_t *object = result_to_json(result);
    json_t *tool_result = NULL;

    shorten_build(object);
    add_uris(object, id);
    if (!revision->details)
        leave_out_details(object);
    do {
        json_decref(tool_result);
        release_excerpt(excerpt);
        make_excerpt(excerpt, result, output, max, id);
        tool_result = build(result, object, excerpt, revision, id);
        max /= 2;
    } while (max >= OUTPUT_MIN && jsonrpc_size(tool_result) > RESULT_MAX);
    json_decref(object);
    return tool_result;
}

json_t *tool_result_of_run(struct result *result, const struct revision *revision, size_t max_text,
                           struct result_store *store)
{
    struct output output = take_output(result);
    struct excerpt excerpt = {.cut = {false, false}};
    struct attachments attachments;
    struct stored_result *stored =
        stored_result_new(result->artifacts.file, result->artifacts.file_length);
    const char *id = stored_result_id(stored);
    json_t *tool_result;
    size_t text_used;

    artifacts_limit(&result->artifacts, ARTIFACTS_MAX);
    attachments_check_pictures(&result->artifacts, &result->warnings);
    tool_result = fit(result, &output, output_room(result, max_text, id), revision, id, &excerpt);
    text_used = excerpt.text[0].length + excerpt.text[1].length + excerpt.value.length;
    attachments_begin(&attachments, tool_result, revision, stored,
                      max_text > text_used ? max_text - text_used : 0);
    for (int i = 0; i < 2; i++)
        if (excerpt.cut[i])
            attach_output(&attachments, result, i, &output.text[i]);
    for (size_t i = 0; i < result->artifacts.count; i++)
        attachments_add_file(&attachments, &result->artifacts.items[i]);
    attachments_end(&attachments, store);
    release_excerpt(&excerpt);
    release_output(&output);
    return tool_result;
}

json_t *tool_result_of_failure(const char *message)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "Execution Failed (error): ");
    text_add_utf8(&text, message, strlen(message)); /* it may end within a character */
    return json_pack("{s:[o], s:b}", "content", text_content(&text), "isError", 1);
}

json_t *tool_result_of_text(const char *line)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, line);
    return json_pack("{s:[o], s:b}", "content", text_content(&text), "isError", 0);
}
