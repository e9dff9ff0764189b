#include "base/timer.h"

#include <sys/timerfd.h>

static void set_timer(int timer, uint64_t seconds, uint64_t ns)
{
    const struct itimerspec once = {.it_value = {(time_t)seconds, (long)ns}};

    timerfd_settime(timer, 0, &once, NULL);
}

void timer_set_ms(int timer, uint64_t ms)
{
    set_timer(timer, ms / 1000, ms % 1000 * 1000000);
}

void timer_set_us(int timer, uint64_t us)
{
    set_timer(timer, us / 1000000, us % 1000000 * 1000);
}
