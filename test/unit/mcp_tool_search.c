#include "mcp_client.h"

#include <signal.h>

#include "config/config_layers.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "mcp/tool_search.h"

/* The server is a fake one that never answers. */
static const char silent[] =
    "{\"tools\": {\"one\": {\"command\": \"test/fixtures/upstream\", \"args\": [\"silent\"]}}}";

static int begin(struct tool_searches *searches, struct client *client, int id, struct error *error)
{
    struct tool_search_arguments arguments = {.words = STRVEC_INIT};
    json_t *value = json_integer(id);
    struct responder responder;
    int result;

    responder_init(&responder, &client->writer, revision_legacy("2025-11-25"), value, NULL);
    result = tool_searches_begin(searches, &responder, &arguments, NULL, error);
    if (result != 0)
        responder_nothing(&responder);
    json_decref(value);
    return result;
}

CASE(tool_search__too_many_at_once)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec servers = STRVEC_INIT;
    struct notifier changed = NOTIFIER_INIT;
    struct tool_searches searches;
    struct config config = {0};
    struct client client;
    struct tool_set *set;
    json_t *first = json_integer(0);

    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(config_load_built_in(&config, &error), 0);
    assert_int_equal(config_overlay(&config, silent, strlen(silent), "test.json", &error), 0);
    set = tool_set_new(&config, &error);
    assert_non_null(set);
    strvec_push(&servers, "one");
    assert_int_equal(notifier_open(&changed, &error), 0);
    client_open(&client);
    tool_searches_init(&searches, set, &servers, 1000, &changed);
    for (int i = 0; i < 16; i++)
        assert_int_equal(begin(&searches, &client, i, &error), 0);
    assert_int_equal(begin(&searches, &client, 16, &error), -1);
    assert_int_equal(error.kind, ERROR_ENGINE);
    assert_string_equal(error.message, "16 searches are running; try again later");
    error_release(&error);
    tool_searches_cancel(&searches, first);
    assert_int_equal(begin(&searches, &client, 17, &error), 0);
    for (int i = 1; i <= 17; i++) {
        json_t *id = json_integer(i);

        tool_searches_cancel(&searches, id);
        json_decref(id);
    }
    assert_true(tool_searches_done(&searches));
    client_check(&client, "");
    tool_set_free(set);
    notifier_release(&changed);
    config_release(&config);
    json_decref(first);
}
