#define _GNU_SOURCE
#include "judge/interaction.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/thread.h"
#include "docker/engine_memory.h"
#include "docker/image_store.h"
#include "run/run_steps.h"

/*
 * How long before its timeout a program is looked at, to know what it waits for; it is not if that
 * is shorter than the other one.
 */
enum { WAIT_STATE_BEFORE_MS = 100, WAIT_STATE_TIMEOUT_MS = 500 };

/* Whether the image of the program declares volumes, which would be shared like the FIFOs. */
static bool has_volumes(const struct run *run)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct plan *plan = run->plan;
    int found = image_store_details(run->docker, plan->image, run->cancel, &details, &ignored);

    if (found == 0 && plan->base)
        found = image_store_details(run->docker, plan->base, run->cancel, &details, &ignored);
    return found != 1 || details.has_volumes;
}

bool interaction_must_relay(const struct run *run)
{
    const struct plan *plan = run->plan;
    struct engine_memory *memory = run->docker->memory;

    return plan->transcript || engine_memory_is_gvisor(memory, plan->policy.oci_runtime) ||
           engine_memory_is_gvisor(memory, plan->checker->policy.oci_runtime) || has_volumes(run);
}

/* Each end is closed as soon as its side has ended, so that the other one reads the end of file. */
static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- the interactor, in its thread */

static void note_begin(void *context)
{
    struct interaction *interaction = context;

    interaction->begun_ms[1] = clock_now_ms();
    atomic_store(&interaction->has_begun, true);
    notifier_raise(&interaction->begun);
}

static void note_begin_of_program(void *context)
{
    ((struct interaction *)context)->begun_ms[0] = clock_now_ms();
}

/* The program has ended. If it has ended well, the interactor goes on, and reads the end of file.
 */
static bool go_on(struct program_run *program)
{
    struct interaction *interaction = program->go_on_context;

    if (!atomic_load(&interaction->program_ended_well))
        return false;
    instance_let_go(program->instance);
    return true;
}

static void use_pipes(struct program_run *program, int in, int out, struct transcript *transcript,
                      enum transcript_side side)
{
    program->request.spec.input = in;
    program->request.spec.input_is_live = true;
    program->output->live[0] = out;
    program->output->is_piped = true;
    program->output->transcript = transcript;
    program->output->side = side;
}

static void prepare(void *context, struct program_run *program)
{
    struct interaction *interaction = context;

    program->request.side = interaction->relayed ? SIDE_RELAYED : SIDE_INTERACTOR;
    program->request.wait_state_ms = interaction->wait_state_ms;
    program->request.spec.limits = &interaction->limits;
    program->stop = &interaction->ended;
    program->go_on = go_on;
    program->go_on_context = interaction;
    program->output->begun = note_begin;
    program->output->context = interaction;
    if (interaction->relayed)
        use_pipes(program, interaction->to_interactor[0], interaction->to_program[1],
                  &interaction->transcript, SAID_BY_INTERACTOR);
}

/* Whether nothing that the program still does changes the result of the test. */
static bool is_decided(const struct interaction *interaction)
{
    return interaction->status != 0 || !interaction->has_verdict ||
           interaction->verdict.outcome == CHECKER_WRONG;
}

static void *run_interactor(void *context)
{
    struct interaction *interaction = context;
    const enum checker_convention convention = interaction->plan->checker_convention;
    const struct checker_joint joint = {prepare, interaction};

    interaction->status = checker_execute(interaction->interactor, convention, interaction->given,
                                          &joint, &interaction->result, &interaction->error);
    if (interaction->status == 0)
        interaction->has_verdict =
            checker_judge(convention, "the interactor", &interaction->result, &interaction->verdict,
                          &interaction->judge_error) == 0;
    interaction->wait_state = interaction->interactor->run.instance->link.wait_state;
    close_end(&interaction->to_interactor[0]);
    close_end(&interaction->to_program[1]);
    if (is_decided(interaction))
        notifier_raise(&interaction->judged);
    atomic_store(&interaction->has_ended, true);
    notifier_raise(&interaction->begun);
    return NULL;
}

/* ---- both */

static int open_pipes(struct interaction *interaction, struct error *error)
{
    if (pipe2(interaction->to_program, O_CLOEXEC) == 0 &&
        pipe2(interaction->to_interactor, O_CLOEXEC) == 0)
        return 0;
    return error_set_errno(error, ERROR_SYSTEM, "cannot create a pipe");
}

static int open_all(struct interaction *interaction, struct error *error)
{
    if (notifier_open(&interaction->begun, error) != 0 ||
        notifier_open(&interaction->ended, error) != 0 ||
        notifier_open(&interaction->judged, error) != 0 ||
        notifier_open_either(&interaction->stop, interaction->cancel, &interaction->judged,
                             error) != 0)
        return -1;
    return interaction->relayed ? open_pipes(interaction, error) : 0;
}

static void init(struct interaction *interaction, const struct judgement *judgement,
                 const struct checked_output *given, const struct program_run *program)
{
    const long long timeout_ms = program_request_timeout_ms(&program->request);
    const struct run *run = &judgement->run;

    *interaction = (struct interaction){
        .interactor = judgement->judge,
        .plan = run->plan,
        .given = given,
        .cancel = run->cancel,
        .limits = judgement->judge->run.plan->policy.limits,
        .wait_state_ms =
            timeout_ms >= WAIT_STATE_TIMEOUT_MS ? timeout_ms - WAIT_STATE_BEFORE_MS : 0,
        .relayed = judgement->relays,
        .to_program = {-1, -1},
        .to_interactor = {-1, -1},
        .begun = NOTIFIER_INIT,
        .ended = NOTIFIER_INIT,
        .judged = NOTIFIER_INIT,
        .stop = NOTIFIER_INIT,
        .status = -1,
        .result = RESULT_INIT,
    };
    interaction->limits.number[LIMIT_TIMEOUT] += program_request_timeout(&program->request);
    transcript_init(&interaction->transcript, (size_t)run->plan->test_output_bytes,
                    clock_now_ms() + interaction->wait_state_ms);
}

/* How long is waited at a time. */
enum { WAIT_MS = 1000 };

/* Waits until the interactor has begun, or has ended without that, which is bounded. */
static bool wait_for_begin(struct interaction *interaction)
{
    struct pollfd polled = {notifier_fd(&interaction->begun), POLLIN, 0};

    while (!atomic_load(&interaction->has_begun) && !atomic_load(&interaction->has_ended))
        io_poll(&polled, 1, WAIT_MS);
    return atomic_load(&interaction->has_begun);
}

static int run_program(struct interaction *interaction, const struct run *run,
                       struct program_run *program, bool *begun, struct error *error)
{
    program->request.side = interaction->relayed ? SIDE_RELAYED : SIDE_JOINED;
    program->request.wait_state_ms = interaction->wait_state_ms;
    program->stop = &interaction->stop;
    if (interaction->relayed)
        use_pipes(program, interaction->to_program[0], interaction->to_interactor[1],
                  &interaction->transcript, SAID_BY_PROGRAM);
    program->output->begun = note_begin_of_program;
    program->output->context = interaction;
    program->drain_ms = limits_timeout_ms(&interaction->limits);
    return program_run(program, run_restore_deadline(run), begun, error);
}

int interaction_run(struct interaction *interaction, struct judgement *judgement,
                    const struct checked_output *given, struct program_run *program, bool *begun,
                    struct error *error)
{
    pthread_t thread;
    int status = 0;

    *begun = false;
    init(interaction, judgement, given, program);
    if (open_all(interaction, error) != 0)
        return -1;
    if (thread_start(&thread, run_interactor, interaction) != 0)
        return error_set(error, ERROR_SYSTEM, "cannot start a thread for the interactor");
    if (wait_for_begin(interaction))
        status = run_program(interaction, &judgement->run, program, begun, error);
    atomic_store(&interaction->program_ended_well, status == 0 &&
                                                       program->result->reason == REASON_EXIT &&
                                                       program->result->exit_code == 0);
    if (atomic_load(&interaction->program_ended_well)) {
        output_sink_detach(program->output);
        close_end(&interaction->to_program[0]);
        close_end(&interaction->to_interactor[1]);
    }
    notifier_raise(&interaction->ended);
    pthread_join(thread, NULL);
    if (status == 0 && interaction->status != 0 && !atomic_load(&interaction->has_begun))
        return error_set(error, interaction->error.kind, "%s", interaction->error.message);
    return status;
}

/* ---- the result of the test */

/* Moves what is known of the interactor into the result of the test. */
static void take_interactor(struct interaction *interaction, struct case_result *result)
{
    struct result *own = &interaction->result;
    struct interactor_result *taken = memory_allocate(sizeof *taken);
    const bool hidden = interaction->plan->tests.outcome_only;

    *taken = (struct interactor_result){.exit_code = own->exit_code,
                                        .signal = own->signal,
                                        .duration_ms = own->duration_ms,
                                        .cpu_us = own->cpu_us,
                                        .relayed = interaction->relayed,
                                        .truncated = own->truncated[1]};
    if (!hidden) {
        taken->error_text = own->text[1];
        own->text[1] = (struct strbuf)STRBUF_INIT;
    }
    if (interaction->plan->transcript && !hidden) {
        taken->has_transcript = true;
        taken->transcript_truncated = interaction->transcript.truncated;
        taken->transcript = transcript_finish(&interaction->transcript);
    }
    result->interactor = taken;
}

/* How long nothing was said when the program was looked at. */
static long long idle_ms(const struct interaction *interaction,
                         const struct frame_wait_state *program)
{
    if (!interaction->relayed)
        return (long long)program->idle_ms;
    return interaction->transcript.until_ms - interaction->transcript.last_ms;
}

/*
 * The time of the program is over: says who waited for whom. The interactor was looked at earlier,
 * by as much as it has begun earlier, and nothing may have been said for long by then, too.
 */
static int explain_timeout(const struct interaction *interaction,
                           const struct frame_wait_state *program, struct case_result *result,
                           struct error *error)
{
    const long long idle = idle_ms(interaction, program), least = interaction->wait_state_ms / 2;
    const long long earlier = interaction->begun_ms[0] - interaction->begun_ms[1];
    const bool waits = interaction->wait_state.wait != FRAME_WAIT_NOTHING;

    if (program->wait == FRAME_WAIT_NOTHING || interaction->has_verdict ||
        idle < (waits ? least : least + earlier))
        return 0;
    if (!waits)
        return error_set(error, ERROR_JUDGE,
                         "the interactor did not answer: the program waited for it until its "
                         "timeout");
    free(result->message);
    result->message = string_copy(program->wait == FRAME_WAIT_INPUT
                                      ? "deadlock: the program and the interactor waited for each "
                                        "other to write; is a line missing, or not flushed?"
                                      : "deadlock: the program and the interactor waited for each "
                                        "other to read");
    return 0;
}

/* Hands on the error. */
static int fail(struct error *from, struct error *error)
{
    *error = *from;
    *from = (struct error)ERROR_INIT;
    return -1;
}

int interaction_decide(struct interaction *interaction, const struct result *program,
                       const struct frame_wait_state *wait_state, struct case_result *result,
                       struct checker_verdict *verdict, struct error *error)
{
    const bool well = atomic_load(&interaction->program_ended_well);
    const bool was_stopped = interaction->result.reason == REASON_CANCELLED;

    take_interactor(interaction, result);
    if (notifier_raised(interaction->cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled while the program ran");
    if (interaction->status != 0)
        return fail(&interaction->error, error);
    if (interaction->has_verdict && (well || interaction->verdict.outcome == CHECKER_WRONG)) {
        *verdict = interaction->verdict;
        interaction->verdict.message = NULL;
        return 1;
    }
    if (!interaction->has_verdict && !was_stopped)
        return fail(&interaction->judge_error, error);
    if (program->reason == REASON_TIMEOUT)
        return explain_timeout(interaction, wait_state, result, error);
    return 0;
}

void interaction_release(struct interaction *interaction)
{
    struct strbuf rest = transcript_finish(&interaction->transcript);

    strbuf_release(&rest);
    for (int i = 0; i < 2; i++) {
        close_end(&interaction->to_program[i]);
        close_end(&interaction->to_interactor[i]);
    }
    notifier_release(&interaction->begun);
    notifier_release(&interaction->ended);
    notifier_release(&interaction->judged);
    notifier_release(&interaction->stop);
    error_release(&interaction->error);
    error_release(&interaction->judge_error);
    free(interaction->verdict.message);
    result_release(&interaction->result);
}
