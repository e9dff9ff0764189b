#include "cli/grade/measuring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/thread.h"
#include "cli/problem/submission_result.h"

/* How often the slowest submission runs again; what else the machine does makes it slower. */
enum { REPEATS = 2 };

/* Bytes of texts of results that are kept. A submission whose result is not is tested again. */
#define KEPT_MAX ((size_t)16 << 20)

/* ---- one run */

static size_t bytes_of(const struct result *result)
{
    size_t bytes = 0;

    for (size_t i = 0; i < result->tests.count; i++)
        bytes += result->tests.items[i].text[0].length + result->tests.items[i].text[1].length;
    return bytes;
}

/* Keeps the result of a run if it is the slowest of its submission. */
static void keep(struct measurement *item, struct result *result)
{
    struct measuring *measuring = item->measuring;
    const double seconds = time_limit_slowest(&result->tests);
    const struct result former = item->result;

    if (submission_outcome(item->source.submission, result) != SUBMISSION_AS_EXPECTED ||
        seconds <= item->seconds)
        return;
    item->seconds = seconds;
    measuring->kept -= bytes_of(&item->result);
    measuring->kept += bytes_of(result);
    item->has_result = measuring->kept <= KEPT_MAX;
    item->result = *result;
    *result = former; /* the service frees it */
    if (item->has_result)
        return;
    measuring->kept -= bytes_of(&item->result);
    result_release(&item->result);
    item->result = (struct result)RESULT_INIT;
}

/* The service calls this with the result of a run. */
static void on_result(void *context, struct result *result)
{
    struct measurement *item = context;
    struct measuring *measuring = item->measuring;

    pthread_mutex_lock(&measuring->lock);
    keep(item, result);
    measuring->running--;
    pthread_mutex_unlock(&measuring->lock);
    notifier_raise(&measuring->grade->changed);
}

static void on_cleaned_up(void *context, const char *problem)
{
    const struct measurement *item = context;

    grade_service_warn(item->source.file, problem);
}

static size_t running(struct measuring *measuring)
{
    THREAD_LOCK(&measuring->lock);
    return measuring->running;
}

/* Waits until there is room for a run, or with `all`, until all have ended; or for a signal. */
static void wait_for(struct measuring *measuring, bool all)
{
    for (;;) {
        /* Clear it before asking for what is new: a later change raises it again. */
        notifier_clear(&measuring->grade->changed);
        if (grade_service_is_stopped() ||
            (all ? running(measuring) == 0 : service_has_room(&measuring->grade->service)))
            return;
        grade_service_wait(measuring->grade);
    }
}

/* Starts a run. One that cannot start does not count; when it is tested, its error is said. */
static void start(struct measuring *measuring, struct measurement *item)
{
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT,
                                            .done = on_result,
                                            .cleaned_up = on_cleaned_up,
                                            .context = item};
    CLEANUP(error_release) struct error error = ERROR_INIT;

    wait_for(measuring, false);
    if (grade_service_is_stopped())
        return;
    pthread_mutex_lock(&measuring->lock);
    measuring->running++;
    pthread_mutex_unlock(&measuring->lock);
    if (grade_service_submit(measuring->grade, &item->source, &callbacks, NULL, &error) == 0)
        return;
    THREAD_LOCK(&measuring->lock);
    measuring->running--;
}

/* ---- all runs */

static void add(struct measuring *measuring, const struct submission *submission)
{
    if (submission->role != TIME_LIMIT_LOWER || !submission->has_language)
        return;
    measuring->items[measuring->count++] =
        (struct measurement){.measuring = measuring,
                             .source = {.options = measuring->options,
                                        .config = measuring->config,
                                        .package = measuring->package,
                                        .file = submission->path,
                                        .submission = submission,
                                        .time_limit = &measuring->preliminary},
                             .seconds = NAN,
                             .result = RESULT_INIT};
}

/* NULL: none counts. */
static struct measurement *find_slowest(struct measuring *measuring)
{
    struct measurement *slowest = NULL;

    THREAD_LOCK(&measuring->lock);
    for (size_t i = 0; i < measuring->count; i++)
        if (!isnan(measuring->items[i].seconds) &&
            (!slowest || measuring->items[i].seconds > slowest->seconds))
            slowest = &measuring->items[i];
    return slowest;
}

static void repeat(struct measuring *measuring, struct measurement *slowest)
{
    for (int i = 0; i < REPEATS; i++)
        start(measuring, slowest);
    wait_for(measuring, true);
}

static void measure(struct measuring *measuring)
{
    struct measurement *slowest;

    for (size_t i = 0; i < measuring->count; i++)
        start(measuring, &measuring->items[i]);
    wait_for(measuring, true);
    slowest = find_slowest(measuring);
    if (slowest && !time_limit_is_steady(&measuring->package->time_limit, slowest->seconds))
        repeat(measuring, slowest);
    if (grade_service_is_stopped())
        return;
    if (slowest)
        time_limit_compute(&measuring->package->time_limit, &measuring->config->maximums.limits,
                           slowest->source.submission->name, slowest->seconds);
    else
        strvec_push(&measuring->options->test_warnings,
                    "there is no time limit, since the package has none, and no submission of "
                    "which it could be computed is as expected; each test has the timeout of the "
                    "configuration; set one with --time-limit");
}

void measuring_run(struct measuring *measuring, struct grade_service *grade,
                   struct run_options *options, const struct config *config,
                   struct problem_package *package)
{
    const struct submissions *all = package->all.count > 0 ? &package->all : &package->submissions;

    *measuring = (struct measuring){.grade = grade,
                                    .options = options,
                                    .config = config,
                                    .package = package,
                                    .preliminary = {.seconds = TIME_LIMIT_PRELIMINARY}};
    pthread_mutex_init(&measuring->lock, NULL);
    measuring->items = memory_allocate((all->count + 1) * sizeof *measuring->items);
    for (size_t i = 0; i < all->count; i++)
        add(measuring, &all->items[i]);
    progress_step(&grade->progress, 0, 0, "measuring the time limit");
    measure(measuring);
}

struct result *measuring_find(struct measuring *measuring, const struct submission *submission)
{
    for (size_t i = 0; submission && i < measuring->count; i++) {
        struct measurement *item = &measuring->items[i];

        if (strcmp(item->source.submission->name, submission->name) == 0 && item->has_result &&
            time_limit_is_kept(&measuring->package->time_limit, &measuring->config->maximums.limits,
                               &item->result.tests)) {
            item->has_result = false; /* the same file may be given twice */
            return &item->result;
        }
    }
    return NULL;
}

void measuring_release(struct measuring *measuring)
{
    for (size_t i = 0; i < measuring->count; i++)
        result_release(&measuring->items[i].result);
    free(measuring->items);
    if (measuring->grade)
        pthread_mutex_destroy(&measuring->lock);
}
