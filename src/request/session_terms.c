#include "request/session_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "request/plan.h"

static struct session_terms *make(const char *language, const char *image, const char *base,
                                  const char *workdir, const struct sandbox_policy *policy)
{
    struct session_terms *terms = memory_allocate(sizeof *terms);

    *terms = (struct session_terms){.language = string_copy(language),
                                    .image = string_copy(image),
                                    .base = base ? string_copy(base) : NULL,
                                    .workdir = string_copy(workdir)};
    sandbox_policy_init(&terms->policy);
    sandbox_policy_overlay(&terms->policy, policy);
    return terms;
}

struct session_terms *session_terms_new(const struct plan *plan)
{
    return make(plan->language, plan->image, plan->base, plan->workdir, &plan->policy);
}

struct session_terms *session_terms_copy(const struct session_terms *terms)
{
    return make(terms->language, terms->image, terms->base, terms->workdir, &terms->policy);
}

void session_terms_free(struct session_terms *terms)
{
    if (!terms)
        return;
    free(terms->language);
    free(terms->image);
    free(terms->base);
    free(terms->workdir);
    sandbox_policy_release(&terms->policy);
    free(terms);
}

static int check_language(const struct session_terms *terms, const struct plan *plan,
                          struct error *error)
{
    if (strcmp(plan->language, terms->language) == 0)
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT " must be %s: the session was opened with it",
              terms->language);
    return error_about(error, REQUEST_LANGUAGE);
}

static int check_limits(const struct session_terms *terms, const struct request *request,
                        struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const struct key_rule *key = &limit_rules[i].key;
        const double asked = request->policy.limits.number[i];
        const double number = terms->policy.limits.number[i];

        if (limit_rules[i].applied != LIMIT_OF_CONTAINER || isnan(asked) || asked == number)
            continue;
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT " is %.10g%s in this session, and can be set only when a session "
                                "is opened",
                  number, key->unit);
        return error_about(error, key->name);
    }
    return 0;
}

/* The plan has the hosts that the request asks for, if it does. */
static int check_hosts(const struct session_terms *terms, const struct request *request,
                       const struct plan *plan, struct error *error)
{
    const struct sandbox_policy *one = &terms->policy, *other = &plan->policy;

    if (!request->hosts.given || (strcmp(one->network, other->network) == 0 &&
                                  network_rules_equal(&one->network_rules, &other->network_rules)))
        return 0;
    error_set(error, ERROR_USAGE,
              ERROR_SUBJECT " can be set only when a session is opened; leave it out, or repeat "
                            "what the session was opened with");
    return error_about(error, REQUEST_HOSTS);
}

/* The limits of the container are the session's; those of a program come with each request. */
static void apply_policy(const struct session_terms *terms, const struct request *request,
                         struct plan *plan)
{
    struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    sandbox_policy_overlay(&policy, &terms->policy);
    sandbox_policy_overlay(&policy, &request->policy);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limit_rules[i].applied == LIMIT_OF_PROGRAM)
            policy.limits.number[i] = plan->policy.limits.number[i];
    sandbox_policy_release(&plan->policy);
    plan->policy = policy;
}

static bool equal_texts(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool fits_container(const struct session_terms *terms, const struct plan *plan)
{
    const struct sandbox_policy *one = &terms->policy, *other = &plan->policy;

    return strcmp(terms->image, plan->image) == 0 && strcmp(terms->workdir, plan->workdir) == 0 &&
           strcmp(one->network, other->network) == 0 &&
           network_rules_equal(&one->network_rules, &other->network_rules) &&
           equal_texts(one->oci_runtime, other->oci_runtime) &&
           one->read_only == other->read_only && one->has_user == other->has_user &&
           (!one->has_user || (one->uid == other->uid && one->gid == other->gid)) &&
           strvec_equal(&one->cap_drop, &other->cap_drop);
}

int session_terms_apply(const struct session_terms *terms, const struct request *request,
                        struct plan *plan, struct error *error)
{
    if (check_language(terms, plan, error) != 0 || check_limits(terms, request, error) != 0 ||
        check_hosts(terms, request, plan, error) != 0)
        return -1;
    apply_policy(terms, request, plan);
    if (fits_container(terms, plan))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "image, network, user, OCI runtime, working directory and capabilities can be set only "
        "when a session is opened");
}
