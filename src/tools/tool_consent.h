/*
 * Asks a person whether a program may call a tool, if the rules say so (TOOL_ASK), and remembers
 * what the person has said for the rest of the run. One question is open at a time. Who asks, and
 * how, is up to the front end (struct tool_asker). Knows no servers and no connections.
 *
 * A question that the program takes back, with its call, is a refusal: else it could be replaced by
 * another one when the person has just decided. So is one that is open when the program ends: the
 * next program of the request follows at once. A run has TOOL_CONSENT_QUESTIONS.
 *
 * A person is slow. So the timeout of the program stands still while a question is open: for
 * TOOL_CONSENT_MS each, and TOOL_CONSENT_TOTAL_MS in a run.
 */
#ifndef TOOLS_TOOL_CONSENT_H
#define TOOLS_TOOL_CONSENT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"

enum { TOOL_CONSENT_MS = 60000, TOOL_CONSENT_TOTAL_MS = 180000 };

enum { TOOL_CONSENT_QUESTIONS = 30 };

/* Bytes of the arguments that a question shows: of their beginning, and of their end. */
enum { TOOL_CONSENT_START_MAX = 1500, TOOL_CONSENT_END_MAX = 500 };

enum tool_decision {
    TOOL_UNDECIDED, /* not yet */
    TOOL_AGREED,    /* to this call */
    TOOL_AGREED_FOR_RUN,
    TOOL_REFUSED_FOR_RUN,
    TOOL_DECLINED,  /* by a person, or by a host that has asked none; for the run */
    TOOL_DISMISSED, /* there is no answer: this call is refused */
};

/* A question that is open; the asker has its struct. */
struct tool_question;

/*
 * How to ask a person. All functions may be called from any thread and do not wait. The owner of
 * the struct frees it after the run.
 */
struct tool_asker {
    void *context;
    /*
     * Asks. The text has several lines, without escape sequences; `done` is borrowed, and raised
     * when there is an answer. The caller gives the question to take() until it is decided, or to
     * cancel(). NULL: no question can be asked now.
     */
    struct tool_question *(*ask)(void *context, const char *text, const struct notifier *done);
    /* Frees the question unless it is TOOL_UNDECIDED. */
    enum tool_decision (*take)(void *context, struct tool_question *question);
    void (*cancel)(void *context, struct tool_question *question);
};

/* The questions of a run. */
struct tool_consent {
    long long question_ms, total_ms; /* the two limits above */
    const struct tool_asker *asker;  /* borrowed; NULL: there is no one to ask */
    struct strvec allowed, refused;  /* SERVER.TOOL, for the rest of the run */
    int asked;                       /* questions so far */
    char *name;                      /* owned; of the question that is open; NULL: none is */
    struct tool_question *question;  /* NULL: its time was over */
    const void *owner;               /* the call that it is about */
    long long since, max_ms;         /* clock_now_ms() of the question; how long it may be open */
    long long waited_ms;             /* for earlier questions */
    int timer;                       /* readable when it has been open for so long; -1: none */
};

#define TOOL_CONSENT_INIT                                                                          \
    {                                                                                              \
        .question_ms = TOOL_CONSENT_MS, .total_ms = TOOL_CONSENT_TOTAL_MS, .asker = NULL,          \
        .allowed = STRVEC_INIT, .refused = STRVEC_INIT, .timer = -1                                \
    }

/* With an asker, borrowed; NULL: none, and nothing else is called then. ERROR_SYSTEM. */
int tool_consent_init(struct tool_consent *consent, const struct tool_asker *asker,
                      struct error *error);

/* No question is open. Also after TOOL_CONSENT_INIT alone. */
void tool_consent_release(struct tool_consent *consent);

/*
 * Asks about a call, or looks for the answer: call it until it is decided. `owner` is the call;
 * `name` is SERVER.TOOL and `arguments` a JSON object. `done` as in struct tool_asker. *why is a
 * literal that says why a call is not agreed to.
 */
enum tool_decision tool_consent_ask(struct tool_consent *consent, const void *owner,
                                    const char *name, const char *arguments,
                                    const struct notifier *done, const char **why);

/* The call is over, before there was an answer or after that. */
void tool_consent_leave(struct tool_consent *consent, const void *owner,
                        const struct notifier *done);

/* The timer may be readable: takes a question back whose time is over. */
void tool_consent_check_timer(struct tool_consent *consent);

/* How long questions have been open so far, in ms; and may be, with the time of an open one. */
long long tool_consent_waited_ms(const struct tool_consent *consent);
long long tool_consent_granted_ms(const struct tool_consent *consent);

#endif
