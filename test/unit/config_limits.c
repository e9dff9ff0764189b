#include "test.h"

#include <math.h>

#include "config/limits.h"

/* Everything in one line, "-" for what is not given; the caller frees it. */
static char *shown(const struct limits *limits)
{
    struct strbuf line = STRBUF_INIT;
    CLEANUP_FREE char *capabilities = strvec_join(&limits->cap_drop, ",");

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        if (isnan(limits->number[i]))
            strbuf_addstr(&line, "- ");
        else
            strbuf_addf(&line, "%.10g ", limits->number[i]);
    }
    strbuf_addf(&line, "%s %d [%s] ", limits->network ? limits->network : "-", limits->read_only,
                capabilities);
    if (limits->has_user)
        strbuf_addf(&line, "%u:%u", limits->uid, limits->gid);
    else
        strbuf_addstr(&line, "-");
    return strbuf_steal(&line);
}

static void check(const struct limits *limits, const char *expected)
{
    CLEANUP_FREE char *line = shown(limits);

    assert_string_equal(line, expected);
}

static void set_number(struct limits *limits, enum limit_number which, double value)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = limits_set_number(limits, which, value, "it", &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void limits__init_is_nothing_given(void **state)
{
    struct limits limits;

    (void)state;
    limits_init(&limits);
    check(&limits, "- - - - - - - - -1 [] -");
    limits_release(&limits);
    limits_release(&limits);
    check(&limits, "- - - - - - - - -1 [] -");
}

static void limits__rules(void **state)
{
    static const struct limit_rule expected[LIMIT_NUMBERS] = {
        {"timeoutSeconds", "--timeout", " s", 0.001, 31622400, false},
        {"memoryMB", "--memory", " MB", 6, 16777216, true},
        {"cpus", "--cpus", "", 0.01, 4096, false},
        {"pidsLimit", "--pids-limit", "", 8, 4194304, true},
        {"workdirMB", "--workdir-size", " MB", 1, 1048576, true},
        {"tmpMB", "--tmp-size", " MB", 1, 1048576, true},
        {"outputBytes", "--output-limit", " bytes", 1024, 67108864, true},
    };

    (void)state;
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        assert_string_equal(limit_rules[i].key, expected[i].key);
        assert_string_equal(limit_rules[i].option, expected[i].option);
        assert_string_equal(limit_rules[i].unit, expected[i].unit);
        assert_true(limit_rules[i].minimum == expected[i].minimum);
        assert_true(limit_rules[i].maximum == expected[i].maximum);
        assert_int_equal(limit_rules[i].whole, expected[i].whole);
    }
}

static void check_refused(enum limit_number which, double value, const char *message)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    limits_init(&limits);
    assert_int_equal(limits_set_number(&limits, which, value, "--x", &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_true(isnan(limits.number[which]));
    limits_release(&limits);
}

static void limits__numbers(void **state)
{
    struct limits limits;

    (void)state;
    limits_init(&limits);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        set_number(&limits, (enum limit_number)i, limit_rules[i].minimum);
        set_number(&limits, (enum limit_number)i, limit_rules[i].maximum);
    }
    check(&limits, "31622400 16777216 4096 4194304 1048576 1048576 67108864 - -1 [] -");
    set_number(&limits, LIMIT_TIMEOUT, 1.5);
    set_number(&limits, LIMIT_CPUS, 0.25);
    check(&limits, "1.5 16777216 0.25 4194304 1048576 1048576 67108864 - -1 [] -");
    limits_release(&limits);
}

static void limits__numbers_out_of_range(void **state)
{
    static const char *const messages[LIMIT_NUMBERS] = {
        "--x must be from 0.001 to 31622400 s",   "--x must be from 6 to 16777216 MB",
        "--x must be from 0.01 to 4096",          "--x must be from 8 to 4194304",
        "--x must be from 1 to 1048576 MB",       "--x must be from 1 to 1048576 MB",
        "--x must be from 1024 to 67108864 bytes"};

    (void)state;
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const enum limit_number which = (enum limit_number)i;

        check_refused(which, 0, messages[i]);
        check_refused(which, -1, messages[i]);
        check_refused(which, limit_rules[i].minimum * 0.99, messages[i]);
        check_refused(which, limit_rules[i].maximum * 1.01, messages[i]);
        check_refused(which, NAN, messages[i]);
        check_refused(which, INFINITY, messages[i]);
        check_refused(which, -INFINITY, messages[i]);
    }
}

static void limits__whole_numbers(void **state)
{
    (void)state;
    check_refused(LIMIT_MEMORY, 64.5, "--x must be a whole number");
    check_refused(LIMIT_PIDS, 8.001, "--x must be a whole number");
    check_refused(LIMIT_WORKDIR, 1.5, "--x must be a whole number");
    check_refused(LIMIT_TMP, 1.5, "--x must be a whole number");
    check_refused(LIMIT_OUTPUT, 1024.5, "--x must be a whole number");
}

static void limits__bytes_of_megabytes(void **state)
{
    struct limits limits;

    (void)state;
    limits_init(&limits);
    set_number(&limits, LIMIT_WORKDIR, 64);
    set_number(&limits, LIMIT_MEMORY, 1 << 24);
    assert_true(limits_bytes(&limits, LIMIT_WORKDIR) == 67108864);
    assert_true(limits_bytes(&limits, LIMIT_MEMORY) == 17592186044416);
    limits_release(&limits);
}

static void limits__users(void **state)
{
    static const struct {
        const char *text;
        unsigned uid, gid;
    } good[] = {{"0", 0, 0},   {"1000", 1000, 1000},      {"65534:65534", 65534, 65534},
                {"1:2", 1, 2}, {"0:2097151", 0, 2097151}, {"2097151:0", 2097151, 0},
                {"007", 7, 7}};

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct error error = ERROR_INIT;
        struct limits limits;

        limits_init(&limits);
        assert_int_equal(limits_set_user(&limits, good[i].text, &error), 0);
        assert_true(limits.has_user);
        assert_int_equal(limits.uid, good[i].uid);
        assert_int_equal(limits.gid, good[i].gid);
        limits_release(&limits);
    }
}

static void limits__no_users(void **state)
{
    static const char *const bad[] = {"",
                                      "root",
                                      "root:root",
                                      ":",
                                      "1:",
                                      ":1",
                                      "1:2:3",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1:-1",
                                      "1:+1",
                                      "1: 1",
                                      "0x10",
                                      "1.5",
                                      "1e3",
                                      "2097152",
                                      "1:2097152",
                                      "99999999999999999999999",
                                      "4294967296",
                                      "1:4294967296",
                                      "18446744073709551616"};

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format(
            "'%s' is not a user; write numbers up to 2097151, like 65534 or 1000:1000", bad[i]);
        struct error error = ERROR_INIT;
        struct limits limits;

        limits_init(&limits);
        assert_int_equal(limits_set_user(&limits, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_false(limits.has_user);
        limits_release(&limits);
    }
}

/* What was given before stays, as with numbers and networks. */
static void limits__refused_user_changes_nothing(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    (void)state;
    limits_init(&limits);
    assert_int_equal(limits_set_user(&limits, "1000:1001", &error), 0);
    assert_int_equal(limits_set_user(&limits, "0:x", &error), -1);
    error_release(&error);
    check(&limits, "- - - - - - - - -1 [] 1000:1001");
    limits_release(&limits);
}

static void limits__networks(void **state)
{
    static const char *const good[] = {"none", "bridge",  "my_net", "a",
                                       "0",    "net-1.2", "hosts",  "Host"};
    struct error error = ERROR_INIT;
    struct limits limits;

    (void)state;
    limits_init(&limits);
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(limits_set_network(&limits, good[i], &error), 0);
        assert_string_equal(limits.network, good[i]);
    }
    limits_release(&limits);
}

static void check_network_refused(const char *name, const char *message)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    limits_init(&limits);
    assert_int_equal(limits_set_network(&limits, "bridge", &error), 0);
    assert_int_equal(limits_set_network(&limits, name, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_string_equal(limits.network, "bridge");
    limits_release(&limits);
}

static void limits__no_networks(void **state)
{
    static const char *const bad[] = {"",      "-net",  ".net",    "_net", "a b",
                                      "a/b",   "a:b",   "a=b",     "a,b",  "name=host",
                                      " host", "host ", "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format("'%s' is not the name of a network; use none, "
                                                   "bridge or a network of the engine",
                                                   bad[i]);

        check_network_refused(bad[i], message);
    }
    check_network_refused("a\x1b[2J", "'a\\x1b[2J' is not the name of a network; use none, bridge "
                                      "or a network of the engine");
    check_network_refused("host", "network 'host' would lift the isolation; use none, bridge or a "
                                  "network of the engine");
    check_network_refused("container:db",
                          "network 'container:db' would lift the isolation; use none, bridge or a "
                          "network of the engine");
    check_network_refused("container:x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
                          "network 'container:x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4...' would lift the "
                          "isolation; use none, bridge or a network of the engine");
}

static void limits__capabilities(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    (void)state;
    limits_init(&limits);
    assert_int_equal(limits_add_cap_drop(&limits, "ALL", &error), 0);
    assert_int_equal(limits_add_cap_drop(&limits, "net_raw,Mknod", &error), 0);
    assert_int_equal(limits_add_cap_drop(&limits, "CAP_CHOWN", &error), 0);
    check(&limits, "- - - - - - - - -1 [ALL,NET_RAW,MKNOD,CHOWN] -");
    limits_release(&limits);
}

static void limits__no_capabilities(void **state)
{
    static const char *const bad[] = {"",           ",",       "ALL,",  ",ALL",
                                      "ALL,,MKNOD", "NET RAW", " ALL",  "NET-RAW",
                                      "ALL;MKNOD",  "4",       "CAP_1", "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' is not a list of capabilities, like ALL or NET_RAW,MKNOD", bad[i]);
        struct error error = ERROR_INIT;
        struct limits limits;

        limits_init(&limits);
        assert_int_equal(limits_add_cap_drop(&limits, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        limits_release(&limits);
    }
}

/* "CAP_" is the front of a name, no name. */
static void limits__prefix_is_no_capability(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits;

    (void)state;
    limits_init(&limits);
    assert_int_equal(limits_add_cap_drop(&limits, "CAP_", &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "'CAP_' is not a list of capabilities, like ALL or NET_RAW,MKNOD");
    limits_release(&limits);
}

/* Limits with everything given: those of the built-in configuration. */
static void fill(struct limits *limits)
{
    static const double numbers[LIMIT_NUMBERS] = {60, 256, 0.5, 64, 64, 64, 1048576};
    struct error error = ERROR_INIT;

    limits_init(limits);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        set_number(limits, (enum limit_number)i, numbers[i]);
    assert_int_equal(limits_set_network(limits, "none", &error), 0);
    assert_int_equal(limits_set_user(limits, "65534", &error), 0);
    assert_int_equal(limits_add_cap_drop(limits, "ALL", &error), 0);
    limits->read_only = 1;
}

#define FULL "60 256 0.5 64 64 64 1048576 none 1 [ALL] 65534:65534"

static void limits__overlay_of_nothing(void **state)
{
    struct limits base, over;

    (void)state;
    fill(&base);
    limits_init(&over);
    limits_overlay(&base, &over);
    check(&base, FULL);
    limits_overlay(&over, &base);
    check(&over, FULL);
    limits_release(&base);
    check(&over, FULL); /* nothing is shared */
    limits_release(&over);
}

static void limits__overlay_replaces_what_is_given(void **state)
{
    struct error error = ERROR_INIT;
    struct limits base, over;

    (void)state;
    fill(&base);
    limits_init(&over);
    set_number(&over, LIMIT_MEMORY, 512);
    limits_overlay(&base, &over);
    check(&base, "60 512 0.5 64 64 64 1048576 none 1 [ALL] 65534:65534");
    over.read_only = 0;
    assert_int_equal(limits_set_network(&over, "bridge", &error), 0);
    assert_int_equal(limits_add_cap_drop(&over, "NET_RAW,MKNOD", &error), 0);
    assert_int_equal(limits_set_user(&over, "0", &error), 0);
    limits_overlay(&base, &over);
    check(&base, "60 512 0.5 64 64 64 1048576 bridge 0 [NET_RAW,MKNOD] 0:0");
    limits_release(&over);
    limits_release(&base);
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
    assert_error(&error, ERROR_USAGE, message);
}

static void limits__maximums_of_numbers(void **state)
{
    static const char *const messages[LIMIT_NUMBERS] = {
        "timeoutSeconds 60 s is more than the configuration allows (maximums.timeoutSeconds: 59)",
        "memoryMB 256 MB is more than the configuration allows (maximums.memoryMB: 255)",
        "cpus 0.5 is more than the configuration allows (maximums.cpus: 0.49)",
        "pidsLimit 64 is more than the configuration allows (maximums.pidsLimit: 63)",
        "workdirMB 64 MB is more than the configuration allows (maximums.workdirMB: 63)",
        "tmpMB 64 MB is more than the configuration allows (maximums.tmpMB: 63)",
        ("outputBytes 1048576 bytes is more than the configuration allows (maximums.outputBytes: "
         "1048575)")};
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    check_allowed(&limits, &maximums);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        maximums.number[i] = limits.number[i];
        check_allowed(&limits, &maximums);
        maximums.number[i] -= i == LIMIT_CPUS ? 0.01 : 1;
        check_forbidden(&limits, &maximums, messages[i]);
        maximums.number[i] = NAN;
    }
    limits_release(&maximums);
    limits_release(&limits);
}

static void limits__maximum_network(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    assert_int_equal(limits_set_network(&maximums, "inner", &error), 0);
    check_allowed(&limits, &maximums); /* none */
    assert_int_equal(limits_set_network(&limits, "inner", &error), 0);
    check_allowed(&limits, &maximums);
    assert_int_equal(limits_set_network(&limits, "bridge", &error), 0);
    check_forbidden(&limits, &maximums,
                    "network 'bridge' is not allowed by the configuration (maximums.network: "
                    "'inner')");
    assert_int_equal(limits_set_network(&maximums, "none", &error), 0);
    check_forbidden(&limits, &maximums,
                    "network 'bridge' is not allowed by the configuration (maximums.network: "
                    "'none')");
    limits_release(&maximums);
    limits_release(&limits);
}

static void limits__maximum_root_and_user(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    limits.read_only = 0;
    maximums.read_only = 0;
    check_allowed(&limits, &maximums);
    maximums.read_only = 1;
    check_forbidden(&limits, &maximums,
                    "a writable root is not allowed by the configuration (maximums.readOnly)");
    limits.read_only = 1;
    assert_int_equal(limits_set_user(&maximums, "65534", &error), 0);
    check_allowed(&limits, &maximums);
    assert_int_equal(limits_set_user(&limits, "65534:0", &error), 0);
    check_forbidden(
        &limits, &maximums,
        "user 65534:0 is not allowed by the configuration (maximums.user: 65534:65534)");
    assert_int_equal(limits_set_user(&limits, "0:65534", &error), 0);
    check_forbidden(
        &limits, &maximums,
        "user 0:65534 is not allowed by the configuration (maximums.user: 65534:65534)");
    limits_release(&maximums);
    limits_release(&limits);
}

static void set_cap_drop(struct limits *limits, const char *list)
{
    struct error error = ERROR_INIT;

    strvec_release(&limits->cap_drop);
    assert_int_equal(limits_add_cap_drop(limits, list, &error), 0);
}

static void limits__maximum_capabilities(void **state)
{
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    set_cap_drop(&maximums, "NET_RAW,MKNOD");
    check_allowed(&limits, &maximums); /* ALL */
    set_cap_drop(&limits, "MKNOD,CHOWN,NET_RAW");
    check_allowed(&limits, &maximums);
    set_cap_drop(&limits, "NET_RAW,CHOWN");
    check_forbidden(&limits, &maximums,
                    "capability MKNOD must be dropped by the configuration (maximums.capDrop)");
    set_cap_drop(&maximums, "ALL");
    check_forbidden(&limits, &maximums,
                    "capability ALL must be dropped by the configuration (maximums.capDrop)");
    limits_release(&maximums);
    limits_release(&limits);
}

/* NET_RAW and CAP_NET_RAW are the same capability, whoever writes which. */
static void limits__maximum_capabilities_by_either_name(void **state)
{
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    set_cap_drop(&maximums, "NET_RAW");
    set_cap_drop(&limits, "CAP_NET_RAW");
    check_allowed(&limits, &maximums);
    set_cap_drop(&maximums, "CAP_NET_RAW");
    set_cap_drop(&limits, "NET_RAW");
    check_allowed(&limits, &maximums);
    limits_release(&maximums);
    limits_release(&limits);
}

static void limits__clamp_to_nothing(void **state)
{
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    limits_clamp(&limits, &maximums);
    check(&limits, FULL);
    limits_release(&maximums);
    limits_release(&limits);
}

/* What was clamped is allowed. */
static void limits__clamp_lowers_what_is_more(void **state)
{
    struct error error = ERROR_INIT;
    struct limits limits, maximums;

    (void)state;
    fill(&limits);
    limits_init(&maximums);
    set_number(&maximums, LIMIT_TIMEOUT, 10);
    set_number(&maximums, LIMIT_MEMORY, 1024);
    set_number(&maximums, LIMIT_CPUS, 0.25);
    maximums.read_only = 1;
    assert_int_equal(limits_set_network(&maximums, "inner", &error), 0);
    assert_int_equal(limits_set_user(&maximums, "1:2", &error), 0);
    set_cap_drop(&maximums, "NET_RAW,MKNOD");
    limits_clamp(&limits, &maximums);
    check(&limits, "10 256 0.25 64 64 64 1048576 none 1 [ALL] 1:2");
    check_allowed(&limits, &maximums);

    limits.read_only = 0;
    assert_int_equal(limits_set_network(&limits, "bridge", &error), 0);
    set_cap_drop(&limits, "MKNOD,CHOWN");
    limits_clamp(&limits, &maximums);
    check(&limits, "10 256 0.25 64 64 64 1048576 none 1 [MKNOD,CHOWN,NET_RAW] 1:2");
    check_allowed(&limits, &maximums);

    assert_int_equal(limits_set_network(&limits, "inner", &error), 0);
    maximums.read_only = 0;
    limits.read_only = 1;
    limits_clamp(&limits, &maximums);
    check(&limits, "10 256 0.25 64 64 64 1048576 inner 1 [MKNOD,CHOWN,NET_RAW] 1:2");
    limits_release(&maximums);
    limits_release(&limits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits__init_is_nothing_given),
        cmocka_unit_test(limits__rules),
        cmocka_unit_test(limits__numbers),
        cmocka_unit_test(limits__numbers_out_of_range),
        cmocka_unit_test(limits__whole_numbers),
        cmocka_unit_test(limits__bytes_of_megabytes),
        cmocka_unit_test(limits__users),
        cmocka_unit_test(limits__no_users),
        cmocka_unit_test(limits__refused_user_changes_nothing),
        cmocka_unit_test(limits__networks),
        cmocka_unit_test(limits__no_networks),
        cmocka_unit_test(limits__capabilities),
        cmocka_unit_test(limits__no_capabilities),
        cmocka_unit_test(limits__prefix_is_no_capability),
        cmocka_unit_test(limits__overlay_of_nothing),
        cmocka_unit_test(limits__overlay_replaces_what_is_given),
        cmocka_unit_test(limits__maximums_of_numbers),
        cmocka_unit_test(limits__maximum_network),
        cmocka_unit_test(limits__maximum_root_and_user),
        cmocka_unit_test(limits__maximum_capabilities),
        cmocka_unit_test(limits__maximum_capabilities_by_either_name),
        cmocka_unit_test(limits__clamp_to_nothing),
        cmocka_unit_test(limits__clamp_lowers_what_is_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
