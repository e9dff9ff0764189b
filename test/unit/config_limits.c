#include "test.h"

#include <math.h>

#include "config/limits.h"

/* Checks the numbers in one line, "-" for one that is not given. */
static void check(const struct limits *limits, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const char *blank = i > 0 ? " " : "";

        if (isnan(limits->number[i]))
            strbuf_addf(&line, "%s-", blank);
        else
            strbuf_addf(&line, "%s%.10g", blank, limits->number[i]);
    }
    assert_string_equal(strbuf_string(&line), expected);
}

static void set_number(struct limits *limits, enum limit_number which, double value)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = limits_set_number(limits, which, value, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

CASE(limits__init_gives_nothing)
{
    struct limits limits;

    limits_init(&limits);
    check(&limits, "- - - - - - - -");
}

CASE(limits__rules)
{
    static const struct {
        const char *name;
        enum key_type type;
        double minimum, maximum;
        const char *unit;
    } expected[LIMIT_NUMBERS] = {
        {"timeoutSeconds", KEY_NUMBER, 0.001, 31622400, " s"},
        {"memoryMB", KEY_WHOLE, 6, 16777216, " MB"},
        {"cpus", KEY_NUMBER, 0.01, 4096, ""},
        {"cpuSeconds", KEY_NUMBER, 0, 31622400, " s"},
        {"pidsLimit", KEY_WHOLE, 8, 4194304, ""},
        {"workdirMB", KEY_WHOLE, 1, 1048576, " MB"},
        {"tmpMB", KEY_WHOLE, 1, 1048576, " MB"},
        {"outputBytes", KEY_WHOLE, 1024, 67108864, " bytes"},
    };

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        assert_string_equal(limit_rules[i].key.name, expected[i].name);
        assert_int_equal(limit_rules[i].key.type, expected[i].type);
        assert_string_equal(limit_rules[i].key.unit, expected[i].unit);
        assert_true(limit_rules[i].key.minimum == expected[i].minimum);
        assert_true(limit_rules[i].key.maximum == expected[i].maximum);
    }
}

static void check_refused(enum limit_number which, double value, const char *message)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    limits_init(&limits);
    assert_int_equal(limits_set_number(&limits, which, value, &error), -1);
    assert_string_equal(error.subject, limit_rules[which].key.name);
    assert_error(&error, ERROR_USAGE, message);
    assert_true(isnan(limits.number[which]));
}

CASE(limits__numbers)
{
    struct limits limits;

    limits_init(&limits);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        set_number(&limits, (enum limit_number)i, limit_rules[i].key.minimum);
        set_number(&limits, (enum limit_number)i, limit_rules[i].key.maximum);
    }
    check(&limits, "31622400 16777216 4096 31622400 4194304 1048576 1048576 67108864");
    set_number(&limits, LIMIT_TIMEOUT, 1.5);
    set_number(&limits, LIMIT_CPUS, 0.25);
    check(&limits, "1.5 16777216 0.25 31622400 4194304 1048576 1048576 67108864");
}

CASE(limits__numbers_out_of_range)
{
    static const char *const messages[LIMIT_NUMBERS] = {
        "timeoutSeconds must be from 0.001 to 31622400 s",
        "memoryMB must be from 6 to 16777216 MB",
        "cpus must be from 0.01 to 4096",
        "cpuSeconds must be from 0 to 31622400 s",
        "pidsLimit must be from 8 to 4194304",
        "workdirMB must be from 1 to 1048576 MB",
        "tmpMB must be from 1 to 1048576 MB",
        "outputBytes must be from 1024 to 67108864 bytes"};

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const enum limit_number which = (enum limit_number)i;

        if (which != LIMIT_CPU_TIME) {
            check_refused(which, 0, messages[i]);
            check_refused(which, limit_rules[i].key.minimum * 0.99, messages[i]);
        }
        check_refused(which, -1, messages[i]);
        check_refused(which, limit_rules[i].key.maximum * 1.01, messages[i]);
        check_refused(which, NAN, messages[i]);
        check_refused(which, INFINITY, messages[i]);
        check_refused(which, -INFINITY, messages[i]);
    }
}

CASE(limits__whole_numbers)
{
    check_refused(LIMIT_MEMORY, 64.5, "memoryMB must be a whole number");
    check_refused(LIMIT_PIDS, 8.001, "pidsLimit must be a whole number");
    check_refused(LIMIT_WORKDIR, 1.5, "workdirMB must be a whole number");
    check_refused(LIMIT_TMP, 1.5, "tmpMB must be a whole number");
    check_refused(LIMIT_OUTPUT, 1024.5, "outputBytes must be a whole number");
}

CASE(limits__bytes_of_megabytes)
{
    struct limits limits;

    limits_init(&limits);
    set_number(&limits, LIMIT_WORKDIR, 64);
    set_number(&limits, LIMIT_MEMORY, 1 << 24);
    assert_true(limits_bytes(&limits, LIMIT_WORKDIR) == 67108864);
    assert_true(limits_bytes(&limits, LIMIT_MEMORY) == 17592186044416);
}

/* Limits with all values set: those of the built-in configuration. */
static void fill(struct limits *limits)
{
    static const double numbers[LIMIT_NUMBERS] = {60, 256, 0.5, 0, 64, 64, 64, 1048576};

    for (int i = 0; i < LIMIT_NUMBERS; i++)
        set_number(limits, (enum limit_number)i, numbers[i]);
}

CASE(limits__overlay_replaces_what_is_given)
{
    struct limits base, over;

    fill(&base);
    limits_init(&over);
    limits_overlay(&base, &over);
    check(&base, "60 256 0.5 inf 64 64 64 1048576");
    set_number(&over, LIMIT_MEMORY, 512);
    limits_overlay(&base, &over);
    check(&base, "60 512 0.5 inf 64 64 64 1048576");
}

CASE(limits__clamp_lowers_what_is_more)
{
    struct limits limits, maximums;

    fill(&limits);
    limits_init(&maximums);
    limits_clamp(&limits, &maximums);
    check(&limits, "60 256 0.5 inf 64 64 64 1048576");
    set_number(&maximums, LIMIT_TIMEOUT, 10);
    set_number(&maximums, LIMIT_MEMORY, 1024);
    limits_clamp(&limits, &maximums);
    check(&limits, "10 256 0.5 inf 64 64 64 1048576");
    set_number(&maximums, LIMIT_CPU_TIME, 2.5);
    limits_clamp(&limits, &maximums);
    check(&limits, "10 256 0.5 2.5 64 64 64 1048576");
}

static void check_allowed(const struct limits *limits, const struct limits *maximums)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = limits_check(limits, maximums, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void check_forbidden(const struct limits *limits, const struct limits *maximums,
                            const char *message)
{
    struct error error = ERROR_INIT;

    assert_int_equal(limits_check(limits, maximums, &error), -1);
    assert_int_equal(error.subject_at, 0);
    assert_error(&error, ERROR_USAGE, message);
}

CASE(limits__maximums_of_numbers)
{
    static const char *const messages[LIMIT_NUMBERS] = {
        "timeoutSeconds 60 s is more than the configuration allows (maximums.timeoutSeconds: 59)",
        "memoryMB 256 MB is more than the configuration allows (maximums.memoryMB: 255)",
        "cpus 0.5 is more than the configuration allows (maximums.cpus: 0.49)",
        "cpuSeconds 3 s is more than the configuration allows (maximums.cpuSeconds: 2)",
        "pidsLimit 64 is more than the configuration allows (maximums.pidsLimit: 63)",
        "workdirMB 64 MB is more than the configuration allows (maximums.workdirMB: 63)",
        "tmpMB 64 MB is more than the configuration allows (maximums.tmpMB: 63)",
        ("outputBytes 1048576 bytes is more than the configuration allows (maximums.outputBytes: "
         "1048575)")};
    struct limits limits, maximums;

    fill(&limits);
    set_number(&limits, LIMIT_CPU_TIME, 3);
    limits_init(&maximums);
    check_allowed(&limits, &maximums);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        maximums.number[i] = limits.number[i];
        check_allowed(&limits, &maximums);
        maximums.number[i] -= i == LIMIT_CPUS ? 0.01 : 1;
        check_forbidden(&limits, &maximums, messages[i]);
        maximums.number[i] = NAN;
    }
}

/* 0 is no limit, and so it is more than any. */
CASE(limits__cpu_time)
{
    struct limits limits, maximums;

    limits_init(&limits);
    limits_init(&maximums);
    assert_true(limits_cpu_us(&limits) == 0);
    set_number(&limits, LIMIT_CPU_TIME, 0);
    assert_true(limits_cpu_us(&limits) == 0);
    check_allowed(&limits, &maximums);
    set_number(&maximums, LIMIT_CPU_TIME, 0);
    check_allowed(&limits, &maximums);
    set_number(&maximums, LIMIT_CPU_TIME, 1.5);
    check_forbidden(&limits, &maximums,
                    "cpuSeconds cannot be 0, which means no limit: the configuration has a maximum "
                    "(maximums.cpuSeconds: 1.5)");
    set_number(&limits, LIMIT_CPU_TIME, 0.0000001);
    assert_true(limits_cpu_us(&limits) == 1);
    set_number(&limits, LIMIT_CPU_TIME, 1.5);
    assert_true(limits_cpu_us(&limits) == 1500000);
    check_allowed(&limits, &maximums);
}
