#include "cli/selftest_command.h"

#include <getopt.h>
#include <pthread.h>
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
#include "config/config.h"
#include "docker/budget.h"
#include "docker/container_list.h"
#include "run/owner.h"
#include "service/execute.h"
#include "service/reaper.h"

struct options {
    bool list, verbose;
};

struct tally {
    int tried;
    int verdicts[ATTACK_VERDICTS];
};

/* One copy of an attack, on a thread of its own. */
struct trial {
    const struct attack *attack;
    const struct docker *docker;
    struct request request;
    struct plan plan;
    struct result result;
    pthread_t thread;
};

static const char help[] =
    "usage: isolator selftest [-l] [-v] [--config FILE] [NAME...]\n"
    "\n"
    "Runs attacks, each in a container of its own, on your engine and with your\n"
    "configuration, and reports for each whether the sandbox held. With NAMEs only\n"
    "these run. The attacks are Python programs and need the image of python.\n"
    "\n"
    "  -l, --list         list the attacks and what must hold\n"
    "      --config FILE  configuration file\n"
    "  -v, --verbose      print what must hold above each line, warnings below\n"
    "  -h, --help         print this summary\n"
    "\n"
    "Exit status: 0 all held except for known gaps, 1 an attack got through or a\n"
    "container remains, 2 wrong command line or configuration, 3 the engine failed,\n"
    "128+N signal N. See isolator-selftest(1).\n";

static const struct option known[] = {
    {"list", no_argument, NULL, 'l'},
    {"verbose", no_argument, NULL, 'v'},
    COMMAND_OPTIONS_COMMON,
};

static int take(void *context, int option, char *value, struct error *error)
{
    struct options *options = context;

    (void)value;
    (void)error;
    *(option == 'l' ? &options->list : &options->verbose) = true;
    return 0;
}

/* Whether the attack is one of those that were asked for; no names are all. */
static bool is_asked(const struct attack *attack, char *const *names)
{
    bool asked = *names == NULL;

    for (; *names; names++)
        asked |= strcmp(*names, attack->name) == 0;
    return asked;
}

static int check_names(char *const *names, struct error *error)
{
    const size_t count = attack_count();
    const char **every = memory_allocate(count * sizeof *every);
    int result = 0;

    for (size_t i = 0; i < count; i++)
        every[i] = attack_get(i).name;
    for (; *names && result == 0; names++) {
        const char *nearest = text_nearest(*names, every, count);
        size_t i = 0;

        while (i < count && strcmp(*names, every[i]) != 0)
            i++;
        if (i == count && nearest)
            result = error_set(error, ERROR_USAGE, "there is no attack '%s'; did you mean '%s'?",
                               *names, nearest);
        else if (i == count)
            result = error_set(error, ERROR_USAGE,
                               "there is no attack '%s'; see isolator selftest --list", *names);
    }
    free(every);
    return result;
}

static int list(char *const *names, struct error *error)
{
    for (size_t i = 0; i < attack_count(); i++) {
        struct attack attack = attack_get(i);

        if (attack_read(&attack, error) != 0)
            return -1;
        if (is_asked(&attack, names))
            print_format("%-20s %s: %s\n", attack.name, attack.title, attack.holds);
    }
    return 0;
}

static void *run_trial(void *context)
{
    struct trial *trial = context;

    execute(trial->docker, NULL, &trial->plan, signals_cancel(), &trial->result, NULL);
    return NULL;
}

/* Runs the copies at the same time. -1: they cannot be run, for want of an image, say. */
static int run_trials(struct trial *trials, const struct attack *attack,
                      const struct config *config, const struct docker *docker, struct error *error)
{
    long started = 0;
    int result = 0;

    for (long copy = 0; copy < attack->copies; copy++) {
        struct trial *trial = &trials[copy];

        *trial = (struct trial){
            .attack = attack, .docker = docker, .plan = PLAN_INIT, .result = RESULT_INIT};
        request_init(&trial->request);
        if (result == 0)
            result = attack_request(attack, copy, config, &trial->request, error);
        if (result == 0)
            result = plan_resolve(&trial->plan, config, &trial->request, error);
    }
    for (; result == 0 && started < attack->copies; started++)
        if (pthread_create(&trials[started].thread, NULL, run_trial, &trials[started]) != 0)
            result = error_set(error, ERROR_SYSTEM, "cannot start a thread");
    while (started > 0)
        pthread_join(trials[--started].thread, NULL);
    for (long copy = 0; copy < attack->copies; copy++)
        if (result == 0 && trials[copy].result.reason == REASON_IMAGE_MISSING)
            result = error_set(error, ERROR_IMAGE, "%s", trials[copy].result.error);
    return result;
}

static void release_trials(struct trial *trials, long count)
{
    while (count-- > 0) {
        plan_release(&trials[count].plan);
        request_release(&trials[count].request);
        result_release(&trials[count].result);
    }
}

static void print_warnings(const struct result *result)
{
    for (size_t i = 0; i < result->warnings.count; i++) {
        CLEANUP_FREE char *shown = text_escape(result->warnings.items[i]);

        print_format("         warning: %s\n", shown);
    }
}

/* The verdict on all copies is that on the worst. */
static void print_verdict(const struct attack *attack, const struct trial *trials,
                          const struct options *options, long long ms, struct tally *tally)
{
    static const char *const words[] = {"held", "gap", "ODD", "THROUGH"};
    CLEANUP(strbuf_release) struct strbuf worst = STRBUF_INIT;
    enum attack_verdict verdict = ATTACK_HELD;

    for (long copy = 0; copy < attack->copies; copy++) {
        struct strbuf seen = STRBUF_INIT;
        const enum attack_verdict other = attack_judge(attack, &trials[copy].result, &seen);

        if (other > verdict || copy == 0) {
            verdict = other;
            strbuf_release(&worst);
            worst = seen;
        } else {
            strbuf_release(&seen);
        }
    }
    if (options->verbose || verdict != ATTACK_HELD)
        print_format("%s: %s\n", attack->title, attack->holds);
    if (verdict == ATTACK_GAP)
        print_format("known gap: %s\n", attack->gap);
    print_format("%-8s %5.1f s  %-20s %s\n", words[verdict], (double)ms / 1000, attack->name,
                 strbuf_string(&worst));
    for (long copy = 0; options->verbose && copy < attack->copies; copy++)
        print_warnings(&trials[copy].result);
    tally->tried++;
    tally->verdicts[verdict]++;
}

static int try_attack(size_t place, char *const *names, const struct options *options,
                      const struct config *config, const struct docker *docker, struct tally *tally,
                      struct error *error)
{
    struct trial trials[ATTACK_COPIES_MAX] = {{0}};
    struct attack attack = attack_get(place);
    const long long begin = clock_now_ms();
    int result;

    if (attack_read(&attack, error) != 0)
        return -1;
    if (!is_asked(&attack, names))
        return 0;
    result = run_trials(trials, &attack, config, docker, error);
    if (result == 0 && !notifier_raised(signals_cancel()))
        print_verdict(&attack, trials, options, clock_now_ms() - begin, tally);
    release_trials(trials, attack.copies);
    return result;
}

/* What the engine still has of all of them, in the end. -1: it does not say. */
static int look_behind(const struct docker *docker, size_t *left, struct error *error)
{
    static const struct timespec pause = {0, 200 * 1000000L};
    const long long end = budget_deadline(docker, BUDGET_ALL_GONE);
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;

    owner_own_labels(&labels);
    do {
        CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;

        if (container_list(docker, &labels, NULL, end, signals_cancel(), &list, error) != 0)
            return -1;
        *left = list.count;
        if (*left > 0)
            nanosleep(&pause, NULL);
    } while (*left > 0 && clock_now_ms() < end);
    return 0;
}

/* The last line of the table, and the exit status. */
static int report(const struct tally *tally, size_t left)
{
    const int *verdicts = tally->verdicts;

    print_format(
        "%d attacks: %d held, %d got through known gaps, %d got through, %d cannot be judged; "
        "%zu containers are left\n",
        tally->tried, verdicts[ATTACK_HELD], verdicts[ATTACK_GAP], verdicts[ATTACK_THROUGH],
        verdicts[ATTACK_ODD], left);
    return verdicts[ATTACK_THROUGH] + verdicts[ATTACK_ODD] == 0 && left == 0 ? EXIT_STATUS_SUCCESS
                                                                             : EXIT_STATUS_PROGRAM;
}

static int try_all(const struct options *options, char *const *names, const struct config *config,
                   struct error *error)
{
    struct docker docker = config_docker(config);
    struct tally tally = {0};
    struct reaper reaper;
    size_t left = 0;
    int result = 0;

    if (signals_catch(error) != 0)
        return -1;
    reaper_start(&reaper, &docker);
    for (size_t i = 0; i < attack_count() && result == 0 && signals_caught() == 0; i++)
        result = try_attack(i, names, options, config, &docker, &tally, error);
    if (result == 0 && signals_caught() == 0)
        result = look_behind(&docker, &left, error);
    reaper_dismiss(&reaper);
    signals_release();
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (result != 0)
        return -1;
    return report(&tally, left);
}

static int run(void *context, char **operands, const struct config *config, struct error *error)
{
    const struct options *options = context;

    if (check_names(operands, error) != 0)
        return -1;
    return options->list ? list(operands, error) : try_all(options, operands, config, error);
}

int selftest_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "selftest",
                                                .help = help,
                                                .letters = ":lvh",
                                                .known = known,
                                                .operands_most = COMMAND_ANY_OPERANDS,
                                                .take = take,
                                                .run = run,
                                                .output = "table"};
    struct options options = {.list = false};

    return command_line_main(&command, argc, argv, &options);
}
