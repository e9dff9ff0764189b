#include "cli/grade/grade.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/thread.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/grade/grade_report.h"
#include "cli/grade/grade_service.h"
#include "cli/grade/measuring.h"
#include "cli/print.h"
#include "cli/run_inputs.h"
#include "run/hints.h"

/* No solution is started while the texts that wait for an earlier solution have more bytes. */
#define WAITING_MAX ((size_t)64 << 20)

/* A file of the command line. */
struct solution {
    struct grading *grading;
    struct grade_source source;
    /* The rest with the lock. */
    bool is_noted;         /* the result is complete, and the rest is not changed any more */
    struct strbuf text;    /* what is printed on stdout; empty after that */
    struct strvec remarks; /* and on stderr */
    size_t hints;          /* of these, the first ones, which are printed for one solution alone */
    struct hint_program program;
};

struct grading {
    struct run_options *options;
    const struct config *config;
    struct grade_service service; /* it is changed when a result is noted, too */
    bool tries_checker;
    struct grade_report report;
    struct problem_package *package; /* NULL: the files are not those of one */
    struct measuring measuring;      /* of its time limit */
    struct solution *solutions;      /* owned */
    size_t count, started, printed;
    struct strvec printed_hints; /* hints that are printed */

    pthread_mutex_t lock; /* protects the members below, and those of the solutions */
    size_t waiting;       /* bytes of the texts that are not printed */
    size_t passed, failed, noted;
    /* Which solution lets its checker be tried, once for all; NULL: none, or it has been. */
    const struct solution *trying;
    bool tried;
    struct grade_engine engine;
    size_t outcomes[SUBMISSION_OUTCOMES]; /* how many submissions have each */
    bool engine_failed;
};

/* ---- results */

/* Names a submission that is not as slow as it should be. */
static void warn_of_time(const struct grade_source *source, struct result *result)
{
    char *warning =
        time_limit_warning(source->time_limit, source->submission->role, &result->tests);

    if (warning)
        strvec_push_owned(&result->warnings, warning);
}

/*
 * Notes the result of a solution. One that was cancelled is not complete: it is not printed and not
 * counted.
 */
static void note_result(struct solution *solution, struct result *result)
{
    struct grading *grading = solution->grading;
    const enum grade grade = grade_of(result);
    const bool complete = result->reason != REASON_CANCELLED;
    const struct strvec *warnings = &grading->options->test_warnings;
    struct strbuf text = STRBUF_INIT;
    const struct submission *submission = solution->source.submission;
    bool engine_failed;

    result_name_subject(result, run_options_namer);
    engine_failed = complete && exit_status_of_result(result, 0) == EXIT_STATUS_ENGINE;
    if (complete) {
        if (!submission || submission_outcome(submission, result) != SUBMISSION_AS_EXPECTED)
            hints_add(result, &solution->program, &hint_person);
        if (!grading->report.as_table)
            strvec_push_all(&result->warnings, warnings);
        if (submission)
            warn_of_time(&solution->source, result);
        solution->hints = grading->report.as_table ? result->hints : 0;
        solution->remarks = grade_report_remarks(&grading->report, &solution->source, result);
        text = grade_report_text(&grading->report, &solution->source, result);
    }
    pthread_mutex_lock(&grading->lock);
    solution->text = text;
    solution->is_noted = true;
    grading->waiting += text.length;
    if (submission && complete)
        grading->outcomes[submission_outcome(submission, result)]++;
    grading->passed += grade == GRADE_PASSED;
    grading->failed += grade == GRADE_FAILED;
    grading->noted++;
    grading->engine_failed |= engine_failed;
    if (grading->trying == solution) {
        grading->trying = NULL;
        grading->tried = case_results_have_begun(&result->tests) || result->reason == REASON_JUDGE;
    }
    grading->engine.failed += result->reason == REASON_ENGINE;
    grading->engine.retries += (size_t)result->retries;
    pthread_mutex_unlock(&grading->lock);
    notifier_raise(&grading->service.changed);
}

/* The service calls this with the result of a run. */
static void on_result(void *context, struct result *result)
{
    note_result(context, result);
}

/* The service calls this after the cleanup of a run. */
static void on_cleaned_up(void *context, const char *problem)
{
    const struct solution *solution = context;

    grade_service_warn(solution->source.file, problem);
}

/* ---- output */

static void print_remarks(struct solution *solution)
{
    CLEANUP_FREE char *name = text_escape(solution->source.file);

    for (size_t i = 0; i < solution->remarks.count; i++) {
        CLEANUP_FREE char *escaped = text_escape(solution->remarks.items[i]);

        if (i >= solution->hints || hints_is_new(&solution->grading->printed_hints, escaped))
            diagnostics_line("%s: %s", name, escaped);
    }
    strvec_release(&solution->remarks);
}

/*
 * Prints what is known of the next solution. False if it is not noted. After a signal,
 * `unnoted` passes over those that never will be.
 */
static bool print_next(struct grading *grading, bool unnoted)
{
    struct solution *solution = &grading->solutions[grading->printed];
    struct strbuf text;
    bool is_noted;

    pthread_mutex_lock(&grading->lock);
    is_noted = solution->is_noted;
    text = solution->text;
    solution->text = (struct strbuf)STRBUF_INIT;
    grading->waiting -= text.length;
    pthread_mutex_unlock(&grading->lock);
    grading->printed += is_noted || unnoted;
    if (is_noted)
        print_remarks(solution);
    if (text.length > 0)
        progress_clear(&grading->service.progress);
    print_bytes(strbuf_string(&text), text.length);
    strbuf_release(&text);
    return is_noted || unnoted;
}

static void print_noted(struct grading *grading)
{
    while (grading->printed < grading->count && print_next(grading, false))
        ;
}

static void show_progress(struct grading *grading)
{
    THREAD_LOCK(&grading->lock);
    progress_count(&grading->service.progress, (long long)grading->noted,
                   (long long)(grading->noted - grading->passed));
}

/* Prints the warnings, and all that is before the rows. */
static void print_begin(struct grading *grading)
{
    const struct strvec *warnings = &grading->options->test_warnings;
    CLEANUP_FREE char *heading = grade_report_heading(&grading->report, grading->package);

    for (size_t i = 0; i < warnings->count; i++)
        diagnostics_line("warning: %s", warnings->items[i]);
    progress_clear(&grading->service.progress);
    print_text(heading);
}

/* Prints what is left at the end. */
static void print_end(struct grading *grading)
{
    while (grading->printed < grading->count)
        print_next(grading, true);
    if (grading->report.as_table) {
        CLEANUP_FREE char *summary =
            grading->package ? problem_table_summary(grading->outcomes, grading->count,
                                                     signals_caught() != 0, &grading->engine)
                             : grade_table_summary(grading->passed, grading->failed, grading->count,
                                                   &grading->engine);

        print_text(summary);
    }
}

/* ---- one solution */

static int submit(struct solution *solution, struct error *error)
{
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT,
                                            .done = on_result,
                                            .cleaned_up = on_cleaned_up,
                                            .context = solution};

    return grade_service_submit(&solution->grading->service, &solution->source, &callbacks,
                                &solution->program, error);
}

/* Lets the checker be tried with this solution, unless it has been or is with an earlier one. */
static void set_trial(struct grading *grading, const struct solution *solution)
{
    THREAD_LOCK(&grading->lock);
    grading->options->request.tests.tries_checker =
        grading->tries_checker && !grading->tried && !grading->trying;
    if (grading->options->request.tests.tries_checker)
        grading->trying = solution;
}

/* Starts the next solution, or notes its result by what is known of it, or with an error. */
static void start_next(struct grading *grading)
{
    struct solution *solution = &grading->solutions[grading->started++];
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct result *measured = measuring_find(&grading->measuring, solution->source.submission);

    set_trial(grading, solution);
    if (measured) {
        note_result(solution, measured);
    } else if (submit(solution, &error) != 0) {
        result_fail(&result, &error);
        note_result(solution, &result);
    }
    if (grading->started == grading->count)
        service_stop_pool(&grading->service.service);
}

/* ---- all solutions */

/* Whether there is a solution to be started, and room for it and for its result. */
static bool may_start(struct grading *grading)
{
    bool small;

    THREAD_LOCK(&grading->lock);
    small = grading->waiting <= WAITING_MAX;
    return small && grading->started < grading->count &&
           service_has_room(&grading->service.service);
}

/* Runs and prints everything, and waits for the cleanup, unless it is stopped. */
static void run_all(struct grading *grading)
{
    while (!grade_service_is_stopped()) {
        /* Clear it before asking for what is new: a later change raises it again. */
        notifier_clear(&grading->service.changed);
        print_noted(grading);
        show_progress(grading);
        if (may_start(grading))
            start_next(grading);
        else if (grading->printed == grading->count && service_is_idle(&grading->service.service))
            break;
        else
            grade_service_wait(&grading->service);
    }
}

static int exit_status(const struct grading *grading)
{
    const int printed = command_line_printed("results");

    if (printed != EXIT_STATUS_SUCCESS)
        return printed;
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (grading->engine_failed)
        return EXIT_STATUS_ENGINE;
    if (grading->package)
        return grading->outcomes[SUBMISSION_DIFFERS] == 0 ? EXIT_STATUS_SUCCESS
                                                          : EXIT_STATUS_PROGRAM;
    return grading->passed == grading->count ? EXIT_STATUS_SUCCESS : EXIT_STATUS_PROGRAM;
}

/*
 * Finds what is wrong with the options for every file, before one is started: resolves the plan of
 * the first file whose language is known. Errors other than ERROR_USAGE are those of this file.
 */
static int check_options(struct grading *grading, struct error *error)
{
    const struct strvec *files = &grading->options->files;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    size_t i = 0;

    while (!grading->options->request.language && i < files->count &&
           !config_language_of_file(grading->config, files->items[i]) &&
           !run_inputs_is_directory(files->items[i]))
        i++;
    if (i == files->count || grade_plan_resolve(&grading->solutions[i].source, &plan, error) == 0)
        return 0;
    if (error->kind == ERROR_USAGE) {
        error_name_subject(error, run_options_namer);
        return -1;
    }
    error_release(error);
    *error = (struct error)ERROR_INIT;
    return 0;
}

static void set_up(struct grading *grading)
{
    struct run_options *options = grading->options;

    pthread_mutex_init(&grading->lock, NULL);
    grading->count = options->files.count;
    grading->solutions = memory_allocate(grading->count * sizeof *grading->solutions);
    for (size_t i = 0; i < grading->count; i++)
        grading->solutions[i] = (struct solution){
            .grading = grading,
            .source = {.options = options,
                       .config = grading->config,
                       .package = grading->package,
                       .file = options->files.items[i],
                       .submission =
                           grading->package ? &grading->package->submissions.items[i] : NULL,
                       .time_limit = grading->package ? &grading->package->time_limit : NULL}};
    grade_report_init(&grading->report, options, grading->package);
}

static void release(struct grading *grading)
{
    free(grading->solutions); /* their texts are printed */
    strvec_release(&grading->printed_hints);
    measuring_release(&grading->measuring);
    grade_service_release(&grading->service);
    pthread_mutex_destroy(&grading->lock);
}

/* Opens the service and runs all solutions in it. */
static int run_in_service(struct grading *grading, struct error *error)
{
    struct grade_service *grade = &grading->service;

    if (grade_service_open(grade, grading->options, grading->config, error) != 0)
        return -1;
    progress_begin_counted(&grade->progress, (long long)grading->count);
    if (grading->package && grading->package->time_limit.is_measured)
        measuring_run(&grading->measuring, grade, grading->options, grading->config,
                      grading->package);
    if (grading->report.as_table)
        print_begin(grading);
    run_all(grading);
    service_close(&grade->service, 0); /* cancels what still runs */
    command_line_warn_interrupted(grade->service.interrupted);
    progress_end(&grade->progress);
    signals_release(); /* nothing remains to be removed */
    print_end(grading);
    return exit_status(grading);
}

int grade_files(struct run_options *options, const struct config *config,
                struct problem_package *package, struct error *error)
{
    struct grading grading = {
        .options = options,
        .config = config,
        .package = package,
        .service = {.changed = NOTIFIER_INIT},
    };
    int status = -1;

    if (run_inputs_read_tests(options, config, error) != 0)
        return -1;
    set_up(&grading);
    grading.tries_checker = options->request.tests.tries_checker;
    if (check_options(&grading, error) == 0)
        status = run_in_service(&grading, error);
    release(&grading);
    return status;
}
