#include "docker/engine_time.h"

#include <stdio.h>
#include <time.h>

bool engine_time_parse(const char *text, long long *milliseconds)
{
    struct tm when = {0};
    double seconds = 0;
    long long days;
    int year;

    if (sscanf(text, "%4d-%2d-%2d%*[T ]%2d:%2d:%lf", &when.tm_year, &when.tm_mon, &when.tm_mday,
               &when.tm_hour, &when.tm_min, &seconds) != 6 ||
        when.tm_year < 1 || when.tm_mon < 1 || when.tm_mon > 12 || !(seconds >= 0 && seconds < 61))
        return false;
    *milliseconds = -1;
    if (when.tm_year < 1970)
        return true;
    /* Days since 1970 in the Gregorian calendar, with years that begin in March. */
    year = when.tm_mon > 2 ? when.tm_year : when.tm_year - 1;
    days = 365LL * year + year / 4 - year / 100 + year / 400 +
           (153 * ((when.tm_mon + 9) % 12) + 2) / 5 + when.tm_mday - 1 - 719468;
    *milliseconds =
        ((days * 24 + when.tm_hour) * 60 + when.tm_min) * 60000 + (long long)(seconds * 1000);
    return true;
}
