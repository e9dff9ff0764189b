#include "test.h"

#include <time.h>

#include "base/clock.h"

static void clock__goes_forward_in_milliseconds(void **state)
{
    static const struct timespec pause = {0, 100 * 1000000L};
    const long long start = clock_now_ms();

    (void)state;
    assert_true(start > 0);
    nanosleep(&pause, NULL);
    assert_in_range(clock_now_ms() - start, 99, 60000); /* in microseconds it would be 100000 */
}

/* Both are the same clock: a time in microseconds lies between two in milliseconds. */
static void clock__has_microseconds(void **state)
{
    const long long before = clock_now_ms(), now = clock_now_us(), after = clock_now_ms();

    (void)state;
    assert_in_range(now, before * 1000, after * 1000 + 999);
}
