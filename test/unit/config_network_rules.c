#include "test.h"

#include "config/network_rules.h"

/* Adds hosts, separated by '|', to rules. */
static void add_all(struct network_rules *rules, const char *hosts)
{
    while (*hosts) {
        const size_t length = strcspn(hosts, "|");
        CLEANUP_FREE char *text = string_format("%.*s", (int)length, hosts);
        CLEANUP(error_release) struct error error = ERROR_INIT;
        const int result = network_rules_add(rules, text, &error);

        assert_no_error(&error);
        assert_int_equal(result, 0);
        hosts += length + (hosts[length] == '|');
    }
}

static void set_up(struct network_rules *rules, const char *hosts)
{
    *rules = (struct network_rules){.count = 0};
    network_rules_complete(rules);
    add_all(rules, hosts);
}

/* Adds "HOST[:PORT]" whose TLS is terminated. */
static void add_terminated(struct network_rules *rules, const char *text)
{
    CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (strchr(text, ':') && text[strlen(text) - 1] != ']')
        network_host_parse(&host, text, &error);
    else
        network_host_set_name(&host, text, &error);
    host.terminate = true;
    network_rules_put(rules, &host, &error);
    assert_no_error(&error);
}

/* Adds a credential "HEADER" from env:HEADER to a host, or fails with the message. */
static void add_credential(struct network_rules *rules, const char *host, const char *header,
                           const char *message)
{
    CLEANUP(network_credential_release) struct network_credential credential;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *from = string_format("env:%s", header);
    int result;

    network_credential_init(&credential);
    network_credential_set_header(&credential, header, &error);
    network_credential_set_from(&credential, from, &error);
    assert_no_error(&error);
    result = network_rules_put_credential(rules, host, &credential, &error);
    assert_string_equal(error.message ? error.message : "", message);
    assert_int_equal(result, *message ? -1 : 0);
    assert_int_equal(error.kind, *message ? ERROR_USAGE : ERROR_NONE);
    assert_int_equal(!credential.header, !*message); /* taken over */
}

/* Checks "NAME PORT,PORT NAME PORT raw NAME PORT tls(HEADER)". */
static void check(const struct network_rules *rules, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        strbuf_addf(&text, "%s%s ", i > 0 ? " " : "", host->name);
        for (size_t k = 0; k < host->port_count; k++)
            strbuf_addf(&text, "%s%d", k > 0 ? "," : "", host->ports[k]);
        if (host->raw)
            strbuf_addstr(&text, " raw");
        if (host->terminate)
            strbuf_addstr(&text, " tls");
        for (size_t k = 0; k < host->credential_count; k++)
            strbuf_addf(&text, "(%s)", host->credentials[k].header);
    }
    assert_string_equal(strbuf_string(&text), expected);
}

static void add_range(struct network_host *host, const char *range)
{
    assert_true(ip_range_parse(range, &host->ranges[host->range_count++]));
}

CASE(network_rules__default_numbers)
{
    struct network_rules rules = {.count = 0};

    network_rules_complete(&rules);
    check(&rules, "");
    assert_true(rules.max_bytes == 104857600);
    assert_int_equal(rules.max_connections, 64);
    add_all(&rules, "a.example");
    network_rules_release(&rules);
    check(&rules, "");
    assert_true(rules.max_bytes == 0);
    assert_int_equal(rules.max_connections, 0);
    network_rules_release(&rules);
}

/* What is given stays. */
CASE(network_rules__complete)
{
    struct network_rules rules = {.max_bytes = 5};

    network_rules_complete(&rules);
    assert_true(rules.max_bytes == 5);
    assert_int_equal(rules.max_connections, 64);
    rules = (struct network_rules){.max_connections = 7};
    network_rules_complete(&rules);
    assert_true(rules.max_bytes == 104857600);
    assert_int_equal(rules.max_connections, 7);
}

CASE(network_rules__hosts)
{
    static const struct {
        const char *text, *expected;
    } good[] = {{"example.com", "example.com 80,443"},
                {"EXAMPLE.com.", "example.com 80,443"},
                {"example.com:8443", "example.com 8443"},
                {"example.com:00080", "example.com 80"},
                {"example.com:1", "example.com 1"},
                {"example.com:65535", "example.com 65535"},
                {"*.example.com", "*.example.com 80,443"},
                {"*.Example.com:443", "*.example.com 443"},
                {"192.0.2.1", "192.0.2.1 80,443"},
                {"192.0.2.1:8080", "192.0.2.1 8080"},
                {"[::1]", "::1 80,443"},
                {"[2001:DB8:0::1]:8080", "2001:db8::1 8080"},
                {"localhost", "localhost 80,443"},
                {"my_host", "my_host 80,443"},
                {"1.example.com", "1.example.com 80,443"}};

    for (size_t i = 0; i < COUNT(good); i++) {
        struct network_rules rules = {.count = 0};

        set_up(&rules, good[i].text);
        check(&rules, good[i].expected);
        network_rules_release(&rules);
    }
}

static void check_refused(const char *text, const char *message)
{
    struct error error = ERROR_INIT;
    struct network_rules rules = {.count = 0};

    set_up(&rules, "a.example");
    assert_int_equal(network_rules_add(&rules, text, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    check(&rules, "a.example 80,443");
    network_rules_release(&rules);
}

CASE(network_rules__no_hosts)
{
    static const char *const bad[] = {
        "",       "*",          "*.",     "**.a",      "a.*.b",     "a*.b",
        "*.*.b",  "a..b",       ".a",     "a b",       "-\xc3\xa9", ":80",
        "0x7f.1", "2130706433", "127.1",  "010.0.0.1", "*.1.2.3.4", "*.[::1]",
        "[::1",   "[1.2.3.4]",  "[::1]x", "a:b:c",     "user@a"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format(
            "'%s' is not the name of a host; write a name like example.com, *.example.com for all "
            "names below it, or an address like 192.0.2.1 or [2001:db8::1]",
            bad[i]);

        check_refused(bad[i], message);
    }
}

CASE(network_rules__hints)
{
    check_refused("::1", "'::1' is an address of IPv6; write it in brackets, like [2001:db8::1]");
    check_refused("2001:db8::2",
                  "'2001:db8::2' is an address of IPv6; write it in brackets, like [2001:db8::1]");
    check_refused("https://x/",
                  "'https://x/' is a URL or a path; write the host alone, like example.com");
    check_refused("x/y", "'x/y' is a URL or a path; write the host alone, like example.com");
    check_refused("x:80/", "'x:80/' is a URL or a path; write the host alone, like example.com");
    check_refused("a\x1b[2J/",
                  "'a\\x1b[2J/' is a URL or a path; write the host alone, like example.com");
}

CASE(network_rules__no_ports)
{
    static const char *const bad[] = {"x:",           "x:0",    "x:65536", "x:https",
                                      "x:-1",         "x:+1",   "x: 80",   "x:80 ",
                                      "x:4294967376", "[::1]:", "x:0x50",  "x:000080"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message = string_format(
            "the port of '%s' is not a number from 1 to 65535, as in example.com:8443", bad[i]);

        check_refused(bad[i], message);
    }
}

CASE(network_rules__same_host_merges)
{
    struct network_rules rules = {.count = 0};

    set_up(&rules, "a.example:8080|b.example|A.example.:443|a.example:8080");
    check(&rules, "a.example 8080,443 b.example 80,443");
    add_all(&rules, "a.example");
    check(&rules, "a.example 8080,443,80 b.example 80,443");
    network_rules_release(&rules);
}

CASE(network_rules__too_many_ports)
{
    struct error error = ERROR_INIT;
    struct network_rules rules = {.count = 0};

    network_rules_complete(&rules);
    for (int port = 1; port <= 16; port++) {
        CLEANUP_FREE char *text = string_format("x:%d", port);

        add_all(&rules, text);
    }
    add_all(&rules, "x:16");
    assert_int_equal(network_rules_add(&rules, "x:17", &error), -1);
    assert_error(&error, ERROR_USAGE, "a host can have at most 16 ports");
    network_rules_release(&rules);
}

CASE(network_rules__too_many_hosts)
{
    struct error error = ERROR_INIT;
    struct network_rules rules = {.count = 0};

    network_rules_complete(&rules);
    for (int i = 0; i < 256; i++) {
        CLEANUP_FREE char *text = string_format("h%d", i);

        add_all(&rules, text);
    }
    add_all(&rules, "h255:1");
    assert_int_equal(network_rules_add(&rules, "h256", &error), -1);
    assert_error(&error, ERROR_USAGE, "a program can reach at most 256 hosts");
    assert_int_equal(rules.count, 256);
    network_rules_release(&rules);
}

CASE(network_rules__put)
{
    struct error error = ERROR_INIT;
    struct network_host host = NETWORK_HOST_INIT;
    struct network_rules rules = {.count = 0};

    network_rules_complete(&rules);
    assert_int_equal(network_host_set_name(&host, "x", &error), 0);
    assert_int_equal(network_rules_put(&rules, &host, &error), 0);
    assert_null(host.name);
    check(&rules, "x 80,443");
    assert_int_equal(network_host_parse(&host, "x:1", &error), 0);
    assert_int_equal(network_rules_put(&rules, &host, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "host 'x' is in the list already; give all its ports in one entry");
    check(&rules, "x 80,443");
    network_host_release(&host);
    network_rules_release(&rules);
}

CASE(network_rules__names_as_they_are_written)
{
    static const char *const names[] = {"*.example.com", "192.0.2.1", "[2001:db8::1]", "a"};

    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;
        struct error error = ERROR_INIT;
        char *text;

        assert_int_equal(network_host_set_name(&host, names[i], &error), 0);
        text = network_host_text(&host);
        assert_string_equal(text, names[i]);
        free(text);
    }
}

CASE(network_rules__copies_share_nothing)
{
    struct network_rules rules = {.count = 0}, copy = {.count = 0};

    set_up(&rules, "a.example|b.example:1");
    rules.hosts[0].raw = true;
    rules.max_bytes = 5;
    rules.max_connections = 6;
    set_up(&copy, "c.example");
    network_rules_copy(&copy, &rules);
    network_rules_release(&rules);
    check(&copy, "a.example 80,443 raw b.example 1");
    assert_true(copy.max_bytes == 5);
    assert_int_equal(copy.max_connections, 6);
    network_rules_release(&copy);
}

static void check_cover(const char *maximum, const char *hosts, bool expected)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, maximum);
    set_up(&rules, hosts);
    if (network_rules_cover(&most, &rules) != expected)
        fail_msg("'%s' and '%s'", maximum, hosts);
    assert_int_equal(!network_rules_uncovered(&most, &rules), expected);
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__cover_names_and_ports)
{
    check_cover("", "", true);
    check_cover("a.example", "", true);
    check_cover("", "a.example", false);
    check_cover("a.example", "a.example", true);
    check_cover("a.example", "b.example", false);
    check_cover("a.example", "x.a.example", false);
    check_cover("*.example", "a.example:80|b.a.example:443", true);
    check_cover("*.example", "example", false);
    check_cover("*.example", "a.example|a.other", false);
    check_cover("*.a.example", "*.a.example", true);
    check_cover("*.example", "*.a.example", true);
    check_cover("*.a.example", "*.example", false);
    check_cover("a.example", "*.a.example", false);
    check_cover("*.a.example", "*.ba.example", false);
    check_cover("a.example:443", "a.example:443", true);
    check_cover("a.example:443", "a.example", false);
    check_cover("a.example", "a.example:443", true);
    check_cover("a.example", "a.example:8080", false);
    check_cover("a.example:443|*.example:80", "a.example:80", true);
    check_cover("[::1]|192.0.2.1", "192.0.2.1|[::1]", true);
    check_cover("[::1]", "[::2]", false);
}

CASE(network_rules__first_that_is_not_covered)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "a.example");
    set_up(&rules, "a.example|b.example|c.example");
    assert_string_equal(network_rules_uncovered(&most, &rules)->name, "b.example");
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__cover_raw)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "a.example");
    set_up(&rules, "a.example");
    rules.hosts[0].raw = true;
    assert_false(network_rules_cover(&most, &rules));
    most.hosts[0].raw = true;
    assert_true(network_rules_cover(&most, &rules));
    rules.hosts[0].raw = false;
    assert_true(network_rules_cover(&most, &rules));
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__cover_addresses)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "a.example");
    set_up(&rules, "a.example");
    add_range(&rules.hosts[0], "10.1.2.0/24");
    assert_false(network_rules_cover(&most, &rules));
    add_range(&most.hosts[0], "fd00::/8");
    assert_false(network_rules_cover(&most, &rules));
    add_range(&most.hosts[0], "10.1.0.0/16");
    assert_true(network_rules_cover(&most, &rules));
    add_range(&rules.hosts[0], "10.0.0.0/8");
    assert_false(network_rules_cover(&most, &rules));
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__cover_numbers)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "a.example");
    set_up(&rules, "a.example");
    most.max_bytes = rules.max_bytes - 1;
    assert_false(network_rules_cover(&most, &rules));
    assert_null(network_rules_uncovered(&most, &rules));
    most.max_bytes = 0; /* not given */
    assert_true(network_rules_cover(&most, &rules));
    most.max_connections = rules.max_connections - 1;
    assert_false(network_rules_cover(&most, &rules));
    most.max_connections = 0;
    assert_true(network_rules_cover(&most, &rules));
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__clamp)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "*.a.example:443");
    set_up(&rules, "b.example|x.a.example:443|y.a.example|z.a.example:443");
    most.max_bytes = 7;
    most.max_connections = 8;
    network_rules_clamp(&rules, &most);
    check(&rules, "x.a.example 443 z.a.example 443");
    assert_true(rules.max_bytes == 7);
    assert_int_equal(rules.max_connections, 8);
    most.max_bytes = 0;
    most.max_connections = 9;
    network_rules_clamp(&rules, &most);
    assert_true(rules.max_bytes == 7);
    assert_int_equal(rules.max_connections, 8);
    network_rules_release(&most);
    network_rules_release(&rules);
}

static void check_equal(const char *one, const char *other, bool expected)
{
    struct network_rules first, second;

    set_up(&first, one);
    set_up(&second, other);
    if (network_rules_equal(&first, &second) != expected ||
        network_rules_equal(&second, &first) != expected)
        fail_msg("'%s' and '%s'", one, other);
    network_rules_release(&first);
    network_rules_release(&second);
}

CASE(network_rules__equal_hosts)
{
    check_equal("", "", true);
    check_equal("", "a.example", false);
    check_equal("a.example|b.example", "b.example|a.example", true);
    check_equal("a.example|b.example", "a.example|c.example", false);
    check_equal("a.example", "a.example:80", false);
    check_equal("a.example:443|a.example:80", "a.example", true);
    check_equal("*.a.example", "*.a.example", true);
    check_equal("*.a.example", "x.a.example", false);
}

CASE(network_rules__equal_in_all)
{
    struct network_rules one, other;

    set_up(&one, "a.example");
    set_up(&other, "a.example");
    one.max_bytes++;
    assert_false(network_rules_equal(&one, &other));
    one.max_bytes--;
    one.max_connections++;
    assert_false(network_rules_equal(&one, &other));
    one.max_connections--;
    one.hosts[0].raw = true;
    assert_false(network_rules_equal(&one, &other));
    assert_false(network_rules_equal(&other, &one));
    one.hosts[0].raw = false;
    add_range(&one.hosts[0], "10.0.0.0/8");
    assert_false(network_rules_equal(&one, &other));
    assert_false(network_rules_equal(&other, &one));
    add_range(&other.hosts[0], "10.0.0.0/8");
    assert_true(network_rules_equal(&one, &other));
    network_rules_release(&one);
    network_rules_release(&other);
}

CASE(network_rules__as_json)
{
    struct network_rules rules;
    json_t *json;
    char *text;

    set_up(&rules, "a.example|[::1]:8080");
    add_range(&rules.hosts[0], "10.1.0.0/16");
    rules.hosts[1].raw = true;
    json = network_rules_to_json(&rules);
    text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"allow\":[{\"host\":\"a.example\",\"ports\":[80,443],"
                              "\"addresses\":[\"10.1.0.0/16\"]},"
                              "{\"host\":\"[::1]\",\"ports\":[8080],\"raw\":true}],"
                              "\"maxBytes\":104857600,\"maxConnections\":64}");
    free(text);
    json_decref(json);
    network_rules_release(&rules);
}

/* ---- hosts whose TLS is terminated */

CASE(network_rules__ports_of_terminated_hosts)
{
    struct network_rules rules = {.count = 0};

    assert_false(network_rules_terminate(&rules));
    set_up(&rules, "a.example");
    assert_false(network_rules_terminate(&rules));
    add_terminated(&rules, "b.example");
    add_terminated(&rules, "c.example:8443");
    check(&rules, "a.example 80,443 b.example 443 tls c.example 8443 tls");
    assert_true(network_rules_terminate(&rules));
    network_rules_release(&rules);
}

CASE(network_rules__terminated_is_not_raw)
{
    CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;
    struct error error = ERROR_INIT;
    struct network_rules rules = {.count = 0};

    assert_int_equal(network_host_parse(&host, "a.example", &error), 0);
    host.terminate = host.raw = true;
    assert_int_equal(network_rules_put(&rules, &host, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "host 'a.example' cannot have both raw and tls: what is not TLS cannot be "
                 "terminated");
    assert_int_equal(rules.count, 0);
}

CASE(network_rules__credentials)
{
    struct network_rules rules = {.count = 0};

    set_up(&rules, "a.example");
    add_terminated(&rules, "*.b.example");
    add_terminated(&rules, "[2001:db8::1]:1");
    add_credential(&rules, "*.B.example.", "A", "");
    add_credential(&rules, "*.b.example", "B", "");
    add_credential(&rules, "[2001:DB8:0::1]", "A", "");
    check(&rules, "a.example 80,443 *.b.example 443 tls(A)(B) 2001:db8::1 1 tls(A)");
    add_credential(&rules, "c.example", "A",
                   "host 'c.example' is not in allow; name an entry as it is written there");
    add_credential(&rules, "x.b.example", "A",
                   "host 'x.b.example' is not in allow; name an entry as it is written there");
    add_credential(&rules, "[::2]", "A",
                   "host '[::2]' is not in allow; name an entry as it is written there");
    add_credential(&rules, "a/b", "A",
                   "'a/b' is a URL or a path; write the host alone, like example.com");
    add_credential(&rules, "a.example", "A",
                   "host 'a.example' needs \"tls\": \"terminate\" in allow, since isolator cannot "
                   "add a header inside TLS");
    add_credential(&rules, "*.b.example", "a",
                   "host '*.b.example' has a credential in header 'a' already; remove one of them");
    add_credential(&rules, "*.b.example", "C", "");
    add_credential(&rules, "*.b.example", "D", "");
    add_credential(&rules, "*.b.example", "E", "a host can have at most 4 credentials");
    check(&rules, "a.example 80,443 *.b.example 443 tls(A)(B)(C)(D) 2001:db8::1 1 tls(A)");
    network_rules_release(&rules);
}

CASE(network_rules__copies_share_no_credentials)
{
    struct network_rules rules = {.count = 0}, copy = {.count = 0};

    set_up(&rules, "");
    add_terminated(&rules, "a.example");
    add_credential(&rules, "a.example", "A", "");
    network_rules_copy(&copy, &rules);
    assert_true(network_rules_equal(&copy, &rules));
    network_rules_release(&rules);
    check(&copy, "a.example 443 tls(A)");
    assert_string_equal(copy.hosts[0].credentials[0].from, "env:A");
    network_rules_release(&copy);
}

/* A maximum that terminates is the stricter one; what is added to requests is no matter of it. */
CASE(network_rules__cover_terminated)
{
    struct network_rules most = {.count = 0}, rules = {.count = 0};

    set_up(&most, "a.example:443");
    set_up(&rules, "");
    add_terminated(&rules, "a.example");
    add_credential(&rules, "a.example", "A", "");
    assert_true(network_rules_cover(&most, &rules));
    network_rules_clamp(&rules, &most);
    check(&rules, "a.example 443 tls(A)");
    assert_false(network_rules_cover(&rules, &most));
    network_rules_clamp(&most, &rules);
    check(&most, "");
    add_terminated(&most, "*.example");
    assert_true(network_rules_cover(&most, &rules));
    network_rules_release(&most);
    network_rules_release(&rules);
}

CASE(network_rules__equal_terminated)
{
    struct network_rules one, other;

    set_up(&one, "a.example:443");
    set_up(&other, "");
    add_terminated(&other, "a.example");
    assert_false(network_rules_equal(&one, &other));
    assert_false(network_rules_equal(&other, &one));
    one.hosts[0].terminate = true;
    assert_true(network_rules_equal(&one, &other));
    add_credential(&one, "a.example", "A", "");
    assert_false(network_rules_equal(&one, &other));
    assert_false(network_rules_equal(&other, &one));
    add_credential(&other, "a.example", "B", "");
    assert_false(network_rules_equal(&one, &other));
    add_credential(&one, "a.example", "B", "");
    add_credential(&other, "a.example", "A", "");
    assert_true(network_rules_equal(&one, &other));
    free(one.hosts[0].credentials[0].from);
    one.hosts[0].credentials[0].from = string_copy("env:C");
    assert_false(network_rules_equal(&one, &other));
    network_rules_release(&one);
    network_rules_release(&other);
}

/* The place of a credential is there, and no value. */
CASE(network_rules__credentials_as_json)
{
    struct error error = ERROR_INIT;
    struct network_rules rules;
    json_t *json;
    char *text;

    setenv("A", "s3cret", 1);
    set_up(&rules, "");
    add_terminated(&rules, "[::1]");
    add_credential(&rules, "[::1]", "A", "");
    add_credential(&rules, "[::1]", "B", "");
    network_credential_set_prefix(&rules.hosts[0].credentials[1], "Bearer ", &error);
    json = network_rules_to_json(&rules);
    text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text,
                        "{\"allow\":[{\"host\":\"[::1]\",\"ports\":[443],\"tls\":\"terminate\"}],"
                        "\"credentials\":[{\"host\":\"[::1]\",\"header\":\"A\",\"from\":\"env:A\"},"
                        "{\"host\":\"[::1]\",\"header\":\"B\",\"from\":\"env:B\","
                        "\"prefix\":\"Bearer \"}],"
                        "\"maxBytes\":104857600,\"maxConnections\":64}");
    unsetenv("A");
    free(text);
    json_decref(json);
    network_rules_release(&rules);
}
