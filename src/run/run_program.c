#include "run/run_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/container.h"

/* Sets the error: the supervisor could not run the program. Returns -1. */
static int explain_failure(const struct run *run, const struct supervisor_link *link,
                           struct error *error)
{
    const struct frame_failed *failure = &link->failure;
    CLEANUP_FREE char *path = text_escape(strbuf_string(&link->failed));
    const char *reason = failure->error != 0 ? strerror((int)failure->error) : "incomplete archive";

    switch (failure->step) {
    case FRAME_STEP_UNPACK:
        return error_set(error, ERROR_INPUT,
                         "cannot unpack the files in the container; do they fit its working "
                         "directory and its memory? '%s': %s",
                         path, reason);
    case FRAME_STEP_EXEC:
        return error_set(error, ERROR_COMMAND, "cannot execute '%s' in the image '%s': %s", path,
                         run->result->image, reason);
    case FRAME_STEP_START:
        return error_set(error, ERROR_ENGINE, "the container has no process for the program: %s",
                         reason);
    default:
        return error_set(error, ERROR_ENGINE, "the supervisor failed in the container: %s", reason);
    }
}

/* Sets the error: why the program did not begin. Returns -1. */
static int explain_no_begin(const struct instance *instance, enum process_event event,
                            struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (owned_container_set_interrupted(event, "the container did not take the files in time",
                                        message, error))
        return -1;
    return error_set(error, ERROR_ENGINE, "the container ended before the program ran: %s",
                     *message ? message : "no message");
}

/* Ends a program that still runs, and reads its last output and its figures. */
static void stop_program(struct run *run, struct instance *instance)
{
    instance_stop(instance);
    output_sink_detach(&run->output);
    instance_pump(instance, INSTANCE_STOPPED, budget_deadline(run->docker, BUDGET_STOP), NULL);
}

/* A figure of the supervisor; -1: not known. */
static long long figure(uint64_t value)
{
    return value > INT64_MAX ? -1 : (long long)value;
}

static void take_figures(struct run *run, const struct supervisor_link *link, long long measured_ms)
{
    if (!supervisor_link_has_end(link)) {
        run_set_duration(run, measured_ms);
        return;
    }
    run->result->peak_bytes = figure(link->end.peak_bytes);
    run->result->cpu_us = figure(link->end.cpu_us);
    run_set_duration(run, (figure(link->end.wall_us) + 999) / 1000);
}

/*
 * The container ended before its supervisor reported the end of the program. A program can bring
 * that about: it may make the supervisor the largest process when memory runs out.
 */
static int explain_no_end(struct run *run, const struct instance *instance, struct error *error)
{
    if (container_killed_by_kernel(run->docker, instance->container.name,
                                   budget_deadline(run->docker, BUDGET_INSPECT))) {
        run_set_out_of_memory(run);
        return 0;
    }
    return error_set(error, ERROR_ENGINE,
                     "the container ended before it reported the program's exit status ('docker "
                     "%s' ended with status %d); was the supervisor in the container killed for "
                     "lack of memory, or was the engine restarted?",
                     instance->delivery == DELIVERY_SHELL ? "run" : "start",
                     instance->client.status);
}

/* Waits for the end of the program, which has begun, or ends it. Fills in the result. */
static int run_program_to_end(struct run *run, struct instance *instance, struct error *error)
{
    const struct supervisor_link *link = &instance->link;
    const long long begin = clock_now_ms();
    const long long timeout = limits_timeout_ms(&run->plan->policy.limits);
    enum process_event event;

    output_sink_begin(&run->output);
    event = instance_pump(instance, INSTANCE_ENDED, begin + timeout, run->cancel);
    docker_traced(run->docker, "program", begin);
    if (event != PROCESS_EXITED && (event != PROCESS_PAUSED || output_sink_must_end(&run->output)))
        stop_program(run, instance);
    if (link->failure.step != 0)
        return explain_failure(run, link, error);
    take_figures(run, link, clock_now_ms() - begin);
    if (event == PROCESS_DEADLINE)
        run_set_stopped(run, REASON_TIMEOUT);
    else if (event == PROCESS_CANCELLED || run->output.live_error != 0)
        run_set_stopped(run, REASON_CANCELLED);
    else if (run->output.flooded ||
             (supervisor_link_has_end(link) && link->end.cause == FRAME_CAUSE_OUTPUT))
        run_set_stopped(run, REASON_OUTPUT_LIMIT);
    else if (supervisor_link_has_end(link))
        run_set_end(run, &link->end);
    else
        return explain_no_end(run, instance, error);
    return 0;
}

/* Why files of the program may be missing. */
static const char *explain_missing(enum process_event event)
{
    if (event == PROCESS_EXITED)
        return "the container ended before it had sent them";
    if (event == PROCESS_PAUSED)
        return "the working directory has too many files or levels";
    return event == PROCESS_CANCELLED ? "cancelled" : "the container did not send them in time";
}

/*
 * How many bytes a file may have to be sent back. A larger one that was sent to the container is
 * needed to see whether the program has changed it.
 */
static long long longest_artifact(const struct run *run)
{
    const long long sent = manifest_longest(&run->sent);

    return sent > run->plan->max_artifact_bytes ? sent : run->plan->max_artifact_bytes;
}

/* Takes the files that the program has left in its working directory. */
static void collect_files(struct run *run, struct instance *instance)
{
    const long long start = clock_now_ms();
    const long long soon = start + budget_ms(run->docker, BUDGET_FILES);
    const long long end = run_end_deadline(run);
    CLEANUP(collector_release) struct collector collector;
    enum process_event event = PROCESS_EXITED;

    collector_init(&collector, run->plan, &run->sent, run->result);
    if (supervisor_link_has_end(&instance->link)) {
        instance->collector = &collector;
        instance_collect(instance, run->plan, longest_artifact(run));
        event = instance_pump(instance, INSTANCE_FILES, soon < end ? soon : end, run->cancel);
        instance->collector = NULL;
    }
    collector_finish(&collector, explain_missing(event));
    docker_traced(run->docker, "files", start);
}

int run_program(struct run *run, long long deadline, bool *begun, struct error *error)
{
    struct instance *instance = run->instance;
    const long long start = clock_now_ms();
    enum process_event event;
    int result;

    instance->output = &run->output;
    instance_send(instance, run->plan, archive_file(&run->files));
    event = instance_pump(instance, INSTANCE_BEGUN, deadline, run->cancel);
    docker_traced(run->docker, "deliver", start);
    *begun = instance->link.state >= SUPERVISOR_RUNNING;
    if (event == PROCESS_PAUSED && *begun)
        result = run_program_to_end(run, instance, error);
    else
        result = explain_no_begin(instance, event, error);
    instance->output = NULL; /* the instance may outlive it */
    if (result == 0 && run_wants_files(run))
        collect_files(run, instance);
    return result;
}
