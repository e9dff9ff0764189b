#include "docker/docker.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/text.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"
#include "docker/install_advice.h"

enum { MESSAGE_MAX = 500 };

/* A Go program exits with this if it gets no thread or no memory (package runtime). */
enum { STATUS_GO_CRASH = 2 };

/* Adds what to do to the error that the command cannot be executed. Returns -1. */
static int advise_to_install(const struct docker *docker, struct error *error)
{
    const bool usual = strcasecmp(docker->command, engine_kind_name(docker->kind)) == 0;
    const char *install = usual ? install_advice(docker->kind) : NULL;
    CLEANUP_FREE char *hint =
        install_podman_instead(docker)
            ? string_copy("podman is installed: use --runtime podman, or set \"containerCommand\": "
                          "\"podman\" in the configuration")
        : install ? string_format("to install it: %s", install)
                  : string_copy("is it installed, and on PATH?");

    return error_hint(error, hint);
}

/* The command as a path that does not depend on the working directory, if there is one; owned. */
static char *absolute_command(const char *command)
{
    CLEANUP_FREE char *found = install_find_command(command);
    CLEANUP_FREE char *directory = found && found[0] != '/' ? realpath(".", NULL) : NULL;

    return directory ? string_format("%s/%s", directory, found) : string_copy(command);
}

int docker_start(const struct docker *docker, const struct strvec *arguments,
                 const struct process_options *streams, struct process *process,
                 struct error *error)
{
    CLEANUP(strvec_release) struct strvec argv = STRVEC_INIT;
    CLEANUP_FREE char *command = NULL;
    struct process_options options = *streams;
    char variable[API_VARIABLE_SIZE];

    if (engine_memory_api(docker->memory, variable))
        options.variable = variable;
    options.directory = engine_working_directory(docker->kind);
    command = options.directory ? absolute_command(docker->command) : string_copy(docker->command);
    strvec_push(&argv, command);
    strvec_push_all(&argv, arguments);
    options.arguments = &argv;
    if (process_start(process, &options, error) == 0)
        return 0;
    return error->kind == ERROR_ENGINE ? advise_to_install(docker, error) : -1;
}

void docker_print_trace(void *context, const char *step, long long milliseconds)
{
    (void)context;
    diagnostics_line("%-8s %5lld ms", step, milliseconds);
}

void docker_traced(const struct docker *docker, const char *step, long long start)
{
    if (docker->trace)
        docker->trace(docker->trace_context, step, clock_now_ms() - start);
}

/* "run", also after an option of podman itself (engine_add_subcommand()). */
static const char *subcommand_of(const struct strvec *arguments)
{
    const bool has_option = arguments->items[0][0] == '-' && arguments->count > 2;

    return arguments->items[has_option ? 2 : 0];
}

static bool keep_output(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct docker_output *output = context;

    strbuf_add(stream == PROCESS_STDOUT ? &output->out : &output->err, data, length);
    return true;
}

/*
 * Waits for the end of a command without a deadline, as long as the engine answers. It is given up
 * if the engine does not twice in a row: it may be busy with what the command has asked for.
 */
static enum process_event wait_while_answered(const struct docker *docker,
                                              const struct docker_call *call,
                                              struct process *process, struct process_pump *pump,
                                              bool *given_up)
{
    const long long pause = call->check_at - clock_now_ms();
    bool answers = true, answered;
    enum process_event event;

    pump->deadline = call->check_at;
    do {
        answered = answers;
        event = process_pump(process, pump);
        if (event == PROCESS_DEADLINE)
            pump->deadline = call->engine_check(docker, 0, call->cancel, &answers);
        if (answers)
            pump->deadline = clock_now_ms() + pause;
    } while (event == PROCESS_DEADLINE && (answers || answered));
    *given_up = event == PROCESS_DEADLINE;
    return event;
}

/* Waits for the end of the command, until its deadline or until `engine_check` gives it up. */
static enum process_event wait_for_end(const struct docker *docker, const struct docker_call *call,
                                       struct process *process, struct process_pump *pump,
                                       bool *given_up)
{
    const bool checks = call->engine_check && call->check_at < call->deadline;
    enum process_event event;
    bool answers = true;

    if (call->engine_check && call->deadline == 0)
        return wait_while_answered(docker, call, process, pump, given_up);
    pump->deadline = checks ? call->check_at : call->deadline;
    event = process_pump(process, pump);
    if (event == PROCESS_DEADLINE && checks) {
        pump->deadline = call->engine_check(docker, call->deadline, call->cancel, &answers);
        event = process_pump(process, pump);
    }
    *given_up = event == PROCESS_DEADLINE && !answers;
    return event;
}

static int run_process(const struct docker *docker, const struct docker_call *call,
                       struct docker_output *output, struct error *error)
{
    const struct process_options streams = {
        .stdin_kind = call->has_stdin ? PROCESS_STDIN_FILE : PROCESS_STDIN_NULL,
        .stdin_file = call->stdin_file,
        .extra_file = call->extra_file,
        .show_stdout = call->show_stdout,
    };
    struct process_pump pump = PROCESS_PUMP_INIT;
    CLEANUP(process_release) struct process process = PROCESS_INIT;
    const long long start = clock_now_ms();
    enum process_event event;
    bool cancelled = false;

    pump.sink = keep_output;
    pump.context = output;
    pump.cancel = notifier_fd(call->cancel);
    pump.drain = call->drain;
    if (docker_start(docker, &call->arguments, &streams, &process, error) != 0)
        return -1;
    event = wait_for_end(docker, call, &process, &pump, &output->given_up);
    if (event == PROCESS_CANCELLED) {
        const long long grace_end = clock_now_ms() + call->grace_ms;

        cancelled = true;
        pump.cancel = -1;
        if (pump.deadline == 0 || grace_end < pump.deadline)
            pump.deadline = grace_end;
        event = process_pump(&process, &pump);
    }
    output->status = process.status;
    if (event == PROCESS_DEADLINE && cancelled)
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (event == PROCESS_DEADLINE)
        return error_set(error, ERROR_ENGINE,
                         "'%s %s' did not end within %lld ms; does the container engine answer?",
                         docker->command, subcommand_of(&call->arguments), clock_now_ms() - start);
    return 0;
}

bool docker_never_reached(const struct docker *docker)
{
    return !engine_memory_reached(docker->memory);
}

void docker_remember_end(const struct docker *docker, int status)
{
    if (status == 0 || status > 128 || status == STATUS_GO_CRASH)
        engine_memory_set_reached(docker->memory);
}

/* Whether the command may succeed although no engine answers: docker 20.10 does so for `info`. */
static bool may_succeed_without_engine(const char *command)
{
    return strcmp(command, "context") == 0 || strcmp(command, "info") == 0;
}

int docker_run(const struct docker *docker, const struct docker_call *call,
               struct docker_output *output, struct error *error)
{
    const long long start = clock_now_ms();
    const int result = run_process(docker, call, output, error);

    docker_traced(docker, subcommand_of(&call->arguments), start);
    if (!may_succeed_without_engine(subcommand_of(&call->arguments)))
        docker_remember_end(docker, output->status);
    return result;
}

void docker_set_up_environment(void)
{
    setenv("GOGC", "400", 0);
    setenv("PODMAN_IGNORE_CGROUPSV1_WARNING", "1", 1); /* podman(1) */
}

void docker_call_release(struct docker_call *call)
{
    strvec_release(&call->arguments);
}

void docker_output_release(struct docker_output *output)
{
    strbuf_release(&output->out);
    strbuf_release(&output->err);
}

/* Drops the hint at its --help with which `docker run` ends a message of the engine, after that. */
static void drop_hint(struct strbuf *message)
{
    char *last = NULL;

    for (char *at = strstr(message->data, "; "); at; at = strstr(at + 2, "; "))
        last = at;
    if (!last || last == message->data ||
        (strncmp(last, "; See '", 7) != 0 && strncmp(last, "; Run '", 7) != 0) ||
        !strstr(last, " --help'"))
        return;
    message->length = (size_t)(last - message->data);
    *last = '\0';
}

char *docker_message(const struct strbuf *standard_error)
{
    struct strbuf message = STRBUF_INIT;
    const size_t blank = strspn(strbuf_string(standard_error), "\r\n");
    const char *text = strbuf_string(standard_error) + blank;
    size_t length = standard_error->length - blank;

    while (length > 0 && memchr(" \r\n\t", text[length - 1], 4))
        length--;
    if (length > MESSAGE_MAX)
        length = MESSAGE_MAX - utf8_cut_tail(text, MESSAGE_MAX);
    for (const char *end = text + length; text < end;) {
        const char *line = text;

        while (text < end && *text != '\n' && *text != '\r')
            text++;
        if (message.length > 0)
            strbuf_addstr(&message, "; ");
        text_add_escaped(&message, line, (size_t)(text - line));
        while (text < end && (*text == '\n' || *text == '\r'))
            text++;
    }
    if (message.length > 0)
        drop_hint(&message);
    if (message.length > MESSAGE_MAX) { /* escaping has made it longer */
        message.length = MESSAGE_MAX - utf8_cut_tail(message.data, MESSAGE_MAX);
        message.data[message.length] = '\0';
    }
    return strbuf_steal(&message);
}

char *docker_last_message(const struct strbuf *standard_error)
{
    struct strbuf end = STRBUF_INIT;
    const char *text = strbuf_string(standard_error);
    size_t length = standard_error->length, begin;
    char *message;

    while (length > 0 && memchr(" \r\n\t", text[length - 1], 4))
        length--;
    begin = length > MESSAGE_MAX ? length - MESSAGE_MAX : 0;
    if (begin > 0) { /* at the first whole line, if there is one */
        const char *line = memchr(text + begin - 1, '\n', length - begin + 1);

        begin = line ? (size_t)(line + 1 - text) : begin;
    }
    strbuf_add(&end, text + begin, length - begin);
    message = docker_message(&end);
    strbuf_release(&end);
    return message;
}

bool docker_was_killed(const struct docker_output *output)
{
    return output->status > 128;
}

bool docker_crashed(const struct docker_output *output)
{
    return docker_was_killed(output) || output->status == STATUS_GO_CRASH;
}

char *docker_failure(const struct docker *docker, const struct docker_call *call,
                     const struct docker_output *output)
{
    const char *command = docker->kind == ENGINE_PODMAN ? "podman" : "docker";
    char *message = docker_message(&output->err);

    if (*message)
        return message;
    free(message);
    if (docker_was_killed(output))
        return string_format("'%s %s' was ended by signal %d", command,
                             subcommand_of(&call->arguments), output->status - 128);
    return string_format("'%s %s' ended with status %d", command, subcommand_of(&call->arguments),
                         output->status);
}

int docker_succeed(const struct docker *docker, const struct docker_call *call, const char *what,
                   struct docker_output *output, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output own = DOCKER_OUTPUT_INIT;
    struct docker_output *kept = output ? output : &own;

    if (docker_run(docker, call, kept, error) != 0)
        return error->kind == ERROR_CANCELLED ? -1 : error_prefix(error, "%s", what);
    if (kept->status != 0) {
        CLEANUP_FREE char *message = docker_failure(docker, call, kept);
        return error_set(error, ERROR_ENGINE, "%s: %s", what, message);
    }
    return 0;
}
