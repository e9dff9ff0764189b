#include "run/run_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "docker/budget.h"
#include "run/collector.h"
#include "run/run_session.h"
#include "run/sharing.h"
#include "run/unrequested_files.h"

/* How much of the timeout the setup may take at most, in addition to BUDGET_SETUP. */
enum { SETUP_TIMEOUT_MAX_MS = 60000 };

/* The same time or, in a session, what is left of that if it is less. */
static long long within_session(const struct run *run, long long ms)
{
    const long long left = run->session ? run_session_left_ms(run->session) : ms;

    return ms < left ? ms : left;
}

long long run_setup_deadline(const struct run *run)
{
    const long long timeout = within_session(run, limits_timeout_ms(&run->plan->policy.limits));

    return run->start + (timeout < SETUP_TIMEOUT_MAX_MS ? timeout : SETUP_TIMEOUT_MAX_MS) +
           budget_ms(run->docker, BUDGET_SETUP);
}

long long run_use_ms(const struct run *run)
{
    const struct plan *plan = run->plan;
    const long long programs_ms = within_session(run, plan_programs_ms(plan)) + run->turns_ms;
    const long long restore_ms = budget_ms(run->docker, BUDGET_RESTORE);

    if (run->session)
        return programs_ms + PROGRAM_INTERRUPT_MS + restore_ms;
    if (plan_kind(plan) != PLAN_SUBMISSION)
        return programs_ms;
    /* KEEP, and RESTORE before each program */
    return programs_ms + restore_ms * (long long)(plan->tests.count + 2);
}

long long run_keep_ms(const struct run *run)
{
    if (run->plan->share_max > 0)
        return SHARING_AGE_MAX_MS + SHARE_PROGRAM_MAX_MS;
    return run_use_ms(run) + (run->session ? run_session_left_ms(run->session) : 0);
}

long long run_end_deadline(const struct run *run)
{
    return run->start + run_use_ms(run) + budget_ms(run->docker, BUDGET_TOTAL) +
           tool_consent_waited_ms(&run->consent);
}

long long run_restore_deadline(const struct run *run)
{
    return clock_now_ms() + budget_ms(run->docker, BUDGET_RESTORE) +
           budget_ms(run->docker, BUDGET_STOP);
}

void run_set_container(struct run *run, const struct owned_container *container)
{
    free(run->result->container);
    run->result->container = container->created ? string_copy(container->name) : NULL;
    if (container->created) {
        free(run->result->image);
        run->result->image = string_copy(container->image);
    }
}

void run_add_warnings(struct run *run)
{
    strvec_push_all_once(&run->result->warnings, &run->instance->warnings);
}

const struct archive *run_archive(const struct run *run)
{
    return archive_file(&run->with_extra_files) >= 0 ? &run->with_extra_files : &run->files;
}

struct program_run run_program_of(struct run *run, const char *name, struct output_sink *output,
                                  struct result *result)
{
    const struct plan *plan = run->plan;
    struct program_run program = {
        .docker = run->docker,
        .instance = run->instance,
        .cancel = run->cancel,
        .latest = run_setup_deadline(run),
        .request = {.spec = program_spec_of(plan), .archive = archive_file(run_archive(run))},
        .name = name,
        .image = run->result->image,
        .rules = &plan->policy.network_rules,
        .terminator = run->terminator,
        .network = run->result->network,
        .tools = run->tools,
        .tool_servers = &plan->tools,
        .tool_calls = run->result->tools,
        .consent = &run->consent,
        .output = output,
        .result = result};

    if (run->session) {
        program.must_begin = run->session->requests > 0;
        run_session_set_program(run, &program.request);
    }
    return program;
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

/* The files that are not artifacts, since the program found them. */
static const struct manifest *known_files(const struct run *run)
{
    static const struct manifest none = MANIFEST_INIT;

    if (run->plan->session.all_files)
        return &none;
    return run->session ? &run->session->known : &run->sent;
}

/*
 * How many bytes a file may have to be sent back. A larger one that was sent to the container is
 * needed to see whether the program has changed it.
 */
static long long longest_artifact(const struct run *run)
{
    const long long sent = manifest_longest(known_files(run));

    return sent > run->plan->max_artifact_bytes ? sent : run->plan->max_artifact_bytes;
}

/* ---- the files that a program leaves */

struct left_files {
    enum { LEFT_NONE, LEFT_ARTIFACTS, LEFT_UNREQUESTED } wanted;
    bool ordered; /* before the program began */
    struct frame_collect order;
    struct result result; /* gets the artifacts and the names, which may turn out to be unwanted */
    struct collector collector; /* of LEFT_ARTIFACTS */
    struct unrequested_files
        unrequested; /* of LEFT_UNREQUESTED: the caller did not say which it wants */
};

static void left_files_init(struct left_files *files, struct run *run)
{
    static const struct manifest none = MANIFEST_INIT;
    const struct plan *plan = run->plan;
    const struct manifest *const known[] = {known_files(run), &run->built,
                                            run->session ? &run->session->named : &none};

    *files = (struct left_files){.wanted = plan->artifacts.count > 0 ? LEFT_ARTIFACTS
                                           : plan->unrequested       ? LEFT_UNREQUESTED
                                                                     : LEFT_NONE,
                                 .result = RESULT_INIT};
    if (files->wanted == LEFT_ARTIFACTS) {
        collector_init(&files->collector, plan, known_files(run), &files->result);
        files->order = (struct frame_collect){
            (uint64_t)longest_artifact(run),
            (uint64_t)limits_bytes(&plan->policy.limits, LIMIT_WORKDIR) * 2 + (16 << 20)};
    } else if (files->wanted == LEFT_UNREQUESTED) {
        unrequested_init(&files->unrequested, plan, known, &files->result);
        files->order = (struct frame_collect){UNREQUESTED_BYTES_MAX, UNREQUESTED_ARCHIVE_MAX};
    }
}

static void left_files_release(struct left_files *files)
{
    if (files->wanted == LEFT_ARTIFACTS)
        collector_release(&files->collector);
    else if (files->wanted == LEFT_UNREQUESTED)
        unrequested_release(&files->unrequested);
    result_release(&files->result);
}

static void set_files_channel(struct run *run, struct left_files *files)
{
    const struct channel channel = files->wanted == LEFT_ARTIFACTS
                                       ? collector_channel(&files->collector)
                                       : unrequested_channel(&files->unrequested);

    instance_set_channel(run->instance, CHANNEL_FILES, &channel);
}

/* The files of a program that no other one follows can be ordered together with it. */
static void order_in_advance(struct run *run, struct left_files *files,
                             struct program_request *request)
{
    if (files->wanted == LEFT_NONE || !request->is_last)
        return;
    set_files_channel(run, files);
    request->collect = &files->order;
    files->ordered = true;
}

/*
 * Orders the files of a program that has ended, unless that was done, and receives them. Large
 * files take longer than BUDGET_FILES: the wait goes on for as long as bytes of artifacts arrive.
 */
static enum process_event receive_files(struct run *run, struct left_files *files)
{
    static const unsigned long long no_stream = 0;
    const unsigned long long *stream =
        files->wanted == LEFT_ARTIFACTS ? &files->collector.stream : &no_stream;
    /* what comes next on a connection with half an archive is not known, and a session needs it */
    const struct notifier *cancel = run->session ? NULL : run->cancel;
    const long long end = run_end_deadline(run);
    enum process_event event;
    unsigned long long before;
    long long deadline;

    if (!files->ordered) {
        set_files_channel(run, files);
        instance_collect(run->instance, (long long)files->order.file_max,
                         (long long)files->order.max);
    }
    do {
        before = *stream;
        deadline = budget_deadline(run->docker, BUDGET_FILES);
        if (deadline > end)
            deadline = end;
        event = instance_pump(run->instance, INSTANCE_FILES, deadline, cancel);
    } while (event == PROCESS_DEADLINE && deadline<end && * stream> before);
    return event;
}

void run_note_built(struct run *run)
{
    static const struct manifest none = MANIFEST_INIT;
    const struct manifest *const known[] = {&run->sent, &none, &none};
    const long long start = clock_now_ms();
    struct left_files files = {.wanted = LEFT_UNREQUESTED, .result = RESULT_INIT};

    if (!run->plan->unrequested)
        return;
    unrequested_init(&files.unrequested, run->plan, known, &files.result);
    receive_files(run, &files);
    instance_set_channel(run->instance, CHANNEL_FILES, NULL);
    unrequested_finish(&files.unrequested);
    run->built = files.unrequested.found;
    files.unrequested.found = (struct manifest)MANIFEST_INIT;
    left_files_release(&files);
    docker_traced(run->docker, "files", start);
}

/* Takes the files that the program, which has ended, has left. */
static void take_files(struct run *run, struct left_files *files)
{
    const bool has_end = run->instance->link.has_end;
    const long long start = clock_now_ms();
    enum process_event event = PROCESS_EXITED;

    if (files->wanted == LEFT_NONE || run->result->reason == REASON_CANCELLED ||
        (files->wanted == LEFT_UNREQUESTED && (run->result->reason != REASON_EXIT || !has_end)))
        return;
    if (has_end)
        event = receive_files(run, files);
    if (files->wanted == LEFT_ARTIFACTS)
        collector_finish(&files->collector, explain_missing(event));
    else
        unrequested_finish(&files->unrequested);
    if (files->wanted == LEFT_UNREQUESTED && run->session)
        run_session_remember_named(run->session, &files->unrequested.found);
    result_move_files(&files->result, run->result);
    docker_traced(run->docker, "files", start);
}

int run_main_program(struct run *run, struct program_run *program, long long deadline, bool *begun,
                     struct error *error)
{
    struct left_files files;
    int status;

    left_files_init(&files, run);
    order_in_advance(run, &files, &program->request);
    status = program_run(program, deadline, begun, error);
    if (status == 0)
        take_files(run, &files);
    instance_set_channel(run->instance, CHANNEL_FILES, NULL);
    left_files_release(&files);
    return status;
}

void run_remove_container(struct run *run, const struct owned_container *container,
                          const struct process_drain *drain)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (owned_container_remove(container, drain, run_end_deadline(run), &error) != 0)
        strvec_push(&run->result->warnings, error.message);
}
