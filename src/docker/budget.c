#include "docker/budget.h"

#include "base/clock.h"

static const int percent[] = {
    [BUDGET_SETUP] = 60,      [BUDGET_SILENCE] = 30,    [BUDGET_QUESTION] = 20,
    [BUDGET_ANSWER] = 30,     [BUDGET_WARM_START] = 30, [BUDGET_WARM_REMOVE] = 20,
    [BUDGET_STOP] = 14,       [BUDGET_RESTORE] = 60,    [BUDGET_FILES] = 30,
    [BUDGET_INSPECT] = 30,    [BUDGET_EXIT] = 10,       [BUDGET_REMOVE] = 80,
    [BUDGET_REMOVE_MIN] = 20, [BUDGET_TOTAL] = 95,      [BUDGET_CANCELLED_CREATE] = 30,
    [BUDGET_DISCARD] = 20,    [BUDGET_QUERY] = 50,      [BUDGET_ENDPOINT] = 20,
    [BUDGET_WARM_WAIT] = 50,  [BUDGET_GC] = 100,        [BUDGET_IMAGE] = 600,
    [BUDGET_ALL_GONE] = 600,  [BUDGET_LIFETIME] = 800,
};

long long budget_ms(const struct docker *docker, enum budget_part part)
{
    return docker->engine_timeout * 1000LL * percent[part] / 100;
}

long long budget_deadline(const struct docker *docker, enum budget_part part)
{
    return clock_now_ms() + budget_ms(docker, part);
}
