#include "config/sandbox_policy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/settings.h"

/* The user of images that are saved, if none is given. */
enum { USER_NOBODY = 65534 };

enum { OCI_RUNTIME_MAX = 255 };

void sandbox_policy_init(struct sandbox_policy *policy)
{
    *policy = (struct sandbox_policy){.network = NULL,
                                      .read_only = -1,
                                      .cap_drop = STRVEC_INIT,
                                      .uid = USER_NOBODY,
                                      .gid = USER_NOBODY};
    limits_init(&policy->limits);
}

void sandbox_policy_release(struct sandbox_policy *policy)
{
    free(policy->network);
    network_rules_release(&policy->network_rules);
    free(policy->oci_runtime);
    strvec_release(&policy->cap_drop);
    sandbox_policy_init(policy);
}

/* Replaces a text that is owned, unless `text` is NULL. */
static void overlay_text(char **base, const char *text)
{
    if (!text)
        return;
    free(*base);
    *base = string_copy(text);
}

/* The string and the object are two values of one key. */
static void overlay_network(struct sandbox_policy *base, const struct sandbox_policy *over)
{
    const long long max_bytes = base->network_rules.max_bytes;
    const int max_connections = base->network_rules.max_connections;

    if (!over->network)
        return;
    overlay_text(&base->network, over->network);
    network_rules_copy(&base->network_rules, &over->network_rules);
    if (over->network_rules.max_bytes == 0)
        base->network_rules.max_bytes = max_bytes;
    if (over->network_rules.max_connections == 0)
        base->network_rules.max_connections = max_connections;
}

void sandbox_policy_overlay(struct sandbox_policy *base, const struct sandbox_policy *over)
{
    limits_overlay(&base->limits, &over->limits);
    overlay_network(base, over);
    overlay_text(&base->oci_runtime, over->oci_runtime);
    if (over->read_only >= 0)
        base->read_only = over->read_only;
    if (over->cap_drop.count > 0) {
        strvec_release(&base->cap_drop);
        strvec_push_all(&base->cap_drop, &over->cap_drop);
    }
    if (over->has_user) {
        base->has_user = true;
        base->uid = over->uid;
        base->gid = over->gid;
    }
}

/* Reads an id at *text and moves *text past it. False if there is none or it is too large. */
static bool parse_id(const char **text, unsigned *id)
{
    unsigned long value;
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    value = strtoul(*text, &end, 10);
    *text = end;
    *id = (unsigned)value;
    return value <= ARCHIVE_ID_MAX;
}

int sandbox_policy_set_user(struct sandbox_policy *policy, const char *text, struct error *error)
{
    const char *rest = text;
    unsigned uid = 0, gid;
    bool good = parse_id(&rest, &uid);

    gid = uid;
    if (good && *rest == ':') {
        rest++;
        good = parse_id(&rest, &gid);
    }
    if (!good || *rest != '\0') {
        CLEANUP_FREE char *shown = text_escape(text);
        return error_set(error, ERROR_USAGE,
                         "'%s' is not a user; write numbers up to %d, like 65534 or 1000:1000",
                         shown, ARCHIVE_ID_MAX);
    }
    policy->has_user = true;
    policy->uid = uid;
    policy->gid = gid;
    return 0;
}

int sandbox_users_parse(struct user_range *users, const char *text, struct error *error)
{
    const char *rest = text;
    unsigned first = 0, last = 0;
    bool good = parse_id(&rest, &first) && *rest == '-';

    if (good) {
        rest++;
        good = parse_id(&rest, &last) && *rest == '\0';
    }
    if (!good || first < 1 || last < first || last - first + 1 < SANDBOX_USERS_MIN) {
        CLEANUP_FREE char *shown = text_escape(text);
        return error_set(error, ERROR_USAGE,
                         "'%s' is not a range of users; write FIRST-LAST, at least %d numbers "
                         "from 1 to %d",
                         shown, SANDBOX_USERS_MIN, ARCHIVE_ID_MAX);
    }
    *users = (struct user_range){first, last};
    return 0;
}

bool sandbox_policy_reaches_network(const struct sandbox_policy *policy)
{
    return strcmp(policy->network, "none") != 0 || policy->network_rules.count > 0;
}

int sandbox_policy_set_network(struct sandbox_policy *policy, const char *name, struct error *error)
{
    /* The characters of a name on the engine (moby, names.RestrictedNameChars). */
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

    if (strcmp(name, "host") == 0 || strncmp(name, "container:", 10) == 0) {
        CLEANUP_FREE char *shown = text_escape_short(name, 20);
        return error_set(error, ERROR_USAGE,
                         "network '%s' would lift the isolation; use none, bridge or a network of "
                         "the engine",
                         shown);
    }
    if (!isalnum((unsigned char)name[0]) || name[strspn(name, allowed)] != '\0') {
        CLEANUP_FREE char *shown = text_escape(name);
        return error_set(error, ERROR_USAGE,
                         "'%s' is not the name of a network; use none, bridge or a network of the "
                         "engine",
                         shown);
    }
    overlay_text(&policy->network, name);
    return 0;
}

int sandbox_policy_allow_host(struct sandbox_policy *policy, const char *text, struct error *error)
{
    if (network_rules_add(&policy->network_rules, text, error) != 0)
        return -1;
    if (!policy->network)
        policy->network = string_copy("none");
    return 0;
}

int sandbox_policy_set_oci_runtime(struct sandbox_policy *policy, const char *name,
                                   struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";

    if ((!isalnum((unsigned char)name[0]) && name[0] != '/') || strlen(name) > OCI_RUNTIME_MAX ||
        name[strspn(name, allowed)] != '\0') {
        CLEANUP_FREE char *shown = text_escape_short(name, OCI_RUNTIME_MAX);
        return error_set(error, ERROR_USAGE,
                         "'%s' is not the name of an OCI runtime, like runc, crun or runsc", shown);
    }
    overlay_text(&policy->oci_runtime, name);
    return 0;
}

int sandbox_policy_add_cap_drop(struct sandbox_policy *policy, const char *list,
                                struct error *error)
{
    const char *rest = list;

    do {
        const size_t length = strcspn(rest, ",");
        struct strbuf name = STRBUF_INIT;

        for (size_t i = 0; i < length; i++)
            strbuf_addch(&name, (char)toupper((unsigned char)rest[i]));
        if (strncmp(strbuf_string(&name), "CAP_", 4) == 0)
            strbuf_drop(&name, 4);
        if (name.length == 0 ||
            strspn(strbuf_string(&name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != name.length) {
            CLEANUP_FREE char *shown = text_escape(list);

            strbuf_release(&name);
            return error_set(error, ERROR_USAGE,
                             "'%s' is not a list of capabilities, like ALL or NET_RAW,MKNOD",
                             shown);
        }
        strvec_push_owned(&policy->cap_drop, strbuf_steal(&name));
        rest += length;
    } while (*rest++ == ',');
    return 0;
}

static bool drops(const struct sandbox_policy *policy, const char *capability)
{
    return strvec_contains(&policy->cap_drop, "ALL") ||
           strvec_contains(&policy->cap_drop, capability);
}

/* With its ports, one of which may be the reason. */
static int refuse_host(const struct network_host *host, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf ports = STRBUF_INIT;
    CLEANUP_FREE char *name = network_host_text(host);

    for (size_t i = 0; i < host->port_count; i++)
        strbuf_addf(&ports, "%s%d", i > 0 ? ", " : "", host->ports[i]);
    return error_set(
        error, ERROR_USAGE,
        "host '%s', port%s %s%s, is not allowed by the configuration (maximums.network)", name,
        host->port_count > 1 ? "s" : "", strbuf_string(&ports), host->raw ? ", raw" : "");
}

static int check_network(const struct sandbox_policy *policy, const struct sandbox_policy *maximums,
                         struct error *error)
{
    const struct network_rules *rules = &policy->network_rules, *max = &maximums->network_rules;
    const struct network_host *host = network_rules_uncovered(max, rules);

    if (!maximums->network)
        return 0;
    if (strcmp(policy->network, "none") != 0 && strcmp(policy->network, maximums->network) != 0)
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT
                  " '%s' is not allowed by the configuration (maximums.network: '%s')",
                  policy->network, maximums->network);
    else if (host)
        return refuse_host(host, error);
    else if (!network_rules_cover(max, rules))
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT ": maxBytes or maxConnections is larger than the configuration "
                                "allows (maximums.network)");
    else
        return 0;
    return error_about(error, setting_rules[SETTING_NETWORK].key.name);
}

static int check_names(const struct sandbox_policy *policy, const struct sandbox_policy *maximums,
                       struct error *error)
{
    if (maximums->read_only == 1 && policy->read_only != 1) {
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT
                  "=false is not allowed by the configuration (maximums.readOnly: true)");
        return error_about(error, setting_rules[SETTING_READ_ONLY].key.name);
    }
    if (maximums->has_user &&
        (!policy->has_user || policy->uid != maximums->uid || policy->gid != maximums->gid)) {
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT " %u:%u is not allowed by the configuration (maximums.user: %u:%u)",
                  policy->uid, policy->gid, maximums->uid, maximums->gid);
        return error_about(error, setting_rules[SETTING_USER].key.name);
    }
    if (maximums->oci_runtime &&
        (!policy->oci_runtime || strcmp(policy->oci_runtime, maximums->oci_runtime) != 0)) {
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT
                  " '%s' is not allowed by the configuration (maximums.ociRuntime: '%s')",
                  policy->oci_runtime ? policy->oci_runtime : "", maximums->oci_runtime);
        return error_about(error, setting_rules[SETTING_OCI_RUNTIME].key.name);
    }
    for (size_t i = 0; i < maximums->cap_drop.count; i++) {
        const char *name = maximums->cap_drop.items[i];

        if (drops(policy, name))
            continue;
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT
                  " must include %s, as the configuration requires (maximums.capDrop)",
                  name);
        return error_about(error, setting_rules[SETTING_CAP_DROP].key.name);
    }
    return 0;
}

void sandbox_policy_clamp(struct sandbox_policy *policy, const struct sandbox_policy *maximums)
{
    limits_clamp(&policy->limits, &maximums->limits);
    if (maximums->network) {
        if (strcmp(policy->network, maximums->network) != 0)
            overlay_text(&policy->network, "none");
        network_rules_clamp(&policy->network_rules, &maximums->network_rules);
    }
    overlay_text(&policy->oci_runtime, maximums->oci_runtime);
    if (maximums->read_only == 1)
        policy->read_only = 1;
    if (maximums->has_user) {
        policy->has_user = true;
        policy->uid = maximums->uid;
        policy->gid = maximums->gid;
    }
    for (size_t i = 0; i < maximums->cap_drop.count; i++)
        if (!drops(policy, maximums->cap_drop.items[i]))
            strvec_push(&policy->cap_drop, maximums->cap_drop.items[i]);
}

int sandbox_policy_check(const struct sandbox_policy *policy, const struct sandbox_policy *maximums,
                         struct error *error)
{
    if (limits_check(&policy->limits, &maximums->limits, error) != 0)
        return -1;
    if (check_network(policy, maximums, error) != 0)
        return -1;
    return check_names(policy, maximums, error);
}

int sandbox_policy_narrow(struct sandbox_policy *policy, const struct network_selection *hosts,
                          struct error *error)
{
    if (hosts->given && hosts->count == 0)
        overlay_text(&policy->network, "none");
    if (hosts->count > 0 && strcmp(policy->network, "none") != 0)
        error_set(error, ERROR_USAGE,
                  ERROR_SUBJECT " cannot narrow the network '%s', which isolator does not control; "
                                "only [] is possible",
                  policy->network);
    else if (network_rules_narrow(&policy->network_rules, hosts, error) != 0)
        error_prefix(error, ERROR_SUBJECT);
    else
        return 0;
    return error_about(error, POLICY_HOSTS);
}
