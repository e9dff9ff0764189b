#include "json.h"

#include <math.h>

#include "request/job_arguments.h"

/* ---- background */

static void check_timeout(const char *more, double timeout, double given, double expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;
    struct config config;

    set_up_config(&config, more);
    assert_true(job_arguments_timeout(&config) == timeout);
    request_init(&request);
    request.policy.limits.number[LIMIT_TIMEOUT] = given;
    assert_int_equal(job_arguments_complete(&request, &config, &error), 0);
    assert_true(request.policy.limits.number[LIMIT_TIMEOUT] == expected);
    assert_int_equal(request.artifacts.count, 0);
    config_release(&config);
}

/* The default timeout, 45 s here, is for calls that someone waits for. */
CASE(job_arguments__timeout)
{
    check_timeout(NULL, 3600, NAN, 3600);
    check_timeout(NULL, 3600, 7, 7);
    check_timeout("{\"maximums\": {\"timeoutSeconds\": 100}}", 100, NAN, 100);
    check_timeout("{\"maximums\": {\"timeoutSeconds\": 9000}}", 9000, NAN, 9000);
}

CASE(job_arguments__pictures)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;
    CLEANUP_FREE char *patterns = NULL;
    struct config config;

    set_up_config(&config, NULL);
    request_init(&request);
    request.unrequested = true;
    assert_int_equal(job_arguments_complete(&request, &config, &error), 0);
    patterns = strvec_join(&request.artifacts, " ");
    assert_string_equal(patterns, "*.png *.jpg *.jpeg *.gif *.webp *.svg");
    assert_false(request.unrequested);
    assert_true(request.artifacts_optional);
    config_release(&config);
}

static void check_session(bool open, const char *id)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;
    struct config config;

    set_up_config(&config, NULL);
    request_init(&request);
    request.session.open = open;
    strcpy(request.session.id, id);
    assert_int_equal(job_arguments_complete(&request, &config, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "background excludes session: a program in the background has a container of its "
                 "own; leave one of them out");
    config_release(&config);
}

CASE(job_arguments__no_session)
{
    check_session(true, "");
    check_session(false, "0123456789abcdef0123456789abcdef");
}

CASE(job_arguments__offered)
{
    struct config config;

    set_up_config(&config, "{\"jobs\": {\"maxRunning\": 0}}");
    assert_false(job_arguments_offered(&config));
    config.jobs.max_running = 1;
    assert_true(job_arguments_offered(&config));
    config_release(&config);
}

/* ---- wait_job */

#define ID "0123456789abcdef"

static void check_wait(const char *text, double seconds, bool stop)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    struct wait_arguments wait;
    json_t *arguments = json_of(text);

    assert_int_equal(job_arguments_read_wait(arguments, &wait, &warnings, &error), 0);
    assert_string_equal(wait.job, ID);
    assert_true(wait.seconds == seconds);
    assert_int_equal(wait.stop, stop);
    json_decref(arguments);
}

CASE(job_arguments__wait)
{
    check_wait("{\"job\": \"" ID "\"}", 30, false);
    check_wait("{\"job\": \"" ID "\", \"wait_seconds\": null, \"stop\": null}", 30, false);
    check_wait("{\"job\": \"" ID "\", \"wait_seconds\": 0, \"stop\": false}", 1, false);
    check_wait("{\"job\": \"" ID "\", \"wait_seconds\": 2.5, \"stop\": true}", 2.5, true);
    check_wait("{\"job\": \"" ID "\", \"wait_seconds\": \"7\", \"stop\": \"true\"}", 7, true);
    check_wait("{\"job\": \"" ID "\", \"wait_seconds\": 1e300}", 50, false);
}

static void check_wrong(const char *text, const char *message)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    struct wait_arguments wait;
    json_t *arguments = text ? json_of(text) : NULL;

    assert_int_equal(job_arguments_read_wait(arguments, &wait, &warnings, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    json_decref(arguments);
}

CASE(job_arguments__wrong)
{
    static const char *const none[] = {
        NULL,
        "{}",
        "{\"job\": null}",
        "{\"job\": \"\"}",
        "{\"job\": 7}",
        "{\"job\": \"0123456789abcde\"}",
        "{\"job\": \"0123456789abcdef0\"}",
        "{\"job\": \"0123456789ABCDEF\"}",
        "{\"job\": \"0123456789abcde/\"}",
        "{\"job\": \"0123456789abcde\\u0000\"}",
    };

    for (size_t i = 0; i < COUNT(none); i++)
        check_wrong(none[i],
                    "job must be the id of a job, 16 digits that execute_code has returned "
                    "for a program in the background");
    check_wrong("{\"job\": \"" ID "\", \"wait\": 7}",
                "there is no argument 'wait'; did you mean 'wait_seconds'?");
    check_wrong("{\"job\": \"" ID "\", \"wait_seconds\": -1}",
                "wait_seconds must be a number of seconds, at most 50");
    check_wrong("{\"job\": \"" ID "\", \"wait_seconds\": \"soon\"}",
                "wait_seconds must be a number of seconds, at most 50; text came, which is not "
                "that in JSON");
    check_wrong("{\"job\": \"" ID "\", \"stop\": 1}", "stop must be true or false");
}
