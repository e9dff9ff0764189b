#include "run/ready_program.h"

#include <string.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/drivers.h"
#include "docker/budget.h"
#include "run/run_steps.h"

/*
 * The directory of the hook, which removes it before the request comes, and the variable, which has
 * to fit in the place of "USER=sandbox" and "LOGNAME=sandbox" (supervisor/ready/ready_hook.h).
 */
#define HOOK_DIRECTORY ".preload"
#define HOOK_VARIABLE  "PYTHONPATH=./" HOOK_DIRECTORY

/*
 * It takes about twice as long to make an interpreter ready as to start one, and a fork saves half
 * of that.
 */
enum { TESTS_MIN = 5 };

/* Whether forks of one interpreter may take the place of programs of the plan. */
static bool can_fork(const struct plan *plan)
{
    return strvec_contains(&plan->source_extensions, ".py") && plan->tools.count == 0 &&
           plan->policy.network_rules.count == 0;
}

static bool tests_can_fork(const struct plan *plan)
{
    for (size_t i = 0; i < plan->tests.count; i++)
        if (plan->tests.items[i].arguments.count > 0 || plan->tests.items[i].environment.count > 0)
            return false;
    return plan->tests.count >= TESTS_MIN && can_fork(plan) && plan->preload.count == 0 &&
           !plan->interactive;
}

bool ready_program_is_possible(const struct plan *plan, enum ready_use use)
{
    if (use == READY_FOR_CELL)
        return plan->ready && plan->session_command.count > 0;
    return plan->ready && plan->build.count == 0 &&
           (use != READY_FOR_TESTS || tests_can_fork(plan)) &&
           (use != READY_FOR_LINES || can_fork(plan));
}

static int pack_hook(const struct plan *plan, bool is_template, struct archive *archive,
                     struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "IS_TEMPLATE = %s\nMODULES = [", is_template ? "True" : "False");
    for (size_t i = 0; i < plan->preload.count; i++)
        strbuf_addf(&text, "'%s', ", plan->preload.items[i]);
    strbuf_addf(&text, "]\n%s", driver_preload_python());
    if (archive_open(archive, plan->policy.uid, plan->policy.gid, NULL, error) != 0 ||
        archive_add_directory(archive, HOOK_DIRECTORY, 0, error) != 0 ||
        archive_add_bytes(archive, HOOK_DIRECTORY "/sitecustomize.py", text.data, text.length,
                          error) != 0)
        return -1;
    return archive_finish(archive, error);
}

int ready_program_make(struct instance *instance, const struct plan *plan, enum ready_use use,
                       long long deadline, const struct notifier *cancel, struct error *error)
{
    static const struct strbuf no_cell = STRBUF_INIT;
    const struct call_driver *driver = function_call_driver(&plan->call, &plan->source_extensions);
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    struct program_request request = {
        .spec = use == READY_FOR_CELL ? program_spec_of_interpreter(plan) : program_spec_of(plan),
        .archive = -1};
    enum process_event event;

    request.make_ready = true;
    request.fork = use == READY_FOR_TESTS || use == READY_FOR_LINES;
    if (use == READY_FOR_TESTS)
        request.restore_ms = budget_ms(instance->container.docker, BUDGET_RESTORE);
    request.spec.input = -1;
    if (use == READY_FOR_CELL)
        request.cell = &no_cell;
    if (plan->preload.count > 0) {
        if (pack_hook(plan, request.fork, &archive, error) != 0)
            return -1;
        request.archive = archive_file(&archive);
        request.ready_text = HOOK_VARIABLE;
    } else if (driver) {
        request.ready_text = driver->name;
    }
    instance_send(instance, &request);
    event = instance_pump(instance, INSTANCE_READY, deadline, cancel);
    if (event == PROCESS_CANCELLED)
        return owned_container_set_cancelled(error);
    if (event != PROCESS_PAUSED || instance->link.failure.step != 0 || instance->link.broken)
        return error_set(error, ERROR_ENGINE, "the interpreter did not become ready");
    return 0;
}
