#include "json.h"

#include "mcp/job_result.h"

static void check(json_t *result, const char *text, const char *content)
{
    const json_t *first = json_array_get(json_object_get(result, "content"), 0);
    CLEANUP_FREE char *seen =
        json_dumps(json_object_get(result, "structuredContent"), JSON_COMPACT | JSON_SORT_KEYS);

    assert_string_equal(string_at(first, "text"), text);
    assert_true(json_is_false(json_object_get(result, "isError")));
    if (content)
        assert_string_equal(seen, content);
    else
        assert_null(json_object_get(result, "structuredContent"));
    json_decref(result);
}

#define REST "\"artifacts\":[],\"error\":null,\"exitCode\":-1,\"job\":\"0123456789abcdef\","

CASE(job_result__started)
{
    struct running_job job = {.id = "0123456789abcdef", .seconds_left = 60};
    static const char text[] =
        "job 0123456789abcdef runs in the background, for at most 60 s more. To get its result, "
        "call wait_job with {\"job\": \"0123456789abcdef\"}.";

    check(job_result_started(&job, revision_legacy("2025-11-25")), text,
          "{" REST "\"secondsLeft\":60,\"status\":\"running\",\"stderr\":\"\",\"stdout\":\"\","
          "\"warnings\":[]}");
    check(job_result_started(&job, revision_legacy("2025-03-26")), text, NULL);
    job.seconds_left = -1;
    check(job_result_started(&job, revision_legacy("2025-11-25")),
          "job 0123456789abcdef runs in the background. To get its result, call wait_job with "
          "{\"job\": \"0123456789abcdef\"}.",
          "{" REST "\"status\":\"running\",\"stderr\":\"\",\"stdout\":\"\",\"warnings\":[]}");
}

#define RUNS                                                                                       \
    "job 0123456789abcdef still runs, for at most 0 s more. Call wait_job again for its "          \
    "result.\n\n"

CASE(job_result__running)
{
    struct running_job job = {.id = "0123456789abcdef"};

    check(job_result_running(&job, revision_legacy("2025-11-25")), RUNS "(no output so far)",
          "{" REST "\"secondsLeft\":0,\"status\":\"running\",\"stderr\":\"\",\"stdout\":\"\","
          "\"warnings\":[]}");
    strbuf_addstr(&job.text[0], "out");
    strbuf_addstr(&job.text[1], "err\n");
    job.truncated[1] = true;
    check(job_result_running(&job, revision_legacy("2025-11-25")),
          RUNS "--- stdout so far ---\nout\n--- stderr so far ---\nerr\n",
          "{" REST "\"secondsLeft\":0,\"status\":\"running\",\"stderr\":\"err\\n\","
          "\"stderrTruncated\":true,\"stdout\":\"out\",\"warnings\":[]}");
    for (int i = 0; i < 2; i++)
        strbuf_release(&job.text[i]);
}
