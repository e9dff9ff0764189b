#include "run/run_kinds.h"

#include "run/cell_run.h"
#include "run/program_run.h"
#include "run/run_session.h"
#include "run/run_steps.h"
#include "run/sharing.h"
#include "run/submission.h"

static int run_one_program(struct run *run, long long deadline, bool *begun, struct error *error)
{
    struct program_run program = run_program_of(run, "program", &run->output, run->result);

    program.request.is_last = !run->session && run->instance->transport->is_connected;
    sharing_prepare(run);
    sharing_begin(run, &program.request);
    return run_main_program(run, &program, deadline, begun, error);
}

static int (*const kinds[])(struct run *run, long long deadline, bool *begun,
                            struct error *error) = {
    [PLAN_PROGRAM] = run_one_program,
    [PLAN_SUBMISSION] = submission_run,
    [PLAN_CELL] = cell_run,
};

int run_programs(struct run *run, long long deadline, bool *begun, struct error *error)
{
    int result;

    *begun = false;
    if (run->session && run_session_begin(run, error) != 0)
        return -1;
    result = kinds[plan_kind(run->plan)](run, deadline, begun, error);
    if (run->session && *begun)
        run->session->requests++;
    return result;
}
