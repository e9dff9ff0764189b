/*
 * Reads times as engines write them.
 */
#ifndef DOCKER_ENGINE_TIME_H
#define DOCKER_ENGINE_TIME_H

#include <stdbool.h>

/*
 * Milliseconds since 1970 of a time in UTC, "2026-11-21T07:02:12.836341566Z" or with a blank for
 * the T; -1 for any time before 1970, such as the one in the year 1 that engines write for "never".
 * False if it is not a time.
 */
bool engine_time_parse(const char *text, long long *milliseconds);

#endif
