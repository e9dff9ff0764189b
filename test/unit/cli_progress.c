#include "test.h"

#include <stdlib.h>

#include "cli/progress.h"

static void assert_line(const struct progress *progress, long long now, const char *expected)
{
    CLEANUP_FREE char *line = progress_line(progress, now);

    assert_string_equal(line ? line : "(none)", expected);
}

static struct progress results(long long size, long long done, long long failed, long long requests,
                               long long bytes)
{
    return (struct progress){.begin = 1000,
                             .shows = PROGRESS_RESULTS,
                             .size = size,
                             .done = done,
                             .failed = failed,
                             .requests = requests,
                             .bytes = bytes};
}

static void assert_results(const struct progress progress, const char *expected)
{
    assert_line(&progress, 3000, expected);
}

/* A command that takes less than two seconds shows nothing. */
CASE(progress__delay)
{
    struct progress progress = results(-1, 7, 2, 9, 900);

    assert_line(&progress, 2999, "(none)");
    assert_line(&progress, 3000, "7 done, 2 failed, 3.5 per second");
    progress.shows = PROGRESS_HIDDEN;
    assert_line(&progress, 3000, "(none)");
}

CASE(progress__results)
{
    assert_results(results(-1, 0, 0, 0, 0), "0 done, 0 failed, 0.0 per second");
    assert_results(results(1000, 0, 0, 0, 0), "0 done, 0 failed, 0.0 per second");
    assert_results(results(20, 7, 2, 20, 20), "[#######             ] 7 done, 2 failed, "
                                              "3.5 per second, about 13 remain");
    assert_results(results(20, 20, 0, 20, 20), "[####################] 20 done, 0 failed, "
                                               "10.0 per second, about 0 remain");
}

/*
 * The estimate takes unread lines to be as long as those read. Lines that were read may still run.
 */
CASE(progress__estimates_the_rest)
{
    assert_results(results(100000, 6, 0, 10, 1000), "[                    ] 6 done, 0 failed, "
                                                    "3.0 per second, about 994 remain");
    assert_results(results(1000, 6, 0, 10, 1000), "[############        ] 6 done, 0 failed, "
                                                  "3.0 per second, about 4 remain");
    /* The last line may have no line feed, and a file may grow. */
    assert_results(results(1000, 10, 0, 10, 1001), "10 done, 0 failed, 5.0 per second");
}

CASE(progress__steps)
{
    struct progress progress = {
        .begin = 1000, .shows = PROGRESS_STEP, .step = (char *)"asking the engine"};

    assert_line(&progress, 2999, "(none)");
    assert_line(&progress, 5000, "asking the engine, 4 s");
    progress.number = 1;
    progress.steps = 4;
    assert_line(&progress, 5000, "[                    ] 1 of 4: asking the engine, 4 s");
    progress.number = 4;
    assert_line(&progress, 65000, "[###############     ] 4 of 4: asking the engine, 64 s");
}

/* On such a terminal nothing is drawn; nor by an empty struct. */
CASE(progress__disabled)
{
    struct progress progress = {.enabled = false};

    setenv("TERM", "dumb", 1);
    progress_end(&progress);
    progress_begin(&progress);
    progress_step(&progress, 1, 2, "a step");
    assert_false(progress.enabled);
    assert_null(progress.step);
    progress_clear(&progress);
    progress_end(&progress);
}
