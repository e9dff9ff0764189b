#include "test.h"

#include "network/network_log.h"

static const char REFUSED[] = "host 'example.com' is not on the list of allowed hosts";

static void check_json(const struct network_log *log, const char *expected)
{
    json_t *json = network_log_to_json(log);
    CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT);

    json_decref(json);
    assert_string_equal(text, expected);
}

/* Checks the warnings, each in a line. */
static void check_warnings(const struct network_log *log, const char *expected)
{
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    network_log_warn(log, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        strbuf_addf(&text, "%s\n", warnings.items[i]);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(network_log__nothing)
{
    struct network_log log = NETWORK_LOG_INIT;

    check_json(&log, "{\"connections\":[],\"omitted\":0,\"bytes\":0}");
    check_warnings(&log, "");
    network_log_release(&log);
}

CASE(network_log__json)
{
    struct network_log log = NETWORK_LOG_INIT;

    assert_int_equal(network_log_add(&log, "example.com", 443, NETWORK_CONNECTED, NULL), 0);
    network_log_count(&log, 0, 100, 0);
    network_log_count(&log, 0, 20, 3);
    assert_int_equal(network_log_add(&log, "example.com", 22, NETWORK_REFUSED, "no \"22\""), 1);
    assert_int_equal(network_log_add(&log, "", 0, NETWORK_FAILED, "no request"), 2);
    network_log_count(&log, -1, 1000, 2000); /* of one without an entry */
    check_json(&log, "{\"connections\":["
                     "{\"host\":\"example.com\",\"port\":443,\"status\":\"connected\",\"count\":1,"
                     "\"bytesSent\":120,\"bytesReceived\":3,\"reason\":null},"
                     "{\"host\":\"example.com\",\"port\":22,\"status\":\"refused\",\"count\":1,"
                     "\"bytesSent\":0,\"bytesReceived\":0,\"reason\":\"no \\\"22\\\"\"},"
                     "{\"host\":null,\"port\":null,\"status\":\"failed\",\"count\":1,"
                     "\"bytesSent\":0,\"bytesReceived\":0,\"reason\":\"no request\"}],"
                     "\"omitted\":0,\"bytes\":3123}");
    network_log_release(&log);
}

CASE(network_log__same_connections_are_one_entry)
{
    struct network_log log = NETWORK_LOG_INIT;

    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_CONNECTED, NULL), 0);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_REFUSED, "x\n"), 1);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_CONNECTED, NULL), 0);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_REFUSED, "x\n"), 1);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_REFUSED, "x\n"), 1);
    /* each of these differs in one thing */
    assert_int_equal(network_log_add(&log, "b", 1, NETWORK_CONNECTED, NULL), 2);
    assert_int_equal(network_log_add(&log, "a", 2, NETWORK_CONNECTED, NULL), 3);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_FAILED, "x\n"), 4);
    assert_int_equal(network_log_add(&log, "a", 1, NETWORK_REFUSED, "y"), 5);
    assert_int_equal(log.count, 6);
    assert_int_equal(log.entries[0].connections, 2);
    assert_int_equal(log.entries[1].connections, 3);
    assert_int_equal(log.entries[2].connections, 1);
    network_log_release(&log);
    assert_int_equal(log.count, 0);
}

/* A program chooses the names. */
CASE(network_log__is_bounded)
{
    struct network_log log = NETWORK_LOG_INIT;

    for (unsigned i = 0; i < 103; i++)
        assert_int_equal(network_log_add(&log, "a", i, NETWORK_CONNECTED, NULL),
                         i < 100 ? (int)i : -1);
    assert_int_equal(network_log_add(&log, "a", 99, NETWORK_CONNECTED, NULL), 99);
    network_log_count(&log, -1, 5, 6);
    assert_int_equal(log.count, 100);
    assert_int_equal(log.omitted, 3);
    assert_int_equal(log.bytes, 11);
    assert_int_equal(log.entries[99].connections, 2);
    check_warnings(&log, "network: 3 more connections are not listed here\n");
    network_log_release(&log);
}

CASE(network_log__warnings)
{
    struct network_log log = NETWORK_LOG_INIT;

    network_log_add(&log, "example.org", 443, NETWORK_CONNECTED, NULL);
    network_log_add(&log, "example.com", 443, NETWORK_REFUSED, REFUSED);
    network_log_add(&log, "example.com", 443, NETWORK_REFUSED, REFUSED);
    network_log_add(&log, "example.com", 80, NETWORK_REFUSED, REFUSED); /* the same text */
    network_log_add(&log, "example.net", 443, NETWORK_FAILED, "it is not there");
    network_log_add(&log, "", 0, NETWORK_FAILED, "a request is not complete");
    check_warnings(&log, "network: host 'example.com' is not on the list of allowed hosts\n"
                         "network: a request is not complete\n");
    network_log_release(&log);
}

/* The connections are counted, not the entries. */
CASE(network_log__warnings_are_bounded)
{
    struct network_log log = NETWORK_LOG_INIT;

    for (unsigned i = 0; i < 12; i++) {
        CLEANUP_FREE char *reason = string_format("no %u", i);

        network_log_add(&log, "a", 1, NETWORK_REFUSED, reason);
        network_log_add(&log, "b", i, NETWORK_CONNECTED, NULL);
        if (i == 9)
            check_warnings(&log, "network: no 0\nnetwork: no 1\nnetwork: no 2\nnetwork: no 3\n"
                                 "network: no 4\nnetwork: no 5\nnetwork: no 6\nnetwork: no 7\n"
                                 "network: no 8\nnetwork: no 9\n");
    }
    network_log_add(&log, "a", 1, NETWORK_REFUSED, "no 11");
    check_warnings(&log, "network: no 0\nnetwork: no 1\nnetwork: no 2\nnetwork: no 3\n"
                         "network: no 4\nnetwork: no 5\nnetwork: no 6\nnetwork: no 7\n"
                         "network: no 8\nnetwork: no 9\n"
                         "network: 3 more connections are not listed here\n");
    network_log_release(&log);
}

/* Those that have no entry. A refusal takes none of a connection. */
CASE(network_log__warning_of_omitted_connections)
{
    struct network_log log = NETWORK_LOG_INIT;

    network_log_add(&log, "a", 1, NETWORK_REFUSED, "no");
    for (unsigned i = 0; i < 104; i++)
        network_log_add(&log, "b", i, NETWORK_CONNECTED, NULL);
    check_warnings(&log, "network: no\nnetwork: 4 more connections are not listed here\n");
    network_log_release(&log);
}

CASE(network_log__reasons_are_escaped)
{
    struct network_log log = NETWORK_LOG_INIT;

    network_log_add(&log, "", 0, NETWORK_FAILED, "a\n\x1b[31m\xff\"\\b");
    check_warnings(&log, "network: a\\n\\x1b[31m\\xff\"\\b\n");
    check_json(&log, "{\"connections\":[{\"host\":null,\"port\":null,\"status\":\"failed\","
                     "\"count\":1,\"bytesSent\":0,\"bytesReceived\":0,"
                     "\"reason\":\"a\\\\n\\\\x1b[31m\\\\xff\\\"\\\\b\"}],"
                     "\"omitted\":0,\"bytes\":0}");
    network_log_release(&log);
}
