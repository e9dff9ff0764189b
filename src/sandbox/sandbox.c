#include "sandbox/sandbox.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/linux.h"

/* How long the engine gets to remove a sandbox by itself: this part of its time. */
enum { LEAVE_PERCENT = 10 };

struct stream_place {
    struct sandbox *sandbox;
    int stream;
};

struct sandbox *sandbox_new(const struct docker *docker, const struct plan *plan, const char *nonce,
                            long long in_use_ms)
{
    struct sandbox *sandbox = memory_allocate(sizeof *sandbox);

    *sandbox = (struct sandbox){
        .client = PROCESS_INIT, .kind = sandbox_kind(plan), .warnings = STRVEC_INIT};
    box_init(&sandbox->box, docker, in_use_ms);
    if (nonce)
        memcpy(sandbox->nonce, nonce, sizeof sandbox->nonce);
    else
        linux_random_digits(sandbox->nonce, sizeof sandbox->nonce);
    gate_stream_init(&sandbox->streams[0], sandbox->nonce);
    gate_stream_init(&sandbox->streams[1], sandbox->nonce);
    return sandbox;
}

void sandbox_free(struct sandbox *sandbox)
{
    process_release(&sandbox->client);
    gate_stream_release(&sandbox->streams[0]);
    gate_stream_release(&sandbox->streams[1]);
    box_release(&sandbox->box);
    strvec_release(&sandbox->warnings);
    free(sandbox->kind);
    free(sandbox);
}

/* The spec borrows from all three. */
static struct container_spec spec_of(struct box *box, const struct plan *plan,
                                     const struct strvec *command)
{
    struct container_spec spec = box_spec(box, plan);

    spec.auto_remove = true;
    spec.command = command;
    spec.tmpfs[1] =
        (struct container_tmpfs){plan->workdir, (long)plan->limits.number[LIMIT_WORKDIR]};
    return spec;
}

char *sandbox_kind(const struct plan *plan)
{
    struct box nameless = {.labels = STRVEC_INIT};
    CLEANUP(strvec_release) struct strvec command = gate_command("", plan->workdir);
    const struct container_spec spec = spec_of(&nameless, plan, &command);

    return container_text(&spec);
}

bool sandbox_begun(const struct sandbox *sandbox)
{
    return sandbox->streams[0].state >= GATE_RUNNING || sandbox->streams[1].state >= GATE_RUNNING ||
           !sandbox->client.exited;
}

bool sandbox_both(const struct sandbox *sandbox, enum gate_state state)
{
    return sandbox->streams[0].state >= state && sandbox->streams[1].state >= state;
}

/* Whether what the phase waits for has come. */
static bool wanted(const struct sandbox *sandbox)
{
    const struct gate_stream *stream = &sandbox->streams[1];

    switch (sandbox->phase) {
    case SANDBOX_MADE:
        return stream->ready || stream->failure[0] != '\0';
    case SANDBOX_BEGUN:
        return sandbox_both(sandbox, GATE_RUNNING) || stream->failure[0] != '\0';
    case SANDBOX_ENDED:
        return sandbox_both(sandbox, GATE_ENDED) || output_must_end(sandbox->output);
    case SANDBOX_FILES:
        return sandbox->collected;
    case SANDBOX_STOPPED:
        break;
    }
    return sandbox_both(sandbox, GATE_ENDED);
}

/* A hostile image may say that a program has begun before it got one. */
static void take_sandbox_bytes(void *context, enum gate_state state, const char *data,
                               size_t length)
{
    const struct stream_place *place = context;
    struct sandbox *sandbox = place->sandbox;

    if (state == GATE_RUNNING && sandbox->output)
        output_add(sandbox->output, place->stream, data, length);
    else if (state == GATE_FILES && sandbox->collector)
        sandbox->collected = !collector_feed(sandbox->collector, data, length);
}

static void feed(struct sandbox *sandbox, enum process_stream stream, const char *data,
                 size_t length)
{
    struct stream_place place = {sandbox, (int)stream};

    gate_stream_feed(&sandbox->streams[stream], data, length, take_sandbox_bytes, &place);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    feed(context, stream, data, length);
    return !wanted(context);
}

enum process_event sandbox_pump(struct sandbox *sandbox, enum sandbox_phase phase,
                                long long deadline, const struct cancel *cancel)
{
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event;

    sandbox->phase = phase;
    if (wanted(sandbox))
        return PROCESS_PAUSED;
    pump.sink = take_bytes;
    pump.context = sandbox;
    pump.deadline = deadline;
    pump.cancel = cancel_fd(cancel);
    if (sandbox->output && phase <= SANDBOX_ENDED)
        memcpy(pump.throttle, sandbox->output->live, sizeof pump.throttle);
    event = process_pump(&sandbox->client, &pump);
    sandbox->late = event == PROCESS_DEADLINE && phase != SANDBOX_ENDED;
    return event;
}

/* The gate is not ready: says why. Returns -1. */
static int explain(struct sandbox *sandbox, enum process_event event, const struct cancel *cancel,
                   struct error *error)
{
    const struct gate_stream *stream = &sandbox->streams[1];
    CLEANUP_FREE char *message = docker_message(&stream->preamble);

    if (box_interrupted(event, "the engine did not start the container in time", message, error))
        return -1;
    if (stream->failure[0] == '\0')
        sandbox->gate = SANDBOX_GATE_SILENT;
    else if (strcmp(stream->failure, "tools") == 0)
        sandbox->gate = SANDBOX_GATE_NO_TOOLS;
    return docker_explain(sandbox->box.docker, sandbox->box.image, "cannot start the container",
                          *message ? message : "'docker start' ended without a message", cancel,
                          error);
}

static int start(struct sandbox *sandbox, long long deadline, const struct cancel *cancel,
                 struct error *error)
{
    const struct docker *docker = sandbox->box.docker;
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    const long long begin = clock_now_ms();
    enum process_event event;

    if (cancel_raised(cancel))
        return box_cancelled(error);
    if (container_start(docker, sandbox->box.name, &streams, &sandbox->client, error) != 0)
        return -1;
    event = sandbox_pump(sandbox, SANDBOX_MADE, deadline, cancel);
    docker_traced(docker, "start", begin);
    if (event != PROCESS_PAUSED || !sandbox->streams[1].ready)
        return explain(sandbox, event, cancel, error);
    sandbox->made = clock_now_ms();
    return 0;
}

int sandbox_make(struct sandbox *sandbox, const struct plan *plan, long long deadline,
                 long long end, const struct cancel *cancel, struct error *error)
{
    CLEANUP(strvec_release)
    struct strvec command = gate_command(sandbox->nonce, plan->workdir);
    CLEANUP(error_release) struct error left = ERROR_INIT;
    const struct container_spec spec = spec_of(&sandbox->box, plan, &command);

    if (box_create(&sandbox->box, &spec, deadline, end, cancel, &sandbox->warnings, error) != 0)
        return -1;
    if (start(sandbox, deadline, cancel, error) == 0)
        return 0;
    if (sandbox_remove(sandbox, end, &left) != 0)
        strvec_push(&sandbox->warnings, left.message);
    return -1;
}

bool sandbox_waits(const struct sandbox *sandbox)
{
    struct pollfd polled = {sandbox->client.pidfd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}

void sandbox_dismiss(struct sandbox *sandbox)
{
    process_close_stdin(&sandbox->client);
}

/* Only the marks still count. */
static bool take_last_bytes(void *context, enum process_stream stream, const char *data,
                            size_t length)
{
    feed(context, stream, data, length);
    return true;
}

/* Waits for the end of `docker start`, which comes when the container is gone. */
static bool client_ends(struct sandbox *sandbox, long long end)
{
    const long long enough = clock_now_ms() + docker_share(sandbox->box.docker, LEAVE_PERCENT);
    struct process_pump pump = PROCESS_PUMP_INIT;

    pump.sink = take_last_bytes;
    pump.context = sandbox;
    pump.deadline = end == 0 || end > enough ? enough : end;
    return process_pump(&sandbox->client, &pump) == PROCESS_EXITED;
}

/*
 * The gate ends with its stdin, and `docker start` of a container with --rm returns when that is removed:
 * its status is 0 only if both went well. That takes no further docker command, which would cost more
 * than all that is left to do.
 */
int sandbox_remove(struct sandbox *sandbox, long long end, struct error *error)
{
    const struct process_drain drain = {&sandbox->client, take_last_bytes, sandbox};
    const bool ready = sandbox->streams[1].ready;
    const long long begin = clock_now_ms();

    if (ready && !sandbox->late) {
        sandbox_dismiss(sandbox);
        if (client_ends(sandbox, end) && sandbox->client.status == 0) {
            docker_traced(sandbox->box.docker, "end", begin);
            return 0;
        }
    }
    if (box_remove(&sandbox->box, &drain, end, error) != 0)
        return -1;
    if (ready) /* the last that it has said may be under way */
        client_ends(sandbox, 0);
    return 0;
}
