#include "config/limits.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Docker refuses less than 6 MB of memory and takes CPUs in hundredths at least. */
const struct limit_rule limit_rules[LIMIT_NUMBERS] = {
    [LIMIT_TIMEOUT] = {"timeoutSeconds", "--timeout", " s", 0.001, 366.0 * 86400, false},
    [LIMIT_MEMORY] = {"memoryMB", "--memory", " MB", 6, 1 << 24, true},
    [LIMIT_CPUS] = {"cpus", "--cpus", "", 0.01, 4096, false},
    [LIMIT_PIDS] = {"pidsLimit", "--pids-limit", "", 8, 1 << 22, true},
    [LIMIT_WORKDIR] = {"workdirMB", "--workdir-size", " MB", 1, 1 << 20, true},
    [LIMIT_TMP] = {"tmpMB", "--tmp-size", " MB", 1, 1 << 20, true},
    [LIMIT_OUTPUT] = {"outputBytes", "--output-limit", " bytes", 1024, 64 << 20, true},
};

void limits_init(struct limits *limits)
{
    *limits = (struct limits){.network = NULL, .read_only = -1, .cap_drop = STRVEC_INIT};
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        limits->number[i] = NAN;
}

void limits_release(struct limits *limits)
{
    free(limits->network);
    strvec_release(&limits->cap_drop);
    limits_init(limits);
}

void limits_overlay(struct limits *base, const struct limits *over)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (!isnan(over->number[i]))
            base->number[i] = over->number[i];
    if (over->network) {
        free(base->network);
        base->network = string_copy(over->network);
    }
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

int limits_set_number(struct limits *limits, enum limit_number which, double value,
                      const char *shown, struct error *error)
{
    const struct limit_rule *rule = &limit_rules[which];

    if (!(value >= rule->minimum && value <= rule->maximum))
        return error_set(error, ERROR_USAGE, "%s must be from %.10g to %.10g%s", shown,
                         rule->minimum, rule->maximum, rule->unit);
    if (rule->whole && value != floor(value))
        return error_set(error, ERROR_USAGE, "%s must be a whole number", shown);
    limits->number[which] = value;
    return 0;
}

long long limits_timeout_ms(const struct limits *limits)
{
    return (long long)ceil(limits->number[LIMIT_TIMEOUT] * 1000);
}

long long limits_bytes(const struct limits *limits, enum limit_number which)
{
    return (long long)limits->number[which] << 20;
}

/* Reads an id at *text and moves *text behind it. False where there is none or it is too large. */
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

int limits_set_user(struct limits *limits, const char *text, struct error *error)
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
    limits->has_user = true;
    limits->uid = uid;
    limits->gid = gid;
    return 0;
}

int limits_set_network(struct limits *limits, const char *name, struct error *error)
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
    free(limits->network);
    limits->network = string_copy(name);
    return 0;
}

int limits_add_cap_drop(struct limits *limits, const char *list, struct error *error)
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
            strbuf_release(&name);
            return error_set(error, ERROR_USAGE,
                             "'%s' is not a list of capabilities, like ALL or NET_RAW,MKNOD", list);
        }
        strvec_push_owned(&limits->cap_drop, strbuf_steal(&name));
        rest += length;
    } while (*rest++ == ',');
    return 0;
}

static bool drops(const struct limits *limits, const char *capability)
{
    return strvec_contains(&limits->cap_drop, "ALL") ||
           strvec_contains(&limits->cap_drop, capability);
}

static int check_names(const struct limits *limits, const struct limits *maximums,
                       struct error *error)
{
    if (maximums->network && strcmp(limits->network, "none") != 0 &&
        strcmp(limits->network, maximums->network) != 0)
        return error_set(error, ERROR_USAGE,
                         "network '%s' is not allowed by the configuration (maximums.network: "
                         "'%s')",
                         limits->network, maximums->network);
    if (maximums->read_only == 1 && limits->read_only != 1)
        return error_set(error, ERROR_USAGE,
                         "a writable root is not allowed by the configuration (maximums.readOnly)");
    if (maximums->has_user && (limits->uid != maximums->uid || limits->gid != maximums->gid))
        return error_set(error, ERROR_USAGE,
                         "user %u:%u is not allowed by the configuration (maximums.user: %u:%u)",
                         limits->uid, limits->gid, maximums->uid, maximums->gid);
    for (size_t i = 0; i < maximums->cap_drop.count; i++)
        if (!drops(limits, maximums->cap_drop.items[i]))
            return error_set(error, ERROR_USAGE,
                             "capability %s must be dropped by the configuration "
                             "(maximums.capDrop)",
                             maximums->cap_drop.items[i]);
    return 0;
}

void limits_clamp(struct limits *limits, const struct limits *maximums)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limits->number[i] > maximums->number[i])
            limits->number[i] = maximums->number[i];
    if (maximums->network && strcmp(limits->network, maximums->network) != 0) {
        free(limits->network);
        limits->network = string_copy("none");
    }
    if (maximums->read_only == 1)
        limits->read_only = 1;
    if (maximums->has_user) {
        limits->uid = maximums->uid;
        limits->gid = maximums->gid;
    }
    for (size_t i = 0; i < maximums->cap_drop.count; i++)
        if (!drops(limits, maximums->cap_drop.items[i]))
            strvec_push(&limits->cap_drop, maximums->cap_drop.items[i]);
}

int limits_check(const struct limits *limits, const struct limits *maximums, struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (limits->number[i] > maximums->number[i]) /* false where there is no maximum */
            return error_set(
                error, ERROR_USAGE,
                "%s %.10g%s is more than the configuration allows (maximums.%s: %.10g)",
                limit_rules[i].key, limits->number[i], limit_rules[i].unit, limit_rules[i].key,
                maximums->number[i]);
    return check_names(limits, maximums, error);
}
