#include "run/cell_run.h"

#include "base/cleanup.h"
#include "run/cell.h"
#include "run/run_session.h"
#include "run/run_steps.h"
#include "run/unrequested_files.h"
#include "run/verdict.h"

/* Adds to the error of a cell that did not end by its code what became of the session's state. */
static void explain_state(const struct run *run, bool stays)
{
    struct result *result = run->result;
    const struct capture *output = run->output.capture;
    CLEANUP_FREE char *over =
        run_session_why_used_up(run->session, result, output[0].total + output[1].total);
    CLEANUP_FREE char *error = result->error;
    const char *state = over || !instance_is_idle(run->instance) ? "variables and files are lost"
                        : stays                                  ? "variables are kept"
                                : "variables are lost, files are kept";

    if (error)
        result->error = string_format("%s; %s", error, state);
    else
        strvec_pushf(&result->warnings, "the cell ended its interpreter: %s", state);
}

/*
 * Figures that a cell shows come instead of the pictures that it writes without being asked: they
 * are mostly the same.
 */
static void read_report(struct run *run, const struct strbuf *report)
{
    struct result *result = run->result;
    struct artifacts pictures = ARTIFACTS_INIT;
    struct artifacts *artifacts = &result->artifacts;

    if (run->plan->unrequested) {
        pictures = *artifacts;
        *artifacts = (struct artifacts)ARTIFACTS_INIT;
    }
    cell_read_report(report, run->plan, &run->session->last_figure, result);
    if (run->plan->unrequested && artifacts->count + artifacts->missing.count == 0) {
        *artifacts = pictures;
        return;
    }
    for (size_t i = 0; i < pictures.count; i++)
        unrequested_add_name(result, pictures.items[i].name);
    artifacts_release(&pictures);
}

int cell_run(struct run *run, long long deadline, bool *begun, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_MAX(SUPERVISOR_REPORT_MAX);
    struct program_run program = run_program_of(run, "the cell", &run->output, run->result);
    struct run_session *session = run->session;
    bool stays;

    *begun = false;
    if (cell_write(run->plan, session->requests + 1, session->keep_processes, &cell, error) != 0)
        return -1;
    program.request.spec = program_spec_of_interpreter(run->plan);
    program.request.cell = &cell;
    program.request.interpreter_waits = session->interpreter;
    program.report = &report;
    if (run->plan->input.files.count == 0 && run->plan->paths.count == 0 &&
        run_archive(run) == &run->files)
        program.request.archive = -1;
    if (run_main_program(run, &program, deadline, begun, error) != 0)
        return -1;
    stays = run->instance->link.has_end && verdict_interpreter_stays(&run->instance->link.end);
    session->interpreter = stays;
    if (run->result->reason != REASON_EXIT || !stays)
        explain_state(run, stays);
    if (stays)
        read_report(run, &report);
    return 0;
}
