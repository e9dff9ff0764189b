/* The hosts that a request asks for: reading them, and what a plan has of them. */
#include "json.h"

#include "request/hosts_argument.h"
#include "request/plan.h"
#include "request/tool_arguments.h"

#define HOSTS                                                                                      \
    "{\"languages\": {\"py\": {\"network\": {\"allow\": [\"*.a.example\", \"b.example\"]}}}}"

struct fixture {
    struct config config;
    struct request request;
    struct plan plan;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *more)
{
    *fixture = (struct fixture){.plan = PLAN_INIT};
    set_up_config(&fixture->config, more);
    request_init(&fixture->request);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    plan_release(&fixture->plan);
    request_release(&fixture->request);
    config_release(&fixture->config);
}

static int read_hosts(struct fixture *fixture, enum tool_caller caller, const char *language,
                      const char *hosts)
{
    CLEANUP_FREE char *text = string_format(
        "{\"language\": \"%s\", \"entrypoint_code\": \"1\", \"hosts\": %s}", language, hosts);
    json_t *arguments = json_of(text);
    const int result = tool_arguments_read(arguments, caller, &fixture->config, NULL,
                                           &fixture->request, &fixture->error);

    json_decref(arguments);
    return result;
}

/* Checks the hosts of a request as "HOST HOST", or "-" if they are not given. */
static void check_read(const char *hosts, const char *expected)
{
    CLEANUP(strvec_release) struct strvec texts = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;
    struct fixture fixture;
    const struct network_selection *read = &fixture.request.hosts;

    set_up(&fixture, HOSTS);
    assert_int_equal(read_hosts(&fixture, TOOL_CALLER_MODEL, "py", hosts), 0);
    if (!read->given)
        strvec_push(&texts, "-");
    for (size_t i = 0; i < read->count; i++)
        strvec_push_owned(&texts, network_item_text(&read->items[i]));
    joined = strvec_join(&texts, " ");
    assert_string_equal(joined, expected);
    tear_down(&fixture);
}

CASE(hosts_argument__read)
{
    check_read("null", "-");
    check_read("\"\"", "-");
    check_read("[]", "");
    check_read("\"[]\"", "");
    check_read("[\"x.a.example:443\", \"B.example\", \"b.example\"]", "x.a.example:443 b.example");
    check_read("\"[\\\"b.example\\\"]\"", "b.example");
}

/* Refuses it whoever asks. */
static void refuse(const char *hosts, const char *message)
{
    for (int caller = TOOL_CALLER_MODEL; caller <= TOOL_CALLER_BATCH; caller++) {
        struct fixture fixture;

        set_up(&fixture, HOSTS);
        assert_int_equal(read_hosts(&fixture, (enum tool_caller)caller, "py", hosts), -1);
        assert_error(&fixture.error, ERROR_USAGE, message);
        tear_down(&fixture);
    }
}

CASE(hosts_argument__refused)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    refuse("7", "hosts must be an array of hosts like \"example.com:443\"");
    refuse("\"[b.example\"", "hosts must be an array of hosts like \"example.com:443\"; text came, "
                             "which is not that in JSON");
    refuse("[\"b.example\", 7]", "hosts[1] must be a string");
    refuse("[\"b.example\\u0000\"]", "hosts[0] must be a string without NUL characters");
    refuse("[\"b.example\", \"http://b.example\"]",
           "hosts[1]: 'http://b.example' is a URL or a path; write the host alone, like "
           "example.com");
    refuse("[\"b.example:http\"]", "hosts[0]: the port of 'b.example:http' is not a number from 1 "
                                   "to 65535, as in example.com:8443");
    for (int i = 0; i <= 256; i++)
        strbuf_addf(&many, "%s\"x%d.a.example\"", i > 0 ? "," : "[", i);
    strbuf_addch(&many, ']');
    refuse(strbuf_string(&many), "hosts[256]: a request can name at most 256 hosts");
}

/* A model has the argument if an offered language can reach hosts; a batch has it always. */
CASE(hosts_argument__offered)
{
    const bool first[] = {true, false}, second[] = {false, true};
    struct fixture fixture;

    set_up(&fixture, HOSTS);
    assert_true(hosts_argument_offered(&fixture.config, NULL));
    assert_true(hosts_argument_offered(&fixture.config, first));
    assert_false(hosts_argument_offered(&fixture.config, second));
    tear_down(&fixture);
    set_up(&fixture, "{\"defaults\": {\"network\": \"bridge\"}}");
    assert_false(hosts_argument_offered(&fixture.config, NULL));
    assert_int_equal(read_hosts(&fixture, TOOL_CALLER_MODEL, "py", "[]"), -1);
    assert_error(&fixture.error, ERROR_USAGE,
                 "there is no argument 'hosts'; known are: language, entrypoint_code, "
                 "entrypoint_filename, additional_files, snippet_name, stdin, arguments, "
                 "environment, artifacts, timeout_seconds");
    fixture.error = (struct error)ERROR_INIT;
    assert_int_equal(read_hosts(&fixture, TOOL_CALLER_BATCH, "py", "[]"), 0);
    tear_down(&fixture);
}

/* ---- the plan */

static int resolve(struct fixture *fixture, const char *more, const char *language,
                   const char *hosts)
{
    set_up(fixture, more);
    assert_int_equal(read_hosts(fixture, TOOL_CALLER_BATCH, language, hosts), 0);
    return plan_resolve(&fixture->plan, &fixture->config, &fixture->request, &fixture->error);
}

/* Checks the network, the names of the entries that are left, and the variables of the proxy. */
static void check_plan(const char *more, const char *language, const char *hosts,
                       const char *expected)
{
    struct fixture fixture;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    const struct network_rules *rules = &fixture.plan.policy.network_rules;

    assert_int_equal(resolve(&fixture, more, language, hosts), 0);
    strbuf_addstr(&text, fixture.plan.policy.network);
    for (size_t i = 0; i < rules->count; i++)
        strbuf_addf(&text, " %s", rules->hosts[i].name);
    assert_int_equal(fixture.plan.relay_environment.count > 0, rules->count > 0);
    if (rules->selection.given)
        strbuf_addstr(&text, " narrowed");
    assert_string_equal(strbuf_string(&text), expected);
    tear_down(&fixture);
}

static void refuse_plan(const char *more, const char *language, const char *hosts,
                        const char *message)
{
    struct fixture fixture;

    assert_int_equal(resolve(&fixture, more, language, hosts), -1);
    assert_string_equal(tool_arguments_namer(fixture.error.subject), "hosts");
    assert_error(&fixture.error, ERROR_USAGE, message);
    tear_down(&fixture);
}

CASE(hosts_argument__narrows_the_plan)
{
    check_plan(HOSTS, "py", "null", "none *.a.example b.example");
    check_plan(HOSTS, "py", "[\"b.example:443\"]", "none b.example narrowed");
    check_plan(HOSTS, "py", "[\"x.a.example\"]", "none *.a.example narrowed");
    check_plan(HOSTS, "py", "[]", "none narrowed");
    check_plan(HOSTS, "sh", "[]", "none narrowed");
    refuse_plan(HOSTS, "py", "[\"b.example\", \"c.example:80\"]",
                "hosts: 'c.example:80' is not allowed by the configuration, which allows "
                "*.a.example (ports 80, 443), b.example (ports 80, 443)");
    refuse_plan(HOSTS, "sh", "[\"b.example\"]",
                "hosts: 'b.example' is not allowed by the configuration, which allows no host");
}

/* A network of the engine is left only as a whole. */
CASE(hosts_argument__of_a_network)
{
    static const char bridge[] = "{\"defaults\": {\"network\": \"bridge\"}}";

    check_plan(bridge, "py", "null", "bridge");
    check_plan(bridge, "py", "[]", "none narrowed");
    refuse_plan(bridge, "py", "[\"b.example\"]",
                "hosts cannot narrow the network 'bridge', which isolator does not control; only "
                "[] is possible");
}
