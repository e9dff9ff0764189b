/*
 * What the requests of a session have to agree in, since it is settled when the container is made:
 * language, image, network, user, mounts and the limits of the container. The request that opens
 * the session settles it. A later one need not repeat it: what it does not ask for itself is the
 * session's. Asking for something else is an error.
 */
#ifndef SERVICE_SESSION_SPEC_H
#define SERVICE_SESSION_SPEC_H

#include "base/error.h"
#include "config/plan.h"
#include "docker/container.h"

/* Owns everything in it. */
struct session_spec {
    char *language;
    char *image, *base; /* as in struct plan */
    struct sandbox_policy policy;
    struct spec_fingerprint fingerprint;
};

void session_spec_init(struct session_spec *spec, const struct plan *plan);
void session_spec_release(struct session_spec *spec);

/* Makes the plan agree with the session. ERROR_USAGE if the request asks for something else. */
int session_spec_apply(const struct session_spec *spec, struct plan *plan, struct error *error);

#endif
