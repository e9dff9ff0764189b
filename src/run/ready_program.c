#include "run/ready_program.h"

#include <string.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/drivers.h"
#include "run/run_steps.h"

/*
 * The directory of the hook, which removes it before the request comes, and the variable, which has
 * to fit in the place of "USER=sandbox" and "LOGNAME=sandbox" (supervisor/ready_hook.h).
 */
#define HOOK_DIRECTORY ".preload"
#define HOOK_VARIABLE  "PYTHONPATH=./" HOOK_DIRECTORY

bool ready_program_is_possible(const struct plan *plan, bool for_cell)
{
    return plan->ready && (for_cell ? plan->session_command.count > 0 : plan->build.count == 0);
}

static int pack_hook(const struct plan *plan, struct archive *archive, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "MODULES = [");
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

int ready_program_make(struct instance *instance, const struct plan *plan, bool for_cell,
                       long long deadline, const struct notifier *cancel, struct error *error)
{
    static const struct strbuf no_cell = STRBUF_INIT;
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    struct program_request request = run_request_of(plan);
    enum process_event event;

    request.make_ready = true;
    if (for_cell) {
        request.command = &plan->session_command;
        request.environment = &plan->public_environment;
        request.cell = &no_cell;
    }
    if (plan->preload.count > 0) {
        if (pack_hook(plan, &archive, error) != 0)
            return -1;
        request.archive = archive_file(&archive);
        request.hook = HOOK_VARIABLE;
    }
    instance_send(instance, &request);
    event = instance_pump(instance, INSTANCE_READY, deadline, cancel);
    if (event == PROCESS_CANCELLED)
        return owned_container_set_cancelled(error);
    if (event != PROCESS_PAUSED || instance->link.failure.step != 0 || instance->link.broken)
        return error_set(error, ERROR_ENGINE, "the interpreter did not become ready");
    return 0;
}
