#include "run/sharing.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "docker/budget.h"
#include "run/ready_program.h"
#include "run/verdict.h"

/* What the programs of a plan are started with; owned. NULL: they are no forks. */
static char *forks_of(const struct plan *plan)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;

    if (!ready_program_is_possible(plan, READY_FOR_LINES) || plan->call.function)
        return NULL;
    for (size_t i = 0; i < plan->tests.count; i++)
        if (plan->tests.items[i].arguments.count > 0 || plan->tests.items[i].environment.count > 0)
            return NULL;
    strvec_push_all(&words, &plan->command);
    strvec_push_all(&words, &plan->environment);
    strvec_push_all(&words, &plan->preload);
    return strvec_join(&words, "\n");
}

bool sharing_suits(const struct instance *instance, const struct plan *plan)
{
    const struct container_share *share = &instance->share;
    CLEANUP_FREE char *forks = NULL;

    if (share->served == 0)
        return true;
    forks = share->served < plan->share_max ? forks_of(plan) : NULL;
    return share->served < plan->share_max && !forks == !share->forks &&
           (!forks || strcmp(forks, share->forks) == 0);
}

/* Makes an interpreter ready, of which the programs are forks. */
static void make_template(struct run *run)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_share *share = &run->instance->share;
    const long long start = clock_now_ms();

    share->forks = forks_of(run->plan);
    if (!share->forks)
        return;
    share->has_template = ready_program_make(run->instance, run->plan, READY_FOR_LINES,
                                             start + budget_ms(run->docker, BUDGET_SETUP),
                                             run->cancel, &ignored) == 0;
    docker_traced(run->docker, "ready", start);
}

void sharing_prepare(struct run *run)
{
    struct container_share *share = &run->instance->share;

    if (run->plan->share_max > 0 && share->served == 0)
        make_template(run);
    run->has_template = share->has_template;
}

long long sharing_restore_ms(const struct run *run)
{
    const struct container_share *share = &run->instance->share;

    /* before the first one, too, with gVisor: it can leave what cannot be removed; and after what
     * did not become ready */
    return run->plan->share_max > 0 && (share->served > 0 || run->instance->link.is_gvisor ||
                                        (share->forks && !share->has_template))
               ? budget_ms(run->docker, BUDGET_RESTORE)
               : 0;
}

void sharing_go_on(const struct run *run, struct program_request *request)
{
    if (run->plan->share_max == 0)
        return;
    request->is_last = false;
    request->linger_ms = SHARING_AGE_MAX_MS;
    request->samples_memory = true;
}

void sharing_begin(const struct run *run, struct program_request *request)
{
    sharing_go_on(run, request);
    request->fork = run->has_template;
    request->restore_ms = sharing_restore_ms(run);
    request->forgets = true;
}

/* Whether a program has ended by itself, and has reached no limit. */
static bool is_ordinary(const struct supervisor_link *link)
{
    const struct frame_end *end = &link->end;

    return link->has_end && end->cause == FRAME_CAUSE_ITSELF && !end->is_full &&
           end->oom_kills == 0 && end->memory_full == 0 && end->refused == 0;
}

void sharing_note(const struct run *run)
{
    run->instance->share.used_up |= !is_ordinary(&run->instance->link);
}

bool sharing_end(struct run *run)
{
    struct instance *instance = run->instance;
    struct result *result = run->result;

    if (run->plan->share_max == 0 || !instance)
        return false;
    sharing_note(run);
    result->shared = true;
    result->served = instance->share.served++;
    /* the maximum of the container is that of all lines; tests have it already */
    if (instance->link.has_end && run->plan->tests.count == 0)
        result->peak_bytes = verdict_figure(instance->link.end.used_bytes);
    return !instance->share.used_up && instance_is_idle(instance) &&
           instance->share.served < run->plan->share_max &&
           (!instance->share.has_template || instance->link.end.was_ready != 0) &&
           clock_now_ms() - instance->made < SHARING_AGE_MAX_MS;
}

bool sharing_has_failed(const struct run *run)
{
    return run->plan->share_max > 0 && run->instance->share.served > 0 &&
           run->instance->link.failure.step == FRAME_STEP_CLEAN;
}
