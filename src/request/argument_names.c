#define _GNU_SOURCE
#include "request/argument_names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { WARNINGS_MAX = 20 };

/* What hosts add to the arguments of every tool. */
static const struct {
    const char *name, *host;
} host_names[] = {
    {"wait_for_previous", "Gemini CLI"}, /* 0.61.0, in its copy of the schema too */
    {"toolCallId", "n8n"},               /* 1.119 to 2.2.4, and later without a schema */
    {"sessionId", "n8n"},                /* likewise */
    {"security_risk", "OpenHands"},      /* in its copy of the schema too; its model fills it in */
    {"_meta", "a host"},                 /* the protocol has it next to the arguments */
};

/*
 * Words of names that may narrow what a program can do or use, and the argument that does; "" if
 * there is none. Short ones count only at the start of a word.
 */
static const struct {
    const char *name;
    const char *words[50]; /* up to a NULL */
} narrowing[] = {
    {"keep_processes", {"keep"}},
    {"hosts", {"host", "network", "net",      "internet", "online",   "offline", "domain",
               "url",  "proxy",   "port",     "connect",  "dns",      "ip",      "http",
               "web",  "egress",  "firewall", "remote",   "external", "endpoint"}},
    {"tools", {"tool", "server"}},
    {"session", {"session"}},
    {"pids_limit", {"proc", "thread", "pid", "fork"}},
    {"memory_mb", {"memory", "mem", "ram", "swap"}},
    {"cpus", {"cpu", "core"}},
    {"timeout_seconds", {"time", "second", "deadline", "duration", "ttl"}},
    {"artifacts", {"artifact"}},
    {"background", {"background"}},
    {"environment", {"env"}},
    {"", {"limit",     "max",       "min",    "quota",  "budget",  "cap",    "throttle", "rate",
          "allow",     "deny",      "block",  "forbid", "disable", "only",   "exclude",  "restrict",
          "whitelist", "blacklist", "permi",  "policy", "scope",   "access", "approv",   "consent",
          "confirm",   "sandbox",   "isolat", "secur",  "safe",    "trust",  "privileg", "read",
          "write",     "mode",      "user",   "root",   "uid",     "gid",    "dry",      "disk",
          "size",      "byte",      "mount",  "volume", "image"}},
};

void argument_warn(struct strvec *warnings, const char *format, ...)
{
    char *text = NULL;
    va_list values;

    if (warnings->count >= WARNINGS_MAX)
        return;
    if (warnings->count == WARNINGS_MAX - 1) {
        strvec_push(warnings, "there are more warnings about the arguments");
        return;
    }
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0)
        text = NULL;
    va_end(values);
    if (text)
        strvec_push_once(warnings, text);
    free(text);
}

static bool has_word(const char *name, const char *word)
{
    const char *at = name;

    while ((at = strcasestr(at, word))) {
        if (strlen(word) > 3 || at == name || !isalpha((unsigned char)at[-1]) ||
            (islower((unsigned char)at[-1]) && isupper((unsigned char)*at)))
            return true;
        at++;
    }
    return false;
}

/* What the name is like, borrowed: an argument, or "" if there is none for it; NULL: nothing. */
static const char *like(const struct argument_names *names, const char *key)
{
    const struct strvec *known = names->known, *other = names->other;
    const char *nearest;

    if (other && strvec_contains(other, key))
        return "";
    for (size_t i = 0; i < sizeof narrowing / sizeof *narrowing; i++)
        for (const char *const *word = narrowing[i].words; *word; word++)
            if (has_word(key, *word))
                return narrowing[i].name;
    nearest = text_nearest(key, (const char *const *)known->items, known->count);
    if (!nearest && other && text_nearest(key, (const char *const *)other->items, other->count))
        return "";
    return nearest;
}

/* `meant` may be NULL. */
static int refuse(const struct argument_names *names, const char *key, const char *meant,
                  struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(key, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *known = strvec_join(names->known, ", ");
    CLEANUP_FREE char *right =
        meant && strvec_contains(names->known, meant)
            ? string_format("did you mean '%s'?", meant)
            : string_format("known %s: %s", names->known->count == 1 ? "is" : "are", known);

    return names->object
               ? error_set(error, ERROR_USAGE, "%s has no member '%s'; %s", names->object, shown,
                           right)
               : error_set(error, ERROR_USAGE, "there is no argument '%s'; %s", shown, right);
}

/* Leaves out an unknown name, with a warning, or refuses it. */
static int leave_out(const struct argument_names *names, const char *key, struct strvec *warnings,
                     struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(key, TEXT_SHOWN_MAX);
    const char *meant = warnings ? like(names, key) : NULL, *host = NULL;

    for (size_t i = 0; i < sizeof host_names / sizeof *host_names; i++)
        if (strcmp(key, host_names[i].name) == 0)
            host = host_names[i].host;
    if (!warnings || (!host && meant))
        return refuse(names, key, meant, error);
    argument_warn(warnings, "%s%s'%s' is left out: %s%s",
                  names->object ? names->object : "the argument", names->object ? ": " : " ", shown,
                  host ? host : "there is nothing of that name", host ? " adds it" : "");
    return 0;
}

/* The known name that the key stands for, borrowed; NULL if there is none. */
static const char *find(const struct argument_names *names, const char *key, bool with_aliases)
{
    const char *name = key;

    for (const struct argument_alias *alias = with_aliases ? names->aliases : NULL;
         alias && alias->name; alias++)
        if (strcmp(key, alias->alias) == 0)
            name = alias->name;
    return strvec_contains(names->known, name) ? name : NULL;
}

/* Whether hosts send this for what is not given. */
static bool is_blank(const json_t *value)
{
    return !value || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

static int take(const struct argument_names *names, json_t *all, const char *name, json_t *value,
                struct error *error)
{
    const json_t *before = json_object_get(all, name);

    if (!is_blank(before) && !is_blank(value) && !json_equal(before, value))
        return error_set(error, ERROR_USAGE, "%s%s%s is given twice, by two names",
                         names->object ? names->object : "", names->object ? ": " : "", name);
    if (!before || !is_blank(value))
        json_object_set(all, name, value);
    return 0;
}

json_t *argument_names_resolve(const struct argument_names *names, const json_t *given,
                               struct strvec *warnings, struct error *error)
{
    json_t *all = json_object();
    const char *key;
    json_t *value;
    int result = 0;

    json_object_foreach((json_t *)given, key, value) {
        const char *name = find(names, key, warnings != NULL);

        result =
            name ? take(names, all, name, value, error) : leave_out(names, key, warnings, error);
        if (result != 0)
            break;
    }
    if (result == 0)
        return all;
    json_decref(all);
    return NULL;
}
