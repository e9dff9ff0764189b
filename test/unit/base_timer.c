#include "test.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/timer.h"

/* By so many milliseconds at most, and not by a minute less. */
static void is_left(int timer, long long ms)
{
    struct itimerspec left;
    long long left_ms;

    assert_int_equal(timerfd_gettime(timer, &left), 0);
    left_ms = left.it_value.tv_sec * 1000LL + left.it_value.tv_nsec / 1000000;
    assert_in_range(left_ms, ms < 60000 ? 0 : ms - 60000, ms);
    assert_int_equal(left.it_interval.tv_sec + left.it_interval.tv_nsec, 0);
}

CASE(timer__is_set_once_and_switched_off)
{
    struct pollfd timer = {timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), POLLIN, 0};

    timer_set_ms(timer.fd, 4000000950);
    is_left(timer.fd, 4000000950);
    timer_set_us(timer.fd, 100950000);
    is_left(timer.fd, 100950);
    timer_set_ms(timer.fd, 0);
    is_left(timer.fd, 0);
    timer_set_us(timer.fd, 1);
    assert_int_equal(poll(&timer, 1, 60000), 1);
    timer_set_us(timer.fd, 0);
    assert_int_equal(poll(&timer, 1, 0), 0);
    close(timer.fd);
}
