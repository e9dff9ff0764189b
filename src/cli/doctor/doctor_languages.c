#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/signals.h"
#include "cli/doctor/doctor.h"
#include "container/owned_container.h"
#include "docker/budget.h"
#include "docker/image_inspect.h"
#include "prepare/prepare.h"
#include "request/snippets.h"

static void say_of(struct doctor *doctor, const char *what, const struct language *language)
{
    CLEANUP_FREE char *text = string_format("%s %s", what, language->name);

    doctor_say(doctor, text);
}

/* ---- images */

/* "143 MB, 6 days old", owned. */
static char *describe_image(const char *image, const struct image_facts *facts)
{
    struct strbuf text = STRBUF_INIT;
    const long long hours =
        facts->created < 0 ? -1 : ((long long)time(NULL) - facts->created) / 3600;

    strbuf_addstr(&text, image);
    if (facts->bytes >= 0)
        strbuf_addf(&text, ", %.0f MB", (double)facts->bytes / 1e6);
    if (hours >= 48)
        strbuf_addf(&text, ", %lld days old", hours / 24);
    else if (hours >= 0)
        strbuf_addf(&text, ", %lld hours old", hours);
    return strbuf_steal(&text);
}

/* Whether someone asks for the language: it is kept warm, or a file of theirs names it. */
static bool is_asked_for(const struct config *config, const struct language *language)
{
    if (language->warm > 0)
        return true;
    for (size_t i = 1; i < config->layer_count && config->origin != CONFIG_INSTALLED; i++) {
        const json_t *languages = json_object_get(config->layers[i].root, "languages");

        if (json_object_get(languages, language->name))
            return true;
    }
    return false;
}

static void report_image(struct doctor *doctor, const struct language *language,
                         const struct image_facts *facts, struct strvec *others)
{
    CLEANUP_FREE char *check = string_format("image %s", language->name);

    if (facts->present)
        doctor_find(doctor, FINDING_OK, check, describe_image(language->image, facts), NULL);
    else if (is_asked_for(doctor->config, language))
        doctor_find(doctor, FINDING_WARN, check,
                    string_format("%s is not on the engine", language->image),
                    string_format("isolator pull %s", language->name));
    else
        strvec_push(others, language->name);
}

/*
 * Adds a finding for each language, and one for all that no one has asked for. -1 if the engine
 * does not say which images it has.
 */
static int check_images(struct doctor *doctor, struct image_facts *facts)
{
    const struct config *config = doctor->config;
    const long long deadline = budget_deadline(&doctor->docker, BUDGET_QUERY);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec images = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec others = STRVEC_INIT;

    for (size_t i = 0; i < config->language_count; i++)
        strvec_push(&images, config->languages[i].image);
    doctor_say(doctor, "asking the engine about the images");
    if (image_inspect(&doctor->docker, &images, deadline, signals_cancel(), facts, &error) != 0) {
        if (error.kind != ERROR_CANCELLED)
            doctor_find(doctor, FINDING_FAIL, "images", string_copy(error.message),
                        string_format("%s image ls", doctor->docker.command));
        return -1;
    }
    for (size_t i = 0; i < config->language_count; i++)
        report_image(doctor, &config->languages[i], &facts[i], &others);
    if (others.count > 0) {
        CLEANUP_FREE char *names = strvec_join(&others, ", ");

        doctor_find(
            doctor, FINDING_OK, "other images",
            string_format("not on the engine: %s; isolator pull LANGUAGE fetches one", names),
            NULL);
    }
    return 0;
}

/* ---- preparations */

/*
 * Checks a language that has steps. `base` tells whether its base image is on the engine. Returns
 * whether a prepared image exists.
 */
static bool check_preparation(struct doctor *doctor, const struct language *language, bool base)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *check = string_format("prepared %s", language->name);
    CLEANUP_FREE char *advice = string_format("isolator prepare %s", language->name);
    struct prepare_view view;

    say_of(doctor, "looking for the prepared image of", language);
    if (prepare_inspect(&doctor->docker, language, signals_cancel(), &view, &error) != 0) {
        if (error.kind != ERROR_CANCELLED)
            findings_add(&doctor->findings, FINDING_WARN, check, error.message, advice);
        return false;
    }
    if (view.state == PREPARE_READY) {
        findings_add(&doctor->findings, FINDING_OK, check, language->preparation.tag, NULL);
    } else if (view.state != PREPARE_MISSING || base) { /* else the base image is missing */
        findings_add(&doctor->findings, FINDING_WARN, check,
                     view.state == PREPARE_OLD_BASE    ? "outdated: its base image has changed"
                     : view.state == PREPARE_OLD_FILES ? "outdated: its files have changed"
                                                       : "not prepared: programs run in the base "
                                                         "image",
                     advice);
    }
    return view.state != PREPARE_MISSING;
}

/* ---- programs */

/* A test program of the language, owned, with its length; NULL if there is none. */
static char *test_program_of(const struct config *config, const struct language *language,
                             size_t *length)
{
    for (size_t i = 0; config->prompts_dir && i < language->extensions.count; i++) {
        CLEANUP_FREE char *name = string_format("hello_world%s", language->extensions.items[i]);
        CLEANUP(error_release) struct error none = ERROR_INIT;
        char *code = snippet_read(config, name, length, &none);

        if (code)
            return code;
    }
    *length = language->hello ? strlen(language->hello) : 0;
    return language->hello ? string_copy(language->hello) : NULL;
}

/* Makes the plan of the test program. If that fails, adds a finding and returns -1. */
static int make_test_plan(struct doctor *doctor, const struct language *language, const char *check,
                          struct plan *plan)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;

    request_init(&request);
    request.language = string_copy(language->name);
    request.input.code = test_program_of(doctor->config, language, &request.input.code_length);
    if (plan_resolve(plan, doctor->config, &request, &error) == 0)
        return 0;
    doctor->failures++;
    findings_add(&doctor->findings, FINDING_FAIL, check, error.message,
                 "isolator config shows where each value comes from");
    return -1;
}

static void run_test(struct doctor *doctor, struct plan *plan, struct result *result)
{
    const struct run_observer none = RUN_OBSERVER_INIT;

    service_run(doctor->service, plan, &none, signals_cancel(), result);
}

static char *run_advice(const struct doctor *doctor, const char *language,
                        const struct result *result)
{
    switch (result->reason) {
    case REASON_TIMEOUT:
        return string_format("raise \"timeoutSeconds\" or \"cpus\" of %s", language);
    case REASON_CPU_TIME:
        return string_format("raise \"cpuSeconds\" of %s", language);
    case REASON_OOM:
        return string_format("raise \"memoryMB\" of %s", language);
    case REASON_EXIT:
    case REASON_SIGNAL:
    case REASON_OUTPUT_LIMIT:
    case REASON_COMMAND:
    case REASON_BUILD:
        return string_format("set another \"image\" or \"command\" for %s", language);
    case REASON_CANCELLED:
    case REASON_ENGINE:
    case REASON_IMAGE_MISSING:
    case REASON_INPUT:
    case REASON_TESTS:
    case REASON_EXCEPTION:
    case REASON_JUDGE:
        break;
    }
    return string_format(
        "%s info and isolator run --verbose show more; restart the engine if it hangs",
        doctor->docker.command);
}

static void add_failure(struct doctor *doctor, const char *check, const char *language,
                        const char *when, const struct result *result)
{
    CLEANUP_FREE char *detail =
        string_format("%s: %s", when, result->error ? result->error : result_reason(result));
    CLEANUP_FREE char *advice = run_advice(doctor, language, result);

    doctor->failures++;
    findings_add(&doctor->findings, FINDING_FAIL, check, detail, advice);
}

static void add_none_waits(struct doctor *doctor, const char *check, const char *language)
{
    CLEANUP_FREE char *advice = string_format("configure \"warm\": {\"%s\": 0}", language);

    findings_add(&doctor->findings, FINDING_WARN, check,
                 "works, but no warm container could be created", advice);
}

/*
 * Runs the test program in a warm container, and adds the warnings to those of `cold`. If it cannot
 * run, adds a finding and returns false.
 */
static bool run_warm_test(struct doctor *doctor, const char *check, const struct language *language,
                          struct result *cold, struct result *warm)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    if (make_test_plan(doctor, language, check, &plan) != 0)
        return false;
    say_of(doctor, "running a program in a warm container of", language);
    if (!service_prewarm(doctor->service, &plan, signals_cancel())) {
        if (!notifier_raised(signals_cancel()))
            add_none_waits(doctor, check, language->name);
        return false;
    }
    run_test(doctor, &plan, warm);
    strvec_push_all_once(&cold->warnings, &warm->warnings);
    if (result_success(warm) && !warm->ready && language->preload.count > 0)
        strvec_push(&cold->warnings, "the interpreter cannot import the modules of \"preload\"");
    if (result_success(warm) && !warm->warm) /* the container ended before the run */
        add_none_waits(doctor, check, language->name);
    else if (!result_success(warm) && warm->reason != REASON_CANCELLED)
        add_failure(doctor, check, language->name, "in a warm container", warm);
    return result_success(warm) && warm->warm;
}

/* The warnings of the run that no other finding has, on one line; owned. */
static char *new_warnings(const struct language *language, const struct result *result)
{
    CLEANUP_FREE char *unprepared = owned_container_unprepared(language->name, language->image);
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;

    for (size_t i = 0; i < result->warnings.count; i++)
        if (strcmp(result->warnings.items[i], unprepared) != 0)
            strvec_push(&warnings, result->warnings.items[i]);
    return strvec_join(&warnings, "; ");
}

static void add_success(struct doctor *doctor, const struct language *language, const char *check,
                        const char *times, const struct result *result)
{
    CLEANUP_FREE char *joined = new_warnings(language, result);
    CLEANUP_FREE char *detail =
        *joined ? string_format("%s, but: %s", times, joined) : string_copy(times);

    findings_add(&doctor->findings, *joined ? FINDING_WARN : FINDING_OK, check, detail,
                 *joined ? "isolator run --verbose shows which step causes this" : NULL);
}

/* Runs the test program in a new container, and in a warm one if the configuration has them. */
static void test_language(struct doctor *doctor, const struct language *language, const char *check)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(result_release) struct result warm = RESULT_INIT;
    CLEANUP(strbuf_release) struct strbuf detail = STRBUF_INIT;

    if (make_test_plan(doctor, language, check, &plan) != 0)
        return;
    doctor_try_limits(doctor, &plan);
    say_of(doctor, "running a program in", language);
    run_test(doctor, &plan, &result);
    if (result.reason == REASON_CANCELLED)
        return;
    if (!result_success(&result)) {
        add_failure(doctor, check, language->name, "does not run", &result);
        return;
    }
    doctor->successes++;
    strbuf_addf(&detail, "hello in %lld ms; ", result.total_ms);
    if (language->warm == 0)
        strbuf_addstr(&detail, "no container is kept warm");
    else if (run_warm_test(doctor, check, language, &result, &warm))
        strbuf_addf(&detail, "in a warm container: %lld ms", warm.total_ms);
    else
        return;
    if (warm.ready)
        strbuf_addf(&detail, ", ready with %lld MB", (warm.ready_bytes + (1 << 20) - 1) >> 20);
    else if (warm.warm && language->ready && language->build.count == 0)
        strbuf_addstr(&detail, ", not ready: the interpreter starts with each request");
    add_success(doctor, language, check, strbuf_string(&detail), &result);
}

static void check_language(struct doctor *doctor, const struct language *language)
{
    CLEANUP_FREE char *check = string_format("run %s", language->name);
    CLEANUP_FREE char *detail = NULL;
    size_t length;
    CLEANUP_FREE char *program = test_program_of(doctor->config, language, &length);

    if (program) {
        test_language(doctor, language, check);
        return;
    }
    detail = string_copy("not tried: it has no program for that (hello)");
    findings_add(&doctor->findings, FINDING_OK, check, detail, NULL);
    doctor->untested = language->name;
}

/* The advice if no language can run a program, owned. */
static char *runs_advice(const struct doctor *doctor, const struct image_facts *facts)
{
    CLEANUP(strvec_release) struct strvec ways = STRVEC_INIT;
    const struct config *config = doctor->config;

    if (doctor->failures > 0)
        return string_copy("fix one of the languages above");
    for (size_t i = 0; i < config->language_count && ways.count == 0; i++)
        if (!facts[i].present)
            strvec_pushf(&ways, "isolator pull %s", config->languages[i].name);
    if (doctor->untested)
        strvec_pushf(&ways, "set \"hello\" of %s in the configuration", doctor->untested);
    return strvec_join(&ways, ", or ");
}

/* Whether there may be an image to run a program in. */
static bool is_tried(const struct language *language, const struct image_facts *facts)
{
    return facts->present || language->preparation.steps.count > 0;
}

static void check_each_language(struct doctor *doctor, const struct image_facts *facts)
{
    const struct config *config = doctor->config;

    for (size_t i = 0; i < config->language_count; i++)
        doctor->languages += is_tried(&config->languages[i], &facts[i]);
    for (size_t i = 0; i < config->language_count && !notifier_raised(signals_cancel()); i++) {
        const struct language *language = &config->languages[i];
        bool present = facts[i].present;

        doctor->language += is_tried(language, &facts[i]);
        if (language->preparation.steps.count > 0)
            present |= check_preparation(doctor, language, facts[i].present);
        if (present)
            check_language(doctor, language);
    }
}

void doctor_check_languages(struct doctor *doctor)
{
    const struct service_options options = {.pool = POOL_ONE_SHOT, .limits = {.max_active = 1}};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE struct image_facts *facts =
        memory_allocate(doctor->config->language_count * sizeof *facts);
    struct service service;
    bool opened;

    if (check_images(doctor, facts) != 0)
        return;
    progress_end(&doctor->findings.progress); /* its thread must not be there then */
    opened = service_open(&service, doctor->config, &options, &error) == 0;
    progress_resume(&doctor->findings.progress);
    if (!opened) {
        findings_add(&doctor->findings, FINDING_FAIL, "runs", error.message, NULL);
        return;
    }
    doctor->service = &service;
    check_each_language(doctor, facts);
    doctor->service = NULL;
    service_close(&service, 0);
    if (doctor->successes == 0 && !notifier_raised(signals_cancel()))
        doctor_find(doctor, FINDING_FAIL, "runs", string_copy("no language could run a program"),
                    runs_advice(doctor, facts));
}
