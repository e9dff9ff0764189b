#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/attack.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/selftest_tools.h"
#include "config/config.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/container_list.h"
#include "docker/engine_kind.h"
#include "docker/explain.h"
#include "run/enforcement_probe.h"
#include "service/service.h"

struct selftest_options {
    struct common_options common;
    bool list, verbose;
};

struct tally {
    struct progress progress;
    int requested, attacks;        /* number of attacks: of all, and of those that have ended */
    int verdicts[ATTACK_VERDICTS]; /* number of attacks with each verdict */
};

/* The copies of an attack. They run at the same time. */
struct trial {
    struct plan plans[ATTACK_COPIES_MAX];
    struct result results[ATTACK_COPIES_MAX];
};

static const struct option_rule selftest_rules[] = {
    {{'l', "--list", NULL, "list the attacks and what must hold", NULL,
      "List the attacks and what must hold, and run nothing."},
     OPTION_FLAG(struct selftest_options, list)},
    COMMAND_OPTION_RUNTIME,
    COMMAND_OPTION_OCI_RUNTIME,
    COMMAND_OPTION_CONFIG,
    {{'v', "--verbose", NULL, "print what must hold above each line, warnings below", NULL,
      "Print what must hold above each line, and the warnings of the run below it."},
     OPTION_FLAG(struct selftest_options, verbose)},
    COMMAND_OPTION_HELP,
};

static const struct option_table selftest_table = {
    .command = "isolator selftest",
    .usage = "usage: isolator selftest [-l] [-v] [--runtime NAME] [--oci-runtime NAME]\n"
             "                         [--config FILE] [ATTACK...]\n"
             "\n"
             "Runs attacks, each in a container of its own, on your engine and with your\n"
             "configuration, and reports for each whether the sandbox held. With NAMEs only\n"
             "these run. The attacks are Python programs and need the image of python.\n",
    .example = "isolator selftest",
    .after = "Exit status: 0 all held except for known gaps, 1 an attack got through or a\n"
             "container remains, 2 wrong command line or configuration, 3 the engine failed,\n"
             "128+N signal N. See isolator-selftest(1).\n",
    .operands = VALUES_ATTACKS,
    OPTION_RULES(selftest_rules)};

/* Whether the attack was requested. Without names all are. */
static bool is_requested(const struct attack *attack, char *const *names)
{
    bool requested = *names == NULL;

    for (; *names; names++)
        requested |= strcmp(*names, attack->name) == 0;
    return requested;
}

static int count_requested(char *const *names)
{
    int count = 0;

    for (size_t i = 0; i < attack_count(); i++) {
        const struct attack attack = attack_get(i);

        count += is_requested(&attack, names);
    }
    return count;
}

static int check_names(char *const *names, struct error *error)
{
    const size_t count = attack_count();
    const char **known_names = memory_allocate(count * sizeof *known_names);
    int result = 0;

    for (size_t i = 0; i < count; i++)
        known_names[i] = attack_get(i).name;
    for (; *names && result == 0; names++) {
        const char *nearest = text_nearest(*names, known_names, count);
        size_t i = 0;

        while (i < count && strcmp(*names, known_names[i]) != 0)
            i++;
        if (i == count && nearest)
            result = error_set(error, ERROR_USAGE, "unknown attack '%s'; did you mean '%s'?",
                               *names, nearest);
        else if (i == count)
            result = error_set(error, ERROR_USAGE,
                               "unknown attack '%s'; see isolator selftest --list", *names);
    }
    free(known_names);
    return result;
}

static int list_attacks(char *const *names, struct error *error)
{
    for (size_t i = 0; i < attack_count(); i++) {
        struct attack attack = attack_get(i);

        if (attack_read(&attack, error) != 0)
            return -1;
        if (is_requested(&attack, names))
            print_format("%-20s %s: %s\n", attack.name, attack.title, attack.holds);
    }
    return 0;
}

static int make_attack_plan(const struct attack *attack, long copy, const struct config *config,
                            struct plan *plan, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    if (attack_request(attack, copy, config, &request, error) != 0)
        return -1;
    return plan_resolve(plan, config, &request, error);
}

/*
 * Tries whether the engine enforces limits, which some have to prove before they run an attack. If
 * it does not, the attacks will show it.
 */
static void try_limits(struct service *service, const struct plan *plan)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    if (!engine_memory_is_enforcing(service->docker.memory, plan->policy.oci_runtime))
        enforcement_probe(&service->docker, plan, signals_cancel(), &ignored);
}

/* Runs the copies. -1 if they cannot run, for example because the image is missing. */
static int run_trial(struct trial *trial, struct attack *attack, const struct config *config,
                     struct service *service, struct error *error)
{
    const size_t copies = (size_t)attack->copies;

    for (long copy = 0; copy < attack->copies; copy++)
        if (make_attack_plan(attack, copy, config, &trial->plans[copy], error) != 0)
            return -1;
    try_limits(service, &trial->plans[0]);
    if (engine_memory_is_gvisor(service->docker.memory, trial->plans[0].policy.oci_runtime))
        attack_set_gvisor(attack);
    service_run_together(service, trial->plans, copies, signals_cancel(), trial->results);
    for (size_t copy = 0; copy < copies; copy++)
        if (trial->results[copy].reason == REASON_IMAGE_MISSING)
            return error_set(error, ERROR_IMAGE, "%s", trial->results[copy].error);
    return 0;
}

static void init_trial(struct trial *trial)
{
    for (long copy = 0; copy < ATTACK_COPIES_MAX; copy++) {
        trial->plans[copy] = (struct plan)PLAN_INIT;
        trial->results[copy] = (struct result)RESULT_INIT;
    }
}

static void release_trial(struct trial *trial)
{
    for (long copy = 0; copy < ATTACK_COPIES_MAX; copy++) {
        plan_release(&trial->plans[copy]);
        result_release(&trial->results[copy]);
    }
}

static void print_warnings(const struct result *result)
{
    for (size_t i = 0; i < result->warnings.count; i++) {
        CLEANUP_FREE char *escaped = text_escape(result->warnings.items[i]);

        print_format("         warning: %s\n", escaped);
    }
}

/* Prints the line of an attack. Its verdict is the worst of all copies. */
static void print_verdict(const struct attack *attack, const struct trial *trial,
                          const struct selftest_options *options, long long ms, struct tally *tally)
{
    static const char *const words[] = {[ATTACK_HELD] = "held",
                                        [ATTACK_GAP] = "gap",
                                        [ATTACK_UNCLEAR] = "UNCLEAR",
                                        [ATTACK_BREACH] = "BREACH"};
    CLEANUP(strbuf_release) struct strbuf worst = STRBUF_INIT;
    enum attack_verdict verdict = ATTACK_HELD;

    for (long copy = 0; copy < attack->copies; copy++) {
        struct strbuf seen = STRBUF_INIT;
        const enum attack_verdict other = attack_judge(attack, &trial->results[copy], &seen);

        if (other > verdict || copy == 0) {
            verdict = other;
            strbuf_release(&worst);
            worst = seen;
        } else {
            strbuf_release(&seen);
        }
    }
    progress_clear(&tally->progress);
    if (options->verbose || verdict != ATTACK_HELD)
        print_format("%s: %s\n", attack->title, attack->holds);
    if (verdict == ATTACK_GAP)
        print_format("known gap: %s\n", attack->gap);
    print_format("%-8s %5.1f s  %-20s %s\n", words[verdict], (double)ms / 1000, attack->name,
                 strbuf_string(&worst));
    for (long copy = 0; options->verbose && copy < attack->copies; copy++)
        print_warnings(&trial->results[copy]);
    tally->attacks++;
    tally->verdicts[verdict]++;
}

/* The first result of the attack for which the engine was to blame; NULL: there is none. */
static const struct result *failed_by_engine(const struct attack *attack, const struct trial *trial)
{
    for (long copy = 0; copy < attack->copies; copy++)
        if (trial->results[copy].reason == REASON_ENGINE)
            return &trial->results[copy];
    return NULL;
}

static bool engine_answers(const struct docker *docker)
{
    return docker_engine_answers(docker, budget_deadline(docker, BUDGET_QUERY), signals_cancel()) ==
           DOCKER_YES;
}

static int try_attack(size_t index, char *const *names, const struct selftest_options *options,
                      const struct config *config, struct service *service, struct tally *tally,
                      struct error *error)
{
    CLEANUP(release_trial) struct trial trial;
    struct attack attack = attack_get(index);
    const long long begin = clock_now_ms();
    const struct result *failed;
    int result;

    init_trial(&trial);
    if (attack_read(&attack, error) != 0)
        return -1;
    if (!is_requested(&attack, names))
        return 0;
    if (!engine_has_events(service->docker.kind))
        attack_set_silent_engine(&attack);
    progress_step(&tally->progress, tally->attacks + 1, tally->requested, attack.name);
    result = run_trial(&trial, &attack, config, service, error);
    if (result != 0 || notifier_raised(signals_cancel()))
        return result;
    failed = failed_by_engine(&attack, &trial);
    if (failed && docker_never_reached(&service->docker)) /* no attack would run */
        return error_set(error, ERROR_ENGINE, "%s", failed->error);
    print_verdict(&attack, &trial, options, clock_now_ms() - begin, tally);
    if (failed && !engine_answers(&service->docker))
        return error_set(error, ERROR_ENGINE, "the engine does not answer after '%s': %s",
                         attack.name, failed->error);
    return 0;
}

/*
 * Counts the containers that remain on the engine, and waits a while for them to disappear. -1 if
 * the engine does not answer.
 */
static int count_remaining(const struct docker *docker, size_t *remaining, struct error *error)
{
    static const struct timespec pause = {0, 200 * 1000000L};
    const long long end = budget_deadline(docker, BUDGET_ALL_GONE);
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    owner_own_labels(&labels);
    do {
        CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;

        if (container_list(docker, &labels, NULL, end, signals_cancel(), &list, error) != 0)
            return -1;
        *remaining = list.count;
        if (*remaining > 0)
            nanosleep(&pause, NULL);
    } while (*remaining > 0 && clock_now_ms() < end);
    return 0;
}

/* Prints the last line of the table. Returns the exit status. */
static int report_totals(const struct tally *tally, size_t remaining)
{
    const int *verdicts = tally->verdicts;

    print_format(
        "%d attacks: %d held, %d known gaps, %d breaches, %d unclear; %zu containers remain\n",
        tally->attacks, verdicts[ATTACK_HELD], verdicts[ATTACK_GAP], verdicts[ATTACK_BREACH],
        verdicts[ATTACK_UNCLEAR], remaining);
    return verdicts[ATTACK_BREACH] + verdicts[ATTACK_UNCLEAR] == 0 && remaining == 0
               ? EXIT_STATUS_SUCCESS
               : EXIT_STATUS_PROGRAM;
}

static int try_all(const struct selftest_options *options, char *const *names,
                   const struct config *config, struct error *error)
{
    const struct service_options service_options = {.limits = {.max_active = ATTACK_COPIES_MAX},
                                                    .has_tools = true};
    struct service service;
    struct tally tally = {.requested = count_requested(names)};
    size_t remaining = 0;
    int result = 0;

    if (signals_catch(error) != 0 || service_open(&service, config, &service_options, error) != 0)
        return -1;
    progress_begin(&tally.progress);
    for (size_t i = 0; i < attack_count() && result == 0 && signals_caught() == 0; i++)
        result = try_attack(i, names, options, config, &service, &tally, error);
    progress_step(&tally.progress, 0, 0, "waiting until all containers are removed");
    if (result == 0 && signals_caught() == 0)
        result = count_remaining(&service.docker, &remaining, error);
    service_close(&service, 0);
    progress_end(&tally.progress);
    signals_release();
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (result != 0)
        return -1;
    return report_totals(&tally, remaining);
}

static int run_selftest_command(void *context, char **operands, const struct config *config,
                                struct error *error)
{
    const struct selftest_options *options = context;

    if (check_names(operands, error) != 0)
        return -1;
    return options->list ? list_attacks(operands, error)
                         : try_all(options, operands, config, error);
}

const struct command_line selftest_command = {.options_size = sizeof(struct selftest_options),
                                              .options = &selftest_table,
                                              .operands_max = COMMAND_ANY_OPERANDS,
                                              .complete_config = selftest_tools_add,
                                              .run = run_selftest_command,
                                              .output = "table"};
