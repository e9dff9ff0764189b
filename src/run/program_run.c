#include "run/program_run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "run/verdict.h"

static int explain_unpack(const struct frame_failed *failure, const char *path, const char *reason,
                          struct error *error)
{
    CLEANUP_FREE char *files = *path ? string_format("'%s'", path) : string_copy("the files");

    if (failure->error == EEXIST || failure->error == ENOTDIR || failure->error == EISDIR)
        return error_set(error, ERROR_INPUT,
                         "cannot unpack %s in the container: %s; remove what is in its place, such "
                         "as a file of an earlier request, or send another name",
                         files, reason);
    error_set(error, ERROR_INPUT,
              "cannot unpack %s in the container: %s; send fewer or smaller files, or "
              "raise " ERROR_SUBJECT,
              files, reason);
    return error_about(
        error, limit_rules[failure->error == ENOSPC ? LIMIT_WORKDIR : LIMIT_MEMORY].key.name);
}

/* Whether the engine has mounted what the path names: no image brings files there. */
static bool is_of_engine(const char *path)
{
    static const char place[] = "/sys/";

    return strncmp(path, place, strlen(place)) == 0;
}

int program_explain_failure(const struct instance *instance, const char *image, struct error *error)
{
    const struct frame_failed *failure = &instance->link.failure;
    CLEANUP_FREE char *path = text_escape(strbuf_string(&instance->link.failed));
    const char *reason = failure->error != 0 ? strerror((int)failure->error) : "incomplete archive";

    switch (failure->step) {
    case FRAME_STEP_UNPACK:
        return explain_unpack(failure, path, reason, error);
    case FRAME_STEP_EXEC:
        return error_set(error, ERROR_COMMAND, "cannot execute '%s' in the image '%s': %s", path,
                         image, reason);
    case FRAME_STEP_START:
        if (instance->log && failure->error == ECANCELED)
            return owned_container_set_cancelled(error);
        if (instance->link.cell && failure->error != EAGAIN) {
            error_set(error, ERROR_INPUT,
                      "cannot begin the cell: %s; shorten its code and its standard input, or "
                      "raise " ERROR_SUBJECT,
                      reason);
            return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
        }
        return error_set(error, ERROR_ENGINE, "the container has no process for the program: %s",
                         reason);
    case FRAME_STEP_KEEP:
        error_set(error, ERROR_INPUT,
                  "cannot keep a copy of the working directory: '%s': %s; send fewer or smaller "
                  "files, or raise " ERROR_SUBJECT,
                  path, reason);
        return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    case FRAME_STEP_CLEAN:
        if (failure->error == EPERM && is_of_engine(path))
            return error_set(error, ERROR_ENGINE,
                             "several programs cannot run in one container of this engine: its OCI "
                             "runtime lets them change '%s', which cannot be restored",
                             path);
        if (failure->error == EPERM)
            return error_set(error, ERROR_INPUT,
                             "several programs cannot run in one container of the image '%s': they "
                             "can change '%s', which cannot be restored",
                             image, path);
        return error_set(
            error, ERROR_INPUT,
            "cannot remove what an earlier program has left in the container: '%s': %s", path,
            reason);
    case FRAME_STEP_CPU:
        error_set(error, ERROR_ENGINE,
                  ERROR_SUBJECT " cannot be enforced: the container does not see how much CPU time "
                                "it uses");
        return error_about(error, limit_rules[LIMIT_CPU_TIME].key.name);
    default:
        return error_set(error, ERROR_ENGINE, "the supervisor failed in the container: %s", reason);
    }
}

/* How the container has ended, of whose program no end was reported. */
static enum container_end container_end(const struct instance *instance)
{
    const struct docker *docker = instance->container.docker;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_state state;

    if (instance->log) /* its container is still there */
        return container_inspect(docker, instance->container.name,
                                 budget_deadline(docker, BUDGET_INSPECT), &state, &ignored) == 0 &&
                       state.oom_killed && state.exit_code == 128 + SIGKILL
                   ? CONTAINER_KILLED_BY_KERNEL
                   : CONTAINER_END_UNKNOWN;
    return container_end_of(docker, instance->container.name, instance->client.status,
                            budget_deadline(docker, BUDGET_INSPECT));
}

static int explain_lost(struct error *error)
{
    return error_set(error, ERROR_ENGINE,
                     "the connection to the engine was lost before the end of the program: the "
                     "network failed, the engine was restarted, or the docker command was killed; "
                     "run the program again");
}

/* The log of a job has nothing more, and does not say how the job ended. */
static int explain_log(const struct instance *instance, struct error *error)
{
    if (instance->log->reader.broken || instance->link.broken)
        return error_set(error, ERROR_ENGINE,
                         "the log of the job has a line that is not from its supervisor, so its "
                         "result is not known; run the program again");
    return error_set(error, ERROR_ENGINE,
                     "the container of the job ended before it had reported the end of the "
                     "program: perhaps the engine was restarted; run the program again");
}

int program_explain_no_begin(const struct instance *instance, enum process_event event,
                             struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);
    enum container_end end = CONTAINER_END_UNKNOWN;

    if (event == PROCESS_DEADLINE && instance->too_many_files) {
        error_set(error, ERROR_INPUT,
                  "cannot unpack the files in the container in time; send fewer files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_CPUS].key.name);
    }
    if (owned_container_set_interrupted(event, "the container did not take the files in time",
                                        message, error))
        return -1;
    if (event == PROCESS_EXITED)
        end = container_end(instance);
    if (end == CONTAINER_CONNECTION_LOST && !instance->log)
        return explain_lost(error);
    if (end == CONTAINER_KILLED_BY_KERNEL) {
        error_set(error, ERROR_INPUT,
                  "memory ran out before the program ran: the files of the working directory, and "
                  "perhaps a copy of them, are in memory; send fewer or smaller files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    }
    if (instance->log)
        return explain_log(instance, error);
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

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

    if (program->report && !output_sink_must_end(program->output) && interrupt_cell(program))
        return;
    output_sink_detach(program->output);
    instance_stop(instance);
}

/* The container ended before its supervisor reported the end of the program. */
static int explain_no_end(const struct instance *instance, enum container_end end,
                          struct error *error)
{
    if (instance->log)
        return explain_log(instance, error);
    if (instance->link.broken)
        return error_set(error, ERROR_ENGINE,
                         "the connection to the container has bytes that its supervisor did not "
                         "send, so the result is not known%s",
                         instance->link.is_gvisor
                             ? "; with gVisor a program can write to this connection"
                             : "; run the program again");
    if (end == CONTAINER_CONNECTION_LOST)
        return explain_lost(error);
    error_set(error, ERROR_ENGINE,
              "the container ended before it reported the program's exit status ('%s %s' ended "
              "with status %d): perhaps memory ran out, %sor the engine was restarted; run the "
              "program again, or raise " ERROR_SUBJECT,
              instance->container.docker->command,
              instance->delivery == DELIVERY_SHELL ? "run" : "start", instance->client.status,
              instance->link.is_gvisor ? "there were too many processes for gVisor, "
                                         "the program ended process 1, "
                                       : "");
    return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
}

/* What isolator has done to the program, whose wait was ended by the event. */
static enum verdict_stop stop_of(const struct program_run *program, enum process_event event)
{
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
    const unsigned first = (unsigned)program->request.connections;

    if (!program->network && !program->tool_calls)
        return 0;
    program->link = mux_link_new(error);
    if (program->link && program->network)
        program->proxy = proxy_new(program->rules, program->terminator, program->network,
                                   program->docker, program->link, error);
    if (program->link && program->tool_calls && (program->proxy || !program->network))
        program->socket = tool_socket_new(program->tools, program->tool_servers,
                                          program->tool_calls, program->link, first, error);
    if ((program->proxy || !program->network) && (program->socket || !program->tool_calls))
        return 0;
    end_connections(program);
    return -1;
}

/* Waits for the end of the program, which has begun, or ends it. Fills in the result. */
static int run_to_end(struct program_run *program, struct error *error)
{
    struct instance *instance = program->instance;
    const struct supervisor_link *link = &instance->link;
    const long long begin = clock_now_ms();
    const long long timeout = program_request_timeout_ms(&program->request);
    struct verdict verdict = {.request = &program->request, .name = program->name};
    enum process_event event;
    enum container_end end;

    output_sink_begin(program->output);
    event = instance_pump(instance, INSTANCE_ENDED, begin + timeout, program->cancel);
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
    end = container_end(instance);
    if (end != CONTAINER_KILLED_BY_KERNEL)
        return explain_no_end(instance, end, error);
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
    (void)number;
    mux_link_take(context, data, length);
}

static size_t taken_of_network(void *context, int number)
{
    (void)number;
    return mux_link_taken(context);
}

static size_t give_network(void *context, char *bytes, size_t size)
{
    return mux_link_give(context, bytes, size);
}

static int network_source(const void *context)
{
    return mux_link_fd(context);
}

static void serve_network(void *context)
{
    mux_link_serve(context);
}

static void set_channels(const struct program_run *program)
{
    const struct channel network = {.context = program->link,
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
