#include "cli/problem/time_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/text.h"

/* What a multiple may differ from a whole number by rounding. */
#define ROUNDING 1e-9

/* ---- which submissions count */

/* What a rule says; "true" if that is nothing. */
static const char *use_of(const json_t *rule)
{
    const json_t *use = json_object_get(rule, "use_for_time_limit");

    return !use || json_is_null(use) ? "true" : json_is_string(use) ? json_string_value(use) : "";
}

enum time_limit_role time_limit_role(const struct expectation *expectation, bool is_legacy,
                                     const char *name)
{
    const bool is_lower =
        is_legacy ? strncmp(name, "accepted/", 9) == 0 : expectation->bounds_below;
    const bool is_upper =
        is_legacy ? strncmp(name, "time_limit_exceeded/", 20) == 0 : expectation->bounds_above;

    return is_lower ? TIME_LIMIT_LOWER : is_upper ? TIME_LIMIT_UPPER : TIME_LIMIT_NONE;
}

bool time_limit_requires(const json_t *rule)
{
    return strcmp(use_of(rule), "lower") == 0 || strcmp(use_of(rule), "upper") == 0;
}

int time_limit_read_use(const json_t *rule, struct requirement *requirement)
{
    const char *use = use_of(rule);

    if (strcmp(use, "lower") == 0)
        requirement->permitted &= ~(unsigned)VERDICT_TIMEOUT;
    else if (strcmp(use, "upper") == 0)
        requirement->required = VERDICT_TIMEOUT;
    else if (strcasecmp(use, "true") != 0 && strcasecmp(use, "false") != 0)
        return -1;
    return 0;
}

void time_limit_note_use(struct expectation *expectation, const struct requirement *requirement,
                         const json_t *rule)
{
    if (strcasecmp(use_of(rule), "false") == 0)
        return;
    expectation->bounds_below |= (requirement->permitted & VERDICT_TIMEOUT) == 0;
    expectation->bounds_above |= requirement->required == VERDICT_TIMEOUT;
}

/* ---- the limit */

static double seconds_of(const struct case_result *test)
{
    return test->cpu_us >= 0 ? (double)test->cpu_us / 1e6 : (double)test->duration_ms / 1e3;
}

double time_limit_slowest(const struct case_results *results)
{
    double slowest = 0;

    for (size_t i = 0; i < results->count; i++)
        slowest = fmax(slowest, seconds_of(&results->items[i]));
    return slowest;
}

/* The timeout of a test that may use so much CPU time. A maximum that is not given is NAN. */
static double timeout_of(double seconds, const struct limits *maximums)
{
    return fmin(TIMEOUT_FACTOR * seconds + TIMEOUT_MORE, maximums->number[LIMIT_TIMEOUT]);
}

/* The limit for a slowest test that takes so long, before the configuration allows it. */
static double limit_for(const struct time_limit *limit, double slowest)
{
    const double steps = ceil(limit->multiplier * slowest / limit->resolution - ROUNDING);

    return fmax(steps, 1) * limit->resolution;
}

bool time_limit_is_steady(const struct time_limit *limit, double slowest)
{
    return limit_for(limit, 2 * slowest) == limit_for(limit, slowest);
}

void time_limit_compute(struct time_limit *limit, const struct limits *maximums, const char *name,
                        double slowest)
{
    const double seconds = limit_for(limit, slowest);
    CLEANUP_FREE char *shown = text_escape(name);

    limit->seconds = fmin(seconds, maximums->number[LIMIT_CPU_TIME]);
    free(limit->source);
    limit->source = string_format("%.10g times the slowest test of %s, %.3g s", limit->multiplier,
                                  shown, slowest);
    if (limit->seconds < seconds) {
        CLEANUP_FREE char *source = limit->source;

        limit->source = string_format("%s, which is %.10g s, but the configuration allows no more",
                                      source, seconds);
    }
}

void time_limit_apply(const struct time_limit *limit, const struct limits *maximums,
                      enum time_limit_role role, struct request *request)
{
    double *numbers = request->policy.limits.number;
    const bool has_margin = role == TIME_LIMIT_UPPER;

    if (isnan(limit->seconds))
        return;
    numbers[LIMIT_CPU_TIME] =
        fmin(limit->seconds * (has_margin ? limit->margin : 1), maximums->number[LIMIT_CPU_TIME]);
    numbers[LIMIT_TIMEOUT] = timeout_of(numbers[LIMIT_CPU_TIME], maximums);
    request->tests.cpu_seconds_allowed = has_margin ? limit->seconds : 0;
}

/* ---- results */

bool time_limit_is_kept(const struct time_limit *limit, const struct limits *maximums,
                        const struct case_results *results)
{
    const double timeout = timeout_of(limit->seconds, maximums);

    for (size_t i = 0; i < results->count; i++)
        if (seconds_of(&results->items[i]) > limit->seconds ||
            (double)results->items[i].duration_ms > timeout * 1e3)
            return false;
    return true;
}

char *time_limit_warning(const struct time_limit *limit, enum time_limit_role role,
                         const struct case_results *results)
{
    const double slowest = time_limit_slowest(results);

    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].status == TEST_TIMEOUT)
            return NULL;
    if (role != TIME_LIMIT_UPPER || isnan(limit->seconds) || slowest <= limit->seconds ||
        slowest >= limit->seconds * limit->margin)
        return NULL;
    return string_format("too slow by less than the safety margin: its slowest test takes %.3g s, "
                         "and should take %.10g times %.10g s at least",
                         slowest, limit->margin, limit->seconds);
}

char *time_limit_line(const struct time_limit *limit)
{
    return isnan(limit->seconds)
               ? NULL
               : string_format("time limit %.10g s: %s\n", limit->seconds, limit->source);
}

void time_limit_add_json(json_t *object, const struct time_limit *limit)
{
    const bool is_known = !isnan(limit->seconds);

    json_object_set_new(object, "timeLimitMs",
                        is_known ? json_integer((json_int_t)llround(limit->seconds * 1e3))
                                 : json_null());
    json_object_set_new(object, "timeLimitSource",
                        is_known ? json_string(limit->source) : json_null());
}

void time_limit_release(struct time_limit *limit)
{
    free(limit->source);
    limit->source = NULL;
}
