#include "test.h"

#include "cli/run_text.h"

static void check(const struct result *result, const char *expected)
{
    CLEANUP_FREE char *summary = run_text_summary(result);

    assert_string_equal(summary ? summary : "(none)", expected);
}

CASE(run_text__summary)
{
    struct result result = RESULT_INIT;

    check(&result, "(none)");
    result = (struct result){.reason = REASON_EXIT, .duration_ms = 14, .peak_bytes = 4300000};
    check(&result, "success, exit 0, 14 ms, 4.1 MB");
    result.exit_code = 3;
    result.duration_ms = 12345;
    result.peak_bytes = -1;
    check(&result, "error, exit 3, 12.3 s");
    result = (struct result){
        .reason = REASON_SIGNAL, .exit_code = 139, .signal = 11, .duration_ms = 9999};
    check(&result, "error, SIGSEGV, 9999 ms, 0.0 MB");
    result.reason = REASON_OOM;
    result.signal = 9;
    check(&result, "error, SIGKILL, 9999 ms, 0.0 MB");
    result.reason = REASON_TIMEOUT;
    check(&result, "timeout, SIGKILL, 9999 ms, 0.0 MB; --timeout raises the limit");
    result.reason = REASON_CPU_TIME;
    check(&result, "timeout, SIGKILL, 9999 ms, 0.0 MB; --cpu-seconds raises the limit");
}
