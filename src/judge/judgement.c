#include "judge/judgement.h"

#include "base/cleanup.h"
#include "judge/case_run.h"
#include "judge/interaction.h"
#include "run/run.h"

/* Starts an interactor that has waited for the container whose FIFOs it shares, if it can. */
static void start_interactor(void *context)
{
    struct judgement *judgement = context;

    if (!judgement->judge || judgement->judge->is_started)
        return;
    judgement->relays |= judgement->run.instance->link.is_gvisor;
    judge_start(judgement->judge, judgement->relays ? NULL : judgement->run.instance);
}

static int run_tests(void *context, struct error *error)
{
    return case_run_all(context, error);
}

static void finish_judges(void *context)
{
    struct judgement *judgement = context;
    struct result *result = judgement->run.result;

    if (judgement->grader)
        judge_finish(judgement->grader, result);
    if (!judgement->judge)
        return;
    judge_finish(judgement->judge, result);
    result->checker_image = steal_pointer(&judgement->judge->result.image);
    result->checker_container = steal_pointer(&judgement->judge->result.container);
}

static const struct run_cases cases = {start_interactor, run_tests, finish_judges};

void judgement_prepare(struct judgement *judgement)
{
    struct run *run = &judgement->run;

    run->cases = run->plan->tests.count > 0 ? &cases : NULL;
    run->cases_context = judgement;
    case_run_prepare(run);
}

/* The checker of the tests, and the grader of their groups. */
static int begin_judges(struct judgement *judgement, struct error *error)
{
    struct run *run = &judgement->run;
    const struct plan *plan = run->plan;

    if (plan->checker &&
        !(judgement->judge =
              judge_new(run, plan->checker, plan->interactive ? "the interactor" : "the checker",
                        plan->tests.count, error)))
        return -1;
    if (plan->grader && !(judgement->grader = judge_new(run, plan->grader, "the grader",
                                                        plan->tests.groups->count, error)))
        return -1;
    return 0;
}

bool judgement_begin(struct judgement *judgement, const struct docker *docker,
                     const struct plan *plan, const struct run_observer *observer,
                     const struct notifier *cancel, struct tool_set *tools, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct run *run = &judgement->run;
    bool begun = run_begin(run, docker, plan, observer, cancel, tools, result);

    judgement->judge = judgement->grader = NULL;
    judgement->relays = false;
    judgement_prepare(judgement);
    if (begun && begin_judges(judgement, &error) != 0) {
        result_fail(result, &error);
        begun = false;
    }
    if (!begun)
        case_run_explain(run);
    return begun;
}

void judgement_execute(struct judgement *judgement, struct run_session *session,
                       struct instance *warm)
{
    struct run *run = &judgement->run;

    judgement->relays = run->plan->interactive && interaction_must_relay(run);
    run->has_fifos = run->plan->interactive && !judgement->relays;
    if (judgement->judge && !run->has_fifos)
        judge_start(judgement->judge, NULL);
    if (judgement->grader)
        judge_start(judgement->grader, NULL);
    run_execute(run, session, warm);
    case_run_explain(run);
}

/* Returns `status` if the cleanup succeeds. There may be no such judge. */
static int end_judge(struct judge *judge, int status, struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    return judge && judge_free(judge, status == 0 ? error : &ignored) != 0 ? -1 : status;
}

int judgement_clean_up(struct judgement *judgement, struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    int status = end_judge(judgement->grader, 0, error);

    /* it may share a volume with the instance, which is that one's */
    status = end_judge(judgement->judge, status, error);
    return run_clean_up(&judgement->run, status == 0 ? error : &ignored) == 0 ? status : -1;
}
