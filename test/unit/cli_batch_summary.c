#include "test.h"

#include "cli/batch/batch_summary.h"

static void add(struct batch_summary *summary, enum reason reason, int exit_code, int times)
{
    struct result result = RESULT_INIT;

    result.reason = reason;
    result.exit_code = exit_code;
    while (times-- > 0)
        batch_summary_add(summary, &result);
}

static void check_line(const struct batch_summary *summary, long long ms, const char *expected)
{
    CLEANUP_FREE char *line = batch_summary_line(summary, ms);

    assert_string_equal(line, expected);
}

CASE(batch_summary__the_most_frequent_first)
{
    struct batch_summary summary = {.retries = 0};

    check_line(&summary, 0, "0 requests in 0.0 s");
    add(&summary, REASON_TIMEOUT, 137, 1);
    check_line(&summary, 1949, "1 request in 1.9 s: 1 timeout");
    add(&summary, REASON_EXIT, 1, 3);
    add(&summary, REASON_ENGINE, EXIT_CODE_NONE, 1);
    add(&summary, REASON_EXIT, 0, 115);
    check_line(&summary, 31200, "120 requests in 31.2 s: 115 success, 3 exit, 1 engine, 1 timeout");
}

CASE(batch_summary__retries_and_skipped_requests)
{
    struct batch_summary summary = {.skipped = 7};
    struct result result = RESULT_INIT;

    check_line(&summary, 100, "0 requests in 0.1 s; 7 skipped");
    result.retries = 1;
    batch_summary_add(&summary, &result);
    check_line(&summary, 100, "1 request in 0.1 s: 1 engine; 1 retry; 7 skipped");
    result.retries = 2;
    batch_summary_add(&summary, &result);
    summary.skipped = 0;
    check_line(&summary, 100, "2 requests in 0.1 s: 2 engine; 3 retries");
}

CASE(batch_summary__names_the_shard)
{
    struct batch_summary summary = {.shard = {2, 3}};

    add(&summary, REASON_EXIT, 0, 2);
    check_line(&summary, 1200, "shard 2/3: 2 requests in 1.2 s: 2 success");
}
