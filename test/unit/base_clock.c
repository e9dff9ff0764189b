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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock__goes_forward_in_milliseconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
