#include "judge/case_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "compare/comparison.h"
#include "config/environment.h"
#include "docker/budget.h"
#include "judge/call_value.h"
#include "judge/checker.h"
#include "judge/checker_trial.h"
#include "judge/cpu_margin.h"
#include "judge/grader.h"
#include "judge/interaction.h"
#include "judge/scoring.h"
#include "run/pack_input.h"
#include "run/program_run.h"
#include "run/run_steps.h"
#include "run/sharing.h"
#include "run/verdict.h"

/* What one test needs while it runs. */
struct case_run {
    const struct case_request *test;
    struct strvec command, environment;
    struct limits limits;
    struct archive files; /* of this test */
    int input;            /* its standard input, if that was in memory; owned */
    int whole;            /* what it writes to stdout, for the checker; owned; -1: there is none */
    struct strbuf value;  /* what the driver of a call reports */
    struct comparison comparison;
    struct output_sink output;
    struct result result;           /* of its program */
    struct interaction interaction; /* with the interactor, if there is one */
};

void case_run_prepare(struct run *run)
{
    const struct case_requests *requests = &run->plan->tests;
    struct case_results *results = &run->result->tests;

    if (requests->count == 0)
        return;
    results->items = memory_allocate(requests->count * sizeof *results->items);
    results->count = requests->count;
    for (size_t i = 0; i < results->count; i++) {
        results->items[i] = (struct case_result)CASE_RESULT_INIT;
        results->items[i].name = string_copy(requests->items[i].name);
    }
}

/* ---- one test */

static int open_input(struct case_run *test, struct error *error)
{
    const struct case_request *request = test->test;

    if (request->stdin_length == 0)
        return 0;
    test->input = linux_unnamed_file_of(request->stdin_data, request->stdin_length);
    if (test->input < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    return 0;
}

static int begin_test(struct case_run *test, const struct judgement *judgement,
                      const struct case_request *request, struct error *error)
{
    struct run_observer observer = RUN_OBSERVER_INIT;
    const struct plan *plan = judgement->run.plan;

    *test = (struct case_run){.test = request,
                              .files = ARCHIVE_INIT,
                              .input = -1,
                              .whole = -1,
                              .value = STRBUF_MAX(CALL_VALUE_MAX + 1),
                              .result = RESULT_INIT,
                              .limits = plan_test_limits(plan, request)};
    strvec_push_all(&test->command, &plan->command);
    strvec_push_all(&test->command, &request->arguments);
    strvec_push_all(&test->environment, &plan->environment);
    for (size_t i = 0; i < request->environment.count; i++)
        environment_set(&test->environment, request->environment.items[i]);
    comparison_init(&test->comparison, &request->comparison, request->expected,
                    request->expected_length);
    if (judgement->judge && !plan->interactive && (test->whole = linux_unnamed_file()) < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    observer.live[0] = test->whole;
    output_sink_init(&test->output, (size_t)plan->test_output_bytes, &observer);
    if (!request->no_expected && !request->is_call && !judgement->judge)
        test->output.comparison = &test->comparison;
    if (open_input(test, error) != 0)
        return -1;
    return request->files.count == 0 ? 0
                                     : pack_input_files(&request->files, plan, &test->files,
                                                        judgement->run.cancel, error);
}

static void end_test(struct case_run *test)
{
    output_sink_finish(&test->output, &test->result); /* does nothing the second time */
    strbuf_release(&test->value);
    strvec_release(&test->command);
    strvec_release(&test->environment);
    archive_release(&test->files);
    cleanup_fd(&test->input);
    cleanup_fd(&test->whole);
    if (test->interaction.interactor)
        interaction_release(&test->interaction);
    result_release(&test->result);
}

static enum case_status status_of(struct case_run *test)
{
    const enum case_status status = case_status_of(&test->result);

    if (status != TEST_PASSED || !test->output.comparison || comparison_finish(&test->comparison))
        return status;
    return TEST_WRONG_ANSWER;
}

/* Moves the result of the test's program, which has ended, into the test's result. */
static void take_result(struct case_run *test, const struct run *run, struct case_result *result)
{
    const struct supervisor_link *link = &run->instance->link;
    struct result *program = &test->result;

    output_sink_finish(&test->output, program);
    result->status = status_of(test);
    result->exit_code = program->exit_code;
    result->signal = program->signal;
    result->duration_ms = program->duration_ms;
    result->cpu_us = program->cpu_us;
    result->peak_bytes = link->has_end ? verdict_figure(link->end.used_bytes) : -1;
    for (int i = 0; i < 2; i++) {
        result->truncated[i] = program->truncated[i];
        if (run->plan->tests.outcome_only) { /* a program can print its input */
            result->truncated[i] = program->bytes[i] > 0;
            continue;
        }
        result->text[i] = program->text[i];
        program->text[i] = (struct strbuf)STRBUF_INIT;
        strbuf_shrink(&result->text[i]); /* there may be thousands of them */
    }
    for (size_t i = 0; i < program->warnings.count; i++) {
        CLEANUP_FREE char *shown = text_escape(result->name);

        strvec_pushf(&run->result->warnings, "test '%s': %s", shown, program->warnings.items[i]);
    }
    result->message = result->status != TEST_WRONG_ANSWER ? steal_pointer(&program->error)
                      : run->plan->tests.outcome_only
                          ? string_copy("the output is not the expected one")
                          : comparison_explain(&test->comparison);
    if (test->test->is_call)
        call_value_judge(&test->value, test->test, (size_t)run->plan->test_output_bytes,
                         run->plan->tests.outcome_only, result);
}

/* What the checker or the interactor is given. */
static struct checked_output given(const struct case_run *test)
{
    const struct case_request *request = test->test;

    return (struct checked_output){
        .input = test->input >= 0 ? test->input : request->stdin_file,
        .output = test->whole,
        .answer = request->expected ? request->expected : "",
        .answer_length = request->expected_length,
        .arguments = &request->checker_arguments,
    };
}

/*
 * Asks the checker about the output of a program that has ended well, or what the interactor has
 * said. 1: the verdict counts, whose message is owned by the caller; 0: how the program has ended
 * counts; -1: nothing is known about it.
 */
static int find_verdict(struct case_run *test, struct judgement *judgement,
                        struct case_result *result, struct checker_verdict *verdict,
                        struct error *error)
{
    const struct checked_output checked = given(test);
    const struct run *run = &judgement->run;
    int found = 0;

    if (run->plan->interactive)
        found = interaction_decide(&test->interaction, &test->result,
                                   &run->instance->link.wait_state, result, verdict, error);
    else if (judgement->judge && result->status == TEST_PASSED)
        found = checker_decide(judgement->judge, run->plan->checker_convention, &checked, verdict,
                               error) == 0
                    ? 1
                    : -1;
    return found > 0 && scoring_check(test->test, verdict, error) != 0 ? -1 : found;
}

/* Lets the checker or the interactor decide about a program that has ended. */
static int check_output(struct case_run *test, struct judgement *judgement,
                        struct case_result *result, struct error *error)
{
    struct checker_verdict verdict;
    const int found = find_verdict(test, judgement, result, &verdict, error);

    if (found == 0)
        return 0;
    free(steal_pointer(&result->message));
    if (found < 0) {
        checker_trial_hide(judgement, error);
        result->status = error->kind == ERROR_CANCELLED ? TEST_NOT_RUN
                         : error->kind == ERROR_JUDGE   ? TEST_JUDGE_ERROR
                                                        : TEST_ENGINE;
        result->message = string_copy(error->message);
        return -1;
    }
    result->status = checker_test_status(verdict.outcome);
    result->score = verdict.score;
    if (verdict.outcome != CHECKER_RIGHT)
        result->message = checker_explain(&verdict, judgement->run.plan->tests.outcome_only);
    free(verdict.message);
    return 0;
}

/* Adds the figures of the test's program to those of the run. */
static void add_figures(struct result *result, const struct result *program)
{
    result->duration_ms += program->duration_ms;
    if (program->cpu_us >= 0)
        result->cpu_us = (result->cpu_us < 0 ? 0 : result->cpu_us) + program->cpu_us;
    if (program->peak_bytes > result->peak_bytes)
        result->peak_bytes = program->peak_bytes;
    result->bytes[0] += program->bytes[0];
    result->bytes[1] += program->bytes[1];
}

/*
 * The test has no verdict: the container broke off while its program ran (`begun`), or before it.
 */
static void take_failure(struct case_result *result, bool begun, const struct error *error)
{
    result->status = error->kind == ERROR_JUDGE             ? TEST_JUDGE_ERROR
                     : begun && error->kind == ERROR_ENGINE ? TEST_ENGINE
                                                            : TEST_NOT_RUN;
    result->message = string_copy(error->message);
}

static int run_test_program(struct case_run *test, struct judgement *judgement, bool *begun,
                            struct error *error)
{
    struct run *run = &judgement->run;
    struct program_run program = run_program_of(run, "program", &test->output, &test->result);
    const struct checked_output interactor = given(test);
    struct program_spec *spec = &program.request.spec;

    spec->command = &test->command;
    spec->environment = &test->environment;
    spec->limits = &test->limits;
    spec->output_kept = (size_t)run->plan->test_output_bytes;
    spec->output_max = (uint64_t)test->test->max_output_bytes;
    spec->output_compared = test->test->no_expected ? 0 : test->test->expected_length + 1;
    program.request.archive = test->test->files.count > 0 ? archive_file(&test->files) : -1;
    spec->input = test->input >= 0 ? test->input : test->test->stdin_file;
    program.request.samples_memory = true;
    spec->value_max = test->test->is_call ? CALL_VALUE_MAX : 0;
    program.report = test->test->is_call ? &test->value : NULL;
    program.request.fork = run->has_template;
    sharing_go_on(run, &program.request);
    program.request.restore_ms = budget_ms(run->docker, BUDGET_RESTORE);
    if (!run->plan->interactive)
        return program_run(&program, run_restore_deadline(run), begun, error);
    spec->input = -1; /* it is for the interactor */
    return interaction_run(&test->interaction, judgement, &interactor, &program, begun, error);
}

/* Runs one test. -1: the run is over; the test's result says what is known. */
static int run_test(struct judgement *judgement, const struct case_request *request,
                    struct case_result *result, struct error *error)
{
    struct run *run = &judgement->run;
    struct case_run test;
    bool begun = false;
    int status = begin_test(&test, judgement, request, error);

    cpu_margin_drop(run->plan, request, &run->result->tests, &test.limits);
    if (status == 0)
        status = run_test_program(&test, judgement, &begun, error);
    sharing_note(run);
    if (status == 0) {
        cpu_margin_judge(&run->plan->tests, request, &test.result);
        take_result(&test, run, result);
        add_figures(run->result, &test.result);
        if (test.result.reason == REASON_CANCELLED && !run->plan->interactive)
            status = error_set(error, ERROR_CANCELLED, "%s", result->message);
        else
            status = check_output(&test, judgement, result, error);
    } else {
        checker_trial_hide(judgement, error);
        take_failure(result, begun, error);
    }
    end_test(&test);
    return status;
}

/*
 * Why no test can run after the last one; NULL: they can. A program can bring that about, so it is
 * no failure of the engine.
 */
static const char *why_unusable(const struct run *run)
{
    const struct supervisor_link *link = &run->instance->link;

    if (link->failure.step == FRAME_STEP_CLEAN)
        return "what an earlier test has left in the container could not be removed";
    if (link->has_end || link->failure.step != 0 || link->keeps || !link->requested)
        return NULL; /* of the last two, no program was sent yet */
    return "an earlier test ended the container";
}

/* ---- all tests */

/* Says why tests did not run, if they did not and do not say why. */
static void set_not_run(struct case_results *results, const char *why)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].status == TEST_NOT_RUN && !results->items[i].message)
            results->items[i].message = string_copy(
                results->items[i].is_skipped ? "an earlier test is not accepted; judges stop then"
                                             : why);
}

void case_run_explain(struct run *run)
{
    if (run->result->error)
        set_not_run(&run->result->tests, run->result->error);
    scoring_compute(&run->plan->tests, &run->result->tests);
}

static void set_reason(struct result *result)
{
    const struct case_summary summary = case_results_summary(&result->tests);

    result->reason = summary.failed == 0 ? REASON_EXIT : REASON_TESTS;
    result->exit_code = summary.failed == 0 ? 0 : EXIT_CODE_NONE;
    if (summary.failed > 0) {
        CLEANUP_FREE char *shown = text_escape(summary.first_failure);

        result->error = string_format("%zu of %zu tests are not passed; the first is '%s'",
                                      summary.failed, summary.total, shown);
    }
}

int case_run_all(struct judgement *judgement, struct error *error)
{
    struct run *run = &judgement->run;
    const struct case_requests *requests = &run->plan->tests;
    struct case_results *results = &run->result->tests;
    const char *why = NULL;
    size_t next = 0;

    if (judgement->judge &&
        (judge_wait(judgement->judge, error) != 0 || checker_trial(judgement, error) != 0))
        return -1;
    for (; next < requests->count && !why; next++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        const struct case_request *test = &requests->items[next];
        struct case_result *result = &results->items[next];
        int status;

        if (result->is_skipped)
            continue;
        status = run_test(judgement, test, result, &failure);
        /* files that do not fit are one test's, except in a script, which has no place for that */
        if (status != 0 && (failure.kind != ERROR_INPUT || run->instance->transport->is_ahead)) {
            checker_trial_name(run, result->name, &failure);
            set_not_run(results, failure.message);
            return error_set(error, failure.kind, "%s", failure.message);
        }
        if (run->observer.test_ended)
            run->observer.test_ended(run->observer.test_context, next, result);
        why = why_unusable(run);
        if (!why && requests->stop_on_failure && result->status != TEST_PASSED &&
            !run->instance->transport->is_ahead) /* which has all tests, whatever comes of them */
            why = "an earlier test failed, and the request stops then";
        if (result->status != TEST_PASSED && result->status != TEST_PARTLY_RIGHT &&
            !(requests->goes_on_after & 1u << result->status) &&
            !cpu_margin_is_left(run->plan, test, result))
            for (size_t i = test->skip_from; i < test->skip_to; i++)
                results->items[i].is_skipped = true;
    }
    set_not_run(results, why);
    if (judgement->grader &&
        (judge_wait(judgement->grader, error) != 0 || grader_run(judgement, error) != 0))
        return -1;
    set_reason(run->result);
    return 0;
}
