/*
 * The service in which solutions run (cli/grade/grade.h), and what all of them share: a status
 * line, and the images that were fetched. Knows nothing of results.
 */
#ifndef CLI_GRADE_SERVICE_H
#define CLI_GRADE_SERVICE_H

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "cli/grade/grade_plan.h"
#include "cli/progress.h"
#include "request/built_files.h"
#include "run/hints.h"
#include "service/service.h"

struct grade_service {
    struct service service;
    struct notifier changed; /* raised by callers and when a run has left the service */
    struct progress progress;
    struct strvec pulled;        /* images that were asked for with --pull */
    struct built_files built[2]; /* of the checker and the grader of all solutions */
};

/* The options and the configuration are borrowed. See service_open(); release it in any case. */
int grade_service_open(struct grade_service *grade, const struct run_options *options,
                       const struct config *config, struct error *error);

/*
 * Starts the run of a solution. Sets `program`, unless that is NULL, to what hints about it need.
 * Errors are also those of grade_plan_complete().
 */
int grade_service_submit(struct grade_service *grade, const struct grade_source *source,
                         const struct run_callbacks *callbacks, struct hint_program *program,
                         struct error *error);

/* Prints what service_submit() says after the cleanup of the file's run. */
void grade_service_warn(const char *file, const char *problem);

/* Whether a signal came, or nothing can be printed. */
bool grade_service_is_stopped(void);

/* Waits for a change in the service, or a signal. */
void grade_service_wait(struct grade_service *grade);

/* After service_close(). */
void grade_service_release(struct grade_service *grade);

#endif
