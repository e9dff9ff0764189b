#include "config/limits.h"

#include <math.h>

/* Docker refuses less than 6 MB of memory and takes CPUs in hundredths at least. */
const struct limit_rule limit_rules[LIMIT_NUMBERS] = {
    [LIMIT_TIMEOUT] = {"timeoutSeconds", " s", 0.001, 366.0 * 86400, false},
    [LIMIT_MEMORY] = {"memoryMB", " MB", 6, 1 << 24, true},
    [LIMIT_CPUS] = {"cpus", "", 0.01, 4096, false},
    [LIMIT_PIDS] = {"pidsLimit", "", 8, 1 << 22, true},
    [LIMIT_WORKDIR] = {"workdirMB", " MB", 1, 1 << 20, true},
    [LIMIT_TMP] = {"tmpMB", " MB", 1, 1 << 20, true},
    [LIMIT_OUTPUT] = {"outputBytes", " bytes", 1024, 64 << 20, true},
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
    const struct limit_rule *rule = &limit_rules[which];

    if (!(value >= rule->minimum && value <= rule->maximum)) {
        error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be from %.10g to %.10g%s", rule->minimum,
                  rule->maximum, rule->unit);
        return error_about(error, rule->key);
    }
    if (rule->whole && value != floor(value)) {
        error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be a whole number");
        return error_about(error, rule->key);
    }
    limits->number[which] = value;
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
        const struct limit_rule *rule = &limit_rules[i];

        if (!(limits->number[i] > maximums->number[i])) /* true if there is no maximum */
            continue;
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT " %.10g%s is more than the configuration allows (maximums.%s: "
                                "%.10g)",
                  limits->number[i], rule->unit, rule->key, maximums->number[i]);
        return error_about(error, rule->key);
    }
    return 0;
}

long long limits_timeout_ms(const struct limits *limits)
{
    return (long long)ceil(limits->number[LIMIT_TIMEOUT] * 1000);
}

long long limits_bytes(const struct limits *limits, enum limit_number which)
{
    return (long long)limits->number[which] << 20;
}
