#include "config/limits.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/strbuf.h"

/* Descriptions in the form of man/options.awk. */
static const char TIMEOUT_MANUAL[] =
    "How long the program or each cell may run: numbers with the units *ns*, *us*, "
    "*ms*, *s*, *m* or *h*, for example 500ms, 1.5s or 1m30s, or a number of seconds; at least one "
    "millisecond. The time "
    "for setting up the container is not included. A cell that takes longer is interrupted.";
static const char MEMORY[] =
    "Memory of all processes in the container together, including the files in the working "
    "directory, in /tmp and in /dev/shm. There is no swap.";
static const char MEMORY_MANUAL[] =
    "Memory of all processes in the container together, including the files in the working "
    "directory, in /tmp and in /dev/shm: a number of MB, or a size like 512m or 1g. There is no "
    "swap. Some engines need more than 6 MB to "
    "start a container; the error says how much.";
static const char CPUS_MANUAL[] =
    "How many CPU cores the container may use; fractions are allowed. If that is more than the "
    "engine has, the error says so; a number of the configuration is lowered to what it has.";
static const char CPU_TIME[] = "How many seconds of CPU time all processes of the program may use "
                               "together, including those that have ended; 0 means no limit.";
static const char CPU_TIME_MANUAL[] =
    "How many seconds of CPU time all processes of the program may use together, including those "
    "that have ended; in tests and cells, for each. Fractions are allowed; 0 means no limit. The "
    "container is asked at intervals, the shorter the less is left, so a program may use some "
    "hundredths of a second more on each core. Unlike --timeout, this does not depend on what else "
    "the machine has to do.";
static const char PIDS[] = "How many processes and threads may exist at once, including the two "
                           "threads of the supervisor.";
static const char OUTPUT_MANUAL[] =
    "How many bytes of standard output, and of standard error, a result keeps. If the output is "
    "longer, the head and the tail are kept, half of the limit each, and a line between them gives "
    "the number of bytes that were omitted. A program that writes more than 64 MiB to one of the "
    "streams is killed, whatever this limit is.";

/* Docker refuses less than 6 MB of memory, and less than a hundredth of a CPU. */
const struct limit_rule limit_rules[LIMIT_NUMBERS] = {
    [LIMIT_TIMEOUT] = {{"timeoutSeconds", KEY_NUMBER, 0.001, 366.0 * 86400, " s", "Timeout",
                        "How long the program may run.", NULL},
                       {'t', "--timeout", "DURATION", "timeout, like 500ms, 30 or 1m30s", "60s",
                        TIMEOUT_MANUAL},
                       LIMIT_OF_PROGRAM,
                       "timeout_seconds",
                       "How long the program may run, in seconds."},
    [LIMIT_MEMORY] =
        {{"memoryMB", KEY_WHOLE, 6, 1 << 24, " MB", "Memory", MEMORY, NULL},
         {'m', "--memory", "MB", "memory, without swap", "256", MEMORY_MANUAL},
         LIMIT_OF_CONTAINER,
         "memory_mb",
         "Memory of all processes of the program and of the files that it writes, in MB."},
    [LIMIT_CPUS] = {{"cpus", KEY_NUMBER, 0.01, 4096, "", "CPU cores",
                     "How many CPU cores the container may use; fractions are allowed.", NULL},
                    {'c', "--cpus", "N", "CPU cores, fractions allowed", "0.5", CPUS_MANUAL},
                    LIMIT_OF_CONTAINER,
                    "cpus",
                    "How many CPU cores the program may use."},
    [LIMIT_CPU_TIME] = {{"cpuSeconds", KEY_NUMBER, 0, 366.0 * 86400, " s", "CPU time", CPU_TIME,
                         NULL},
                        {0, "--cpu-seconds", "N", "CPU time of all processes; 0: no limit", "0",
                         CPU_TIME_MANUAL},
                        LIMIT_OF_PROGRAM,
                        "cpu_seconds",
                        "CPU time of all processes of the program, in seconds."},
    [LIMIT_PIDS] = {{"pidsLimit", KEY_WHOLE, 8, 1 << 22, "", "Processes", PIDS, NULL},
                    {0, "--pids-limit", "N", "processes and threads", "64", NULL},
                    LIMIT_OF_CONTAINER,
                    "pids_limit",
                    "How many processes and threads may exist at once."},
    [LIMIT_WORKDIR] = {{"workdirMB", KEY_WHOLE, 1, 1 << 20, " MB", "Size of the working directory",
                        "Size of the working directory. The files that are sent must fit.", NULL},
                       {0, "--workdir-size", "MB", "size of the working directory", "64", NULL},
                       LIMIT_OF_CONTAINER,
                       NULL,
                       NULL},
    [LIMIT_TMP] = {{"tmpMB", KEY_WHOLE, 1, 1 << 20, " MB", "Size of /tmp", "Size of /tmp.", NULL},
                   {0, "--tmp-size", "MB", "size of /tmp", "64", NULL},
                   LIMIT_OF_CONTAINER,
                   NULL,
                   NULL},
    [LIMIT_OUTPUT] = {{"outputBytes", KEY_WHOLE, 1024, 64 << 20, " bytes", "Output",
                       "How much of each output stream is kept.", NULL},
                      {0, "--output-limit", "BYTES", "bytes kept of each output stream", "1048576",
                       OUTPUT_MANUAL},
                      LIMIT_OF_PROGRAM,
                      NULL,
                      NULL},
};

enum limit_number limits_of_key(const struct key_rule *key)
{
    return (enum limit_number)((const struct limit_rule *)key - limit_rules);
}

void limits_init(struct limits *limits)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        limits->number[i] = NAN;
}

void limits_overlay(struct limits *base, const struct limits *over)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (!isnan(over->number[i]))
            base->number[i] = over->number[i];
}

int limits_set_number(struct limits *limits, enum limit_number which, double value,
                      struct error *error)
{
    const struct key_rule *rule = &limit_rules[which].key;

    if (!(value >= rule->minimum && value <= rule->maximum)) {
        error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be from %.10g to %.10g%s", rule->minimum,
                  rule->maximum, rule->unit);
        return error_about(error, rule->name);
    }
    if (rule->type == KEY_WHOLE && value != floor(value)) {
        error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be a whole number");
        return error_about(error, rule->name);
    }
    limits->number[which] = which == LIMIT_CPU_TIME && value == 0 ? INFINITY : value;
    return 0;
}

int limits_parse_number(struct limits *limits, enum limit_number which, const char *text,
                        struct error *error)
{
    const char *unit = limit_rules[which].key.unit;
    long long milliseconds;
    double number;

    if (which == LIMIT_TIMEOUT) {
        if (duration_parse(text, &milliseconds, error) != 0)
            return -1;
        number = (double)milliseconds / 1000;
    } else if (strcmp(unit, " MB") == 0 || strcmp(unit, " bytes") == 0) {
        if (size_parse(text, unit[1] == 'M' ? 1 << 20 : 1, unit + 1, &number, error) != 0)
            return -1;
    } else if (number_parse(text, unit + strspn(unit, " "), &number, error) != 0) {
        return -1;
    }
    return limits_set_number(limits, which, number, error);
}

char *limits_manual(const struct limits *defaults)
{
    struct strbuf manual = STRBUF_INIT;

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const struct key_rule *key = &limit_rules[i].key;
        const double number = defaults->number[i];

        strbuf_addf(&manual, "== %s %s, %.10g to %.10g%s\n%s\nThe default is %.10g.\n", key->name,
                    key->type == KEY_WHOLE ? "whole number" : "number", key->minimum, key->maximum,
                    key->unit, key->description, isinf(number) ? 0 : number);
    }
    return strbuf_steal(&manual);
}

void limits_clamp(struct limits *limits, const struct limits *maximums)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limits->number[i] > maximums->number[i])
            limits->number[i] = maximums->number[i];
}

int limits_check(const struct limits *limits, const struct limits *maximums, struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const struct key_rule *rule = &limit_rules[i].key;

        if (!(limits->number[i] > maximums->number[i])) /* true if there is no maximum */
            continue;
        if (isinf(limits->number[i])) {
            error_set(error, ERROR_USAGE,
                      ERROR_SUBJECT " cannot be 0, which means no limit: the configuration has a "
                                    "maximum (maximums.%s: %.10g)",
                      rule->name, maximums->number[i]);
            return error_about(error, rule->name);
        }
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT
                  " %.10g%s is more than the configuration allows (maximums.%s: %.10g)",
                  limits->number[i], rule->unit, rule->name, maximums->number[i]);
        return error_about(error, rule->name);
    }
    return 0;
}

long long limits_timeout_ms(const struct limits *limits)
{
    return (long long)ceil(limits->number[LIMIT_TIMEOUT] * 1000);
}

uint64_t limits_cpu_us(const struct limits *limits)
{
    const double seconds = limits->number[LIMIT_CPU_TIME];

    return isfinite(seconds) ? (uint64_t)ceil(seconds * 1e6) : 0;
}

long long limits_bytes(const struct limits *limits, enum limit_number which)
{
    return (long long)limits->number[which] << 20;
}
