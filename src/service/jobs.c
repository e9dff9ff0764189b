#include "service/jobs.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/linux.h"
#include "container/delivery.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/explain.h"
#include "judge/job_run.h"
#include "run/enforcement_probe.h"
#include "run/run_steps.h"
#include "service/job_place.h"

/* After a failure of the engine. */
enum { RETRY_MS = 1000 };

/* ---- the start */

/* What a job cannot have. */
static int check_plan(const struct plan *plan, struct error *error)
{
    if (plan->policy.has_user && plan->policy.uid == 0)
        return error_set(error, ERROR_USAGE,
                         "a job cannot run as user 0, which could read and change its script");
    if (plan->checker)
        return error_set(error, ERROR_USAGE,
                         "a job cannot have a checker, which needs isolator: compare its outputs, "
                         "or do not run it as a job");
    if (plan->call.function)
        return error_set(error, ERROR_USAGE,
                         "a job cannot have a call, whose values are compared by isolator: do not "
                         "run it as a job");
    if (plan_has_session(plan))
        return error_set(error, ERROR_USAGE, "a job cannot use a session, which ends before it");
    if (plan->tools.count > 0)
        return error_set(error, ERROR_USAGE,
                         "a job cannot call tools, since isolator may have ended: do not run it as "
                         "a job, or without tools (in JSON: \"tools\": [])");
    if (strcmp(plan->policy.network, "none") != 0 || plan->policy.network_rules.count > 0)
        return error_set(
            error, ERROR_USAGE,
            "a job cannot have a network or reach hosts, since isolator may have ended: do "
            "not run it as a job, or use the network 'none'%s",
            plan->policy.network_rules.count > 0 ? " (in JSON: \"hosts\": [])" : "");
    return 0;
}

static void make_spec(const struct run *run, const struct owned_container *container,
                      const struct job_script *script, const char *key, struct strvec *command,
                      struct container_spec *spec)
{
    const struct plan *plan = run->plan;

    *spec = owned_container_spec(container, plan);
    spec->lifeline = false;
    spec->log_max = job_script_log_max(script);
    spec->limits = container_limits_of_engine(run->docker, &run->limits);
    spec->limits.memory_mb += job_run_extra_mb(plan);
    spec->tmpfs[1] =
        (struct container_tmpfs){plan->workdir, (long)plan->policy.limits.number[LIMIT_WORKDIR]};
    delivery_set_spec(DELIVERY_VOLUME, plan->workdir, command, spec);
    strvec_push(command, key);
}

/* Fills in what the note has of the container, and writes it. */
static int write_note(const struct run *run, const struct owned_container *container,
                      struct job_note *note, struct error *error)
{
    struct plan plan = *run->plan; /* its image is the one that the container was made from */
    CLEANUP_FREE char *image = string_copy(container->image);
    int result;

    plan.image = image;
    note->sent = run->sent;
    result = job_note_write(note, &plan, error);
    note->sent = (struct manifest)MANIFEST_INIT;
    return result;
}

/* Makes the container and starts it. -1: nothing remains, or a warning says so. */
static int make_container(const struct job_start *start, struct judgement *judgement,
                          struct owned_container *container, struct job_script *script,
                          struct job_note *note, struct error *error)
{
    CLEANUP_FREE char *script_name = string_format("%.*s", JOB_NAME_LENGTH, note->key);
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    struct run *run = &judgement->run;
    struct strvec *warnings = &run->result->warnings;
    const long long deadline = run_setup_deadline(run);
    const struct volume_files files = {.script = script->file, .script_name = script_name};
    char architecture[20] = "";
    struct container_spec spec;

    make_spec(run, container, script, note->key, &command, &spec);
    if (delivery_has_choice() && delivery_inspect_image(run->docker, run->plan->image, architecture,
                                                        run->cancel, error) != 0)
        return -1;
    if (owned_container_create(container, &spec, deadline, 0, run->cancel, warnings, error) != 0)
        return -1;
    strvec_push_all(&note->warnings, warnings);
    if (delivery_fill_volume(run->docker, container->name, architecture, &files, deadline,
                             run->cancel, error) == 0 &&
        write_note(run, container, note, error) == 0 &&
        audit_add_start(start->audit, run->docker, run->plan, container->name, container->image,
                        run->cancel, error) == 0 &&
        job_run_start(judgement, container, note->key, error) == 0 &&
        job_note_publish(note, error) == 0)
        return 0;
    run_remove_container(run, container, NULL);
    return -1;
}

static int begin_start(const struct job_start *start, const struct run *run, struct job_note *note,
                       struct error *error)
{
    const struct job_place place = {.docker = start->docker,
                                    .max_running = start->max_running,
                                    .when_full = start->when_full,
                                    .deadline = run_setup_deadline(run),
                                    .cancel = start->cancel};

    return job_place_take(&place, note, error);
}

static int start_run(const struct job_start *start, struct judgement *judgement,
                     struct job_note *note, struct error *error)
{
    CLEANUP(job_script_release) struct job_script script = JOB_SCRIPT_INIT;
    const long long ends = (long long)time(NULL) + plan_programs_ms(start->plan) / 1000 + 1;
    struct owned_container container;
    int result;

    if (job_script_open(&script, error) != 0 || job_run_write(judgement, &script, error) != 0)
        return -1;
    owned_container_init_lasting(&container, start->docker, PURPOSE_JOB, start->plan,
                                 run_use_ms(&judgement->run));
    note->ends = ends;
    note->expires = ends + start->keep_hours * 3600LL;
    owner_job_labels(&container.labels, start->name, start->plan->language, ends, note->expires);
    memcpy(note->id, owned_container_digits(container.name), sizeof note->id);
    linux_random_digits(note->key, sizeof note->key);
    note->name = start->name ? string_copy(start->name) : NULL;
    note->artifacts = start->artifacts ? string_copy(start->artifacts) : NULL;
    note->force = start->force;
    note->of_model = start->of_model;
    note->batch_id = json_incref(start->batch_id);
    note->batch_line = start->batch_line;
    result = begin_start(start, &judgement->run, note, error);
    if (result == 0)
        result = make_container(start, judgement, &container, &script, note, error);
    if (result != 0)
        job_note_remove(note);
    owned_container_release(&container);
    return result;
}

/* Whether the job can be. If not, the result says why. */
static bool is_possible(const struct job_start *start, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (check_plan(start->plan, &error) == 0 &&
        (!start->name || job_note_check_name(start->name, "job", &error) == 0))
        return true;
    result_fail(result, &error);
    return false;
}

bool jobs_start(const struct job_start *start, struct job_note *note, struct result *result)
{
    static const struct run_observer no_observer = RUN_OBSERVER_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(error_release) struct error unproven = ERROR_INIT;
    struct judgement judgement;
    bool started = false;

    if (!is_possible(start, result))
        return false;
    /* If that fails, so does judgement_begin(). */
    enforcement_ensure(start->docker, start->plan, NULL, start->cancel, &unproven);
    if (judgement_begin(&judgement, start->docker, start->plan, &no_observer, start->cancel, NULL,
                        result)) {
        started = start_run(start, &judgement, note, &error) == 0;
        if (!started) {
            plan_name_pull(start->plan, &error);
            result_fail(result, &error);
        }
    } else if (unproven.kind != ERROR_NONE) {
        result_fail(result, &unproven);
    }
    output_sink_finish(&judgement.run.output, result);
    judgement_clean_up(&judgement, &ignored);
    return started;
}

/* ---- the result */

static char *container_name(const struct job_note *note)
{
    return owned_container_name_for(note->is_workspace ? PURPOSE_WORKSPACE : PURPOSE_JOB, note->id);
}

/* Whether the engine answers, and has no such container. */
static bool is_gone(const struct docker *docker, const char *container,
                    const struct notifier *cancel)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_state state;

    return container_inspect(docker, container, budget_deadline(docker, BUDGET_QUERY), &state,
                             &ignored) != 0 &&
           docker_engine_answers(docker, budget_deadline(docker, BUDGET_QUERY), cancel) ==
               DOCKER_YES;
}

bool jobs_wait_for_end(const struct docker *docker, const char *id, const struct notifier *cancel)
{
    CLEANUP_FREE char *container = owned_container_job_name(id);

    while (!notifier_raised(cancel)) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct pollfd cancelled = {notifier_fd(cancel), POLLIN, 0};

        if (container_wait(docker, container, 0, cancel, &error) == 0)
            return true;
        if (error.kind == ERROR_CANCELLED)
            break;
        if (is_gone(docker, container, cancel))
            return true;
        io_poll(&cancelled, 1, RETRY_MS);
    }
    return false;
}

static int read_result(const struct docker *docker, const struct job_note *note, long long deadline,
                       const struct notifier *cancel, struct result *result, bool *runs,
                       struct error *error)
{
    CLEANUP_FREE char *container = container_name(note);
    CLEANUP(error_release) struct error gone = ERROR_INIT;
    const struct job_run job = {.docker = docker,
                                .plan = &note->plan,
                                .sent = &note->sent,
                                .container = container,
                                .key = note->key,
                                .cancel = cancel};

    *runs = false;
    strvec_push_all(&result->warnings, &note->warnings);
    if (container_wait(docker, container, deadline, cancel, error) == 0)
        return job_run_read(&job, result, error);
    *runs = deadline > 0 && clock_now_ms() >= deadline && error->kind == ERROR_ENGINE;
    if (*runs || error->kind == ERROR_CANCELLED || !is_gone(docker, container, cancel))
        return -1;
    error_release(error);
    *error = (struct error)ERROR_INIT;
    error_set(&gone, ERROR_ENGINE,
              "the container of the job is not on this engine: it was removed, or the job is on "
              "another engine; to forget the job, use isolator rm");
    result_fail(result, &gone);
    return 0;
}

int jobs_wait(const struct docker *docker, struct audit *audit, const struct job_note *note,
              long long deadline, const struct notifier *cancel, struct result *result, bool *runs,
              struct error *error)
{
    if (job_note_check_job(note, error) != 0 ||
        read_result(docker, note, deadline, cancel, result, runs, error) != 0)
        return -1;
    return audit_add(audit, docker, &note->plan, result, cancel, error);
}

int jobs_stop(const struct docker *docker, const struct job_note *note,
              const struct notifier *cancel, struct error *error)
{
    CLEANUP_FREE char *container = container_name(note);
    CLEANUP_FREE char *directory =
        string_format("%.*s", (int)(strrchr(JOB_STOP_FILE, '/') - JOB_STOP_FILE), JOB_STOP_FILE);
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;

    if (archive_open(&archive, 0, 0, NULL, error) != 0 ||
        archive_add_bytes(&archive, strrchr(JOB_STOP_FILE, '/') + 1, "", 0, error) != 0 ||
        archive_finish(&archive, error) != 0)
        return -1;
    return container_interrupt(docker, container, directory, "the order to stop",
                               archive_file(&archive), budget_deadline(docker, BUDGET_SETUP),
                               cancel, error);
}

int jobs_remove(const struct docker *docker, const struct job_note *note, bool force,
                const struct notifier *cancel, struct error *error)
{
    CLEANUP_FREE char *container = container_name(note);
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct container_state state;

    if (!force &&
        container_inspect(docker, container, budget_deadline(docker, BUDGET_QUERY), &state,
                          &ignored) == 0 &&
        state.started && !state.ended)
        return error_set(error, ERROR_USAGE, "the %s runs; to end and remove it, use --force",
                         note->is_workspace ? "workspace" : "job");
    if (container_remove(docker, container, NULL, budget_deadline(docker, BUDGET_REMOVE), cancel,
                         error) != 0)
        return -1;
    job_note_remove(note);
    return 0;
}
