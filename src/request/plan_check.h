/*
 * What plan_resolve() checks of a request: its own values, its tests, and what a request with tests
 * or of a session cannot ask for.
 */
#ifndef REQUEST_PLAN_CHECK_H
#define REQUEST_PLAN_CHECK_H

#include "base/error.h"
#include "config/config.h"
#include "request/plan.h"
#include "request/request.h"

/* Checks the images, the directory and the names of environment variables. ERROR_USAGE. */
int plan_check_request(const struct request *request, struct error *error);

/*
 * Checks the tests, and lowers their limits to the maximums; the plan has its entrypoint and
 * policy. ERROR_USAGE, or ERROR_INPUT about the paths of their files.
 */
int plan_check_tests(const struct plan *plan, const struct config *config, struct request *request,
                     struct error *error);

/* Checks that the tests are those of the call of the request, or of none. ERROR_USAGE. */
int plan_check_call(const struct plan *plan, const struct language *language,
                    const struct request *request, struct error *error);

/* Refuses what a request of a session cannot have. ERROR_USAGE. */
int plan_check_session(const struct request *request, struct error *error);

/*
 * Gives the working directory of a checker room for the files of the largest test, up to the
 * maximums, so that no output of a program is too large for it. ERROR_USAGE if the input and the
 * answer of a test do not fit.
 */
int plan_add_room(struct limits *limits, const struct limits *maximums,
                  const struct case_requests *tests, struct error *error);

#endif
