#include "service/concurrency_ramp.h"

void concurrency_ramp_init(struct concurrency_ramp *ramp, int max, bool gradual)
{
    *ramp = (struct concurrency_ramp){
        .max = max,
        .allowed = gradual && max > CONCURRENCY_RAMP_START ? CONCURRENCY_RAMP_START : max,
        .threshold = max,
        .gradual = gradual,
    };
}

bool concurrency_ramp_add_success(struct concurrency_ramp *ramp)
{
    if (ramp->allowed == ramp->max)
        return false;
    if (ramp->allowed >= ramp->threshold && ++ramp->successes < ramp->allowed)
        return false;
    ramp->successes = 0;
    ramp->allowed++;
    return true;
}

void concurrency_ramp_add_failure(struct concurrency_ramp *ramp, unsigned round)
{
    if (!ramp->gradual || round != ramp->round)
        return;
    ramp->round++;
    ramp->successes = 0;
    ramp->allowed = ramp->allowed > 1 ? ramp->allowed / 2 : 1;
    ramp->threshold = ramp->allowed;
}
