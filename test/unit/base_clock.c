#include "test.h"

#include <time.h>

#include "base/clock.h"

CASE(clock__goes_forward_in_milliseconds)
{
    static const struct timespec pause = {0, 100 * 1000000L};
    const long long start = clock_now_ms();

    assert_true(start > 0);
    nanosleep(&pause, NULL);
    assert_in_range(clock_now_ms() - start, 99, 60000); /* in microseconds it would be 100000 */
}

/* Both are the same clock: a time in microseconds lies between two in milliseconds. */
CASE(clock__has_microseconds)
{
    const long long before = clock_now_ms(), now = clock_now_us(), after = clock_now_ms();

    assert_in_range(now, before * 1000, after * 1000 + 999);
}
