#include "run/program_run.h"

#include <signal.h>

#include "base/clock.h"
#include "run/program_explain.h"
#include "run/verdict.h"

/* ---- its end */

/* Interrupts a cell. Returns whether it ends by that. */
static bool interrupt_cell(struct program_run *program)
{
    struct instance *instance = program->instance;

    instance_interrupt(instance);
    return instance_pump(instance, INSTANCE_ENDED, clock_now_ms() + PROGRAM_INTERRUPT_MS, NULL) ==
               PROCESS_PAUSED &&
           !output_sink_must_end(program->output);
}

/* Ends a program that still runs, and reads its last output and its figures. */
static void stop_program(struct program_run *program)
{
    struct instance *instance = program->instance;

    if (program->request.cell && !output_sink_must_end(program->output) && interrupt_cell(program))
        return;
    output_sink_detach(program->output);
    instance_stop(instance);
}

/*
 * Whether an interactor had ended when it was told to end, since its program has: its status then
 * is what it says about the program. The order has killed it otherwise, unless memory ran out.
 */
static bool ended_before(const struct program_run *program, enum process_event event)
{
    struct frame_end *end = &program->instance->link.end;

    if (event != PROCESS_CANCELLED || !program->go_on || !program->instance->link.has_end)
        return false;
    if (end->cause == FRAME_CAUSE_STOP && end->signal == SIGKILL &&
        (end->oom_kills == 0 || end->oom_kills == FRAME_UNKNOWN))
        return false;
    end->cause = FRAME_CAUSE_ITSELF;
    return true;
}

/* What isolator has done to the program, whose wait was ended by the event. */
static enum verdict_stop stop_of(const struct program_run *program, enum process_event event)
{
    if (ended_before(program, event))
        return STOP_NONE;
    if (event == PROCESS_DEADLINE)
        return STOP_TIMEOUT;
    if (event == PROCESS_CANCELLED || program->output->live_error != 0)
        return STOP_CANCELLED;
    return program->output->flooded ? STOP_OUTPUT : STOP_NONE;
}

/* Ends its connections and its calls of tools. */
static void end_connections(struct program_run *program)
{
    instance_set_channel(program->instance, CHANNEL_NETWORK, NULL);
    proxy_free(program->proxy);
    program->proxy = NULL;
    tool_socket_free(program->socket);
    program->socket = NULL;
    mux_link_free(program->link);
    program->link = NULL;
}

/* Makes what serves its relay, if it has one. */
static int begin_connections(struct program_run *program, struct error *error)
{
    const unsigned first = (unsigned)program->request.spec.connections;

    if (!program->network && !program->tool_calls)
        return 0;
    program->link = mux_link_new(error);
    if (program->link && program->network)
        program->proxy = proxy_new(program->rules, program->terminator, program->network,
                                   program->docker, program->link, error);
    if (program->link && program->tool_calls && (program->proxy || !program->network))
        program->socket =
            tool_socket_new(program->tools, program->tool_servers, program->tool_calls,
                            program->consent, program->link, first, error);
    if ((program->proxy || !program->network) && (program->socket || !program->tool_calls))
        return 0;
    end_connections(program);
    return -1;
}

/* ---- its time */

/* How short a wait for the end of the program is while a person is asked. */
enum { ASKING_MS = 20 };

/* How long the timeout has stood still for the program, since a person was asked. */
static long long waited_ms(const struct program_run *program)
{
    return tool_consent_waited_ms(program->consent) - program->asked_before_ms;
}

/* Tells the container, which has clocks of its own, how much more time questions may take. */
static void extend_time(struct program_run *program)
{
    const long long more =
        tool_consent_granted_ms(program->consent) - program->asked_before_ms - program->extended_ms;

    if (more <= 0)
        return;
    program->extended_ms += more;
    instance_extend(program->instance, more);
}

/* Waits for the end of the program, or of its time, which stands still while a person is asked. */
static enum process_event wait_for_end(struct program_run *program, long long begin)
{
    const long long end = begin + program_request_timeout_ms(&program->request);
    long long deadline = end + waited_ms(program);
    enum process_event event;

    for (;;) {
        const long long least = clock_now_ms() + ASKING_MS;

        if (deadline < least && waited_ms(program) > 0)
            deadline = least;
        event = instance_pump(program->instance, INSTANCE_ENDED, deadline,
                              program->stop ? program->stop : program->cancel);
        deadline = end + waited_ms(program);
        if (event == PROCESS_CANCELLED && program->stop && program->go_on &&
            program->go_on(program)) {
            program->stop = NULL;
        } else if (event == PROCESS_DEADLINE && program->drain_ms > 0 &&
                   program->instance->link.has_end) {
            deadline = end + program->drain_ms;
            program->drain_ms = 0;
        } else if (event != PROCESS_DEADLINE || deadline <= clock_now_ms()) {
            return event;
        }
    }
}

/* Waits for the end of the program, which has begun, or ends it. Fills in the result. */
static int run_to_end(struct program_run *program, struct error *error)
{
    struct instance *instance = program->instance;
    const struct supervisor_link *link = &instance->link;
    const long long begin = clock_now_ms();
    struct verdict verdict = {.request = &program->request, .name = program->name};
    enum process_event event;
    enum container_end end;

    output_sink_begin(program->output);
    event = wait_for_end(program, begin);
    docker_traced(program->docker, "program", begin);
    end_connections(program); /* docker commands may follow, which need descriptors */
    if (event != PROCESS_EXITED &&
        (event != PROCESS_PAUSED || output_sink_must_end(program->output)))
        stop_program(program);
    if (link->failure.step != 0)
        return program_explain_failure(program->instance, program->image, error);
    verdict.end = link->has_end ? &link->end : NULL;
    verdict.stop = stop_of(program, event);
    verdict.live_error = program->output->live_error;
    verdict.input_error = link->input_error;
    verdict.measured_ms = clock_now_ms() - begin;
    if (verdict_reach(&verdict, program->result))
        return 0;
    /* A program may make the supervisor the largest process when memory runs out. */
    end = program_container_end(instance);
    if (end != CONTAINER_KILLED_BY_KERNEL)
        return program_explain_no_end(instance, end, error);
    verdict_out_of_memory(&verdict, program->result);
    return 0;
}

/* ---- what it writes */

static void take_report(void *context, int number, const char *data, size_t length)
{
    (void)number;
    strbuf_add(context, data, length);
}

static void take_network(void *context, int number, const char *data, size_t length)
{
    struct program_run *program = context;

    (void)number;
    mux_link_take(program->link, data, length);
    extend_time(program);
}

static size_t taken_of_network(void *context, int number)
{
    (void)number;
    return mux_link_taken(((struct program_run *)context)->link);
}

static size_t give_network(void *context, char *bytes, size_t size)
{
    struct program_run *program = context;
    const size_t length = mux_link_give(program->link, bytes, size);

    extend_time(program); /* room can make a connection go on */
    return length;
}

static int network_source(const void *context)
{
    return mux_link_fd(((const struct program_run *)context)->link);
}

static void serve_network(void *context)
{
    struct program_run *program = context;

    mux_link_serve(program->link);
    extend_time(program);
}

static void set_channels(struct program_run *program)
{
    const struct channel network = {.context = program,
                                    .take = take_network,
                                    .dealt = taken_of_network,
                                    .give = give_network,
                                    .source = network_source,
                                    .serve = serve_network};
    const struct channel out = output_sink_channel(program->output, 0);
    const struct channel err = output_sink_channel(program->output, 1);
    const struct channel report = {.context = program->report, .take = take_report};

    instance_set_channel(program->instance, CHANNEL_STDOUT, &out);
    instance_set_channel(program->instance, CHANNEL_STDERR, &err);
    instance_set_channel(program->instance, CHANNEL_REPORT, program->report ? &report : NULL);
    instance_set_channel(program->instance, CHANNEL_NETWORK, program->link ? &network : NULL);
}

static void forget_channels(struct instance *instance)
{
    instance_set_channel(instance, CHANNEL_STDOUT, NULL);
    instance_set_channel(instance, CHANNEL_STDERR, NULL);
    instance_set_channel(instance, CHANNEL_REPORT, NULL);
}

int program_run(struct program_run *program, long long deadline, bool *begun, struct error *error)
{
    struct instance *instance = program->instance;
    const long long start = clock_now_ms();
    enum process_event event;
    int result;

    *begun = false;
    if (begin_connections(program, error) != 0)
        return -1;
    program->asked_before_ms = tool_consent_waited_ms(program->consent);
    set_channels(program);
    instance_send(instance, &program->request);
    event = instance_deliver(instance, INSTANCE_BEGUN, deadline, program->latest,
                             program->must_begin ? NULL : program->cancel);
    docker_traced(program->docker, "deliver", start);
    *begun = instance->link.state >= LINK_RUNNING;
    if (event == PROCESS_PAUSED && *begun)
        result = run_to_end(program, error);
    else
        result = program_explain_no_begin(instance, event, error);
    forget_channels(instance); /* which may outlive them */
    end_connections(program);
    return result;
}
