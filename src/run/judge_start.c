#include "run/judge_start.h"

#include "base/cleanup.h"
#include "base/thread.h"
#include "run/checker.h"
#include "run/run_steps.h"
#include "run/submission.h"

static int open_judge(struct run *judge, struct error *error)
{
    const long long deadline = run_setup_deadline(judge);
    const struct result *result = judge->result;
    CLEANUP_FREE char *said = NULL;
    bool begun, built;
    int status;

    judge->instance = instance_new(judge->docker, judge->plan, &judge->limits, run_keep_ms(judge));
    if (judge->joined)
        instance_join(judge->instance, judge->joined);
    status = instance_make(judge->instance, judge->plan, deadline, run_end_deadline(judge),
                           judge->cancel, error);
    run_set_container(judge, &judge->instance->container);
    run_add_warnings(judge);
    if (status != 0) {
        instance_free(judge->instance);
        judge->instance = NULL;
        return error_prefix(error, "%s", judge->role);
    }
    if (submission_prepare(judge, deadline, &begun, &built, error) != 0)
        return error_prefix(error, "%s", judge->role);
    if (built)
        return 0;
    if (result->reason == REASON_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled while %s was built", judge->role);
    said = result->build ? checker_first_line(&result->build->text[1]) : NULL;
    return error_set(error, ERROR_JUDGE, "%s cannot be built%s%s", judge->role, said ? ": " : "",
                     said ? said : "");
}

static void *make_judge(void *context)
{
    struct run *judge = context;

    judge->start_status = open_judge(judge, &judge->start_error);
    return NULL;
}

void judge_start(struct run *judge)
{
    judge->is_started = true;
    judge->has_maker = thread_start(&judge->maker, make_judge, judge) == 0;
    if (!judge->has_maker)
        make_judge(judge);
}
