/* The table of sessions. None of them has a container here; test/unit/service_service.c has some.
 */
#include "json.h"

#include <poll.h>

#include "base/clock.h"
#include "base/notifier.h"
#include "service/sessions_state.h"

#define UNKNOWN "there is no such session: it was closed or never opened"

enum { PATIENCE_MS = 60000 };

struct fixture {
    struct config config;
    struct notifier ended;
    struct sessions *sessions;
};

static void set_up(struct fixture *fixture, const char *settings)
{
    static const char json[] =
        "{\"sessions\": {\"max\": 2, \"idleSeconds\": 600, \"lifetimeSeconds\": 3600, "
        "\"cpuSeconds\": 600, \"outputBytes\": 1048576}}";
    struct error error = ERROR_INIT;

    set_up_config(&fixture->config, json);
    config_overlay(&fixture->config, settings, strlen(settings), "settings", &error);
    assert_no_error(&error);
    fixture->ended = (struct notifier)NOTIFIER_INIT;
    assert_int_equal(notifier_open(&fixture->ended, &error), 0);
    fixture->sessions = sessions_new(&fixture->config.sessions, &fixture->ended, &error);
    assert_non_null(fixture->sessions);
}

static void tear_down(struct fixture *fixture)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    sessions_end(fixture->sessions);
    while (!sessions_have_ended(fixture->sessions)) {
        assert_true(clock_now_ms() < end);
        poll(NULL, 0, 10);
    }
    sessions_free(fixture->sessions);
    notifier_release(&fixture->ended);
    config_release(&fixture->config);
}

static struct plan make_plan(const struct fixture *fixture, const char *language, const char *id)
{
    CLEANUP(request_release) struct request request;
    struct error error = ERROR_INIT;
    struct plan plan = PLAN_INIT;

    request_init(&request);
    request.language = string_copy(language);
    request.input.code = string_copy("");
    snprintf(request.session.id, sizeof request.session.id, "%s", id);
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), 0);
    return plan;
}

/* The plan of a request that opens a session. */
static struct plan opening_plan(const struct fixture *fixture)
{
    CLEANUP(request_release) struct request request;
    struct error error = ERROR_INIT;
    struct plan plan = PLAN_INIT;

    request_init(&request);
    request.language = string_copy("py");
    request.input.code = string_copy("");
    request.session.open = true;
    assert_int_equal(sessions_find(fixture->sessions, &request, &error), 0);
    assert_null(request.terms);
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), 0);
    return plan;
}

static void open_session(struct fixture *fixture, char *id)
{
    CLEANUP(plan_release) struct plan plan = opening_plan(fixture);
    struct error error = ERROR_INIT;
    struct session *session = sessions_enter(fixture->sessions, &plan, &error);

    assert_no_error(&error);
    assert_non_null(session);
    session_leave(session);
    memcpy(id, plan.session.id, sizeof plan.session.id);
}

/* Looks the session up; returns its language, or NULL with the error. */
static char *find_language(struct fixture *fixture, const char *id, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    snprintf(request.session.id, sizeof request.session.id, "%s", id);
    if (sessions_find(fixture->sessions, &request, error) != 0)
        assert_null(request.terms);
    return request.terms ? string_copy(request.terms->language) : NULL;
}

/* Checks that a request, a question and a close are refused in the same words. */
static void check_refused(struct fixture *fixture, const char *id, const char *message)
{
    CLEANUP(plan_release) struct plan plan = make_plan(fixture, "py", id);
    struct error error = ERROR_INIT;

    assert_null(sessions_enter(fixture->sessions, &plan, &error));
    assert_error(&error, ERROR_INPUT, message);
    assert_null(find_language(fixture, id, &error));
    assert_error(&error, ERROR_INPUT, message);
    assert_int_equal(sessions_close(fixture->sessions, id, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
}

CASE(sessions__open_and_close)
{
    char one[SESSION_ID_SIZE], other[SESSION_ID_SIZE];
    CLEANUP_FREE char *language = NULL;
    struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up(&fixture, "{}");
    open_session(&fixture, one);
    open_session(&fixture, other);
    assert_int_equal(strspn(one, "0123456789abcdef"), 32);
    assert_int_equal(strlen(one), 32);
    assert_string_not_equal(one, other);
    language = find_language(&fixture, one, &error);
    assert_string_equal(language, "py");
    assert_int_equal(sessions_count(fixture.sessions), 2);
    assert_int_equal(sessions_close(fixture.sessions, one, &error), 0);
    assert_int_equal(sessions_count(fixture.sessions), 1);
    check_refused(&fixture, one, UNKNOWN);
    tear_down(&fixture);
}

/* An id is compared as a whole. */
CASE(sessions__ids_that_never_were)
{
    char id[SESSION_ID_SIZE], changed[SESSION_ID_SIZE];
    struct fixture fixture;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    for (size_t i = 0; i < SESSION_ID_SIZE - 1; i++) {
        memcpy(changed, id, sizeof changed);
        changed[i] = id[i] == 'a' ? 'b' : 'a';
        check_refused(&fixture, changed, UNKNOWN);
    }
    memcpy(changed, id, sizeof changed);
    changed[31] = '\0';
    check_refused(&fixture, changed, UNKNOWN);
    check_refused(&fixture, "new", UNKNOWN);
    check_refused(&fixture, "00000000000000000000000000000000", UNKNOWN);
    assert_int_equal(sessions_count(fixture.sessions), 1);
    tear_down(&fixture);
}

static void check_not_opened(struct fixture *fixture, enum error_kind kind, const char *message)
{
    CLEANUP(plan_release) struct plan plan = opening_plan(fixture);
    struct error error = ERROR_INIT;

    assert_null(sessions_enter(fixture->sessions, &plan, &error));
    assert_error(&error, kind, message);
}

CASE(sessions__too_many)
{
    char id[SESSION_ID_SIZE], other[SESSION_ID_SIZE];
    struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    open_session(&fixture, other);
    check_not_opened(&fixture, ERROR_INPUT,
                     "2 sessions are open, and the configuration allows no more (sessions.max); "
                     "close one first");
    assert_int_equal(sessions_close(fixture.sessions, id, &error), 0);
    open_session(&fixture, id);
    tear_down(&fixture);
}

CASE(sessions__turned_off)
{
    struct fixture fixture;

    set_up(&fixture, "{\"sessions\": {\"max\": 0}}");
    check_not_opened(&fixture, ERROR_INPUT, "the configuration allows no sessions (sessions.max)");
    sessions_end(fixture.sessions);
    check_not_opened(&fixture, ERROR_CANCELLED, "cancelled before the program ran");
    tear_down(&fixture);
}

static void wait_until_none_is_open(struct fixture *fixture)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    while (sessions_count(fixture->sessions) > 0) {
        assert_true(clock_now_ms() < end);
        poll(NULL, 0, 10);
    }
}

static void check_evicted(const char *settings, const char *message)
{
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    set_up(&fixture, settings);
    open_session(&fixture, id);
    wait_until_none_is_open(&fixture);
    check_refused(&fixture, id, message);
    tear_down(&fixture);
}

CASE(sessions__idle_and_old)
{
    check_evicted("{\"sessions\": {\"idleSeconds\": 1}}", "session ended: idle for 1 s");
    check_evicted("{\"sessions\": {\"lifetimeSeconds\": 1}}", "session ended: open for 1 s");
}

/* A session with a request is not idle. */
CASE(sessions__a_request_keeps_it)
{
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *language = NULL;
    char id[SESSION_ID_SIZE], other[SESSION_ID_SIZE];
    struct session *session;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, "{\"sessions\": {\"idleSeconds\": 2}}");
    open_session(&fixture, id);
    plan = make_plan(&fixture, "py", id);
    session = sessions_enter(fixture.sessions, &plan, &error);
    assert_non_null(session);
    open_session(&fixture, other); /* the keeper ends this one, and looks at the first by then */
    while (sessions_count(fixture.sessions) > 1)
        poll(NULL, 0, 10);
    language = find_language(&fixture, id, &error);
    assert_no_error(&error);
    session_leave(session);
    wait_until_none_is_open(&fixture);
    check_refused(&fixture, id, "session ended: idle for 2 s");
    plan_release(&plan);
    tear_down(&fixture);
}

/* A request that has begun runs at most until then, and the next one is refused. */
CASE(sessions__the_lifetime_of_a_request)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];
    struct run_session *run;
    struct session *session;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, "{\"defaults\": {\"timeoutSeconds\": 4000}}");
    open_session(&fixture, id);
    plan = make_plan(&fixture, "py", id);
    session = sessions_enter(fixture.sessions, &plan, &error);
    run = session_begin_request(session, &error);
    assert_true(run_session_left_ms(run) <= 3600000);
    assert_true(run_session_left_ms(run) > 3000000);
    session->end = clock_now_ms();
    assert_null(session_begin_request(session, &error));
    assert_error(&error, ERROR_INPUT, "session ended: open for 60 min");
    session_end_request(session, &plan, &result);
    session_leave(session);
    check_refused(&fixture, id, "session ended: open for 60 min");
    plan_release(&plan);
    tear_down(&fixture);
}

/* Runs a request that ends with this; `close` as in the plan. Returns why the result says it ended.
 */
static char *run_request(struct fixture *fixture, const char *id, const char *ended, bool close)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(plan_release) struct plan plan = make_plan(fixture, "py", id);
    struct error error = ERROR_INIT;
    struct session *session;
    struct run_session *run;

    plan.session.close = close;
    session = sessions_enter(fixture->sessions, &plan, &error);
    assert_non_null(session);
    run = session_begin_request(session, &error);
    assert_non_null(run);
    if (ended)
        run->ended = string_copy(ended);
    result.session = calloc(1, sizeof *result.session);
    session_end_request(session, &plan, &result);
    session_leave(session);
    return result.session->ended ? string_copy(result.session->ended) : NULL;
}

CASE(sessions__ended_by_a_run)
{
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    assert_null(run_request(&fixture, id, NULL, false));
    assert_int_equal(sessions_count(fixture.sessions), 1);
    assert_null(run_request(&fixture, id, "its output (1 MiB) is used up", false));
    assert_int_equal(sessions_count(fixture.sessions), 0);
    check_refused(&fixture, id, "session ended: its output (1 MiB) is used up");
    tear_down(&fixture);
}

CASE(sessions__closed_by_a_run)
{
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    assert_null(run_request(&fixture, id, NULL, true));
    assert_int_equal(sessions_count(fixture.sessions), 0);
    check_refused(&fixture, id, UNKNOWN);
    tear_down(&fixture);
}

CASE(sessions__too_old_after_a_run)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];
    struct session *session;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    plan = make_plan(&fixture, "py", id);
    session = sessions_enter(fixture.sessions, &plan, &error);
    assert_non_null(session_begin_request(session, &error));
    session->end = clock_now_ms();
    result.session = calloc(1, sizeof *result.session);
    session_end_request(session, &plan, &result);
    session_leave(session);
    assert_string_equal(result.session->ended, "open for 60 min");
    check_refused(&fixture, id, "session ended: open for 60 min");
    plan_release(&plan);
    tear_down(&fixture);
}

/* A session that is closed while a request uses it exists until that has left. */
CASE(sessions__closed_while_it_is_used)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];
    struct session *session;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, "{}");
    open_session(&fixture, id);
    plan = make_plan(&fixture, "py", id);
    session = sessions_enter(fixture.sessions, &plan, &error);
    assert_non_null(session_begin_request(session, &error));
    assert_int_equal(sessions_close(fixture.sessions, id, &error), 0);
    check_refused(&fixture, id, UNKNOWN);
    sessions_end(fixture.sessions);
    poll(NULL, 0, 100);
    assert_false(sessions_have_ended(fixture.sessions));
    result.session = calloc(1, sizeof *result.session);
    session_end_request(session, &plan, &result);
    assert_string_equal(result.session->ended, "it was closed");
    session_leave(session);
    plan_release(&plan);
    tear_down(&fixture);
}

/* The last 64 that were evicted are remembered. */
CASE(sessions__memory_of_the_evicted)
{
    char ids[66][SESSION_ID_SIZE];
    struct fixture fixture;

    set_up(&fixture, "{}");
    for (size_t i = 0; i < COUNT(ids); i++) {
        open_session(&fixture, ids[i]);
        assert_null(run_request(&fixture, ids[i], "its container ended", false));
    }
    check_refused(&fixture, ids[0], UNKNOWN);
    check_refused(&fixture, ids[1], UNKNOWN);
    for (size_t i = 2; i < COUNT(ids); i++)
        check_refused(&fixture, ids[i], "session ended: its container ended");
    tear_down(&fixture);
}
