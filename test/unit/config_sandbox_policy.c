#include "test.h"

#include <math.h>

#include "config/sandbox_policy.h"

/* The policy in one line, "-" for what is not set; the caller frees it. */
static char *shown(const struct sandbox_policy *policy)
{
    struct strbuf line = STRBUF_INIT;
    CLEANUP_FREE char *capabilities = strvec_join(&policy->cap_drop, ",");

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        if (isnan(policy->limits.number[i]))
            strbuf_addstr(&line, "- ");
        else
            strbuf_addf(&line, "%.10g ", policy->limits.number[i]);
    }
    strbuf_addf(&line, "%s %d [%s] ", policy->network ? policy->network : "-", policy->read_only,
                capabilities);
    if (policy->has_user)
        strbuf_addf(&line, "%u:%u", policy->uid, policy->gid);
    else
        strbuf_addstr(&line, "-");
    return strbuf_steal(&line);
}

static void check(const struct sandbox_policy *policy, const char *expected)
{
    CLEANUP_FREE char *line = shown(policy);

    assert_string_equal(line, expected);
}

static void set_number(struct sandbox_policy *policy, enum limit_number which, double value)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = limits_set_number(&policy->limits, which, value, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

CASE(sandbox_policy__init_is_nothing_given)
{
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    check(&policy, "- - - - - - - - - -1 [] -");
    sandbox_policy_release(&policy);
    sandbox_policy_release(&policy);
    check(&policy, "- - - - - - - - - -1 [] -");
}

CASE(sandbox_policy__users)
{
    static const struct {
        const char *text;
        unsigned uid, gid;
    } good[] = {{"0", 0, 0},   {"1000", 1000, 1000},      {"65534:65534", 65534, 65534},
                {"1:2", 1, 2}, {"0:2097151", 0, 2097151}, {"2097151:0", 2097151, 0},
                {"007", 7, 7}};

    for (size_t i = 0; i < COUNT(good); i++) {
        struct error error = ERROR_INIT;
        struct sandbox_policy policy;

        sandbox_policy_init(&policy);
        assert_int_equal(sandbox_policy_set_user(&policy, good[i].text, &error), 0);
        assert_true(policy.has_user);
        assert_int_equal(policy.uid, good[i].uid);
        assert_int_equal(policy.gid, good[i].gid);
        sandbox_policy_release(&policy);
    }
}

CASE(sandbox_policy__no_users)
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

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format(
            "'%s' is not a user; write numbers up to 2097151, like 65534 or 1000:1000", bad[i]);
        struct error error = ERROR_INIT;
        struct sandbox_policy policy;

        sandbox_policy_init(&policy);
        assert_int_equal(sandbox_policy_set_user(&policy, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_false(policy.has_user);
        sandbox_policy_release(&policy);
    }
}

/* After an error the previous value remains, as with numbers and networks. */
CASE(sandbox_policy__refused_user_changes_nothing)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    assert_int_equal(sandbox_policy_set_user(&policy, "1000:1001", &error), 0);
    assert_int_equal(sandbox_policy_set_user(&policy, "0:x", &error), -1);
    error_release(&error);
    check(&policy, "- - - - - - - - - -1 [] 1000:1001");
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__user_ranges)
{
    static const struct {
        const char *text;
        unsigned first, last;
    } good[] = {{"1900000-1965535", 1900000, 1965535},
                {"1-256", 1, 256},
                {"1-2097151", 1, 2097151},
                {"2096896-2097151", 2096896, 2097151}};

    for (size_t i = 0; i < COUNT(good); i++) {
        struct error error = ERROR_INIT;
        struct user_range users = {0, 0};

        assert_int_equal(sandbox_users_parse(&users, good[i].text, &error), 0);
        assert_int_equal(users.first, good[i].first);
        assert_int_equal(users.last, good[i].last);
    }
}

CASE(sandbox_policy__no_user_ranges)
{
    static const char *const bad[] = {"",
                                      "1000",
                                      "1000-",
                                      "-1000",
                                      "0-1000",
                                      "1-255",
                                      "1000-1254",
                                      "2000-1000",
                                      "1000:2000",
                                      "1000-2000-",
                                      "1000 - 2000",
                                      "1000-2097152",
                                      "1000-18446744073709551616",
                                      "a-b"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format("'%s' is not a range of users; write "
                                                   "FIRST-LAST, at least 256 numbers from 1 to "
                                                   "2097151",
                                                   bad[i]);
        struct error error = ERROR_INIT;
        struct user_range users = {7, 8};

        assert_int_equal(sandbox_users_parse(&users, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_int_equal(users.first, 7);
        assert_int_equal(users.last, 8);
    }
}

CASE(sandbox_policy__networks)
{
    static const char *const good[] = {"none", "bridge",  "my_net", "a",
                                       "0",    "net-1.2", "hosts",  "Host"};
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(sandbox_policy_set_network(&policy, good[i], &error), 0);
        assert_string_equal(policy.network, good[i]);
    }
    sandbox_policy_release(&policy);
}

static void check_network_refused(const char *name, const char *message)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    assert_int_equal(sandbox_policy_set_network(&policy, name, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_string_equal(policy.network, "bridge");
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__no_networks)
{
    static const char *const bad[] = {"",      "-net",  ".net",    "_net", "a b",
                                      "a/b",   "a:b",   "a=b",     "a,b",  "name=host",
                                      " host", "host ", "\xc3\xa9"};

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

CASE(sandbox_policy__oci_runtimes)
{
    static const char *const good[] = {"runc",          "runsc",     "io.containerd.runsc.v1",
                                       "/usr/bin/crun", "kata-qemu", "a+b_c"};
    static const char *const bad[] = {"", "-runc", "--privileged", "a b", "a;b", "a=b", "\xc3\xa9"};
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(sandbox_policy_set_oci_runtime(&policy, good[i], &error), 0);
        assert_string_equal(policy.oci_runtime, good[i]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format(
            "'%s' is not the name of an OCI runtime, like runc, crun or runsc", bad[i]);

        assert_int_equal(sandbox_policy_set_oci_runtime(&policy, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_string_equal(policy.oci_runtime, "a+b_c");
    }
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__capabilities)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    assert_int_equal(sandbox_policy_add_cap_drop(&policy, "ALL", &error), 0);
    assert_int_equal(sandbox_policy_add_cap_drop(&policy, "net_raw,Mknod", &error), 0);
    assert_int_equal(sandbox_policy_add_cap_drop(&policy, "CAP_CHOWN", &error), 0);
    check(&policy, "- - - - - - - - - -1 [ALL,NET_RAW,MKNOD,CHOWN] -");
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__no_capabilities)
{
    static const char *const bad[] = {"",           ",",       "ALL,",  ",ALL",
                                      "ALL,,MKNOD", "NET RAW", " ALL",  "NET-RAW",
                                      "ALL;MKNOD",  "4",       "CAP_1", "\xc3\xa9"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' is not a list of capabilities, like ALL or NET_RAW,MKNOD", bad[i]);
        struct error error = ERROR_INIT;
        struct sandbox_policy policy;

        sandbox_policy_init(&policy);
        assert_int_equal(sandbox_policy_add_cap_drop(&policy, bad[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        sandbox_policy_release(&policy);
    }
}

/* "CAP_" is a prefix and not a name. */
CASE(sandbox_policy__prefix_is_no_capability)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    assert_int_equal(sandbox_policy_add_cap_drop(&policy, "CAP_", &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "'CAP_' is not a list of capabilities, like ALL or NET_RAW,MKNOD");
    sandbox_policy_release(&policy);
}

/* Limits with all values set: those of the built-in configuration. */
static void fill(struct sandbox_policy *policy)
{
    static const double numbers[LIMIT_NUMBERS] = {60, 256, 0.5, 0, 64, 64, 64, 1048576};
    struct error error = ERROR_INIT;

    sandbox_policy_init(policy);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        set_number(policy, (enum limit_number)i, numbers[i]);
    assert_int_equal(sandbox_policy_set_network(policy, "none", &error), 0);
    assert_int_equal(sandbox_policy_set_user(policy, "65534", &error), 0);
    assert_int_equal(sandbox_policy_add_cap_drop(policy, "ALL", &error), 0);
    policy->read_only = 1;
}

#define FULL "60 256 0.5 inf 64 64 64 1048576 none 1 [ALL] 65534:65534"

CASE(sandbox_policy__overlay_of_nothing)
{
    struct sandbox_policy base, over;

    fill(&base);
    sandbox_policy_init(&over);
    sandbox_policy_overlay(&base, &over);
    check(&base, FULL);
    sandbox_policy_overlay(&over, &base);
    check(&over, FULL);
    sandbox_policy_release(&base);
    check(&over, FULL); /* nothing is shared */
    sandbox_policy_release(&over);
}

CASE(sandbox_policy__overlay_replaces_what_is_given)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy base, over;

    fill(&base);
    sandbox_policy_init(&over);
    set_number(&over, LIMIT_MEMORY, 512);
    sandbox_policy_overlay(&base, &over);
    check(&base, "60 512 0.5 inf 64 64 64 1048576 none 1 [ALL] 65534:65534");
    over.read_only = 0;
    assert_int_equal(sandbox_policy_set_network(&over, "bridge", &error), 0);
    assert_int_equal(sandbox_policy_add_cap_drop(&over, "NET_RAW,MKNOD", &error), 0);
    assert_int_equal(sandbox_policy_set_user(&over, "0", &error), 0);
    sandbox_policy_overlay(&base, &over);
    check(&base, "60 512 0.5 inf 64 64 64 1048576 bridge 0 [NET_RAW,MKNOD] 0:0");
    sandbox_policy_release(&over);
    sandbox_policy_release(&base);
}

static void check_allowed(const struct sandbox_policy *policy,
                          const struct sandbox_policy *maximums)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = sandbox_policy_check(policy, maximums, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void check_forbidden(const struct sandbox_policy *policy,
                            const struct sandbox_policy *maximums, const char *message)
{
    struct error error = ERROR_INIT;

    assert_int_equal(sandbox_policy_check(policy, maximums, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
}

CASE(sandbox_policy__maximum_network)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    assert_int_equal(sandbox_policy_set_network(&maximums, "inner", &error), 0);
    check_allowed(&policy, &maximums); /* none */
    assert_int_equal(sandbox_policy_set_network(&policy, "inner", &error), 0);
    check_allowed(&policy, &maximums);
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    check_forbidden(&policy, &maximums,
                    "network 'bridge' is not allowed by the configuration (maximums.network: "
                    "'inner')");
    assert_int_equal(sandbox_policy_set_network(&maximums, "none", &error), 0);
    check_forbidden(&policy, &maximums,
                    "network 'bridge' is not allowed by the configuration (maximums.network: "
                    "'none')");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__maximum_root_and_user)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    policy.read_only = 0;
    maximums.read_only = 0;
    check_allowed(&policy, &maximums);
    maximums.read_only = 1;
    check_forbidden(&policy, &maximums,
                    "readOnly=false is not allowed by the configuration (maximums.readOnly: true)");
    policy.read_only = 1;
    assert_int_equal(sandbox_policy_set_user(&maximums, "65534", &error), 0);
    check_allowed(&policy, &maximums);
    assert_int_equal(sandbox_policy_set_user(&policy, "65534:0", &error), 0);
    check_forbidden(
        &policy, &maximums,
        "user 65534:0 is not allowed by the configuration (maximums.user: 65534:65534)");
    assert_int_equal(sandbox_policy_set_user(&policy, "0:65534", &error), 0);
    check_forbidden(
        &policy, &maximums,
        "user 0:65534 is not allowed by the configuration (maximums.user: 65534:65534)");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

static void set_cap_drop(struct sandbox_policy *policy, const char *list)
{
    struct error error = ERROR_INIT;

    strvec_release(&policy->cap_drop);
    assert_int_equal(sandbox_policy_add_cap_drop(policy, list, &error), 0);
}

CASE(sandbox_policy__maximum_capabilities)
{
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    set_cap_drop(&maximums, "NET_RAW,MKNOD");
    check_allowed(&policy, &maximums); /* ALL */
    set_cap_drop(&policy, "MKNOD,CHOWN,NET_RAW");
    check_allowed(&policy, &maximums);
    set_cap_drop(&policy, "NET_RAW,CHOWN");
    check_forbidden(&policy, &maximums,
                    "capDrop must include MKNOD, as the configuration requires (maximums.capDrop)");
    set_cap_drop(&maximums, "ALL");
    check_forbidden(&policy, &maximums,
                    "capDrop must include ALL, as the configuration requires (maximums.capDrop)");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* NET_RAW and CAP_NET_RAW are the same capability. */
CASE(sandbox_policy__maximum_capabilities_by_either_name)
{
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    set_cap_drop(&maximums, "NET_RAW");
    set_cap_drop(&policy, "CAP_NET_RAW");
    check_allowed(&policy, &maximums);
    set_cap_drop(&maximums, "CAP_NET_RAW");
    set_cap_drop(&policy, "NET_RAW");
    check_allowed(&policy, &maximums);
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* A policy without a user would run as one that is drawn, which is not the maximum's. */
CASE(sandbox_policy__maximum_user_is_the_user)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    policy.has_user = false;
    sandbox_policy_init(&maximums);
    sandbox_policy_clamp(&policy, &maximums);
    assert_false(policy.has_user);
    assert_int_equal(sandbox_policy_set_user(&maximums, "65534", &error), 0);
    check_forbidden(
        &policy, &maximums,
        "user 65534:65534 is not allowed by the configuration (maximums.user: 65534:65534)");
    assert_int_equal(sandbox_policy_set_user(&maximums, "7:8", &error), 0);
    sandbox_policy_clamp(&policy, &maximums);
    assert_true(policy.has_user);
    check_allowed(&policy, &maximums);
    check(&policy, "60 256 0.5 inf 64 64 64 1048576 none 1 [ALL] 7:8");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

CASE(sandbox_policy__clamp_to_nothing)
{
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    sandbox_policy_clamp(&policy, &maximums);
    check(&policy, FULL);
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* A policy that was lowered to the maximums passes the check. */
CASE(sandbox_policy__clamp_lowers_what_is_more)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    set_number(&maximums, LIMIT_TIMEOUT, 10);
    set_number(&maximums, LIMIT_MEMORY, 1024);
    set_number(&maximums, LIMIT_CPUS, 0.25);
    maximums.read_only = 1;
    assert_int_equal(sandbox_policy_set_network(&maximums, "inner", &error), 0);
    assert_int_equal(sandbox_policy_set_user(&maximums, "1:2", &error), 0);
    set_cap_drop(&maximums, "NET_RAW,MKNOD");
    sandbox_policy_clamp(&policy, &maximums);
    check(&policy, "10 256 0.25 inf 64 64 64 1048576 none 1 [ALL] 1:2");
    check_allowed(&policy, &maximums);

    policy.read_only = 0;
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    set_cap_drop(&policy, "MKNOD,CHOWN");
    sandbox_policy_clamp(&policy, &maximums);
    check(&policy, "10 256 0.25 inf 64 64 64 1048576 none 1 [MKNOD,CHOWN,NET_RAW] 1:2");
    check_allowed(&policy, &maximums);

    assert_int_equal(sandbox_policy_set_network(&policy, "inner", &error), 0);
    maximums.read_only = 0;
    policy.read_only = 1;
    sandbox_policy_clamp(&policy, &maximums);
    check(&policy, "10 256 0.25 inf 64 64 64 1048576 inner 1 [MKNOD,CHOWN,NET_RAW] 1:2");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* The OCI runtime of the maximums is the only one, also for those who ask for none. */
CASE(sandbox_policy__maximum_oci_runtime)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    check_allowed(&policy, &maximums);
    assert_int_equal(sandbox_policy_set_oci_runtime(&maximums, "runsc", &error), 0);
    check_forbidden(&policy, &maximums,
                    "ociRuntime '' is not allowed by the configuration (maximums.ociRuntime: "
                    "'runsc')");
    assert_int_equal(sandbox_policy_set_oci_runtime(&policy, "runc", &error), 0);
    check_forbidden(&policy, &maximums,
                    "ociRuntime 'runc' is not allowed by the configuration (maximums.ociRuntime: "
                    "'runsc')");
    sandbox_policy_clamp(&policy, &maximums);
    assert_string_equal(policy.oci_runtime, "runsc");
    check_allowed(&policy, &maximums);
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* ---- hosts */

static void allow(struct sandbox_policy *policy, const char *host)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = sandbox_policy_allow_host(policy, host, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

/* The network, the names of the hosts and the numbers. */
static void check_hosts(const struct sandbox_policy *policy, const char *expected)
{
    const struct network_rules *rules = &policy->network_rules;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, policy->network ? policy->network : "-");
    for (size_t i = 0; i < rules->count; i++)
        strbuf_addf(&text, " %s", rules->hosts[i].name);
    strbuf_addf(&text, " %lld %d", rules->max_bytes, rules->max_connections);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(sandbox_policy__allow_host)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    check_hosts(&policy, "- 0 0");
    assert_int_equal(sandbox_policy_allow_host(&policy, "a b", &error), -1);
    error_release(&error);
    check_hosts(&policy, "- 0 0");
    allow(&policy, "a.example");
    allow(&policy, "b.example:1");
    check_hosts(&policy, "none a.example b.example 0 0");
    sandbox_policy_release(&policy);
    check_hosts(&policy, "- 0 0");
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    allow(&policy, "a.example");
    check_hosts(&policy, "bridge a.example 0 0"); /* the caller refuses it */
    sandbox_policy_release(&policy);
}

/* A network replaces hosts, and hosts replace a network; the numbers stay unless they are given. */
CASE(sandbox_policy__overlay_of_hosts)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy base, hosts, network, nothing;

    sandbox_policy_init(&base);
    sandbox_policy_init(&hosts);
    sandbox_policy_init(&network);
    sandbox_policy_init(&nothing);
    base.network_rules.max_bytes = 5;
    base.network_rules.max_connections = 6;
    assert_int_equal(sandbox_policy_set_network(&base, "bridge", &error), 0);
    assert_int_equal(sandbox_policy_set_network(&network, "mine", &error), 0);
    allow(&hosts, "a.example");
    sandbox_policy_overlay(&base, &hosts);
    check_hosts(&base, "none a.example 5 6");
    sandbox_policy_overlay(&base, &nothing);
    check_hosts(&base, "none a.example 5 6");
    sandbox_policy_overlay(&base, &network);
    check_hosts(&base, "mine 5 6");
    hosts.network_rules.max_bytes = 7;
    sandbox_policy_overlay(&base, &hosts);
    check_hosts(&base, "none a.example 7 6");
    hosts.network_rules.max_bytes = 0;
    hosts.network_rules.max_connections = 8;
    sandbox_policy_overlay(&base, &hosts);
    check_hosts(&base, "none a.example 7 8");
    sandbox_policy_release(&hosts);
    check_hosts(&base, "none a.example 7 8"); /* nothing is shared */
    sandbox_policy_release(&network);
    sandbox_policy_release(&base);
}

CASE(sandbox_policy__maximum_hosts)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    allow(&policy, "a.example:443");
    allow(&policy, "[::1]");
    check_allowed(&policy, &maximums); /* there is no maximum */
    allow(&maximums, "*.example");
    check_forbidden(&policy, &maximums,
                    "host '[::1]', ports 80, 443, is not allowed by the configuration "
                    "(maximums.network)");
    allow(&maximums, "[::1]");
    check_allowed(&policy, &maximums);
    policy.network_rules.hosts[0].raw = true;
    check_forbidden(&policy, &maximums,
                    "host 'a.example', port 443, raw, is not allowed by the "
                    "configuration (maximums.network)");
    policy.network_rules.hosts[0].raw = false;
    policy.network_rules.max_bytes = 2;
    maximums.network_rules.max_bytes = 1;
    check_forbidden(&policy, &maximums,
                    "network: maxBytes or maxConnections is larger than the configuration allows "
                    "(maximums.network)");
    policy.network_rules.max_bytes = 1;
    check_allowed(&policy, &maximums);
    network_rules_release(&policy.network_rules);
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    check_forbidden(&policy, &maximums,
                    "network 'bridge' is not allowed by the configuration (maximums.network: "
                    "'none')");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}

/* Where only a network is allowed, hosts are not. */
CASE(sandbox_policy__maximum_network_allows_no_hosts)
{
    static const char *const networks[] = {"none", "bridge"};

    for (size_t i = 0; i < COUNT(networks); i++) {
        struct error error = ERROR_INIT;
        struct sandbox_policy policy, maximums;

        fill(&policy);
        sandbox_policy_init(&maximums);
        allow(&policy, "a.example");
        assert_int_equal(sandbox_policy_set_network(&maximums, networks[i], &error), 0);
        check_forbidden(&policy, &maximums,
                        "host 'a.example', ports 80, 443, is not allowed by the "
                        "configuration (maximums.network)");
        sandbox_policy_clamp(&policy, &maximums);
        check_hosts(&policy, "none 0 0");
        check_allowed(&policy, &maximums);
        sandbox_policy_release(&maximums);
        sandbox_policy_release(&policy);
    }
}

CASE(sandbox_policy__clamp_of_hosts)
{
    struct error error = ERROR_INIT;
    struct sandbox_policy policy, maximums;

    fill(&policy);
    sandbox_policy_init(&maximums);
    allow(&policy, "a.example");
    allow(&policy, "b.example:443");
    policy.network_rules.max_bytes = 9;
    sandbox_policy_clamp(&policy, &maximums);
    check_hosts(&policy, "none a.example b.example 9 0");
    allow(&maximums, "*.example:443");
    maximums.network_rules.max_bytes = 8;
    sandbox_policy_clamp(&policy, &maximums);
    check_hosts(&policy, "none b.example 8 0");
    check_allowed(&policy, &maximums);
    network_rules_release(&policy.network_rules);
    assert_int_equal(sandbox_policy_set_network(&policy, "bridge", &error), 0);
    sandbox_policy_clamp(&policy, &maximums);
    check_hosts(&policy, "none 0 0");
    sandbox_policy_release(&maximums);
    sandbox_policy_release(&policy);
}
