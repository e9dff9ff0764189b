#include "service/ramp.h"

void ramp_init(struct ramp *ramp, int max, bool gradual)
{
    *ramp = (struct ramp){
        .max = max,
        .allowed = gradual && max > RAMP_START ? RAMP_START : max,
        .threshold = max,
        .gradual = gradual,
    };
}

bool ramp_add_success(struct ramp *ramp)
{
    if (ramp->allowed == ramp->max)
        return false;
    if (ramp->allowed >= ramp->threshold && ++ramp->successes < ramp->allowed)
        return false;
    ramp->successes = 0;
    ramp->allowed++;
    return true;
}

void ramp_add_failure(struct ramp *ramp, unsigned round)
{
    if (!ramp->gradual || round != ramp->round)
        return;
    ramp->round++;
    ramp->successes = 0;
    ramp->allowed = ramp->allowed > 1 ? ramp->allowed / 2 : 1;
    ramp->threshold = ramp->allowed;
}
