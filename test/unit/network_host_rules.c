/* What is reached, of the entries of a configuration and of what a request selects. */
#include "test.h"

#include "base/strvec.h"
#include "network/host_rules.h"

/* Adds "HOST[:PORT]" separated by spaces; a host that begins with '!' terminates TLS. */
static void set_up(struct network_rules *rules, const char *entries)
{
    CLEANUP_FREE char *copy = string_copy(entries);

    *rules = (struct network_rules){.count = 0};
    network_rules_complete(rules);
    for (char *text = strtok(copy, " "); text; text = strtok(NULL, " ")) {
        struct error error = ERROR_INIT;

        network_rules_add(rules, text + (*text == '!'), &error);
        assert_no_error(&error);
        rules->hosts[rules->count - 1].terminate |= *text == '!';
    }
}

static int narrow(struct network_rules *rules, const char *items, struct error *error)
{
    CLEANUP(network_selection_release) struct network_selection selection = {.given = true};
    CLEANUP_FREE char *copy = string_copy(items);

    for (char *text = strtok(copy, " "); text; text = strtok(NULL, " ")) {
        network_selection_add(&selection, text, error);
        assert_no_error(error);
    }
    return network_rules_narrow(rules, &selection, error);
}

/* Returns "HOST PORT,PORT" of all entries, separated by "; ". */
static char *text_of(const struct network_rules *rules)
{
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        strbuf_addf(&text, "%s%s%s", i > 0 ? "; " : "", host->terminate ? "!" : "", host->name);
        for (size_t k = 0; k < host->port_count; k++)
            strbuf_addf(&text, "%s%d", k > 0 ? "," : " ", host->ports[k]);
    }
    return strbuf_steal(&text);
}

/* Checks the entries that are left of these, once they are narrowed. */
static void check_left(const char *entries, const char *items, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct network_rules rules;
    CLEANUP_FREE char *text = NULL;

    set_up(&rules, entries);
    narrow(&rules, items, &error);
    assert_no_error(&error);
    text = text_of(&rules);
    assert_string_equal(text, expected);
    network_rules_release(&rules);
}

static void check_refused(const char *entries, const char *items, const char *message)
{
    CLEANUP_FREE char *before = NULL, *after = NULL;
    struct error error = ERROR_INIT;
    struct network_rules rules;

    set_up(&rules, entries);
    before = text_of(&rules);
    assert_int_equal(narrow(&rules, items, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    after = text_of(&rules);
    assert_string_equal(after, before);
    assert_false(rules.selection.given);
    network_rules_release(&rules);
}

/* Checks what "HOST:PORT ..." of the narrowed entries is: + allowed, - not selected, p port, u. */
static void check_hosts(const char *entries, const char *items, const char *hosts,
                        const char *expected)
{
    static const char signs[] = {[HOST_ALLOWED] = '+',
                                 [HOST_NOT_SELECTED] = '-',
                                 [HOST_OTHER_PORT] = 'p',
                                 [HOST_NOT_LISTED] = 'u'};
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *copy = string_copy(hosts);
    struct network_rules rules;

    set_up(&rules, entries);
    if (items)
        narrow(&rules, items, &error);
    assert_no_error(&error);
    for (char *text = strtok(copy, " "); text; text = strtok(NULL, " ")) {
        char *colon = strrchr(text, ':');
        enum host_verdict verdict;
        const struct network_host *host;

        *colon = '\0';
        host = host_rules_find(&rules, text, (unsigned short)atoi(colon + 1), &verdict);
        assert_int_equal(host != NULL, verdict == HOST_ALLOWED);
        strbuf_addch(&seen, signs[verdict]);
    }
    assert_string_equal(strbuf_string(&seen), expected);
    network_rules_release(&rules);
}

CASE(host_rules__without_a_selection)
{
    check_hosts("a.x:443 *.x:8080 *.x:9", NULL, "a.x:443 a.x:8080 b.x:8080 b.x:9 b.x:1 x:9 y:443",
                "+p++puu");
    check_hosts("", NULL, "a.x:443", "u");
}

CASE(host_rules__names)
{
    check_hosts("*.x:1", "a.x", "a.x:1 b.x:1 a.x:2", "+-p");
    check_hosts("*.x:1", "*.a.x", "b.a.x:1 a.x:1 c.b.a.x:1", "+-+");
    check_hosts("*.a.x:1", "*.x", "b.a.x:1 a.x:1 b.x:1", "+uu");
    check_hosts("a.x:1", "*.x", "a.x:1 b.x:1", "+u");
    check_hosts("a.x:1 b.x:1", "b.x", "a.x:1 b.x:1", "-+");
    check_hosts("192.0.2.1:1 [2001:db8::1]:1", "[2001:db8::1]", "192.0.2.1:1 2001:db8::1:1", "-+");
}

CASE(host_rules__ports)
{
    check_hosts("a.x:1 a.x:2", "a.x", "a.x:1 a.x:2 a.x:3", "++p");
    check_hosts("a.x:1 a.x:2", "a.x:2", "a.x:1 a.x:2 a.x:3", "-+-");
    check_hosts("a.x:1 a.x:2", "a.x:2 *.x:1", "a.x:1 a.x:2", "++");
}

CASE(host_rules__none_is_selected)
{
    check_hosts("a.x:1 *.y:1", "", "a.x:1 b.y:1 c:1", "---");
    check_left("a.x:1 !*.y:1", "", "");
}

/* An entry with the name of a host decides alone, also if no item has its port. */
CASE(host_rules__an_entry_beside_a_pattern)
{
    check_hosts("a.x:443 *.x:8080", "*.x:8080", "a.x:443 a.x:8080 b.x:8080", "-p+");
    check_left("!a.x:443 *.x:8080", "*.x:8080", "a.x; *.x 8080");
    check_left("!a.x:443 *.x:8080", "b.x", "*.x 8080");
    check_left("!a.x:443 *.x:443", "*.x", "!a.x 443; *.x 443");
    check_left("a.x:443 !*.x:443", "a.x", "a.x 443");
    check_left("a.x:443 !*.x:443", "a.x b.x", "a.x 443; !*.x 443");
    check_left("!*.x:443 a.x:443 b.x:80", "a.x *.x:80 b.x:80", "a.x 443; b.x 80");
}

/* With them go the proxy, the terminator and credentials. */
CASE(host_rules__entries_that_are_left)
{
    check_left("a.x:1 !b.x:1 *.y:1 *.z:2", "a.x", "a.x 1");
    check_left("a.x:1 *.y:1 *.z:2", "*.b.y a.x:1", "a.x 1; *.y 1");
    check_left("*.x:1 *.a.x:2", "*.a.x:1", "*.x 1");
    check_left("*.x:1 *.a.x:2", "*.x", "*.x 1; *.a.x 2");
}

CASE(host_rules__a_host_that_is_not_allowed)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    check_refused("a.x:1 a.x:2 *.y:443", "a.x b.x",
                  "'b.x' is not allowed by the configuration, which allows a.x (ports 1, 2), *.y "
                  "(port 443)");
    check_refused("[2001:db8::1]:1", "[2001:db8::1]:2",
                  "'[2001:db8::1]:2' is not allowed by the configuration, which allows "
                  "[2001:db8::1] (port 1)");
    check_refused("*.y:1", "y",
                  "'y' is not allowed by the configuration, which allows *.y (port 1)");
    check_refused("a.x:1", "*.a.x",
                  "'*.a.x' is not allowed by the configuration, which allows a.x (port 1)");
    check_refused("a.x:443 *.x:8080", "a.x:8080",
                  "'a.x:8080' is not allowed by the configuration, which allows a.x (port 443), "
                  "*.x (port 8080)");
    check_refused("", "a.x", "'a.x' is not allowed by the configuration, which allows no host");
    for (int i = 0; i < 12; i++)
        strbuf_addf(&many, "%c.x:1 ", 'a' + i);
    check_refused(strbuf_string(&many), "z.x",
                  "'z.x' is not allowed by the configuration, which allows a.x (port 1), b.x (port "
                  "1), c.x (port 1), d.x (port 1), e.x (port 1), f.x (port 1), g.x (port 1), h.x "
                  "(port 1), i.x (port 1), j.x (port 1) and 2 more");
}

CASE(host_rules__not_narrowed_twice)
{
    struct error error = ERROR_INIT;
    struct network_rules rules;

    set_up(&rules, "a.x b.x");
    assert_int_equal(narrow(&rules, "a.x", &error), 0);
    assert_int_equal(narrow(&rules, "b.x", &error), -1);
    assert_error(&error, ERROR_USAGE, "the hosts are narrowed already");
    network_rules_release(&rules);
}

/* ---- never wider, whatever the lists are */

static const char *const names[] = {"a.x", "b.x", "c.a.x", "x", "y"};
static const unsigned short ports[] = {1, 2};
static const char *const choices[] = {"a.x:1",   "a.x:2",   "*.x:1", "*.x:2",
                                      "*.a.x:1", "c.a.x:2", "y:1"};
static const char *const wishes[] = {"a.x", "a.x:1", "*.x:2", "*.x", "*.a.x:1", "c.a.x", "y:2"};

/* Joins the texts whose bit is set. */
static char *chosen(const char *const *texts, size_t count, unsigned bits)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;

    for (size_t i = 0; i < count; i++)
        if (bits & 1U << i)
            strvec_push(&words, texts[i]);
    return strvec_join(&words, " ");
}

/* Whether an item names the host, without the code that is tested. */
static bool is_wished(unsigned bits, const char *name, unsigned port)
{
    for (size_t i = 0; i < COUNT(wishes); i++) {
        CLEANUP_FREE char *wish = string_copy(wishes[i]);
        char *colon = strchr(wish, ':');
        const char *tail = wish + 1;

        if (!(bits & 1U << i) || (colon && (unsigned)atoi(colon + 1) != port))
            continue;
        if (colon)
            *colon = '\0';
        if (*wish == '*' ? strlen(name) > strlen(tail) &&
                               strcmp(name + strlen(name) - strlen(tail), tail) == 0
                         : strcmp(name, wish) == 0)
            return true;
    }
    return false;
}

/* Each host is reached after it if it was before and an item names it; by the same entry. */
static void compare(const struct network_rules *before, const struct network_rules *after,
                    unsigned wished, const char *what)
{
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(ports); k++) {
            enum host_verdict ignored;
            const struct network_host *one = host_rules_find(before, names[i], ports[k], &ignored);
            const struct network_host *other = host_rules_find(after, names[i], ports[k], &ignored);
            const bool expected = one && is_wished(wished, names[i], ports[k]);

            if (expected != (other != NULL))
                fail_msg("%s: %s:%u is %s", what, names[i], ports[k], other ? "reached" : "lost");
            if (other && strcmp(one->name, other->name) != 0)
                fail_msg("%s: %s:%u by %s", what, names[i], ports[k], other->name);
        }
}

/* A list that is refused changes nothing. */
CASE(host_rules__never_wider)
{
    int narrowed = 0;

    for (unsigned bits = 0; bits < 1U << COUNT(choices); bits++)
        for (unsigned wished = 0; wished < 1U << COUNT(wishes); wished++) {
            CLEANUP_FREE char *entries = chosen(choices, COUNT(choices), bits);
            CLEANUP_FREE char *items = chosen(wishes, COUNT(wishes), wished);
            CLEANUP_FREE char *what = string_format("[%s] narrowed to [%s]", entries, items);
            CLEANUP(error_release) struct error error = ERROR_INIT;
            struct network_rules before, after;

            set_up(&before, entries);
            set_up(&after, entries);
            if (narrow(&after, items, &error) == 0) {
                compare(&before, &after, wished, what);
                narrowed++;
            } else {
                assert_true(network_rules_equal(&before, &after));
            }
            network_rules_release(&before);
            network_rules_release(&after);
        }
    assert_in_range(narrowed, 1000, 1 << 14);
}

/* ---- copies */

CASE(host_rules__copies_stay_narrow)
{
    struct network_rules one, other, copy = {.count = 0};
    struct error error = ERROR_INIT;
    json_t *json;
    char *text;

    set_up(&one, "*.x:1");
    set_up(&other, "*.x:1");
    narrow(&one, "a.x *.b.x:1", &error);
    assert_no_error(&error);
    assert_false(network_rules_equal(&one, &other));
    assert_false(network_rules_equal(&other, &one));
    network_rules_copy(&copy, &one);
    assert_true(network_rules_equal(&one, &copy));
    json = network_rules_to_json(&copy);
    text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"allow\":[{\"host\":\"*.x\",\"ports\":[1]}],"
                              "\"maxBytes\":104857600,\"maxConnections\":64,"
                              "\"hosts\":[\"a.x\",\"*.b.x:1\"]}");
    narrow(&other, "*.b.x:1 a.x", &error);
    assert_true(network_rules_equal(&one, &other));
    network_rules_release(&other);
    assert_false(other.selection.given);
    set_up(&other, "");
    network_rules_release(&one);
    set_up(&one, "a.x");
    narrow(&one, "", &error);
    assert_true(network_rules_equal(&one, &other)); /* neither reaches a host */
    free(text);
    json_decref(json);
    network_rules_release(&one);
    network_rules_release(&other);
    network_rules_release(&copy);
}
