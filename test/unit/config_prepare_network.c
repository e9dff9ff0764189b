#include "test.h"

#include "config/prepare_network.h"

static void set_up(struct prepare_network *network, const char *name, const char *host)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    *network = (struct prepare_network)PREPARE_NETWORK_INIT;
    if (name)
        assert_int_equal(prepare_network_set_name(network, name, &error), 0);
    if (host)
        assert_int_equal(prepare_network_allow_host(network, host, &error), 0);
}

static void check_facts(const char *name, const char *host, bool given, bool open)
{
    CLEANUP(prepare_network_release) struct prepare_network network;

    set_up(&network, name, host);
    assert_int_equal(prepare_network_is_given(&network), given);
    assert_int_equal(prepare_network_is_open(&network), open);
}

CASE(prepare_network__what_is_given)
{
    check_facts(NULL, NULL, false, false);
    check_facts("none", NULL, true, false);
    check_facts("bridge", NULL, true, true);
    check_facts(NULL, "a.example", true, true);
}

static bool are_equal(const char *one_name, const char *one_host, const char *other_name,
                      const char *other_host)
{
    CLEANUP(prepare_network_release) struct prepare_network one;
    CLEANUP(prepare_network_release) struct prepare_network other;

    set_up(&one, one_name, one_host);
    set_up(&other, other_name, other_host);
    return prepare_network_equal(&one, &other);
}

CASE(prepare_network__equal)
{
    assert_true(are_equal(NULL, NULL, NULL, NULL));
    assert_true(are_equal("bridge", NULL, "bridge", NULL));
    assert_false(are_equal("bridge", NULL, NULL, NULL));
    assert_false(are_equal("bridge", NULL, "other", NULL));
    assert_true(are_equal(NULL, "a.example", NULL, "A.example"));
    assert_false(are_equal(NULL, "a.example", NULL, "a.example:80"));
    assert_false(are_equal(NULL, "a.example", NULL, NULL));
    assert_false(are_equal(NULL, NULL, NULL, "a.example"));
}

CASE(prepare_network__copy)
{
    CLEANUP(prepare_network_release) struct prepare_network network;
    CLEANUP(prepare_network_release) struct prepare_network copy;

    set_up(&network, NULL, "a.example");
    set_up(&copy, "bridge", NULL);
    prepare_network_copy(&copy, &network);
    assert_null(copy.name);
    assert_true(prepare_network_equal(&copy, &network));
}

static void check_json(const char *name, const char *host, const char *expected)
{
    CLEANUP(prepare_network_release) struct prepare_network network;
    json_t *json;
    char *text;

    set_up(&network, name, host);
    json = prepare_network_to_json(&network);
    text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    assert_text_or_null(text, expected);
    free(text);
    json_decref(json);
}

/* Steps may transfer as much as they like. */
CASE(prepare_network__as_json)
{
    check_json(NULL, NULL, NULL);
    check_json("bridge", NULL, "\"bridge\"");
    check_json(NULL, "a.example:81",
               "{\"allow\":[{\"host\":\"a.example\",\"ports\":[81]}],"
               "\"maxBytes\":1099511627776,\"maxConnections\":64}");
}

CASE(prepare_network__wrong)
{
    CLEANUP(prepare_network_release) struct prepare_network network;
    struct error error = ERROR_INIT;

    set_up(&network, "bridge", NULL);
    assert_int_equal(prepare_network_set_name(&network, "host", &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "network 'host' would lift the isolation; use none, bridge or a network of the "
                 "engine");
    assert_string_equal(network.name, "bridge");
}
