#include "cli/grade/grade_service.h"

#include <poll.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/print.h"
#include "cli/run_inputs.h"

int grade_service_open(struct grade_service *grade, const struct run_options *options,
                       const struct config *config, struct error *error)
{
    const struct service_options service_options = {
        .pool = POOL_ON_DEMAND,
        .limits = {.max_active = options->parallel,
                   .gradual = true,
                   .max_retries = options->retries},
        .has_tools = options->request.tools.count > 0,
        .trace = options->verbose ? docker_print_trace : NULL,
        .changed = &grade->changed,
    };

    *grade = (struct grade_service){.changed = NOTIFIER_INIT,
                                    .built = {BUILT_FILES_INIT, BUILT_FILES_INIT}};
    if (options->request.checker)
        options->request.checker->built = &grade->built[0];
    if (options->request.grader)
        options->request.grader->built = &grade->built[1];
    return notifier_open(&grade->changed, error) == 0
               ? service_open(&grade->service, config, &service_options, error)
               : -1;
}

/* Fetches the images of the plan for --pull, once for all solutions. */
static int pull(struct grade_service *grade, const struct plan *plan, struct error *error)
{
    if (strvec_contains(&grade->pulled, plan->image))
        return 0;
    strvec_push(&grade->pulled, plan->image);
    progress_clear(&grade->progress); /* docker shows its own */
    return run_inputs_pull(&grade->service.docker, plan, error);
}

int grade_service_submit(struct grade_service *grade, const struct grade_source *source,
                         const struct run_callbacks *callbacks, struct hint_program *program,
                         struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    if (grade_plan_complete(source, &plan, error) != 0 ||
        (source->options->pull && pull(grade, &plan, error) != 0))
        return -1;
    if (source->options->verbose)
        run_inputs_print_standard(source->file, &plan, source->config);
    if (program)
        *program = hint_program_of(source->config, &plan);
    return service_submit(&grade->service, &plan, callbacks, NULL, error);
}

void grade_service_warn(const char *file, const char *problem)
{
    CLEANUP_FREE char *name = text_escape(file);
    CLEANUP_FREE char *escaped = text_escape(problem ? problem : "");

    if (problem)
        diagnostics_line("%s: warning: %s", name, escaped);
}

bool grade_service_is_stopped(void)
{
    return notifier_raised(signals_cancel()) || print_failure() != 0;
}

void grade_service_wait(struct grade_service *grade)
{
    struct pollfd polled[] = {
        {notifier_fd(&grade->changed), POLLIN, 0},
        {notifier_fd(signals_cancel()), POLLIN, 0},
    };

    io_poll(polled, 2, -1);
}

void grade_service_release(struct grade_service *grade)
{
    strvec_release(&grade->pulled);
    for (int i = 0; i < 2; i++)
        built_files_release(&grade->built[i]);
    notifier_release(&grade->changed);
}
