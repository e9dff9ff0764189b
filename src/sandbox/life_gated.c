#include "sandbox/life.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"

/* How long a program that we end gets to be killed and accounted for. */
enum { STOP_PERCENT = 10 }; /* of the engine's time */

/* How long its files may take to come. */
enum { FILES_PERCENT = 30 };

/* Queues what the gate reads: the size of the stream, then the stream. */
static void send_request(const struct life *life, struct process *client)
{
    CLEANUP_FREE char *size = string_format("%lld\n", (long long)archive_size(life->control) +
                                                          (long long)archive_size(life->files));

    process_write(client, size, strlen(size));
    process_write_file(client, archive_file(life->control));
    process_write_file(client, archive_file(life->files));
}

/* The program did not begin: says why. Returns -1. */
static int explain_no_begin(const struct sandbox *sandbox, enum process_event event,
                            struct error *error)
{
    const struct gate_stream *stream = &sandbox->streams[1];
    CLEANUP_FREE char *message = docker_message(&stream->preamble);

    if (box_interrupted(event, "the container did not take the files in time", message, error))
        return -1;
    if (strcmp(stream->failure, "unpack") == 0)
        return error_set(error, ERROR_INPUT,
                         "cannot unpack the files in the container; do they fit its working "
                         "directory and its memory? %s",
                         message);
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

/* Ends a program that still runs, so that what it wrote and used becomes known. */
static void stop(struct life *life, struct sandbox *sandbox)
{
    static const char order[] = "stop\n";

    process_write(&sandbox->client, order, sizeof order - 1);
    life->output->live[0] = life->output->live[1] = -1;
    sandbox_pump(sandbox, SANDBOX_STOPPED,
                 clock_now_ms() + docker_share(life->docker, STOP_PERCENT), NULL);
}

/* The program began: sees it to its end. */
static int run_program(struct life *life, struct sandbox *sandbox, struct error *error)
{
    const struct gate_stream *stream = &sandbox->streams[1];
    const long long begin = clock_now_ms();
    const long long timeout = limits_timeout_ms(&life->plan->limits);
    enum process_event event;
    bool ended;

    output_begin(life->output);
    event = sandbox_pump(sandbox, SANDBOX_ENDED, begin + timeout, life->cancel);
    ended = sandbox_both(sandbox, GATE_ENDED);
    life_ran(life, clock_now_ms() - begin);
    docker_traced(life->docker, "program", begin);
    if (!ended && event != PROCESS_EXITED)
        stop(life, sandbox);
    life->result->peak_bytes = stream->peak_bytes;
    life->result->cpu_us = stream->cpu_us;
    if (ended && stream->status >= 0)
        life_exited(life, stream->status, stream->oom_kills > 0);
    else if (event == PROCESS_DEADLINE)
        life_ended(life, REASON_TIMEOUT);
    else if (event == PROCESS_CANCELLED || life->output->live_error != 0)
        life_ended(life, REASON_CANCELLED);
    else if (life->output->flooded)
        life_ended(life, REASON_OUTPUT_LIMIT);
    else
        return error_set(error, ERROR_ENGINE,
                         "the container ended and did not say how the program did (docker start: "
                         "status %d); was the gate killed for memory, or the engine restarted?",
                         sandbox->client.status);
    return 0;
}

/* Why the files of the program may not all have come. */
static const char *explain_missing(enum process_event event)
{
    if (event == PROCESS_EXITED)
        return "the container ended before they were here";
    return event == PROCESS_CANCELLED ? "cancelled" : "the container did not send them in time";
}

/* The program has ended: takes the files that it leaves. */
static void collect(struct life *life, struct sandbox *sandbox)
{
    static const char order[] = "files\n";
    const long long start = clock_now_ms();
    const long long soon = start + docker_share(life->docker, FILES_PERCENT);
    const long long end = life_end(life);
    CLEANUP(collector_release) struct collector collector;
    enum process_event event = PROCESS_EXITED;

    collector_init(&collector, life->plan, life->files, life->result);
    if (sandbox_both(sandbox, GATE_ENDED)) {
        sandbox->collector = &collector;
        sandbox->streams[0].wants_files = true;
        process_write(&sandbox->client, order, sizeof order - 1);
        event = sandbox_pump(sandbox, SANDBOX_FILES, soon < end ? soon : end, life->cancel);
        sandbox->collector = NULL;
    }
    collector_finish(&collector, explain_missing(event));
    docker_traced(life->docker, "files", start);
}

int life_gated(struct life *life, struct sandbox *sandbox, long long deadline, bool *begun,
               struct error *error)
{
    const long long start = clock_now_ms();
    enum process_event event;
    int result;

    sandbox->output = life->output;
    send_request(life, &sandbox->client);
    event = sandbox_pump(sandbox, SANDBOX_BEGUN, deadline, life->cancel);
    docker_traced(life->docker, "deliver", start);
    *begun = event == PROCESS_PAUSED && sandbox_both(sandbox, GATE_RUNNING);
    result = *begun ? run_program(life, sandbox, error) : explain_no_begin(sandbox, event, error);
    sandbox->output = NULL; /* which may be gone before the sandbox is */
    if (result == 0 && life_wants_files(life))
        collect(life, sandbox);
    return result;
}
