/*
 * The clock that timeouts and deadlines are measured with.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/*
 * Milliseconds on a clock that never goes back (CLOCK_MONOTONIC); it says nothing about the date.
 */
long long clock_now_ms(void);

#endif
