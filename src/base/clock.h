/*
 * The clock that timeouts, deadlines and durations are measured with.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/*
 * Milliseconds on a clock that never goes back (CLOCK_MONOTONIC); it says nothing about the date.
 */
long long clock_now_ms(void);

/* Microseconds on the same clock. */
long long clock_now_us(void);

#endif
