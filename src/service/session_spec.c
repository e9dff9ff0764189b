#include "service/session_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "run/instance.h"

void session_spec_init(struct session_spec *spec, const struct plan *plan)
{
    *spec = (struct session_spec){.language = string_copy(plan->language),
                                  .image = string_copy(plan->image),
                                  .base = plan->base ? string_copy(plan->base) : NULL,
                                  .fingerprint = instance_fingerprint(plan)};
    sandbox_policy_init(&spec->policy);
    sandbox_policy_overlay(&spec->policy, &plan->policy);
}

void session_spec_release(struct session_spec *spec)
{
    free(spec->language);
    free(spec->image);
    free(spec->base);
    sandbox_policy_release(&spec->policy);
}

static int apply_language(const struct session_spec *spec, const struct plan *plan,
                          struct error *error)
{
    if (strcmp(plan->language, spec->language) == 0)
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be %s: the session was opened with it",
              spec->language);
    return error_about(error, REQUEST_LANGUAGE);
}

/* Gives the plan the limits of the container. All others come with each request. */
static int apply_limits(const struct session_spec *spec, struct plan *plan, struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const struct key_rule *key = &limit_rules[i].key;
        const double asked = plan->requested.limits.number[i];
        const double number = spec->policy.limits.number[i];

        if (limit_rules[i].applied != LIMIT_OF_CONTAINER)
            continue;
        if (!isnan(asked) && asked != number) {
            error_set(error, ERROR_USAGE,
                      ERROR_SUBJECT " is %.10g%s in this session, and can be set only when a "
                                    "session is opened",
                      number, key->unit);
            return error_about(error, key->name);
        }
        plan->policy.limits.number[i] = number;
    }
    return 0;
}

/* Gives the plan the rest of the session's policy, but what the request itself has set. */
static void apply_policy(const struct session_spec *spec, struct plan *plan)
{
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    sandbox_policy_overlay(&policy, &spec->policy);
    sandbox_policy_overlay(&policy, &plan->requested);
    policy.limits = plan->policy.limits;
    sandbox_policy_release(&plan->policy);
    plan->policy = policy;
}

static void apply_image(const struct session_spec *spec, struct plan *plan)
{
    if (plan->image_requested)
        return;
    free(plan->image);
    free(plan->base);
    plan->image = string_copy(spec->image);
    plan->base = spec->base ? string_copy(spec->base) : NULL;
}

int session_spec_apply(const struct session_spec *spec, struct plan *plan, struct error *error)
{
    struct spec_fingerprint fingerprint;

    if (plan_check_session(plan, error) != 0 || apply_language(spec, plan, error) != 0 ||
        apply_limits(spec, plan, error) != 0)
        return -1;
    apply_policy(spec, plan);
    apply_image(spec, plan);
    fingerprint = instance_fingerprint(plan);
    if (spec_fingerprint_equal(&fingerprint, &spec->fingerprint))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "image, network, user, working directory and capabilities can be set only when "
        "a session is opened");
}
