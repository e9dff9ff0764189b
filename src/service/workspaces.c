#include "service/workspaces.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "container/delivery.h"
#include "container/owner.h"
#include "container/workspace_instance.h"
#include "docker/engine_memory.h"
#include "request/shell_command.h"
#include "run/enforcement_probe.h"
#include "run/program_explain.h"
#include "run/run.h"
#include "run/run_steps.h"
#include "service/job_place.h"
#include "service/workspace_visit.h"
#include "supervisor/protocol.h"

/* ---- creation */

static int check_plan(const struct plan *plan, struct error *error)
{
    if (plan->policy.has_user && plan->policy.uid == 0)
        return error_set(error, ERROR_USAGE,
                         "a workspace cannot run as user 0, which could read what isolator sends");
    if (strcmp(plan->policy.network, "none") != 0)
        return error_set(error, ERROR_USAGE,
                         "a workspace cannot have a network: it goes on when isolator has ended");
    return 0;
}

static int refuse_gvisor(struct error *error)
{
    return error_set(error, ERROR_INPUT,
                     "there can be no workspace with gVisor, where programs could read its orders");
}

/* What the engine shows before anything is made. */
static int check_engine(const struct workspace_start *start, struct error *error)
{
    const struct docker *docker = &start->service->docker;

    if (enforcement_ensure(docker, start->plan, NULL, start->cancel, error) != 0)
        return -1;
    return engine_memory_is_gvisor(docker->memory, start->plan->policy.oci_runtime)
               ? refuse_gvisor(error)
               : 0;
}

static void make_spec(const struct run *run, const struct owned_container *container,
                      const struct job_note *note, long long idle_seconds, struct strvec *command,
                      struct container_spec *spec)
{
    const struct plan *plan = run->plan;

    *spec = owned_container_spec(container, plan);
    spec->lifeline = false;
    spec->limits = container_limits_of_engine(run->docker, &run->limits);
    spec->tmpfs[1] =
        (struct container_tmpfs){plan->workdir, (long)plan->policy.limits.number[LIMIT_WORKDIR]};
    delivery_set_spec(DELIVERY_VOLUME, plan->workdir, command, spec);
    workspace_instance_words(command, note->key, note->ends, idle_seconds);
}

/* The note has the image that is used, and no more CPUs than the container has. */
static int write_note(const struct run *run, const struct owned_container *container, double cpus,
                      struct job_note *note, struct error *error)
{
    struct plan plan = *run->plan;

    note->plan.image = string_copy(container->image);
    plan.image = note->plan.image;
    plan.policy.limits.number[LIMIT_CPUS] = cpus;
    return job_note_write(note, &plan, error);
}

/* The first visit: it shows that there can be others, and brings the files. */
static int send_files(struct run *run, const struct job_note *note, const char *container,
                      struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct workspace_place place = workspace_visit_place(run->docker, note, container);
    const long long deadline = run_setup_deadline(run);
    struct instance *instance =
        workspace_instance_visit(&place, &run->limits, deadline, run->cancel, error);
    enum process_event event;
    int status = -1;

    if (!instance)
        return -1;
    if (instance->link.is_gvisor) {
        refuse_gvisor(error);
    } else {
        instance_store(instance, archive_file(&run->files));
        event = instance_deliver(instance, INSTANCE_STOPPED, deadline, deadline, run->cancel);
        if (event != PROCESS_PAUSED || instance->link.broken)
            program_explain_no_begin(instance, event, error);
        else if (instance->link.failure.step != 0)
            program_explain_failure(instance, container, error);
        else
            status = 0;
    }
    instance_remove(instance, 0, &ignored);
    instance_free(instance);
    return status;
}

/* -1: nothing remains, or a warning says so. */
static int make_container(const struct workspace_start *start, struct run *run,
                          struct owned_container *container, struct job_note *note,
                          struct error *error)
{
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    const long long deadline = run_setup_deadline(run);
    const struct volume_files files = {.script = -1};
    char architecture[20] = "";
    struct container_spec spec;

    make_spec(run, container, note, start->idle_seconds, &command, &spec);
    if (delivery_has_choice() && delivery_inspect_image(run->docker, run->plan->image, architecture,
                                                        run->cancel, error) != 0)
        return -1;
    if (owned_container_create(container, &spec, deadline, 0, run->cancel, &run->result->warnings,
                               error) != 0)
        return -1;
    run_set_container(run, container);
    if (delivery_fill_volume(run->docker, container->name, architecture, &files, deadline,
                             run->cancel, error) == 0 &&
        write_note(run, container, spec.limits.cpus, note, error) == 0 &&
        audit_add_start(&start->service->audit, run->docker, run->plan, container->name,
                        container->image, run->cancel, error) == 0 &&
        container_launch(run->docker, container->name, deadline, run->cancel, error) == 0 &&
        send_files(run, note, container->name, error) == 0 && job_note_publish(note, error) == 0)
        return 0;
    run_remove_container(run, container, NULL);
    return -1;
}

static int create(const struct workspace_start *start, struct run *run, struct job_note *note,
                  struct error *error)
{
    const struct job_place place = {.docker = run->docker,
                                    .max_running = start->max_running,
                                    .deadline = run_setup_deadline(run),
                                    .cancel = start->cancel};
    struct owned_container container;
    int result;

    owned_container_init_lasting(&container, run->docker, PURPOSE_WORKSPACE, run->plan,
                                 start->lifetime_seconds * 1000);
    note->is_workspace = true;
    note->ends = (long long)time(NULL) + start->lifetime_seconds;
    note->expires = note->ends + start->keep_hours * 3600LL;
    owner_job_labels(&container.labels, start->name, run->plan->language, note->ends,
                     note->expires);
    memcpy(note->id, owned_container_digits(container.name), sizeof note->id);
    linux_random_digits(note->key, sizeof note->key);
    note->name = start->name ? string_copy(start->name) : NULL;
    result = job_place_take(&place, note, error);
    if (result == 0)
        result = make_container(start, run, &container, note, error);
    if (result != 0)
        job_note_remove(note);
    owned_container_release(&container);
    return result;
}

bool workspaces_create(const struct workspace_start *start, struct job_note *note,
                       struct result *result)
{
    static const struct run_observer no_observer = RUN_OBSERVER_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct run run;
    bool created;

    if (check_plan(start->plan, &error) != 0 ||
        (start->name && job_note_check_name(start->name, "workspace", &error) != 0) ||
        check_engine(start, &error) != 0) {
        result_fail(result, &error);
        return false;
    }
    created = run_begin(&run, &start->service->docker, start->plan, &no_observer, start->cancel,
                        NULL, result);
    if (created && create(start, &run, note, &error) != 0) {
        created = false;
        plan_name_pull(start->plan, &error);
        result_fail(result, &error);
    }
    output_sink_finish(&run.output, result);
    run_clean_up(&run, &ignored);
    return created;
}

/* ---- visits */

int workspaces_open(struct job_note *note, const char *word, struct error *error)
{
    note->sought = "workspace";
    if (job_note_open(note, word, error) != 0)
        return -1;
    if (note->is_workspace)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is a job and no workspace", note->id);
}

static void set_text(char **text, const char *value)
{
    free(*text);
    *text = string_copy(value);
}

void workspaces_complete(const struct job_note *note, struct request *request)
{
    const struct plan *plan = &note->plan;

    set_text(&request->language, plan->language);
    set_text(&request->image, plan->image);
    set_text(&request->workdir, plan->workdir);
    set_text(&request->policy.network, plan->policy.network);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limit_rules[i].applied == LIMIT_OF_CONTAINER)
            request->policy.limits.number[i] = plan->policy.limits.number[i];
    if (request->shell)
        shell_command_add(&request->arguments, request->shell, &request->environment);
}

int workspaces_find(struct request *request, struct error *error)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    if (workspaces_open(&note, request->workspace_name, error) != 0)
        return -1;
    workspaces_complete(&note, request);
    memcpy(request->workspace, note.id, sizeof request->workspace);
    request->no_program = true;
    request->session.all_files = true;
    if (request->arguments.count == 0)
        strvec_push_each(&request->arguments, DELIVERY_VOLUME_PATH, FILES_OPTION, "nothing", NULL);
    return 0;
}

/* Enters the workspace, and runs the command. */
static void visit(struct run *run, const struct job_note *note)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(workspace_visit_release) struct workspace_visit visit;

    workspace_visit_init(&visit, note);
    if (workspace_visit_begin(&visit, run, &error) != 0) {
        result_fail(run->result, &error);
        return;
    }
    run_execute(run, &visit.session, NULL);
    workspace_visit_end(&visit, run);
}

void workspaces_exec(struct service *service, const struct job_note *note, const struct plan *plan,
                     const struct run_observer *observer, const struct notifier *cancel,
                     struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct run run;

    if (run_begin(&run, &service->docker, plan, observer, cancel, service->tools, result))
        visit(&run, note);
    run_clean_up(&run, &ignored);
    if (audit_add(&service->audit, &service->docker, plan, result, cancel, &error) != 0)
        result_fail(result, &error);
}
