/*
 * A run whose outputs are judged, with the tests of its request: the run of the program, those of a
 * checker or an interactor and of a grader if there are some, and the loop over the tests. A plan
 * without tests is run as run/run.h says. This is how the service runs a plan.
 */
#ifndef JUDGE_JUDGEMENT_H
#define JUDGE_JUDGEMENT_H

#include "judge/judge.h"
#include "run/run_state.h"

struct judgement {
    struct run run; /* of the program */
    /* Owned; NULL: outputs are compared, or there are no tests; groups are scored by rules. */
    struct judge *judge, *grader;
    bool relays; /* isolator passes on what program and interactor say */
};

/* As run_begin(), run_execute() and run_clean_up(). */
bool judgement_begin(struct judgement *judgement, const struct docker *docker,
                     const struct plan *plan, const struct run_observer *observer,
                     const struct notifier *cancel, struct tool_set *tools, struct result *result);
void judgement_execute(struct judgement *judgement, struct run_session *session,
                       struct instance *warm);
int judgement_clean_up(struct judgement *judgement, struct error *error);

/*
 * The parts of those for a run that has its own way to an instance (judge/job_run.h): makes the
 * results of the tests, none of which has run, and lets run_programs() run them. The other part is
 * case_run_explain().
 */
void judgement_prepare(struct judgement *judgement);

#endif
