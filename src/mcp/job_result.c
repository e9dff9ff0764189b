#include "mcp/job_result.h"

#include "mcp/result_store.h"
#include "mcp/tool.h"

static json_t *structured_content(const struct running_job *job)
{
    json_t *object = json_pack("{s:s, s:s, s:i, s:n, s:[], s:[]}", "job", job->id, "status",
                               "running", "exitCode", -1, "error", "artifacts", "warnings");

    for (int i = 0; i < 2; i++) {
        json_object_set_new(
            object, stream_names[i],
            json_stringn_nocheck(strbuf_string(&job->text[i]), job->text[i].length));
        if (job->truncated[i])
            json_object_set_new(object, i == 0 ? "stdoutTruncated" : "stderrTruncated",
                                json_true());
    }
    for (size_t i = 0; job->warnings && i < job->warnings->count; i++)
        json_array_append_new(json_object_get(object, "warnings"),
                              json_string(job->warnings->items[i]));
    if (job->seconds_left >= 0)
        json_object_set_new(object, "secondsLeft", json_integer(job->seconds_left));
    return object;
}

/* Takes over the text. */
static json_t *tool_result(const struct running_job *job, const struct revision *revision,
                           struct strbuf *text)
{
    json_t *result;

    for (size_t i = 0; job->warnings && i < job->warnings->count; i++)
        strbuf_addf(text, "%s%s", i == 0 ? "\n--- warnings ---\n" : "\n", job->warnings->items[i]);
    result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                       json_stringn_nocheck(strbuf_string(text), text->length), "isError", 0);
    if (revision->structured)
        json_object_set_new(result, "structuredContent", structured_content(job));
    strbuf_release(text);
    return result;
}

static void add_seconds(struct strbuf *text, const struct running_job *job)
{
    if (job->seconds_left >= 0)
        strbuf_addf(text, ", for at most %lld s more", job->seconds_left);
}

json_t *job_result_started(const struct running_job *job, const struct revision *revision)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "job %s runs in the background", job->id);
    add_seconds(&text, job);
    strbuf_addf(&text, ". To get its result, call %s with {\"job\": \"%s\"}.", TOOL_WAIT_NAME,
                job->id);
    return tool_result(job, revision, &text);
}

json_t *job_result_running(const struct running_job *job, const struct revision *revision)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "job %s still runs", job->id);
    add_seconds(&text, job);
    strbuf_addf(&text, ". Call %s again for its result.\n\n", TOOL_WAIT_NAME);
    for (int i = 0; i < 2; i++) {
        if (job->text[i].length == 0)
            continue;
        if (text.data[text.length - 1] != '\n')
            strbuf_addch(&text, '\n');
        strbuf_addf(&text, "--- %s so far ---\n", stream_names[i]);
        strbuf_add(&text, job->text[i].data, job->text[i].length);
    }
    if (job->text[0].length + job->text[1].length == 0)
        strbuf_addstr(&text, "(no output so far)");
    return tool_result(job, revision, &text);
}
