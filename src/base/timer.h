/*
 * Sets timers of timerfd_create(2), which only Linux has. Needs the C library alone, since the
 * supervisor has it too.
 */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

#include <stdint.h>

/* The timer is readable once, after so many milliseconds or microseconds; 0 switches it off. */
void timer_set_ms(int timer, uint64_t ms);
void timer_set_us(int timer, uint64_t us);

#endif
