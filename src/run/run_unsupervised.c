#include "run/run_steps.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/explain.h"

static const char UNSUPERVISED_WARNING[] =
    "the image lacks commands that the supervisor needs (sh, tar, head, rm, sleep), so the program "
    "ran without it: the working directory is read-only, memory and CPU time are not measured, "
    "running out of memory may be reported as SIGKILL, environment values are visible to the "
    "engine's users, and if isolator is killed, the program runs until the reaper removes its "
    "container";

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct output_sink *output = context;

    output_sink_add(output, (int)stream, data, length);
    return !output_sink_must_end(output);
}

/* An unnamed file, owned, with the environment as `docker create --env-file` reads it; -1. */
static int environment_file(const struct strvec *variables, struct error *error)
{
    CLEANUP_FREE char *lines = NULL;
    int file;

    for (size_t i = 0; i < variables->count; i++)
        if (strpbrk(variables->items[i], "\r\n"))
            return error_set(
                error, ERROR_INPUT,
                "a value of the environment has a line break, which cannot be passed to "
                "an image without a shell");
    lines = strvec_join(variables, "\n");
    file = linux_unnamed_file_of(lines, strlen(lines));
    return file < 0 ? error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file") : file;
}

/* The docker command sends arguments as JSON, in which invalid UTF-8 becomes U+FFFD. */
static int check_command(const struct strvec *command, struct error *error)
{
    for (size_t i = 0; i < command->count; i++)
        if (!text_is_utf8(command->items[i]))
            return error_set(
                error, ERROR_INPUT,
                "the argument '%s' is not valid UTF-8, which cannot be passed to an image "
                "without a shell",
                command->items[i]);
    return 0;
}

static int create_container(struct run *run, struct owned_container *container, struct error *error)
{
    struct container_spec spec = owned_container_spec(container, run->plan);
    CLEANUP_FD int environment = environment_file(&run->plan->environment, error);

    if (environment < 0 || check_command(&run->plan->command, error) != 0)
        return -1;
    spec.command = &run->plan->command;
    spec.workdir = run->plan->workdir;
    spec.volume = run->plan->workdir;
    spec.environment = &run->plan->environment;
    spec.environment_file = environment;
    return owned_container_create(container, &spec, run_setup_deadline(run), run_end_deadline(run),
                                  run->cancel, &run->result->warnings, error);
}

/*
 * Sets the error: why the container did not start, in the engine's words (`message`), or if there
 * are none in those of the docker command on stderr. Returns -1.
 */
static int explain_no_start(struct run *run, const struct owned_container *container,
                            const char *message, struct error *error)
{
    struct strbuf text = capture_take_text(&run->output.capture[1]);
    CLEANUP_FREE char *shown = NULL;

    if (*message) {
        strbuf_release(&text);
        strbuf_addstr(&text, message);
    }
    shown = docker_message(&text);
    strbuf_release(&text);
    output_sink_forget(&run->output); /* nothing of it came from the program */
    return docker_explain(run->docker, container->image, "cannot start the container",
                          *shown ? shown : "'docker start' ended without a message", run->cancel,
                          error);
}

/*
 * Gets the final state of the container. The engine learns of an OOM kill separately from the end
 * of the container, and perhaps later. So if the program ended with SIGKILL, its state is read
 * again for a short time (BUDGET_OOM). Under load the engine may never learn of the OOM kill, since
 * its shim stops watching when the container is taken down.
 */
static int inspect_end(const struct run *run, const struct owned_container *container,
                       struct container_state *state, struct error *error)
{
    static const struct timespec pause = {0, 100 * 1000000L};
    const long long enough = budget_deadline(run->docker, BUDGET_OOM);

    for (;;) {
        const long long deadline = budget_deadline(run->docker, BUDGET_INSPECT);

        if (container_inspect(run->docker, container->name, deadline, state, error) != 0)
            return -1;
        if (!state->ended || state->exit_code != 128 + SIGKILL || state->oom_killed ||
            clock_now_ms() >= enough)
            return 0;
        nanosleep(&pause, NULL);
    }
}

/*
 * `docker start` has ended: asks the engine how the program ended. If the two statuses differ, the
 * connection between them may have broken, for example, and some output may be lost.
 */
static int take_state(struct run *run, const struct owned_container *container, int client_status,
                      struct error *error)
{
    struct container_state state;

    if (inspect_end(run, container, &state, error) != 0)
        return -1;
    if (!state.started)
        return explain_no_start(run, container, state.message, error);
    if (!state.ended)
        return error_set(error, ERROR_ENGINE,
                         "'docker start' ended before the program did; was it killed?");
    if (client_status != state.exit_code)
        return error_set(error, ERROR_ENGINE,
                         "'docker start' ended with status %d and the program with %d: some of its "
                         "output may be lost; was the engine restarted?",
                         client_status, state.exit_code);
    run_set_duration(run, state.run_ms);
    run_set_exit(run, state.exit_code, state.oom_killed);
    return 0;
}

/* Whether a container that is ended now never started; false also if the engine does not say. */
static bool never_started(const struct run *run, const struct owned_container *container)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_state state;

    return container_inspect(run->docker, container->name,
                             budget_deadline(run->docker, BUDGET_INSPECT), &state, &ignored) == 0 &&
           !state.started;
}

static int run_attached(struct run *run, const struct owned_container *container,
                        struct process *client, struct error *error)
{
    const int stdin_file = run->plan->input.stdin_file;
    const struct process_options streams = {
        .stdin_kind = stdin_file >= 0 ? PROCESS_STDIN_FILE : PROCESS_STDIN_NULL,
        .stdin_file = stdin_file,
    };
    const long long timeout = limits_timeout_ms(&run->plan->policy.limits);
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event;
    long long start;

    if (container_copy_in(run->docker, container->name, run->plan->workdir,
                          archive_file(&run->files), run_setup_deadline(run), run->cancel,
                          error) != 0 ||
        container_start(run->docker, container->name, &streams, client, error) != 0)
        return -1;
    start = clock_now_ms();
    output_sink_begin(&run->output);
    pump.sink = take_bytes;
    pump.context = &run->output;
    pump.deadline = start + timeout;
    pump.cancel = notifier_fd(run->cancel);
    memcpy(pump.throttle, run->output.live, sizeof pump.throttle);
    output_sink_wait(&run->output, pump.deadline, run->cancel);
    event = process_pump(client, &pump);
    docker_traced(run->docker, "program", start);
    if (event == PROCESS_EXITED)
        return take_state(run, container, client->status, error);
    if (event == PROCESS_DEADLINE && never_started(run, container))
        return error_set(error, ERROR_ENGINE, "the engine did not start the container in time");
    run_set_duration(run, clock_now_ms() - start);
    run_set_stopped(run, event == PROCESS_DEADLINE ? REASON_TIMEOUT
                         : run->output.flooded     ? REASON_OUTPUT_LIMIT
                                                   : REASON_CANCELLED);
    return 0;
}

static bool take_files(void *context, enum process_stream stream, const char *data, size_t length)
{
    return stream != PROCESS_STDOUT || collector_feed(context, data, length);
}

/* Why files of the program may be missing. */
static const char *explain_missing(enum process_event event)
{
    if (event == PROCESS_EXITED)
        return "'docker cp' did not send them all";
    return event == PROCESS_CANCELLED ? "cancelled" : "'docker cp' did not send them in time";
}

/* Takes the files of a program that has ended by itself. */
static void collect_files(struct run *run, const struct owned_container *container,
                          struct process *client)
{
    CLEANUP(collector_release) struct collector collector;
    CLEANUP(process_release) struct process copy = PROCESS_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct process_drain drain = {.process = client};
    const long long soon = budget_deadline(run->docker, BUDGET_FILES);
    const long long end = run_end_deadline(run);
    struct process_pump pump = PROCESS_PUMP_INIT;
    const char *reason;

    collector_init(&collector, run->plan, &run->sent, run->result);
    pump.sink = take_files;
    pump.context = &collector;
    pump.deadline = soon < end ? soon : end;
    pump.cancel = notifier_fd(run->cancel);
    pump.drain = &drain;
    if (container_copy_out(run->docker, container->name, run->plan->workdir, &copy, &error) != 0)
        reason = error.message;
    else
        reason = explain_missing(process_pump(&copy, &pump));
    collector_finish(&collector, reason);
}

int run_unsupervised(struct run *run, const struct error *doubt, struct error *error)
{
    CLEANUP(process_release) struct process client = PROCESS_INIT;
    CLEANUP(owned_container_release) struct owned_container container;
    int result;

    owned_container_init(&container, run->docker, run->plan,
                         limits_timeout_ms(&run->plan->policy.limits));
    if (create_container(run, &container, error) != 0)
        return -1;
    run_set_container(run, &container);
    if (notifier_raised(run->cancel))
        result = owned_container_set_cancelled(error);
    else if (doubt &&
             container_has_path(run->docker, container.name, "/bin/sh", run_setup_deadline(run)) !=
                 0) /* there is one, or it is not known */
        result = error_set(error, doubt->kind, "%s", doubt->message);
    else
        result = run_attached(run, &container, &client, error);
    if (result == 0 && run_wants_files(run) && client.exited)
        collect_files(run, &container, &client);
    else if (result == 0 && run_wants_files(run))
        strvec_push(&run->result->artifacts.missing,
                    "artifacts may be missing: without a shell they are returned only if the "
                    "program ends by itself");
    run_remove_container(run, &container, &(struct process_drain){.process = &client});
    if (result == 0)
        strvec_push(&run->result->warnings, UNSUPERVISED_WARNING);
    return result;
}
