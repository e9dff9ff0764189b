/*
 * What `isolator run` and `isolator test` share: everything except how they print the result. The
 * files are opened, the tests are read, and the request becomes a plan, which runs.
 */
#ifndef CLI_RUN_REQUEST_H
#define CLI_RUN_REQUEST_H

#include <stdbool.h>

#include "cli/run_options.h"
#include "run/result.h"
#include "service/service.h"

/* What a command displays of its request. */
struct run_request_view {
    /* Completes the request before it is resolved; -1 with the error. NULL: nothing. */
    int (*prepare)(void *context, const struct run_options *options, struct request *request,
                   struct error *error);
    /* Runs the plan in place of service_run(). NULL: that. */
    void (*run)(void *context, struct service *service, const struct plan *plan,
                const struct run_observer *observer, const struct notifier *cancel,
                struct result *result);
    /* Starts the plan as a job, with --detach, in place of running it. NULL: never. */
    void (*start)(void *context, struct service *service, const struct config *config,
                  const struct run_options *options, const struct plan *plan,
                  struct result *result);
    /* Called before the run of these tests. NULL: not wanted, like the next one. */
    void (*begin_tests)(void *context, const struct run_options *options,
                        const struct case_requests *tests);
    /* See struct run_observer (run/run_stats.h). */
    void (*test_ended)(void *context, size_t place, const struct case_result *result);
    /*
     * Prints the result. `status` is the exit status of the process for it. Returns the exit status
     * of the process.
     */
    int (*report)(void *context, const struct run_options *options, struct result *result,
                  int status);
    void *context; /* the first argument of all */
};

/*
 * Reads the arguments after the name of the command, which is argv[0], does what they ask for, and
 * calls the functions of the view unless there are several files (cli/grade/grade.h), or the
 * command line or the configuration was wrong. Returns the exit status of the process.
 */
int run_request_main(enum run_options_command command, int argc, char **argv,
                     const struct run_request_view *view);

/*
 * Prints the result as JSON, after the members of an object, which is taken over: on one line, or
 * indented on a terminal. -1 if it could not be written; then a line on stderr says why.
 */
int run_request_print_json(json_t *members, struct result *result);

/* The same check for a result that was printed in another form. */
int run_request_printed(void);

/* Writes the warnings of the result to stderr, and the error if that is wanted, a line for each. */
void run_request_print_messages(const struct result *result, bool with_error);

#endif
