#include "test.h"

#include "cli/progress.h"

static void assert_line(long long size, long long now, long long done, long long failed,
                        long long requests, long long bytes, const char *expected)
{
    const struct progress progress = {.begin = 1000, .size = size};
    CLEANUP_FREE char *line = progress_line(&progress, now, done, failed, requests, bytes);

    assert_string_equal(line, expected);
}

static void progress__totals(void **state)
{
    (void)state;
    assert_line(-1, 1999, 0, 0, 0, 0, "0 done, 0 failed, 0.0 per second");
    assert_line(-1, 2999, 7, 2, 9, 900, "7 done, 2 failed, 3.5 per second");
    assert_line(-1, 1000, 1, 0, 1, 10, "1 done, 0 failed, 1000.0 per second");
}

/*
 * The estimate takes unread lines to be as long as those read. Lines that were read may still run.
 */
static void progress__estimates_the_rest(void **state)
{
    (void)state;
    assert_line(100000, 2999, 6, 0, 10, 1000, "6 done, 0 failed, 3.0 per second, about 994 remain");
    assert_line(1000, 2999, 6, 0, 10, 1000, "6 done, 0 failed, 3.0 per second, about 4 remain");
    assert_line(1000, 2999, 10, 0, 10, 1000, "10 done, 0 failed, 5.0 per second, about 0 remain");
    assert_line(1000, 2999, 0, 0, 0, 0, "0 done, 0 failed, 0.0 per second");
}

/* The last line may have no line feed, and a file may grow. */
static void progress__more_input_than_the_size(void **state)
{
    (void)state;
    assert_line(1000, 2999, 10, 0, 10, 1001, "10 done, 0 failed, 5.0 per second");
}

/* Nothing is estimated if the number of requests is known. */
static void progress__counted(void **state)
{
    (void)state;
    assert_line(20, 2999, 7, 2, 20, 20, "7 done, 2 failed, 3.5 per second, about 13 remain");
    assert_line(20, 2999, 20, 0, 20, 20, "20 done, 0 failed, 10.0 per second, about 0 remain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress__totals),
        cmocka_unit_test(progress__estimates_the_rest),
        cmocka_unit_test(progress__counted),
        cmocka_unit_test(progress__more_input_than_the_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
