/*
 * What the files of an upstream server share: tools/upstream.c has the callers' end,
 * tools/upstream_thread.c the thread that owns the process, tools/upstream_messages.c what messages
 * mean, tools/upstream_state.c how callers get their answers.
 */
#ifndef TOOLS_UPSTREAM_STATE_H
#define TOOLS_UPSTREAM_STATE_H

#include <pthread.h>

#include "base/lines.h"
#include "base/process.h"
#include "tools/upstream.h"

enum {
    UPSTREAM_LINE_MAX = 10 << 20,   /* as the SDKs: a longer line ends the connection */
    UPSTREAM_LIST_BYTES = 16 << 20, /* of all pages of a list */
    UPSTREAM_PAGES_MAX = 1000,
    UPSTREAM_QUEUE_BYTES = 16 << 20, /* that wait until the server reads them */
    UPSTREAM_REPLY_BYTES = 1 << 20,  /* that wait then: its requests get no answer */
    UPSTREAM_JUNK_MAX = 100,         /* lines that are not messages */
    UPSTREAM_STDERR_BYTES = 4096,    /* that are kept */
};

/* One call. The members are protected by the lock of the server. */
struct upstream_call {
    struct upstream *upstream;
    struct upstream_call *next; /* in the list of those that have not ended */
    char *tool, *arguments;     /* the latter as JSON */
    const struct notifier *done;
    long long deadline; /* clock_now_ms() */
    long long id;       /* of the request; 0: not sent yet */
    bool ended;
    json_t *result; /* of one that has ended; NULL: it has failed */
    char *why;
};

/* A caller that waits for a list. The members are protected by the lock of the server. */
struct upstream_listing {
    struct upstream *upstream;
    struct upstream_listing *next; /* in the list of those that have not ended */
    const struct notifier *done;
    bool ended;
    struct upstream_tools *tools; /* NULL: `why` */
    char *why;
};

/* Times in ms; tests shorten them. */
struct upstream_times {
    int start;   /* until the first list is there */
    int restart; /* from one start to the next */
    int grace;   /* from the end of standard input to SIGTERM, and from there to SIGKILL */
    int refetch; /* from one list to the next */
};

struct upstream {
    const struct tool_server *server;
    struct tool_limits limits;
    const struct server_guard *guard; /* NULL: none */
    bool hides_errors;                /* see upstream_hide_errors() */
    struct upstream_times times;
    pthread_t thread;
    struct notifier ended; /* raised at the end of the thread */
    struct notifier wake;  /* the thread looks at what follows */
    pthread_mutex_t lock;  /* of what follows */
    bool closing;
    struct upstream_call *calls; /* in their order */
    struct upstream_listing *listings;
    long long *cancelled; /* owned; ids of calls that the server must be told of */
    size_t cancelled_count;
    struct upstream_tools *tools; /* NULL: not known, or not any more */
    bool is_current;              /* the server has not said that they changed */
};

/* A run of the server, from its start to its end. Only the thread uses it. */
struct upstream_session {
    struct upstream *upstream;
    struct process process;
    struct lines lines;
    struct strbuf errors;          /* the end of its standard error */
    char *failure;                 /* owned; why it must end, or has ended; NULL: it goes on */
    bool is_ready;                 /* the first list is there */
    bool needs_turn;               /* something has happened that the loop must see */
    long long last_id;             /* of our requests */
    long long initialize_id;       /* of that, or of server/discover after it; 0: none */
    char *refusal;                 /* owned; why it has refused initialize; NULL: it has not */
    bool is_modern;                /* it speaks TOOL_REVISION_MODERN */
    long long list_id;             /* of our request tools/list; 0: none waits */
    struct upstream_tools *listed; /* the pages so far */
    size_t listed_bytes;
    int pages;
    bool wants_list;         /* its list has changed since the last was asked for */
    long long next_fetch;    /* not before this time */
    long long list_deadline; /* of the list that was asked for */
    int junk_lines;
};

/* ---- upstream_state.c */

/*
 * What a server has written, for a message: ": " and the text, or "" if it is empty. If errors are
 * hidden, it is "", and the text goes to the standard error of isolator. Owned by the caller.
 */
char *upstream_quote(const struct upstream_session *session, const char *text);

/* With the lock: */

/* Ends a call, which is in the list. `result` and `why` are taken over; one of them is NULL. */
void upstream_end_call(struct upstream *upstream, struct upstream_call *call, json_t *result,
                       char *why);

/* Hands the list, or why there is none, to all that wait for it. */
void upstream_end_listings(struct upstream *upstream, struct upstream_tools *tools,
                           const char *why);

/* ---- upstream_thread.c */

/* The thread; the argument is the server. */
void *upstream_thread(void *argument);

/* ---- upstream_messages.c */

/* Queue a message. */
void upstream_send_initialize(struct upstream_session *session);
void upstream_send_list(struct upstream_session *session, const char *cursor);
void upstream_send_call(struct upstream_session *session, struct upstream_call *call);
void upstream_send_cancelled(struct upstream_session *session, long long id);

/* Reacts to a line of the server. */
void upstream_take_line(struct upstream_session *session, const char *line, size_t length);

/* Sets the reason for the end of the session, unless there is one. */
void upstream_fail(struct upstream_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
