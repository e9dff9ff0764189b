/*
 * Finds the time limit of a problem package by its submissions (cli/problem/time_limit.h): runs
 * those that bound it from below, with a preliminary limit, and the slowest of them three times,
 * unless the limit is the same for one that takes twice as long. A
 * submission counts if its result is what the package expects. That result stands if all tests
 * would have ended within the limit; every other submission is tested with it.
 */
#ifndef CLI_MEASURING_H
#define CLI_MEASURING_H

#include <pthread.h>

#include "cli/grade/grade_service.h"
#include "cli/problem/problem_package.h"
#include "run/result.h"

struct measuring;

/* The runs of a submission. */
struct measurement {
    struct measuring *measuring;
    struct grade_source source;
    double seconds;       /* of the slowest test of all runs that count; NAN: none does */
    bool has_result;      /* of the slowest run */
    struct result result; /* owned */
};

struct measuring {
    struct grade_service *grade;
    struct run_options *options;
    const struct config *config;
    struct problem_package *package;
    struct time_limit preliminary;
    struct measurement *items; /* owned */
    size_t count;
    pthread_mutex_t lock; /* protects the rest, and results */
    size_t running;
    size_t kept; /* bytes of texts of results */
};

/*
 * Measures, and sets the time limit of the package, or adds to options->test_warnings why there is
 * none. A signal ends it before. All is borrowed. Release it after service_close().
 */
void measuring_run(struct measuring *measuring, struct grade_service *grade,
                   struct run_options *options, const struct config *config,
                   struct problem_package *package);

/* The result of a submission that stands, once, which may be changed; NULL: it is to be tested. */
struct result *measuring_find(struct measuring *measuring, const struct submission *submission);

/* Also an empty one. */
void measuring_release(struct measuring *measuring);

#endif
