#include "tools/tool_consent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/timer.h"

int tool_consent_init(struct tool_consent *consent, const struct tool_asker *asker,
                      struct error *error)
{
    *consent = (struct tool_consent)TOOL_CONSENT_INIT;
    if (!asker)
        return 0;
    consent->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (consent->timer < 0)
        return error_set(error, ERROR_SYSTEM, "cannot create a timer: %s", strerror(errno));
    consent->asker = asker;
    return 0;
}

void tool_consent_release(struct tool_consent *consent)
{
    strvec_release(&consent->allowed);
    strvec_release(&consent->refused);
    if (consent->timer >= 0)
        close(consent->timer);
    *consent = (struct tool_consent)TOOL_CONSENT_INIT;
}

/* ---- time */

/* How long the open question has been open. */
static long long open_ms(const struct tool_consent *consent)
{
    const long long ms = consent->question ? clock_now_ms() - consent->since : 0;

    return ms < consent->max_ms ? ms : consent->max_ms;
}

long long tool_consent_waited_ms(const struct tool_consent *consent)
{
    return consent->waited_ms + open_ms(consent);
}

long long tool_consent_granted_ms(const struct tool_consent *consent)
{
    return consent->waited_ms + (consent->question ? consent->max_ms : 0);
}

/* ---- questions */

/* The text of a question; owned by the caller. */
static char *make_text(const char *name, const char *arguments)
{
    const size_t length = strlen(arguments);
    const bool whole = length <= TOOL_CONSENT_START_MAX + TOOL_CONSENT_END_MAX;
    CLEANUP_FREE char *start =
        text_escape_short(arguments, whole ? length : TOOL_CONSENT_START_MAX);
    CLEANUP_FREE char *end = text_escape(whole ? "" : arguments + length - TOOL_CONSENT_END_MAX);
    struct strbuf text = STRBUF_INIT;

    strbuf_addf(&text, "A program in a sandbox wants to call the tool '%s'.\nArguments: %s%s", name,
                start, end);
    if (!whole)
        strbuf_addf(&text, "\n(%zu bytes in all: the first %d and the last %d are shown)", length,
                    TOOL_CONSENT_START_MAX, TOOL_CONSENT_END_MAX);
    return strbuf_steal(&text);
}

/* No one is asked any more, but the call still has the turn. */
static void end_waiting(struct tool_consent *consent)
{
    consent->waited_ms += open_ms(consent);
    consent->question = NULL;
    timer_set_ms(consent->timer, 0);
}

static void take_back(struct tool_consent *consent)
{
    consent->asker->cancel(consent->asker->context, consent->question);
    end_waiting(consent);
}

void tool_consent_check_timer(struct tool_consent *consent)
{
    if (consent->question && open_ms(consent) >= consent->max_ms)
        take_back(consent);
}

/* Other calls may ask now. */
static void give_turn_back(struct tool_consent *consent, const struct notifier *done)
{
    free(consent->name);
    consent->name = NULL;
    consent->owner = NULL;
    notifier_raise(done);
}

static enum tool_decision begin_question(struct tool_consent *consent, const void *owner,
                                         const char *name, const char *arguments,
                                         const struct notifier *done, const char **why)
{
    const long long left = consent->total_ms - consent->waited_ms;
    CLEANUP_FREE char *text = make_text(name, arguments);

    *why = "the questions of this run have taken all the time that they may take";
    if (left <= 0)
        return TOOL_DISMISSED;
    *why = "this run has asked as many questions as it may ask";
    if (consent->asked == TOOL_CONSENT_QUESTIONS)
        return TOOL_DISMISSED;
    *why = "there is no one to ask any more";
    consent->question = consent->asker->ask(consent->asker->context, text, done);
    if (!consent->question)
        return TOOL_DISMISSED;
    consent->asked++;
    consent->name = string_copy(name);
    consent->owner = owner;
    consent->since = clock_now_ms();
    consent->max_ms = left < consent->question_ms ? left : consent->question_ms;
    timer_set_ms(consent->timer, (uint64_t)consent->max_ms);
    return TOOL_UNDECIDED;
}

/* Looks for the answer to the open question, unless its time is over. */
static enum tool_decision take_answer(struct tool_consent *consent, const char **why)
{
    const struct tool_asker *asker = consent->asker;
    enum tool_decision decision;

    tool_consent_check_timer(consent);
    *why = "no one has answered in time";
    if (!consent->question)
        return TOOL_DISMISSED;
    decision = asker->take(asker->context, consent->question);
    *why = decision == TOOL_DISMISSED  ? "the question was dismissed"
           : decision == TOOL_DECLINED ? "the host has declined the question, perhaps without "
                                         "showing it to a person"
                                       : "a person has refused it";
    if (decision != TOOL_UNDECIDED)
        end_waiting(consent);
    return decision;
}

enum tool_decision tool_consent_ask(struct tool_consent *consent, const void *owner,
                                    const char *name, const char *arguments,
                                    const struct notifier *done, const char **why)
{
    enum tool_decision decision;

    if (consent->name && consent->owner == owner) {
        decision = take_answer(consent, why);
        if (decision == TOOL_AGREED_FOR_RUN)
            strvec_push(&consent->allowed, name);
        else if (decision == TOOL_REFUSED_FOR_RUN || decision == TOOL_DECLINED)
            strvec_push(&consent->refused, name);
        if (decision != TOOL_UNDECIDED)
            give_turn_back(consent, done);
        return decision;
    }
    if (strvec_contains(&consent->allowed, name))
        return TOOL_AGREED_FOR_RUN;
    *why = "it was refused in this run";
    if (strvec_contains(&consent->refused, name))
        return TOOL_REFUSED_FOR_RUN;
    if (consent->name)
        return TOOL_UNDECIDED;
    return begin_question(consent, owner, name, arguments, done, why);
}

void tool_consent_leave(struct tool_consent *consent, const void *owner,
                        const struct notifier *done)
{
    if (!consent->name || consent->owner != owner)
        return;
    if (consent->question) {
        take_back(consent);
        strvec_push(&consent->refused, consent->name);
    }
    give_turn_back(consent, done);
}
