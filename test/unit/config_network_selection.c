#include "test.h"

#include "base/strvec.h"
#include "config/network_selection.h"

static void add(struct network_selection *selection, const char *text)
{
    struct error error = ERROR_INIT;
    const int result = network_selection_add(selection, text, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void check(const struct network_selection *selection, const char *expected)
{
    CLEANUP(strvec_release) struct strvec texts = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    for (size_t i = 0; i < selection->count; i++)
        strvec_push_owned(&texts, network_item_text(&selection->items[i]));
    joined = strvec_join(&texts, " ");
    assert_string_equal(joined, expected);
}

CASE(network_selection__items)
{
    struct network_selection selection = {.given = false}, copy = {.given = false};

    add(&selection, "Example.COM.");
    add(&selection, "*.example.com:443");
    add(&selection, "192.0.2.1:1");
    add(&selection, "[2001:DB8::1]");
    add(&selection, "[2001:db8::1]:65535");
    add(&selection, "example.com"); /* it is there */
    add(&selection, "example.com:80");
    assert_true(selection.given);
    check(&selection, "example.com *.example.com:443 192.0.2.1:1 [2001:db8::1] "
                      "[2001:db8::1]:65535 example.com:80");
    network_selection_copy(&copy, &selection);
    check(&copy, "example.com *.example.com:443 192.0.2.1:1 [2001:db8::1] [2001:db8::1]:65535 "
                 "example.com:80");
    assert_true(network_selection_equal(&copy, &selection));
    network_selection_release(&selection);
    assert_false(selection.given);
    check(&selection, "");
    network_selection_copy(&copy, &selection);
    assert_false(copy.given);
    check(&copy, "");
    network_selection_release(&copy);
}

static void refuse(const char *text, const char *message)
{
    struct network_selection selection = {.given = false};
    struct error error = ERROR_INIT;

    assert_int_equal(network_selection_add(&selection, text, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    check(&selection, "");
    network_selection_release(&selection);
}

CASE(network_selection__what_is_no_item)
{
    refuse("https://example.com",
           "'https://example.com' is a URL or a path; write the host alone, like example.com");
    refuse("*", "'*' is not the name of a host; write a name like example.com, *.example.com for "
                "all names below it, or an address like 192.0.2.1 or [2001:db8::1]");
    refuse("example.com:0", "the port of 'example.com:0' is not a number from 1 to 65535, as in "
                            "example.com:8443");
    refuse("example.com:", "the port of 'example.com:' is not a number from 1 to 65535, as in "
                           "example.com:8443");
    refuse("2001:db8::1",
           "'2001:db8::1' is an address of IPv6; write it in brackets, like [2001:db8::1]");
}

CASE(network_selection__at_most_256)
{
    struct network_selection selection = {.given = false};
    struct error error = ERROR_INIT;

    for (int i = 0; i < NETWORK_HOSTS_MAX; i++) {
        CLEANUP_FREE char *text = string_format("a%d.example", i);

        add(&selection, text);
    }
    add(&selection, "a0.example");
    assert_int_equal(network_selection_add(&selection, "b.example", &error), -1);
    assert_error(&error, ERROR_USAGE, "a request can name at most 256 hosts");
    assert_int_equal(selection.count, 256);
    network_selection_release(&selection);
}

CASE(network_selection__has)
{
    struct network_selection selection = {.given = false};

    assert_true(network_selection_has(&selection, "a.example", 1));
    selection.given = true; /* none */
    assert_false(network_selection_has(&selection, "a.example", 1));
    add(&selection, "a.example:443");
    add(&selection, "*.b.example");
    assert_true(network_selection_has(&selection, "a.example", 443));
    assert_false(network_selection_has(&selection, "a.example", 80));
    assert_false(network_selection_has(&selection, "x.a.example", 443));
    assert_true(network_selection_has(&selection, "x.b.example", 80));
    assert_false(network_selection_has(&selection, "b.example", 80));
    assert_false(network_selection_has(&selection, "xb.example", 80));
    network_selection_release(&selection);
}

CASE(network_selection__equal)
{
    struct network_selection one = {.given = false}, other = {.given = true};

    assert_false(network_selection_equal(&one, &other));
    one.given = true;
    assert_true(network_selection_equal(&one, &other));
    add(&one, "a.example");
    assert_false(network_selection_equal(&one, &other));
    assert_false(network_selection_equal(&other, &one));
    add(&other, "a.example:443");
    assert_false(network_selection_equal(&one, &other));
    add(&other, "a.example");
    add(&one, "a.example:443");
    assert_true(network_selection_equal(&one, &other));
    network_selection_release(&one);
    network_selection_release(&other);
}
