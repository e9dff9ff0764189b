#include "test.h"

#include <poll.h>

#include "base/clock.h"
#include "tools/tool_consent.h"

/* Someone who answers with the next decision of a list, and counts what happens. */
struct person {
    struct tool_asker asker;
    const enum tool_decision *answers; /* up to one that is TOOL_UNDECIDED, which stays */
    struct strbuf text;                /* of the last question */
    int asked, cancelled;
    bool is_gone;
};

static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    struct person *person = context;

    (void)done;
    person->asked++;
    strbuf_release(&person->text);
    strbuf_addstr(&person->text, text);
    return person->is_gone ? NULL : context;
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    struct person *person = context;

    assert_ptr_equal(question, context);
    return *person->answers == TOOL_UNDECIDED ? TOOL_UNDECIDED : *person->answers++;
}

static void cancel(void *context, struct tool_question *question)
{
    assert_ptr_equal(question, context);
    ((struct person *)context)->cancelled++;
}

struct fixture {
    struct person person;
    struct tool_consent consent;
    struct notifier done;
    const char *why;
};

/* The answers end with TOOL_UNDECIDED. */
static void set_up(struct fixture *fixture, const enum tool_decision *answers)
{
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){
        .person = {.answers = answers, .text = STRBUF_INIT}, .done = NOTIFIER_INIT, .why = "none"};
    fixture->person.asker = (struct tool_asker){&fixture->person, ask, take, cancel};
    assert_int_equal(notifier_open(&fixture->done, &error), 0);
    assert_int_equal(tool_consent_init(&fixture->consent, &fixture->person.asker, &error), 0);
}

static void tear_down(struct fixture *fixture)
{
    tool_consent_release(&fixture->consent);
    notifier_release(&fixture->done);
    strbuf_release(&fixture->person.text);
}

/* What is said of a call of s.t or s.u, which is `owner`. */
static enum tool_decision decide(struct fixture *fixture, const void *owner, const char *name)
{
    return tool_consent_ask(&fixture->consent, owner, name, "{}", &fixture->done, &fixture->why);
}

/* Asks, and takes the answer. */
static enum tool_decision ask_and_take(struct fixture *fixture, const char *name)
{
    assert_int_equal(decide(fixture, "owner", name), TOOL_UNDECIDED);
    return decide(fixture, "owner", name);
}

CASE(tool_consent__holds_for_the_call_or_for_the_run)
{
    static const enum tool_decision answers[] = {TOOL_AGREED,    TOOL_AGREED_FOR_RUN,
                                                 TOOL_DISMISSED, TOOL_REFUSED_FOR_RUN,
                                                 TOOL_DECLINED,  TOOL_UNDECIDED};
    struct fixture fixture;

    set_up(&fixture, answers);
    assert_int_equal(ask_and_take(&fixture, "s.t"), TOOL_AGREED);
    assert_int_equal(ask_and_take(&fixture, "s.t"), TOOL_AGREED_FOR_RUN);
    assert_int_equal(decide(&fixture, "owner", "s.t"), TOOL_AGREED_FOR_RUN);
    assert_int_equal(ask_and_take(&fixture, "s.u"), TOOL_DISMISSED);
    assert_string_equal(fixture.why, "the question was dismissed");
    assert_int_equal(ask_and_take(&fixture, "s.u"), TOOL_REFUSED_FOR_RUN);
    assert_string_equal(fixture.why, "a person has refused it");
    assert_int_equal(decide(&fixture, "owner", "s.u"), TOOL_REFUSED_FOR_RUN);
    assert_string_equal(fixture.why, "it was refused in this run");
    assert_int_equal(ask_and_take(&fixture, "s.v"), TOOL_DECLINED);
    assert_string_equal(fixture.why, "the host has declined the question, perhaps without showing "
                                     "it to a person");
    assert_int_equal(decide(&fixture, "owner", "s.v"), TOOL_REFUSED_FOR_RUN);
    assert_int_equal(decide(&fixture, "owner", "s.t"), TOOL_AGREED_FOR_RUN);
    assert_int_equal(fixture.person.asked, 5);
    assert_int_equal(fixture.person.cancelled, 0);
    tear_down(&fixture);
}

CASE(tool_consent__one_question_is_open)
{
    static const enum tool_decision answers[] = {TOOL_AGREED, TOOL_UNDECIDED};
    struct fixture fixture;

    set_up(&fixture, answers);
    assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_UNDECIDED);
    assert_int_equal(decide(&fixture, "two", "s.u"), TOOL_UNDECIDED);
    assert_int_equal(fixture.person.asked, 1);
    assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_AGREED);
    assert_true(notifier_raised(&fixture.done)); /* which wakes the other one */
    assert_int_equal(decide(&fixture, "two", "s.u"), TOOL_UNDECIDED);
    assert_int_equal(fixture.person.asked, 2);
    tool_consent_leave(&fixture.consent, "one", &fixture.done); /* it has no question */
    assert_int_equal(fixture.person.cancelled, 0);
    tool_consent_leave(&fixture.consent, "two", &fixture.done);
    assert_int_equal(fixture.person.cancelled, 1);
    assert_int_equal(tool_consent_granted_ms(&fixture.consent),
                     tool_consent_waited_ms(&fixture.consent));
    tear_down(&fixture);
}

/* What a program takes back is refused from then on. */
CASE(tool_consent__taken_back)
{
    static const enum tool_decision answers[] = {TOOL_UNDECIDED};
    struct fixture fixture;

    set_up(&fixture, answers);
    assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_UNDECIDED);
    tool_consent_leave(&fixture.consent, "one", &fixture.done);
    assert_int_equal(fixture.person.cancelled, 1);
    assert_int_equal(decide(&fixture, "two", "s.t"), TOOL_REFUSED_FOR_RUN);
    assert_int_equal(fixture.person.asked, 1);
    tear_down(&fixture);
}

CASE(tool_consent__too_many_questions)
{
    enum tool_decision answers[TOOL_CONSENT_QUESTIONS + 1];
    struct fixture fixture;

    for (int i = 0; i < TOOL_CONSENT_QUESTIONS; i++)
        answers[i] = TOOL_DISMISSED;
    answers[TOOL_CONSENT_QUESTIONS] = TOOL_UNDECIDED;
    set_up(&fixture, answers);
    for (int i = 0; i < TOOL_CONSENT_QUESTIONS; i++)
        assert_int_equal(ask_and_take(&fixture, "s.t"), TOOL_DISMISSED);
    assert_int_equal(decide(&fixture, "owner", "s.t"), TOOL_DISMISSED);
    assert_string_equal(fixture.why, "this run has asked as many questions as it may ask");
    assert_int_equal(fixture.person.asked, TOOL_CONSENT_QUESTIONS);
    tear_down(&fixture);
}

CASE(tool_consent__no_answer_in_time)
{
    static const enum tool_decision answers[] = {TOOL_UNDECIDED};
    struct fixture fixture;
    struct pollfd timer;

    set_up(&fixture, answers);
    timer = (struct pollfd){fixture.consent.timer, POLLIN, 0};
    fixture.consent.question_ms = 40;
    fixture.consent.total_ms = 60;
    for (int i = 0; i < 2; i++) { /* the second one gets what is left of the time of all */
        assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_UNDECIDED);
        assert_int_equal(tool_consent_granted_ms(&fixture.consent), i == 0 ? 40 : 60);
        assert_int_equal(poll(&timer, 1, 60000), 1);
        tool_consent_check_timer(&fixture.consent);
        assert_int_equal(poll(&timer, 1, 0), 0);
        assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_DISMISSED);
        assert_string_equal(fixture.why, "no one has answered in time");
        assert_int_equal(fixture.person.cancelled, i + 1);
        assert_int_equal(tool_consent_waited_ms(&fixture.consent), i == 0 ? 40 : 60);
    }
    assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_DISMISSED);
    assert_string_equal(fixture.why,
                        "the questions of this run have taken all the time that they may take");
    assert_int_equal(fixture.person.asked, 2);
    tear_down(&fixture);
}

CASE(tool_consent__who_cannot_ask_any_more)
{
    static const enum tool_decision answers[] = {TOOL_UNDECIDED};
    struct fixture fixture;

    set_up(&fixture, answers);
    fixture.person.is_gone = true;
    assert_int_equal(decide(&fixture, "one", "s.t"), TOOL_DISMISSED);
    assert_string_equal(fixture.why, "there is no one to ask any more");
    assert_int_equal(tool_consent_granted_ms(&fixture.consent), 0);
    tear_down(&fixture);
}

CASE(tool_consent__shows_arguments)
{
    static const enum tool_decision answers[] = {TOOL_UNDECIDED};
    char arguments[5001], expected[2200];
    struct fixture fixture;

    set_up(&fixture, answers);
    memset(arguments, 'x', sizeof arguments - 1);
    arguments[sizeof arguments - 1] = '\0';
    memcpy(arguments, "\33[2J\n", 5);
    tool_consent_ask(&fixture.consent, "one", "s.t", arguments, &fixture.done, &fixture.why);
    snprintf(expected, sizeof expected,
             "A program in a sandbox wants to call the tool 's.t'.\n"
             "Arguments: \\x1b[2J\\n%.*s...%.*s\n"
             "(5000 bytes in all: the first 1500 and the last 500 are shown)",
             TOOL_CONSENT_START_MAX - 5, arguments + 5, TOOL_CONSENT_END_MAX, arguments + 4500);
    assert_string_equal(strbuf_string(&fixture.person.text), expected);
    tool_consent_leave(&fixture.consent, "one", &fixture.done);
    tear_down(&fixture);
}
