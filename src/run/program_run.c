#include "run/program_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/container.h"

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

/* Whether the kernel has ended the container, because memory ran out. */
static bool is_out_of_memory(const struct instance *instance)
{
    const struct docker *docker = instance->container.docker;

    return container_killed_by_kernel(docker, instance->container.name,
                                      budget_deadline(docker, BUDGET_INSPECT));
}

int program_explain_no_begin(const struct instance *instance, enum process_event event,
                             struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (event == PROCESS_DEADLINE && instance->too_many_files) {
        error_set(error, ERROR_INPUT,
                  "cannot unpack the files in the container in time; send fewer files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_CPUS].key.name);
    }
    if (owned_container_set_interrupted(event, "the container did not take the files in time",
                                        message, error))
        return -1;
    if (event == PROCESS_EXITED && is_out_of_memory(instance)) {
        error_set(error, ERROR_INPUT,
                  "memory ran out before the program ran: the files of the working directory, and "
                  "perhaps a copy of them, are in memory; send fewer or smaller files, or "
                  "raise " ERROR_SUBJECT);
        return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    }
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

/* ---- how it ended */

/* At least 1 ms, since 0 means that it never ran. */
static void set_duration(struct program_run *program, long long ms)
{
    program->result->duration_ms = ms > 0 ? ms : 1;
}

static void set_oom(struct program_run *program)
{
    program->result->reason = REASON_OOM;
    program->result->error = string_format("%s ran out of memory (limit %ld MB)", program->name,
                                           (long)program->request.limits->number[LIMIT_MEMORY]);
}

/* Memory ran out and the kernel ended the container, which reported no figures. */
static void set_container_oom(struct program_run *program)
{
    program->result->exit_code = 128 + 9; /* the kernel ends it with SIGKILL */
    set_oom(program);
    strvec_push(&program->result->warnings,
                "memory ran out and the kernel ended the whole container, "
                "so memory and CPU time are not known");
}

static void set_cpu_time(struct program_run *program)
{
    program->result->reason = REASON_CPU_TIME;
    if (supervisor_link_limits_cpu(&program->request)) {
        program->result->error =
            string_format("%s used up the CPU time of its session", program->name);
        return;
    }
    program->result->error = string_format("%s used more than %.10g s of CPU time", program->name,
                                           program->request.limits->number[LIMIT_CPU_TIME]);
}

bool program_interpreter_stays(const struct program_run *program)
{
    const struct supervisor_link *link = &program->instance->link;

    return link->has_end && link->end.stays == 1;
}

/* A cell has ended; how is in its report. */
static void set_cell_end(struct program_run *program, bool oom_killed)
{
    program->result->reason = REASON_EXIT;
    program->result->exit_code = 0;
    if (oom_killed)
        strvec_push(&program->result->warnings,
                    "memory ran out and the kernel killed a process of the cell");
}

/* Warns of limits that the program has reached without being ended for that. */
static void warn_of_limits(struct program_run *program, const struct frame_end *end)
{
    const struct limits *limits = program->request.limits;
    struct result *result = program->result;
    const bool was_slow = result->reason == REASON_TIMEOUT || result->reason == REASON_CPU_TIME;

    if (end->refused > 0 && end->refused != FRAME_UNKNOWN)
        strvec_pushf(&result->warnings,
                     "the limit of %.0f processes and threads (%s, %s) kept %llu from starting",
                     limits->number[LIMIT_PIDS], limit_rules[LIMIT_PIDS].key.name,
                     limit_rules[LIMIT_PIDS].option.name, (unsigned long long)end->refused);
    if (was_slow && end->memory_full > 0 && end->memory_full != FRAME_UNKNOWN)
        strvec_pushf(&result->warnings,
                     "the memory was full at its limit of %.0f MB (%s, %s): the kernel drops pages "
                     "of the program then and reads them again, which is slow",
                     limits->number[LIMIT_MEMORY], limit_rules[LIMIT_MEMORY].key.name,
                     limit_rules[LIMIT_MEMORY].option.name);
}

/* The program got a part of its input, and saw its end there. */
static void warn_of_input(struct program_run *program)
{
    const int failure = program->instance->link.input_error;

    if (failure != 0)
        strvec_pushf(&program->result->warnings,
                     "cannot read standard input, which ended there for the program: %s",
                     strerror(failure));
}

/* The program has ended by itself, or at its limit of CPU time. */
static void set_end(struct program_run *program, const struct frame_end *end)
{
    struct result *result = program->result;
    const bool oom_killed = end->oom_kills > 0 && end->oom_kills != FRAME_UNKNOWN;
    const int status = (int)(end->signal != 0 ? 128 + end->signal : end->status);

    if (program_interpreter_stays(program) && end->cause == FRAME_CAUSE_ITSELF) {
        set_cell_end(program, oom_killed);
        return;
    }
    result->exit_code = status;
    result->signal = (int)end->signal;
    if (end->cause == FRAME_CAUSE_CPU) {
        set_cpu_time(program);
        return;
    }
    if (oom_killed && status == 0)
        strvec_pushf(&result->warnings,
                     "memory ran out and the kernel killed a process, but the %s ended with "
                     "status 0",
                     program->report ? "interpreter" : program->name);
    if (oom_killed && status != 0) {
        set_oom(program);
    } else if (end->signal != 0) {
        const char *name = result_signal(result->signal);

        result->reason = REASON_SIGNAL;
        result->error =
            name ? string_format("%s was ended by signal %s", program->name, name)
                 : string_format("%s was ended by signal %u", program->name, end->signal);
    } else {
        result->reason = REASON_EXIT;
        if (status != 0)
            result->error = string_format("%s exited with status %d", program->name, status);
    }
}

/*
 * Whether the program has used more CPU time than it may. The supervisor ends it for that, but may
 * come too late: calls that stay in the kernel for long hold it up with the program.
 */
static bool exceeds_cpu(const struct program_run *program)
{
    const struct supervisor_link *link = &program->instance->link;
    const uint64_t max_us = supervisor_link_cpu_max_us(&program->request);

    return link->has_end && link->end.stays == 0 && max_us > 0 &&
           link->end.cpu_us != FRAME_UNKNOWN && link->end.cpu_us > max_us;
}

/* isolator has ended the program. `reason`: timeout, output-limit or cancelled. */
static void set_stopped(struct program_run *program, enum reason reason)
{
    struct result *result = program->result;
    const int live_error = program->output->live_error;

    result->reason = reason;
    result->signal = program_interpreter_stays(program) ? SIGINT : SIGKILL;
    result->exit_code = 128 + result->signal;
    if (reason == REASON_TIMEOUT && exceeds_cpu(program)) {
        set_cpu_time(program);
    } else if (reason == REASON_TIMEOUT) {
        result->error = string_format("%s did not end within %.10g s", program->name,
                                      program_request_timeout(&program->request));
    } else if (reason == REASON_OUTPUT_LIMIT && program->request.output_left > 0 &&
               program->request.output_left < OUTPUT_HARD_MAX) {
        result->error = string_format("%s used up the output of its session", program->name);
    } else if (reason == REASON_OUTPUT_LIMIT) {
        result->error = string_format("%s wrote more than %d MiB to one stream", program->name,
                                      OUTPUT_HARD_MAX >> 20);
    } else if (live_error != 0 && live_error != EPIPE) {
        result->reason = REASON_ENGINE;
        result->error = string_format("cannot write the output: %s", strerror(live_error));
    } else { /* also if the reader of the output has gone, which is not a failure */
        result->error = string_copy(program->report ? "cancelled while the cell ran"
                                                    : "cancelled while the program ran");
    }
}

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

long long program_figure(uint64_t figure)
{
    return figure == FRAME_UNKNOWN ? -1 : (long long)figure;
}

static void take_figures(struct program_run *program, const struct supervisor_link *link,
                         long long measured_ms)
{
    if (!link->has_end) {
        set_duration(program, measured_ms);
        return;
    }
    program->result->peak_bytes = program_figure(link->end.peak_bytes);
    program->result->cpu_us = program_figure(link->end.cpu_us);
    set_duration(program, (program_figure(link->end.wall_us) + 999) / 1000);
}

/*
 * The container ended before its supervisor reported the end of the program. A program can bring
 * that about: it may make the supervisor the largest process when memory runs out.
 */
static int explain_no_end(struct program_run *program, struct error *error)
{
    const struct instance *instance = program->instance;

    if (is_out_of_memory(instance)) {
        set_container_oom(program);
        return 0;
    }
    error_set(error, ERROR_ENGINE,
              "the container ended before it reported the program's exit status ('docker %s' ended "
              "with status %d): perhaps memory ran out, or the engine was restarted; run the "
              "program again, or raise " ERROR_SUBJECT,
              instance->delivery == DELIVERY_SHELL ? "run" : "start", instance->client.status);
    return error_about(error, limit_rules[LIMIT_MEMORY].key.name);
}

/* Waits for the end of the program, which has begun, or ends it. Fills in the result. */
static int run_to_end(struct program_run *program, struct error *error)
{
    struct instance *instance = program->instance;
    const struct supervisor_link *link = &instance->link;
    const long long begin = clock_now_ms();
    const long long timeout = program_request_timeout_ms(&program->request);
    enum process_event event;

    output_sink_begin(program->output);
    event = instance_pump(instance, INSTANCE_ENDED, begin + timeout, program->cancel);
    docker_traced(program->docker, "program", begin);
    if (event != PROCESS_EXITED &&
        (event != PROCESS_PAUSED || output_sink_must_end(program->output)))
        stop_program(program);
    if (link->failure.step != 0)
        return program_explain_failure(program->instance, program->image, error);
    take_figures(program, link, clock_now_ms() - begin);
    if (event == PROCESS_DEADLINE || (link->has_end && link->end.cause == FRAME_CAUSE_LATE))
        set_stopped(program, REASON_TIMEOUT);
    else if (event == PROCESS_CANCELLED || program->output->live_error != 0)
        set_stopped(program, REASON_CANCELLED);
    else if (program->output->flooded || (link->has_end && link->end.cause == FRAME_CAUSE_OUTPUT))
        set_stopped(program, REASON_OUTPUT_LIMIT);
    else if (link->has_end)
        set_end(program, &link->end);
    else
        return explain_no_end(program, error);
    if (link->has_end)
        warn_of_limits(program, &link->end);
    warn_of_input(program);
    return 0;
}

int program_run(struct program_run *program, long long deadline, bool *begun, struct error *error)
{
    struct instance *instance = program->instance;
    const long long start = clock_now_ms();
    enum process_event event;
    int result;

    instance->output = program->output;
    instance->report = program->report;
    instance_send(instance, &program->request);
    event = instance_deliver(instance, INSTANCE_BEGUN, deadline, program->latest,
                             program->must_begin ? NULL : program->cancel);
    docker_traced(program->docker, "deliver", start);
    *begun = instance->link.state >= LINK_RUNNING;
    if (event == PROCESS_PAUSED && *begun)
        result = run_to_end(program, error);
    else
        result = program_explain_no_begin(instance, event, error);
    instance_forget_output(instance); /* the instance may outlive it */
    return result;
}
