#include "judge/judge.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "docker/budget.h"
#include "judge/checker_text.h"
#include "run/built_archive.h"
#include "run/run.h"
#include "run/run_steps.h"
#include "run/submission.h"

/* Lets it be cancelled with the run of the program, and when that has ended. */
static int open_stop(struct judge *judge, struct error *error)
{
    if (notifier_open(&judge->ending, error) != 0 ||
        notifier_open_either(&judge->stop, judge->run.cancel, &judge->ending, error) != 0)
        return -1;
    judge->run.cancel = &judge->stop;
    return 0;
}

static int begin(struct judge *judge, struct run *run, const struct plan *plan, size_t uses,
                 struct error *error)
{
    static const struct run_observer no_observer = RUN_OBSERVER_INIT;
    const long long each_ms = limits_timeout_ms(&plan->policy.limits);
    const struct result *result = &judge->result;
    bool begun;

    judge->plan = *plan;
    begun = run_begin(&judge->run, run->docker, &judge->plan, &no_observer, run->cancel, NULL,
                      &judge->result);
    run->turns_ms += plan_programs_ms(plan) +
                     (each_ms + budget_ms(run->docker, BUDGET_RESTORE)) * (long long)uses;
    judge->run.turns_ms = run_use_ms(run);
    if (begun)
        return open_stop(judge, error);
    return error_set(error,
                     result->reason == REASON_CANCELLED ? ERROR_CANCELLED
                     : result->reason == REASON_ENGINE  ? ERROR_ENGINE
                                                        : ERROR_JUDGE,
                     "%s: %s", judge->role, result->error ? result->error : "it cannot be sent");
}

struct judge *judge_new(struct run *run, const struct plan *plan, const char *role, size_t uses,
                        struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct judge *judge = memory_allocate(sizeof *judge);

    *judge = (struct judge){.result = RESULT_INIT,
                            .role = role,
                            .start_error = ERROR_INIT,
                            .ending = NOTIFIER_INIT,
                            .stop = NOTIFIER_INIT};
    if (begin(judge, run, plan, uses, error) == 0)
        return judge;
    judge_free(judge, &ignored); /* it has no container */
    return NULL;
}

/* Gives it what an earlier run has built, in place of its sources and its build. */
static int use_built(struct judge *judge, const struct shared_file *file, struct error *error)
{
    judge->plan.build = (struct strvec)STRVEC_INIT;
    if (built_archive_use(&judge->run, file, error) != 0)
        return -1;
    judge->run.limits = submission_limits(&judge->run);
    return 0;
}

/* Makes the container, and builds the judge there unless it was built before. */
static int open_container(struct judge *judge, const struct shared_file *file, struct error *error)
{
    struct run *run = &judge->run;
    CLEANUP_FREE char *said = NULL;
    bool begun, built;

    if ((file && use_built(judge, file, error) != 0) || run_make_instance(run, error) != 0 ||
        submission_prepare(run, run_setup_deadline(run), &begun, &built, error) != 0)
        return error_prefix(error, "%s", judge->role);
    if (built)
        return 0;
    if (judge->result.reason == REASON_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled while %s was built", judge->role);
    said = judge->result.build ? checker_text_first_line(&judge->result.build->text[1]) : NULL;
    return error_set(error, ERROR_JUDGE, "%s cannot be built%s%s", judge->role, said ? ": " : "",
                     said ? said : "");
}

/* Only one of the runs that begin at the same time builds it, and the others wait for that. */
static int open_run(struct judge *judge, struct error *error)
{
    struct built_files *built = judge->plan.build.count > 0 ? judge->plan.built : NULL;
    bool is_first = false;
    struct shared_file *file = built ? built_files_find(built, &judge->stop, &is_first) : NULL;
    int status;

    judge->run.start = clock_now_ms(); /* it may have waited */
    status = open_container(judge, file, error);
    if (is_first)
        built_files_give_up(built);
    shared_file_release(file);
    return status;
}

static void *make(void *context)
{
    struct judge *judge = context;

    judge->start_status = open_run(judge, &judge->start_error);
    return NULL;
}

void judge_start(struct judge *judge, const struct instance *joined)
{
    judge->run.joined = joined;
    judge->is_started = true;
    judge->has_maker = thread_start(&judge->maker, make, judge) == 0;
    if (!judge->has_maker)
        make(judge);
}

int judge_blame(struct error *error)
{
    if (error->kind == ERROR_INPUT || error->kind == ERROR_COMMAND || error->kind == ERROR_USAGE)
        error->kind = ERROR_JUDGE;
    return -1;
}

int judge_wait(struct judge *judge, struct error *error)
{
    if (judge->has_maker)
        pthread_join(judge->maker, NULL);
    judge->has_maker = false;
    if (judge->start_status == 0)
        return 0;
    *error = judge->start_error;
    judge->start_error = (struct error)ERROR_INIT;
    return judge_blame(error);
}

void judge_finish(struct judge *judge, struct result *result)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    notifier_raise(&judge->ending);
    if (judge->plan.built)
        built_files_wake(judge->plan.built);
    judge_wait(judge, &ignored); /* the program may not have come to its tests */
    for (size_t i = 0; i < judge->result.warnings.count; i++)
        strvec_pushf(&result->warnings, "%s: %s", judge->role, judge->result.warnings.items[i]);
}

int judge_free(struct judge *judge, struct error *error)
{
    const int status = run_clean_up(&judge->run, error);

    notifier_release(&judge->stop);
    notifier_release(&judge->ending);
    error_release(&judge->start_error);
    result_release(&judge->result);
    free(judge);
    return status;
}
