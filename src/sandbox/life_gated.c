#include "sandbox/life.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"

/* How long a program that we end gets to be killed and accounted for. */
enum { STOP_PERCENT = 10 }; /* of the engine's time */

/* What the pump waits for; see wanted(). */
enum phase { PHASE_BEGIN, PHASE_RUN, PHASE_STOP };

/* The attached container. */
struct session {
    struct life *life;
    struct process client; /* docker start */
    struct gate_stream streams[2];
    enum phase phase;
};

struct stream_place {
    struct output *output;
    int stream;
};

static void take_program_bytes(void *context, const char *data, size_t length)
{
    const struct stream_place *place = context;

    output_add(place->output, place->stream, data, length);
}

static bool both(const struct session *session, enum gate_state state)
{
    return session->streams[0].state >= state && session->streams[1].state >= state;
}

/* Whether what the phase waits for has come. */
static bool wanted(const struct session *session)
{
    switch (session->phase) {
    case PHASE_BEGIN:
        return both(session, GATE_RUNNING) || session->streams[1].failure[0] != '\0';
    case PHASE_RUN:
        return both(session, GATE_ENDED) || output_must_end(session->life->output);
    case PHASE_STOP:
        break;
    }
    return both(session, GATE_ENDED);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct session *session = context;
    struct stream_place place = {session->life->output, (int)stream};

    gate_stream_feed(&session->streams[stream], data, length, take_program_bytes, &place);
    return !wanted(session);
}

static enum process_event pump(struct session *session, enum phase phase, long long deadline)
{
    struct process_pump pump = PROCESS_PUMP_INIT;

    session->phase = phase;
    if (wanted(session))
        return PROCESS_PAUSED;
    pump.sink = take_bytes;
    pump.context = session;
    pump.deadline = deadline;
    if (phase != PHASE_STOP) {
        pump.cancel = cancel_fd(session->life->cancel);
        pump.throttle[0] = session->life->output->live[0];
        pump.throttle[1] = session->life->output->live[1];
    }
    return process_pump(&session->client, &pump);
}

static int create(struct life *life, struct error *error)
{
    CLEANUP(strvec_release)
    struct strvec command = gate_command(life->nonce, life->plan->workdir);
    struct container_spec spec = life_spec(life);

    spec.auto_remove = true;
    spec.command = &command;
    spec.tmpfs[1] = (struct container_tmpfs){life->plan->workdir,
                                             (long)life->plan->limits.number[LIMIT_WORKDIR]};
    return life_create(life, &spec, error);
}

/* Queues what the gate reads: the size of the stream, then the stream. */
static void send_request(struct session *session)
{
    const struct life *life = session->life;
    CLEANUP_FREE char *size = string_format("%lld\n", (long long)archive_size(life->control) +
                                                          (long long)archive_size(life->files));

    process_write(&session->client, size, strlen(size));
    process_write_file(&session->client, archive_file(life->control));
    process_write_file(&session->client, archive_file(life->files));
}

/* The program did not begin: says why. Returns -1. */
static int explain_no_begin(struct session *session, enum process_event event, enum life_gate *gate,
                            struct error *error)
{
    const struct gate_stream *stream = &session->streams[1];
    CLEANUP_FREE char *message = docker_message(&stream->preamble);

    if (event == PROCESS_CANCELLED)
        return life_cancelled(error);
    if (event == PROCESS_DEADLINE)
        return error_set(error, ERROR_ENGINE, "the engine did not start the container in time%s%s",
                         *message ? ": " : "", message);
    if (!stream->ready)
        *gate = LIFE_GATE_SILENT;
    else if (strcmp(stream->failure, "tools") == 0)
        *gate = LIFE_GATE_NO_TOOLS;
    if (*gate != LIFE_GATE_GOOD)
        return docker_explain(session->life->docker, session->life->plan->image,
                              "cannot start the container",
                              *message ? message : "'docker start' ended without a message", error);
    if (strcmp(stream->failure, "unpack") == 0)
        return error_set(error, ERROR_INPUT,
                         "cannot unpack the files in the container; do they fit its working "
                         "directory and its memory? %s",
                         message);
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

/* Ends a program that still runs, so that what it wrote and used becomes known. */
static void stop(struct session *session)
{
    static const char order[] = "stop\n";
    const struct life *life = session->life;

    process_write(&session->client, order, sizeof order - 1);
    life->output->live[0] = life->output->live[1] = -1;
    pump(session, PHASE_STOP, clock_now_ms() + docker_share(life->docker, STOP_PERCENT));
}

/* The program began: sees it to its end. */
static int run_program(struct session *session, struct error *error)
{
    struct life *life = session->life;
    const struct gate_stream *stream = &session->streams[1];
    const long long begin = clock_now_ms();
    const long long timeout = limits_timeout_ms(&life->plan->limits);
    enum process_event event;
    bool ended;

    output_begin(life->output);
    event = pump(session, PHASE_RUN, begin + timeout);
    ended = both(session, GATE_ENDED);
    life->result->duration_ms = clock_now_ms() - begin;
    docker_traced(life->docker, "program", begin);
    if (!ended && event != PROCESS_EXITED)
        stop(session);
    life->result->peak_bytes = stream->peak_bytes;
    life->result->cpu_us = stream->cpu_us;
    if (ended && stream->status >= 0)
        life_exited(life, stream->status, stream->oom_kills > 0);
    else if (event == PROCESS_DEADLINE)
        life_ended(life, REASON_TIMEOUT);
    else if (event == PROCESS_CANCELLED || life->output->live_gone)
        life_ended(life, REASON_CANCELLED);
    else if (life->output->flooded)
        life_ended(life, REASON_OUTPUT_LIMIT);
    else
        return error_set(error, ERROR_ENGINE,
                         "the container ended and did not say how the program did (docker start: "
                         "status %d); was the gate killed for memory, or the engine restarted?",
                         session->client.status);
    return 0;
}

static int run_attached(struct session *session, enum life_gate *gate, struct error *error)
{
    struct life *life = session->life;
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    const long long start = clock_now_ms();
    enum process_event event;

    if (container_start(life->docker, life->name, &streams, &session->client, error) != 0)
        return -1;
    send_request(session);
    event = pump(session, PHASE_BEGIN, life_setup_deadline(life));
    docker_traced(life->docker, "start", start);
    if (event != PROCESS_PAUSED || !both(session, GATE_RUNNING))
        return explain_no_begin(session, event, gate, error);
    return run_program(session, error);
}

int life_gated(struct life *life, enum life_gate *gate, struct error *error)
{
    struct session session = {.life = life, .client = PROCESS_INIT};
    int result;

    *gate = LIFE_GATE_GOOD;
    if (create(life, error) != 0)
        return -1;
    gate_stream_init(&session.streams[0], life->nonce);
    gate_stream_init(&session.streams[1], life->nonce);
    if (cancel_raised(life->cancel))
        result = life_cancelled(error);
    else
        result = run_attached(&session, gate, error);
    life_remove(life, &session.client);
    process_release(&session.client);
    gate_stream_release(&session.streams[0]);
    gate_stream_release(&session.streams[1]);
    return result;
}
