/* A later request of a session gets what the first one had, or is refused. */
#include "json.h"

#include "request/plan.h"

struct fixture {
    struct config config;
    struct request request;
    struct plan plan;
    struct error error;
};

static void accept(struct fixture *fixture)
{
    const int result =
        plan_resolve(&fixture->plan, &fixture->config, &fixture->request, &fixture->error);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

/* With the terms of the plan that there is, if there is one. */
static void new_request(struct fixture *fixture)
{
    struct session_terms *terms = fixture->plan.language ? session_terms_new(&fixture->plan) : NULL;

    plan_release(&fixture->plan);
    request_release(&fixture->request);
    fixture->request.terms = terms;
    strcpy(fixture->request.session.id, "0123456789abcdef0123456789abcdef");
    fixture->request.language = string_copy("py");
    fixture->request.input.code = string_copy("");
}

/* A session that was opened with 300 MB and an image of its own; then a request of nothing. */
static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.plan = PLAN_INIT};
    set_up_config(&fixture->config, NULL);
    request_init(&fixture->request);
    new_request(fixture);
    fixture->request.image = string_copy("py:4");
    fixture->request.workdir = string_copy("/there");
    fixture->request.policy.limits.number[LIMIT_MEMORY] = 300;
    fixture->request.policy.limits.number[LIMIT_WORKDIR] = 32;
    fixture->request.policy.limits.number[LIMIT_TIMEOUT] = 5;
    fixture->request.policy.network = string_copy("bridge");
    accept(fixture);
    new_request(fixture);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    plan_release(&fixture->plan);
    request_release(&fixture->request);
    config_release(&fixture->config);
}

/* `subject` may be NULL. */
static void refuse(struct fixture *fixture, const char *subject, const char *message)
{
    assert_int_equal(
        plan_resolve(&fixture->plan, &fixture->config, &fixture->request, &fixture->error), -1);
    if (subject)
        assert_string_equal(fixture->error.subject, subject);
    assert_error(&fixture->error, ERROR_USAGE, message);
}

/* What comes with each request is its own. */
CASE(session_terms__what_a_request_does_not_set)
{
    struct fixture fixture;
    const double *number = fixture.plan.policy.limits.number;

    set_up(&fixture);
    free(fixture.request.language);
    fixture.request.language = NULL;
    fixture.request.policy.limits.number[LIMIT_OUTPUT] = 2048;
    accept(&fixture);
    assert_string_equal(fixture.plan.language, "py");
    assert_string_equal(fixture.plan.image, "py:4");
    assert_string_equal(fixture.plan.workdir, "/there");
    assert_string_equal(fixture.plan.policy.network, "bridge");
    assert_true(number[LIMIT_MEMORY] == 300);
    assert_true(number[LIMIT_WORKDIR] == 32);
    assert_true(number[LIMIT_TIMEOUT] == 45);
    assert_true(number[LIMIT_OUTPUT] == 2048);
    tear_down(&fixture);
}

CASE_WITH(session_terms__the_same_again, set_up(fixture))
{
    fixture->request.image = string_copy("py:4");
    fixture->request.policy.limits.number[LIMIT_MEMORY] = 300;
    fixture->request.policy.network = string_copy("bridge");
    accept(fixture);
}

CASE_WITH(session_terms__another_language, set_up(fixture))
{
    free(fixture->request.language);
    fixture->request.language = string_copy("sh");
    refuse(fixture, "language", "language must be py: the session was opened with it");
}

/* The language of a session comes before that of the name of the program's file. */
CASE_WITH(session_terms__language_of_the_file, set_up(fixture))
{
    free(fixture->request.language);
    fixture->request.language = string_copy("sh");
    fixture->request.language_of_file = true;
    accept(fixture);
    assert_string_equal(fixture->plan.language, "py");
}

CASE(session_terms__other_limits)
{
    static const struct {
        enum limit_number which;
        double asked;
        const char *name, *number;
    } wrong[] = {
        {LIMIT_MEMORY, 301, "memoryMB", "300 MB"},
        {LIMIT_MEMORY, 256, "memoryMB", "300 MB"},
        {LIMIT_CPUS, 2, "cpus", "0.5"},
        {LIMIT_PIDS, 65, "pidsLimit", "64"},
        {LIMIT_WORKDIR, 64, "workdirMB", "32 MB"},
        {LIMIT_TMP, 63, "tmpMB", "64 MB"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        CLEANUP_FREE char *message =
            string_format("%s is %s in this session, and can be set only when a session is opened",
                          wrong[i].name, wrong[i].number);
        struct fixture fixture;

        set_up(&fixture);
        fixture.request.policy.limits.number[wrong[i].which] = wrong[i].asked;
        refuse(&fixture, wrong[i].name, message);
        tear_down(&fixture);
    }
}

CASE(session_terms__another_container)
{
    static const char message[] = "image, network, user, OCI runtime, working directory and "
                                  "capabilities can be set only when a session is opened";
    struct fixture fixture;
    struct error error = ERROR_INIT;

    set_up(&fixture);
    fixture.request.image = string_copy("py:3");
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    fixture.request.policy.network = string_copy("none");
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    assert_int_equal(sandbox_policy_set_user(&fixture.request.policy, "7", &error), 0);
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    assert_int_equal(sandbox_policy_set_oci_runtime(&fixture.request.policy, "runsc", &error), 0);
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    fixture.request.policy.read_only = 0;
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    assert_int_equal(sandbox_policy_add_cap_drop(&fixture.request.policy, "MKNOD", &error), 0);
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up(&fixture);
    fixture.request.workdir = string_copy("/elsewhere");
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
}

CASE_WITH(session_terms__no_tests, set_up(fixture))
{
    case_requests_add(&fixture->request.tests)->name = string_copy("a");
    refuse(fixture, NULL, "a request of a session cannot have tests");
}

/* Opens a session with hosts, then makes a request of nothing. */
static void set_up_hosts(struct fixture *fixture)
{
    *fixture = (struct fixture){.plan = PLAN_INIT};
    set_up_config(&fixture->config, NULL);
    request_init(&fixture->request);
    new_request(fixture);
    sandbox_policy_allow_host(&fixture->request.policy, "a.example", &fixture->error);
    sandbox_policy_allow_host(&fixture->request.policy, "b.example", &fixture->error);
    accept(fixture);
    new_request(fixture);
}

CASE_WITH(session_terms__hosts, set_up_hosts(fixture))
{
    accept(fixture);
    assert_int_equal(fixture->plan.policy.network_rules.count, 2);
    assert_string_equal(fixture->plan.policy.network_rules.hosts[1].name, "b.example");
    assert_true(
        strvec_contains(&fixture->plan.relay_environment, "http_proxy=http://127.0.0.1:3128"));
    new_request(fixture);
    sandbox_policy_allow_host(&fixture->request.policy, "b.example", &fixture->error);
    sandbox_policy_allow_host(&fixture->request.policy, "a.example", &fixture->error);
    accept(fixture);
}

CASE(session_terms__other_hosts)
{
    static const char message[] = "image, network, user, OCI runtime, working directory and "
                                  "capabilities can be set only when a session is opened";
    struct fixture fixture;

    set_up_hosts(&fixture);
    sandbox_policy_allow_host(&fixture.request.policy, "a.example", &fixture.error);
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
    set_up_hosts(&fixture);
    fixture.request.policy.network = string_copy("none");
    refuse(&fixture, NULL, message);
    tear_down(&fixture);
}

/* The request asks for these hosts, separated by spaces. */
static void select_hosts(struct fixture *fixture, const char *hosts)
{
    CLEANUP_FREE char *copy = string_copy(hosts);

    fixture->request.hosts.given = true;
    for (char *text = strtok(copy, " "); text; text = strtok(NULL, " "))
        network_selection_add(&fixture->request.hosts, text, &fixture->error);
    assert_no_error(&fixture->error);
}

/* Opens a session with these hosts of three (NULL: all), then makes a request of nothing. */
static void set_up_selection(struct fixture *fixture, const char *hosts)
{
    *fixture = (struct fixture){.plan = PLAN_INIT};
    set_up_config(&fixture->config,
                  "{\"languages\": {\"py\": {\"network\": {\"allow\": [\"a.example\", "
                  "\"b.example\", \"*.c.example\"]}}}}");
    request_init(&fixture->request);
    new_request(fixture);
    if (hosts)
        select_hosts(fixture, hosts);
    accept(fixture);
    new_request(fixture);
}

/* Checks how many entries the plan has, and the items of its selection. */
static void check_selection(const struct fixture *fixture, size_t entries, const char *items)
{
    const struct network_rules *rules = &fixture->plan.policy.network_rules;
    CLEANUP(strvec_release) struct strvec texts = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    for (size_t i = 0; i < rules->selection.count; i++)
        strvec_push_owned(&texts, network_item_text(&rules->selection.items[i]));
    joined = strvec_join(&texts, " ");
    assert_string_equal(joined, items);
    assert_int_equal(rules->count, entries);
    assert_int_equal(fixture->plan.relay_environment.count > 0, entries > 0);
}

/* Whether a later request repeats the hosts or says nothing. */
CASE(session_terms__a_selection_stays)
{
    struct fixture fixture;

    set_up_selection(&fixture, "b.example x.c.example:443");
    accept(&fixture);
    check_selection(&fixture, 2, "b.example x.c.example:443");
    new_request(&fixture);
    accept(&fixture); /* terms of terms */
    check_selection(&fixture, 2, "b.example x.c.example:443");
    new_request(&fixture);
    select_hosts(&fixture, "x.c.example:443 b.example");
    accept(&fixture);
    check_selection(&fixture, 2, "b.example x.c.example:443");
    tear_down(&fixture);
    set_up_selection(&fixture, "");
    accept(&fixture);
    check_selection(&fixture, 0, "");
    new_request(&fixture);
    select_hosts(&fixture, "");
    accept(&fixture);
    check_selection(&fixture, 0, "");
    tear_down(&fixture);
}

CASE(session_terms__another_selection)
{
    static const struct {
        const char *first, *later;
    } pairs[] = {{"a.example", "b.example"},
                 {"a.example", "a.example b.example"},
                 {"a.example b.example", "a.example"},
                 {"a.example", "a.example:443"},
                 {"*.c.example", "x.c.example"},
                 {"a.example", ""},
                 {"", "a.example"},
                 {NULL, "a.example"},
                 {NULL, ""}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct fixture fixture;

        set_up_selection(&fixture, pairs[i].first);
        select_hosts(&fixture, pairs[i].later);
        refuse(&fixture, "hosts",
               "hosts can be set only when a session is opened; leave it out, or repeat what the "
               "session was opened with");
        tear_down(&fixture);
    }
}
