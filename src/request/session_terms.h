/*
 * What the requests of a session have to agree in, since it is settled when their container is
 * made: language, image, working directory, network or hosts, user and the limits of the container.
 * The request that opens the session settles it. A later one need not repeat it: what it does not
 * ask for itself is the session's. Asking for something else is an error.
 */
#ifndef REQUEST_SESSION_TERMS_H
#define REQUEST_SESSION_TERMS_H

#include "base/error.h"
#include "config/sandbox_policy.h"

struct plan;
struct request;

/* Owns everything in it. */
struct session_terms {
    char *language;     /* its name */
    char *image, *base; /* as in struct plan */
    char *workdir;
    struct sandbox_policy policy;
};

/* Returns the terms of a session that is opened by this plan, owned. */
struct session_terms *session_terms_new(const struct plan *plan);
struct session_terms *session_terms_copy(const struct session_terms *terms);

/* NULL is ignored. */
void session_terms_free(struct session_terms *terms);

/*
 * For plan_resolve(): gives the plan the policy of the terms, except for what the request itself
 * has set and each program has for itself. ERROR_USAGE if language, image, working directory or
 * policy of the plan are not those of the terms then.
 */
int session_terms_apply(const struct session_terms *terms, const struct request *request,
                        struct plan *plan, struct error *error);

#endif
