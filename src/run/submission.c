#include "run/submission.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "config/command_template.h"
#include "docker/budget.h"
#include "docker/engine_memory.h"
#include "run/built_archive.h"
#include "run/program_explain.h"
#include "run/program_run.h"
#include "run/ready_program.h"
#include "run/run_steps.h"
#include "run/sharing.h"

/* MB that hold so many bytes. */
static long megabytes(unsigned long long bytes)
{
    return (long)(bytes >> 20) + 1;
}

/* The limits of the program, with memory for a copy of the working directory. */
static struct container_limits limits_with_copy(const struct run *run, unsigned long long bytes)
{
    struct container_limits limits = owned_container_limits(&run->plan->policy.limits);

    limits.memory_mb += bytes > 0 ? megabytes(bytes) : 0;
    return limits;
}

/* Blocks of 512 bytes and text that one entry may need in front of what an archive has of it. */
enum { ENTRY_BYTES = 3 * 512, COPY_EXTRA_BYTES = 8192 };

/*
 * The size of a copy of the files that were sent. Each directory has an entry in it, and a name
 * starts with "./", which may be too long for a header (supervisor/collect.c).
 */
static unsigned long long copy_max(const struct run *run)
{
    unsigned long long bytes =
        (unsigned long long)archive_size(run_archive(run)) + COPY_EXTRA_BYTES;
    const char *before = "";

    for (size_t i = 0; i < run->sent.count; i++) { /* sorted: those of a directory are neighbours */
        const char *name = run->sent.items[i].name;
        size_t at = 0;

        while (name[at] && name[at] == before[at])
            at++;
        for (const char *slash = name + at; (slash = strchr(slash, '/')); slash++)
            bytes += ENTRY_BYTES + (size_t)(slash - name);
        if (strlen(name) > 90)
            bytes += ENTRY_BYTES;
        before = name;
    }
    return bytes;
}

struct container_limits submission_plan_limits(const struct plan *plan, const struct docker *docker)
{
    const struct container_limits program = owned_container_limits(&plan->policy.limits);
    const struct container_limits build = owned_container_limits(&plan->build_limits);

    if (plan->build.count == 0 || plan_kind(plan) != PLAN_SUBMISSION ||
        engine_memory_is_gvisor(docker->memory, plan->policy.oci_runtime))
        return program;
    return container_limits_before(docker, &build, &program);
}

bool submission_limits_are_fixed(const struct run *run)
{
    return engine_memory_is_gvisor(run->docker->memory, run->plan->policy.oci_runtime);
}

struct container_limits submission_limits(const struct run *run)
{
    const struct plan *plan = run->plan;

    if ((plan->tests.count > 0 || plan->is_repeated) &&
        (plan->build.count == 0 || submission_limits_are_fixed(run)))
        return limits_with_copy(run, copy_max(run));
    return submission_plan_limits(plan, run->docker);
}

/* ---- the build */

static bool is_source(const struct plan *plan, const char *path)
{
    const char *program = plan_main(plan);
    const char *slash = strrchr(program, '/');
    const size_t directory = slash ? (size_t)(slash - program) + 1 : 0;
    const char *dot = strrchr(path, '.');

    return strncmp(path, program, directory) == 0 && !strchr(path + directory, '/') &&
           strcmp(path, program) != 0 && dot && strvec_contains(&plan->source_extensions, dot);
}

/* Appends the sources, the entrypoint first. None of them can be taken for an option. */
static void add_sources(struct strvec *command, const struct run *run)
{
    strvec_pushf(command, "./%s", plan_main(run->plan));
    for (size_t i = 0; i < run->sent.count; i++)
        if (is_source(run->plan, run->sent.items[i].name))
            strvec_pushf(command, "./%s", run->sent.items[i].name);
}

struct strvec submission_build_command(const struct run *run)
{
    struct strvec command = STRVEC_INIT;

    for (size_t i = 0; i < run->plan->build.count; i++)
        if (strcmp(run->plan->build.items[i], COMMAND_SOURCES) == 0)
            add_sources(&command, run);
        else
            strvec_push(&command, run->plan->build.items[i]);
    return command;
}

/* The kernel's limit for all words of a command, with their pointers: execve(2). */
enum { WORDS_MAX = 2000000 };

/* The sources may have been sent with any names. */
static int check_command(const struct strvec *command, struct error *error)
{
    size_t bytes = 0;

    for (size_t i = 0; i < command->count; i++)
        bytes += strlen(command->items[i]) + 1 + sizeof(char *);
    if (bytes > WORDS_MAX)
        return error_set(error, ERROR_INPUT,
                         "the names of the sources are too long for the command of the build, "
                         "which has 2 MB at most: send fewer files, or with shorter paths");
    return 0;
}

/* Moves what is known of the build into the result. */
static void keep_build(struct result *result, struct result *build)
{
    struct build_result *kept = memory_allocate(sizeof *kept);

    *kept = (struct build_result){
        .exit_code = build->exit_code,
        .signal = build->signal,
        .truncated = {build->truncated[0], build->truncated[1]},
        .duration_ms = build->duration_ms,
        .cpu_us = build->cpu_us,
    };
    for (int i = 0; i < 2; i++) {
        kept->text[i] = build->text[i];
        build->text[i] = (struct strbuf)STRBUF_INIT;
    }
    result->build = kept;
    result->peak_bytes = build->peak_bytes;
}

/* Settles the result of a run whose build has failed, or was cancelled, or could not be shown. */
static void fail_build(struct result *result, struct result *build)
{
    const bool interrupted = build->reason == REASON_CANCELLED || build->reason == REASON_ENGINE;

    result->reason = interrupted ? build->reason : REASON_BUILD;
    result->error = steal_pointer(&build->error);
}

/* Builds the program. *built is false if that failed; then the result is settled. */
static int build(struct run *run, long long deadline, bool *begun, bool *built, struct error *error)
{
    /* What a compiler writes goes where errors go. */
    const struct run_observer observer = {.live = {run->output.live[1], run->output.live[1]}};
    const struct plan *plan = run->plan;
    CLEANUP(strvec_release) struct strvec command = submission_build_command(run);
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct output_sink output;
    struct program_run program = run_program_of(run, "build", &output, &result);
    int status;

    if (check_command(&command, error) != 0)
        return -1;
    program.request.spec = program_spec_of_build(plan, &command);
    output_sink_init(&output, (size_t)plan->build_limits.number[LIMIT_OUTPUT], &observer);
    sharing_begin(run, &program.request);
    status = program_run(&program, deadline, begun, error);
    output_sink_finish(&output, &result);
    sharing_note(run);
    *built = status == 0 && result.reason == REASON_EXIT && result.exit_code == 0;
    if (status != 0)
        return -1;
    strvec_push_all(&run->result->warnings, &result.warnings);
    keep_build(run->result, &result);
    if (!*built)
        fail_build(run->result, &result);
    return 0;
}

/* ---- between the build and the programs */

/* Whether the files are laid out again before each program. */
static bool keeps_copy(const struct plan *plan)
{
    return plan->tests.count > 0 || plan->is_repeated;
}

/*
 * Whether the places where a build can leave something are emptied, apart from the working
 * directory: a writable root cannot be, and those of a session are not.
 */
static bool empties_places(const struct plan *plan)
{
    return keeps_copy(plan) || (plan->policy.read_only == 1 && !plan_has_session(plan));
}

/*
 * Lets the supervisor empty all other places, and keep a copy of the working directory if several
 * programs follow: it has what the build has made, or the files of the request if there is none.
 */
static int keep_files(struct run *run, long long deadline, struct error *error)
{
    const bool built = run->plan->build.count > 0;
    const long long max_ms = budget_ms(run->docker, BUDGET_RESTORE);
    const unsigned long long max =
        !keeps_copy(run->plan) ? 0
        : built ? (unsigned long long)limits_bytes(&run->plan->policy.limits, LIMIT_WORKDIR) * 2
                : copy_max(run);
    const struct frame_keep order = {max, (uint64_t)max_ms};
    const struct frame_restore restore = {built ? 0 : (uint64_t)sharing_restore_ms(run), 1};
    struct instance *instance = run->instance;
    const long long start = clock_now_ms();
    enum process_event event = PROCESS_DEADLINE;

    instance_keep(instance, built ? -1 : archive_file(run_archive(run)), &order,
                  restore.max_ms > 0 ? &restore : NULL);
    if (!built)
        event = instance_deliver(instance, INSTANCE_STOPPED, deadline, run_setup_deadline(run),
                                 run->cancel);
    /* the copy has a time of its own, which the supervisor keeps */
    if (event == PROCESS_DEADLINE && (built || instance->link.last_sent))
        event = instance_pump(instance, INSTANCE_STOPPED, run_restore_deadline(run), run->cancel);
    docker_traced(run->docker, "keep", start);
    if (event != PROCESS_PAUSED || instance->link.broken)
        return program_explain_no_begin(instance, event, error);
    if (instance->link.failure.step != 0)
        return program_explain_failure(instance, run->result->image, error);
    return 0;
}

/*
 * Makes an interpreter ready, of which the programs of the tests are forks, if it can be. If not,
 * each starts as always; what has failed for another reason, it will report.
 */
static void make_template(struct run *run)
{
    enum { PATIENCE_MS = 5000 }; /* many times what Python needs */
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const long long start = clock_now_ms();

    if (!run->instance->transport->is_connected || run->plan->share_max > 0 ||
        !ready_program_is_possible(run->plan, READY_FOR_TESTS))
        return;
    run->has_template = ready_program_make(run->instance, run->plan, READY_FOR_TESTS,
                                           start + PATIENCE_MS, run->cancel, &ignored) == 0;
    docker_traced(run->docker, "ready", start);
}

/* Gives the container the limits of the program in place of those of the build. */
static int lower_limits(struct run *run, struct error *error)
{
    const struct container_limits limits = limits_with_copy(run, run->instance->link.kept_bytes);

    if (submission_limits_are_fixed(run))
        return 0;
    if (instance_set_limits(run->instance, &limits, budget_deadline(run->docker, BUDGET_SETUP),
                            run->cancel, error) == 0)
        return 0;
    return error_prefix(error, "cannot lower the limits after the build");
}

/* ---- the programs */

/* The copy of the working directory counts against the container's memory, not the program's. */
static void subtract_copy(struct run *run)
{
    struct result *result = run->result;
    const long long copy = (long long)run->instance->link.kept_bytes;

    if (result->peak_bytes > copy)
        result->peak_bytes -= copy;
}

/* Runs the one program that was built, in the working directory of its build. */
static int run_built(struct run *run, struct error *error)
{
    struct program_run program = run_program_of(run, "program", &run->output, run->result);
    bool begun;

    program.request.archive = -1;
    program.request.reset = true;
    sharing_go_on(run, &program.request);
    return run_main_program(run, &program, run_restore_deadline(run), &begun, error);
}

/* Whether the program that the build was to make cannot be executed. */
static bool has_no_program(const struct run *run)
{
    const struct frame_failed *failure = &run->instance->link.failure;
    const char *program = run->plan->command.items[0];
    const size_t workdir = strlen(run->plan->workdir);

    return run->plan->build.count > 0 && failure->step == FRAME_STEP_EXEC &&
           failure->error != E2BIG && failure->error != ENOMEM &&
           (strncmp(program, "./", 2) == 0 ||
            (strncmp(program, run->plan->workdir, workdir) == 0 && program[workdir] == '/'));
}

/* Compilers succeed also with a library, and programs that run in a build can do anything. */
static int explain_no_program(struct run *run, struct error *error)
{
    if (!has_no_program(run))
        return -1;
    error_prefix(error, "the build has made no program");
    run->result->reason = REASON_BUILD;
    run->result->error = string_copy(error->message);
    error_release(error);
    *error = (struct error)ERROR_INIT;
    return 0;
}

int submission_prepare(struct run *run, long long deadline, bool *begun, bool *built,
                       struct error *error)
{
    const struct plan *plan = run->plan;

    *begun = false;
    *built = true;
    sharing_prepare(run);
    if (plan->build.count > 0 && build(run, deadline, begun, built, error) != 0)
        return -1;
    if (!*built)
        return 0;
    if (plan->build.count > 0)
        run_note_built(run);
    if (plan->build.count > 0 && plan->built)
        built_archive_take(run);
    if (empties_places(plan) && keep_files(run, deadline, error) != 0)
        return -1;
    make_template(run);
    *begun = true;
    return plan->build.count > 0 ? lower_limits(run, error) : 0;
}

int submission_run(struct run *run, long long deadline, bool *begun, struct error *error)
{
    bool built;
    int result;

    if (submission_prepare(run, deadline, begun, &built, error) != 0)
        return -1;
    if (!built)
        return 0;
    if (run->cases)
        output_sink_begin(&run->output); /* for the observer */
    result = run->cases ? run->cases->run(run->cases_context, error) : run_built(run, error);
    subtract_copy(run);
    return result == 0 ? 0 : explain_no_program(run, error);
}
