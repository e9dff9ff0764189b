/*
 * Times as engines write them.
 */
#ifndef DOCKER_ENGINE_TIME_H
#define DOCKER_ENGINE_TIME_H

#include <stdbool.h>

/*
 * Reads a time of UTC, "2026-11-21T07:02:12.836341566Z" or with a blank for the T, in milliseconds since 1970; -1
 * for "none", which engines write as one of the year 1. False where it is no time.
 */
bool engine_time_parse(const char *text, long long *milliseconds);

#endif
