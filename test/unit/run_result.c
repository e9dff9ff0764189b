#include "test.h"

#include <signal.h>

#include "run/result.h"

/* The JSON text of the result in one line, the caller frees it. The result is released. */
static char *json_of(struct result *result)
{
    json_t *object = result_to_json(result);
    char *text = json_dumps(object, JSON_COMPACT);

    assert_non_null(text);
    json_decref(object);
    result_release(result);
    return text;
}

CASE(result__fresh_one_in_json)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = json_of(&result);

    assert_string_equal(
        json, "{\"status\":\"error\",\"exitCode\":-1,\"stdout\":\"\",\"stderr\":\"\","
              "\"durationMs\":0,\"error\":null,\"imageTag\":null,"
              "\"reason\":\"engine\",\"signal\":null,\"stdoutBytes\":0,"
              "\"stderrBytes\":0,\"stdoutTruncated\":false,"
              "\"stderrTruncated\":false,\"peakMemoryBytes\":null,\"cpuMs\":null,"
              "\"image\":null,\"container\":null,\"warm\":false,\"artifacts\":[],\"warnings\":[]}");
}

CASE(result__full_one_in_json)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    result.reason = REASON_EXIT;
    result.exit_code = 0;
    strbuf_addstr(&result.text[0], "out \"1\"\n");
    strbuf_addstr(&result.text[1], "caf\xc3\xa9");
    result.bytes[0] = 5000000000;
    result.bytes[1] = 5;
    result.truncated[0] = true;
    result.duration_ms = 1234;
    result.image_tag = string_copy("kept:1");
    result.peak_bytes = 17592186044416;
    result.cpu_us = 1999;
    result.image = string_copy("image:2");
    result.container = string_copy("isolator-0123");
    result.warm = true;
    strvec_push_each(&result.warnings, "one", "two", NULL);
    json = json_of(&result);
    assert_string_equal(json,
                        "{\"status\":\"success\",\"exitCode\":0,\"stdout\":\"out \\\"1\\\"\\n\","
                        "\"stderr\":\"caf\xc3\xa9\",\"durationMs\":1234,\"error\":null,"
                        "\"imageTag\":\"kept:1\",\"reason\":\"exit\",\"signal\":null,"
                        "\"stdoutBytes\":5000000000,\"stderrBytes\":5,\"stdoutTruncated\":true,"
                        "\"stderrTruncated\":false,\"peakMemoryBytes\":17592186044416,\"cpuMs\":1,"
                        "\"image\":\"image:2\",\"container\":\"isolator-0123\","
                        "\"warm\":true,\"artifacts\":[],\"warnings\":[\"one\",\"two\"]}");
}

/* Checks the members of a session, between "warm" and "artifacts". */
static void check_session(struct result *result, const char *expected)
{
    CLEANUP_FREE char *json = json_of(result);
    CLEANUP_FREE char *members = string_format("\"warm\":false,%s,\"artifacts\":[]", expected);

    if (!strstr(json, members))
        fail_msg("%s is not in %s", members, json);
}

CASE(result__session_in_json)
{
    struct result result = RESULT_INIT;

    result_add_session(&result, "0123");
    check_session(&result, "\"session\":\"0123\",\"sessionEnded\":null");
    result = (struct result)RESULT_INIT;
    result_add_session(&result, "0123")->cell = true;
    result.session->ended = string_copy("its container ended");
    check_session(&result, "\"session\":\"0123\",\"value\":null,\"stateKept\":false,"
                           "\"sessionEnded\":\"its container ended\"");
    result = (struct result)RESULT_INIT;
    result_add_session(&result, "0123")->cell = true;
    result.session->state_kept = result.session->has_value = true;
    check_session(&result, "\"session\":\"0123\",\"value\":\"\",\"stateKept\":true,"
                           "\"sessionEnded\":null");
    result = (struct result)RESULT_INIT;
    result_add_session(&result, "0123")->cell = true;
    result.session->has_value = result.session->value_cut = true;
    strbuf_add(&result.session->value, "a\0b", 3);
    check_session(&result, "\"session\":\"0123\",\"value\":\"a\\u0000b\",\"valueTruncated\":true,"
                           "\"stateKept\":false,\"sessionEnded\":null");
}

CASE(result__json_holds_nul_bytes)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    strbuf_add(&result.text[0], "a\0b\x01", 4);
    json = json_of(&result);
    assert_non_null(strstr(json, "\"stdout\":\"a\\u0000b\\u0001\","));
}

CASE(result__json_takes_the_texts)
{
    struct result result = RESULT_INIT;
    json_t *object;

    strbuf_addstr(&result.text[0], "out");
    strbuf_addstr(&result.text[1], "err");
    object = result_to_json(&result);
    assert_null(result.text[0].data);
    assert_null(result.text[1].data);
    assert_string_equal(json_string_value(json_object_get(object, "stdout")), "out");
    assert_string_equal(json_string_value(json_object_get(object, "stderr")), "err");
    json_decref(object);
    result_release(&result);
}

static void check_times(long long peak_bytes, long long cpu_us, const char *expected)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    result.peak_bytes = peak_bytes;
    result.cpu_us = cpu_us;
    json = json_of(&result);
    assert_non_null(strstr(json, expected));
}

CASE(result__what_is_not_known_is_null)
{
    check_times(-1, -1, "\"peakMemoryBytes\":null,\"cpuMs\":null,");
    check_times(0, 0, "\"peakMemoryBytes\":0,\"cpuMs\":0,");
    check_times(1, 999, "\"peakMemoryBytes\":1,\"cpuMs\":0,");
    check_times(1, 1000, "\"peakMemoryBytes\":1,\"cpuMs\":1,");
}

CASE(result__reasons_and_statuses)
{
    static const struct {
        enum reason reason;
        const char *name, *status;
    } reasons[] = {
        {REASON_EXIT, "exit", "success"},
        {REASON_SIGNAL, "signal", "error"},
        {REASON_TIMEOUT, "timeout", "timeout"},
        {REASON_CPU_TIME, "cpu-time", "timeout"},
        {REASON_OOM, "oom", "error"},
        {REASON_OUTPUT_LIMIT, "output-limit", "error"},
        {REASON_CANCELLED, "cancelled", "error"},
        {REASON_ENGINE, "engine", "error"},
        {REASON_IMAGE_MISSING, "image-missing", "error"},
        {REASON_COMMAND, "command", "error"},
        {REASON_INPUT, "input", "error"},
        {REASON_BUILD, "build", "error"},
        {REASON_TESTS, "tests", "error"},
        {REASON_EXCEPTION, "exception", "error"},
        {REASON_JUDGE, "judge-error", "error"},
    };

    for (size_t i = 0; i < COUNT(reasons); i++) {
        struct result result = RESULT_INIT;
        CLEANUP_FREE char *json = NULL;
        CLEANUP_FREE char *status = string_format("{\"status\":\"%s\",", reasons[i].status);
        CLEANUP_FREE char *reason = string_format(",\"reason\":\"%s\",", reasons[i].name);

        result.reason = reasons[i].reason;
        result.exit_code = 0;
        assert_string_equal(result_status(&result), reasons[i].status);
        json = json_of(&result);
        assert_memory_equal(json, status, strlen(status));
        assert_non_null(strstr(json, reason));
    }
}

CASE(result__success_needs_status_0_and_no_error)
{
    struct result result = RESULT_INIT;

    assert_false(result_success(&result));
    result.reason = REASON_EXIT;
    assert_false(result_success(&result)); /* it never ran */
    result.exit_code = 1;
    assert_false(result_success(&result));
    assert_string_equal(result_status(&result), "error");
    result.exit_code = 0;
    assert_true(result_success(&result));
    assert_string_equal(result_status(&result), "success");
    result.error = string_copy("cannot save the image");
    assert_false(result_success(&result));
    assert_string_equal(result_status(&result), "error");
    result_release(&result);
}

CASE(result__signal_in_json)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    result.reason = REASON_TIMEOUT;
    result.exit_code = 137;
    result.signal = SIGKILL;
    result.error = string_copy("program did not end within 1 s");
    json = json_of(&result);
    assert_memory_equal(json, "{\"status\":\"timeout\",\"exitCode\":137,", 34);
    assert_non_null(strstr(json, "\"error\":\"program did not end within 1 s\","));
    assert_non_null(strstr(json, "\"reason\":\"timeout\",\"signal\":\"SIGKILL\","));
}

CASE(result__exit_status_137_is_no_signal)
{
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    result.reason = REASON_EXIT;
    result.exit_code = 137;
    json = json_of(&result);
    assert_non_null(strstr(json, "\"exitCode\":137,"));
    assert_non_null(strstr(json, "\"reason\":\"exit\",\"signal\":null,"));
}

CASE(result__fail_maps_kinds_to_reasons)
{
    static const struct {
        enum error_kind kind;
        enum reason reason;
    } kinds[] = {
        {ERROR_USAGE, REASON_INPUT},         {ERROR_CONFIG, REASON_INPUT},
        {ERROR_INPUT, REASON_INPUT},         {ERROR_ENGINE, REASON_ENGINE},
        {ERROR_SYSTEM, REASON_ENGINE},       {ERROR_IMAGE, REASON_IMAGE_MISSING},
        {ERROR_CANCELLED, REASON_CANCELLED}, {ERROR_COMMAND, REASON_COMMAND},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct result result = RESULT_INIT;

        result.reason = REASON_EXIT;
        error_set(&error, kinds[i].kind, "it failed");
        result_fail(&result, &error);
        assert_int_equal(result.reason, kinds[i].reason);
        assert_string_equal(result.error, "it failed");
        assert_string_equal(result_status(&result), "error");
        result_release(&result);
    }
}

/* jansson takes no invalid UTF-8: the member would be missing. */
CASE(result__fail_escapes_the_message)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct result result = RESULT_INIT;
    CLEANUP_FREE char *json = NULL;

    result.error = string_copy("what was there before");
    error_set(&error, ERROR_INPUT, "cannot open 'caf\xe9\n\xc3\xa9'");
    result_fail(&result, &error);
    assert_string_equal(result.error, "cannot open 'caf\\xe9\\n\xc3\xa9'");
    json = json_of(&result);
    assert_non_null(strstr(json, ",\"error\":\"cannot open 'caf\\\\xe9\\\\n\xc3\xa9'\","));
}

CASE(result__release_is_legal_at_once)
{
    struct result result = RESULT_INIT;

    result_release(&result);
}

static const char *option_of(const char *subject)
{
    return strcmp(subject, "workdirMB") == 0 ? "--workdir-size" : NULL;
}

/* Escaping before the subject makes the message longer. */
CASE(result__names_the_subject_of_its_error)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    error_set(&error, ERROR_INPUT, "workdirMB: raise " ERROR_SUBJECT " now");
    error_about(&error, "workdirMB");
    error_prefix(&error, "a\x1b\xff");
    result_fail(&result, &error);
    assert_string_equal(result.error, "a\\x1b\\xff: workdirMB: raise workdirMB now");
    result_name_subject(&result, option_of);
    result_name_subject(&result, option_of);
    assert_string_equal(result.error, "a\\x1b\\xff: workdirMB: raise --workdir-size now");
}
