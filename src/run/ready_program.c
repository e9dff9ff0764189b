#include "run/ready_program.h"

#include "run/run_steps.h"

bool ready_program_is_possible(const struct plan *plan)
{
    return plan->ready && plan->build.count == 0;
}

int ready_program_make(struct instance *instance, const struct plan *plan, long long deadline,
                       const struct notifier *cancel, struct error *error)
{
    struct program_request request = run_request_of(plan);
    enum process_event event;

    request.make_ready = true;
    instance_send(instance, &request);
    event = instance_pump(instance, INSTANCE_READY, deadline, cancel);
    if (event == PROCESS_CANCELLED)
        return owned_container_set_cancelled(error);
    if (event != PROCESS_PAUSED || instance->link.failure.step != 0 || instance->link.broken)
        return error_set(error, ERROR_ENGINE, "the interpreter did not become ready");
    return 0;
}
