#include "run/run_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "docker/budget.h"

/* Queues what the supervisor reads: the size of the stream, then the stream. */
static void send_request(const struct run *run, struct process *client)
{
    CLEANUP_FREE char *size = string_format("%lld\n", (long long)archive_size(&run->control) +
                                                          (long long)archive_size(&run->files));

    process_write(client, size, strlen(size));
    process_write_file(client, archive_file(&run->control));
    process_write_file(client, archive_file(&run->files));
}

/* Sets the error: why the program did not begin. Returns -1. */
static int explain_no_begin(const struct instance *instance, enum process_event event,
                            struct error *error)
{
    const struct supervisor_stream *stream = &instance->streams[1];
    CLEANUP_FREE char *message = docker_message(&stream->preamble);

    if (owned_container_set_interrupted(event, "the container did not take the files in time",
                                        message, error))
        return -1;
    if (strcmp(stream->failure, "unpack") == 0)
        return error_set(error, ERROR_INPUT,
                         "cannot unpack the files in the container; do they fit its working "
                         "directory and its memory? %s",
                         message);
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

/* Ends a program that still runs, and reads its last output and its figures. */
static void stop_program(struct run *run, struct instance *instance)
{
    static const char order[] = "stop\n";

    process_write(&instance->client, order, sizeof order - 1);
    run->output.live[0] = run->output.live[1] = -1;
    instance_pump(instance, INSTANCE_STOPPED, budget_deadline(run->docker, BUDGET_STOP), NULL);
}

/*
 * The minimum time, in ms, that a program has run which used this much CPU time (microseconds; -1:
 * not known). The measured time may be shorter, since "begin" may be read after the program has
 * started. But with N cores a program uses at most N seconds of CPU time per second.
 */
static long long min_duration(const struct run *run, long long cpu_us)
{
    const long long cores = (long long)ceil(run->plan->policy.limits.number[LIMIT_CPUS]);

    return cpu_us < 0 ? 0 : (cpu_us / (cores > 0 ? cores : 1) + 999) / 1000;
}

static long long max(long long one, long long other)
{
    return one > other ? one : other;
}

/* Waits for the end of the program, which has begun, or ends it. Fills in the result. */
static int run_program(struct run *run, struct instance *instance, struct error *error)
{
    const struct supervisor_stream *stream = &instance->streams[1];
    const long long begin = clock_now_ms();
    const long long timeout = limits_timeout_ms(&run->plan->policy.limits);
    enum process_event event;
    long long measured;
    bool ended;

    output_sink_begin(&run->output);
    event = instance_pump(instance, INSTANCE_ENDED, begin + timeout, run->cancel);
    ended = instance_both(instance, SUPERVISOR_ENDED);
    measured = clock_now_ms() - begin;
    docker_traced(run->docker, "program", begin);
    if (!ended && event != PROCESS_EXITED)
        stop_program(run, instance);
    run->result->peak_bytes = stream->peak_bytes;
    run->result->cpu_us = stream->cpu_us;
    run_set_duration(run, max(measured, min_duration(run, stream->cpu_us)));
    if (ended && stream->status >= 0)
        run_set_exit(run, stream->status, stream->oom_kills > 0);
    else if (event == PROCESS_DEADLINE)
        run_set_stopped(run, REASON_TIMEOUT);
    else if (event == PROCESS_CANCELLED || run->output.live_error != 0)
        run_set_stopped(run, REASON_CANCELLED);
    else if (run->output.flooded)
        run_set_stopped(run, REASON_OUTPUT_LIMIT);
    else
        return error_set(
            error, ERROR_ENGINE,
            "the container ended before it reported the program's exit status ('docker "
            "start' ended with status %d); was the supervisor in the container killed for "
            "lack of memory, or was the engine restarted?",
            instance->client.status);
    return 0;
}

/* Why files of the program may be missing. */
static const char *explain_missing(enum process_event event)
{
    if (event == PROCESS_EXITED)
        return "the container ended before it had sent them";
    return event == PROCESS_CANCELLED ? "cancelled" : "the container did not send them in time";
}

/* Takes the files that the program has left in its working directory. */
static void collect_files(struct run *run, struct instance *instance)
{
    static const char order[] = "files\n";
    const long long start = clock_now_ms();
    const long long soon = start + budget_ms(run->docker, BUDGET_FILES);
    const long long end = run_end_deadline(run);
    CLEANUP(collector_release) struct collector collector;
    enum process_event event = PROCESS_EXITED;

    collector_init(&collector, run->plan, &run->sent, run->result);
    if (instance_both(instance, SUPERVISOR_ENDED)) {
        instance->collector = &collector;
        instance->streams[0].wants_files = true;
        process_write(&instance->client, order, sizeof order - 1);
        event = instance_pump(instance, INSTANCE_FILES, soon < end ? soon : end, run->cancel);
        instance->collector = NULL;
    }
    collector_finish(&collector, explain_missing(event));
    docker_traced(run->docker, "files", start);
}

int run_supervised(struct run *run, long long deadline, bool *begun, struct error *error)
{
    struct instance *instance = run->instance;
    const long long start = clock_now_ms();
    enum process_event event;
    int result;

    instance->output = &run->output;
    send_request(run, &instance->client);
    event = instance_pump(instance, INSTANCE_BEGUN, deadline, run->cancel);
    docker_traced(run->docker, "deliver", start);
    *begun = event == PROCESS_PAUSED && instance_either(instance, SUPERVISOR_RUNNING);
    result = *begun ? run_program(run, instance, error) : explain_no_begin(instance, event, error);
    instance->output = NULL; /* the instance may outlive it */
    if (result == 0 && run_wants_files(run))
        collect_files(run, instance);
    return result;
}
