/*
 * What one program gets, whatever container it runs in: made from a plan, or from a test that
 * changes a part of it, and turned into frames by container/program_request.h alone. Its files, and
 * what runs before and after it, do not belong to it.
 */
#ifndef REQUEST_PROGRAM_SPEC_H
#define REQUEST_PROGRAM_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"
#include "config/config.h"
#include "config/limits.h"
#include "request/plan.h"

/* Borrows everything. */
struct program_spec {
    const struct strvec *command;     /* argv */
    const struct strvec *environment; /* "NAME=VALUE" */
    const struct strvec *proxies;     /* the same, set before the others; NULL: none */
    bool without_proxies;             /* those that the engine has set are removed first */
    const char *directory;            /* where it starts; NULL: in the working directory */
    struct program_traits traits;
    const struct limits *limits; /* complete */
    /* What its relay carries at once: connections of the proxy and of the tools. Both 0: it has no
     * relay. */
    int connections, tools;
    /* Bytes of each stream that the result of a job keeps, half of them from its end, and bytes of
     * its stdout that are compared. */
    size_t output_kept, output_compared;
    uint64_t output_max; /* bytes of one stream that it may write; 0: as many as any program */
    uint32_t value_max;  /* bytes of the value that it may write to descriptor 3; 0: it has none */
    int input;           /* descriptor of its stdin; -1: empty */
    bool input_is_live;  /* bytes are passed on as they come, while it runs */
    bool must_succeed;   /* of a job: nothing follows if its status is not 0 */
};

/* The program of the plan; its build, with this command; its interpreter that stays. */
struct program_spec program_spec_of(const struct plan *plan);
struct program_spec program_spec_of_build(const struct plan *plan, const struct strvec *command);
struct program_spec program_spec_of_interpreter(const struct plan *plan);

#endif
