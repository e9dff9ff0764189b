/*
 * One program in an instance: sends its request, moves its input and output, waits for its end or
 * ends it, and has the result filled in (run/verdict.h). An instance can run several programs one
 * after the other. The program may be a cell of an interpreter that stays; what the cell reports is
 * left to the caller.
 */
#ifndef RUN_PROGRAM_RUN_H
#define RUN_PROGRAM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/notifier.h"
#include "container/instance.h"
#include "docker/docker.h"
#include "network/network_log.h"
#include "network/proxy.h"
#include "run/output_sink.h"
#include "run/result.h"
#include "tools/tool_consent.h"
#include "tools/tool_log.h"
#include "tools/tool_set.h"
#include "tools/tool_socket.h"

struct program_run {
    const struct docker *docker; /* borrowed, like everything here */
    struct instance *instance;
    const struct notifier *cancel; /* or NULL */
    const struct notifier *stop;   /* in its place while the program runs; NULL: `cancel` too */
    /* Called when `stop` is raised: whether the program goes on, with `cancel` alone. NULL: no. */
    bool (*go_on)(struct program_run *program);
    void *go_on_context;
    /* If it has ended in time: how long after that its last output may still be passed on. */
    long long drain_ms;
    bool must_begin;  /* it cannot be cancelled before: the instance is needed again */
    long long latest; /* until when its files may arrive, see instance_deliver() */
    struct program_request request;
    /* Takes what a cell reports, in JSON, or a program on descriptor 3; NULL: it is neither. */
    struct strbuf *report;
    const char *name;                  /* stands for the program in messages: "program", "build" */
    const char *image;                 /* that it runs in, for messages */
    const struct network_rules *rules; /* the hosts that it reaches */
    struct terminator *terminator;     /* of TLS of some of them; NULL: there are none */
    struct network_log *network;       /* notes its connections; NULL: it has no proxy */
    struct tool_set *tools;            /* of isolator; NULL: it has none */
    const struct strvec *tool_servers; /* whose tools it may call */
    struct tool_log *tool_calls;       /* notes its calls; NULL: it has no tools */
    struct tool_consent *consent;      /* asks about them */
    /* Set by program_run() while the program runs: the link to its relay, and what serves that. */
    struct mux_link *link;
    struct proxy *proxy;
    struct tool_socket *socket;
    long long asked_before_ms, extended_ms; /* for earlier programs; told to its container */
    struct output_sink *output; /* takes what the program writes; the caller finishes it */
    struct result *result;      /* gets everything but the output */
};

/*
 * Runs the program in the instance, which waits for a request, and leaves the instance. The program
 * has to begin before `deadline` (clock_now_ms()), or its files to arrive. 0: it ran, and the
 * result says how it ended, also if isolator ended it. -1: it is not known to have begun (*begun is
 * false), or how it ended is not known.
 */
int program_run(struct program_run *program, long long deadline, bool *begun, struct error *error);

#endif
