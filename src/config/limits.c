#include "config/limits.h"

#include <math.h>

/* Docker refuses less than 6 MB of memory, and less than a hundredth of a CPU. */
const struct key_rule limit_rules[LIMIT_NUMBERS] = {
    [LIMIT_TIMEOUT] = {"timeoutSeconds", KEY_NUMBER, 0.001, 366.0 * 86400, " s"},
    [LIMIT_MEMORY] = {"memoryMB", KEY_WHOLE, 6, 1 << 24, " MB"},
    [LIMIT_CPUS] = {"cpus", KEY_NUMBER, 0.01, 4096, ""},
    [LIMIT_PIDS] = {"pidsLimit", KEY_WHOLE, 8, 1 << 22, ""},
    [LIMIT_WORKDIR] = {"workdirMB", KEY_WHOLE, 1, 1 << 20, " MB"},
    [LIMIT_TMP] = {"tmpMB", KEY_WHOLE, 1, 1 << 20, " MB"},
    [LIMIT_OUTPUT] = {"outputBytes", KEY_WHOLE, 1024, 64 << 20, " bytes"},
    [LIMIT_CPU_TIME] = {"cpuSeconds", KEY_NUMBER, 0, 366.0 * 86400, " s"},
};

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
    const struct key_rule *rule = &limit_rules[which];

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

void limits_clamp(struct limits *limits, const struct limits *maximums)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limits->number[i] > maximums->number[i])
            limits->number[i] = maximums->number[i];
}

int limits_check(const struct limits *limits, const struct limits *maximums, struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const struct key_rule *rule = &limit_rules[i];

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
                  ERROR_SUBJECT " %.10g%s is more than the configuration allows (maximums.%s: "
                                "%.10g)",
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
