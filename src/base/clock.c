#include "base/clock.h"

#include <time.h>

long long clock_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

long long clock_now_ms(void)
{
    return clock_now_us() / 1000;
}
