#include "mcp/advice.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "mcp/tool_description.h"
#include "request/session_arguments.h"
#include "request/tool_arguments.h"
#include "run/hints.h"

/* Bytes of the names of packages in a warning. */
enum { PACKAGES_BYTES_MAX = 200 };

/* Bytes of the names of files in a warning, after which no other comes, and of one of them. */
enum { NAMES_BYTES_MAX = 150, NAME_BYTES_MAX = 80, EXTENSION_MAX = 10 };

/* Without a session, an interpreter shows only what is printed. */
static void advise_to_print(struct result *result, const struct language *language, bool sessions)
{
    if (!result_success(result) || result->session || result->artifacts.count > 0 ||
        result->unreturned_count > 0 || result->text[0].length + result->text[1].length > 0 ||
        language->session_command.count == 0)
        return;
    if (sessions)
        result_add_hint(result, string_format("print what you want to see; in a session "
                                              "(\"session\": \"%s\") the value of the last "
                                              "expression and open figures come back by themselves",
                                              SESSION_NEW));
    else
        result_add_hint(result, string_copy("print what you want to see"));
}

/* ---- files */

/* The pattern for these files, owned: that of their extension if all have the same. */
static char *pattern_of(const struct strvec *names)
{
    const char *extension = NULL;

    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        const char *dot = strrchr(name, '.');

        if (!dot || strchr(name, '/') || (extension && strcmp(extension, dot) != 0) ||
            strlen(dot) > EXTENSION_MAX || !dot[1] || !hints_is_harmless(dot + 1, strlen(dot + 1)))
            return string_copy("**");
        extension = dot;
    }
    return string_format("*%s", extension);
}

/* Files that were written are lost with the container, unless it is that of a session. */
static void advise_to_ask(struct result *result)
{
    const struct strvec *names = &result->unreturned;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *pattern = NULL;
    size_t listed = 0;

    if (names->count == 0)
        return;
    pattern = pattern_of(names);
    strbuf_addstr(&text, "files written and not returned:");
    for (; listed < names->count && (listed == 0 || text.length < NAMES_BYTES_MAX); listed++) {
        CLEANUP_FREE char *name = text_escape_short(names->items[listed], NAME_BYTES_MAX);

        strbuf_addf(&text, "%s %s", listed == 0 ? "" : ",", name);
    }
    if (listed < result->unreturned_count)
        strbuf_addf(&text, " and %zu more", result->unreturned_count - listed);
    strbuf_addf(&text, "; to get them, give \"artifacts\": [\"%s\"]", pattern);
    result_add_hint(result, strbuf_steal(&text));
}

/* ---- the user */

/* What no model can do. */
static void advise_to_tell(struct result *result)
{
    if (result->reason == REASON_ENGINE && result->exit_code == EXIT_CODE_NONE &&
        !result->container && !result->session)
        result_add_hint(result, string_copy("the program has not run; if that happens again, only "
                                            "the user can fix it: tell the user"));
    if (result->reason == REASON_IMAGE_MISSING && !result->session)
        result_add_hint(result, string_copy("only the user can run this command: tell the user"));
}

static void advise_on_packages(struct result *result, const struct language *language)
{
    CLEANUP(strbuf_release) struct strbuf names = STRBUF_INIT;

    tool_add_packages(&names, "packages in the image:", &language->packages, PACKAGES_BYTES_MAX);
    if (names.length > 0)
        result_add_hint(result, strbuf_steal(&names));
}

/* A job may run for longer than a call. */
static void advise_to_wait_less(struct result *result)
{
    if (result->reason == REASON_TIMEOUT && !result->session)
        result_add_hint(result, string_format("a program that needs longer%s can run as a job: "
                                              "give \"background\": true%s, and call wait_job for "
                                              "the result",
                                              result->network ? ", and no hosts," : "",
                                              result->network ? " and \"hosts\": []" : ""));
}

struct advice_offers advice_offers_of(const struct config *config, const struct language *language)
{
    struct advice_offers offers = {.sessions = config->sessions.max > 0,
                                   .memory = tool_arguments_offers(config, LIMIT_MEMORY)};

    if (!language)
        return offers;
    CLEANUP(sandbox_policy_release) struct sandbox_policy policy;

    config_policy(config, language, &policy);
    offers.network = sandbox_policy_reaches_network(&policy);
    return offers;
}

void advice_add(struct result *result, const struct language *language,
                const struct advice_offers *offers)
{
    struct hint_reader reader = hint_model;

    if (offers->memory)
        reader.memory = "use less memory, or raise memory_mb";
    advise_to_tell(result);
    advise_to_ask(result);
    if (offers->job)
        advise_to_wait_less(result);
    if (language)
        advise_to_print(result, language, offers->sessions);
    if (hints_add(result, &(struct hint_program){language, offers->network}, &reader))
        advise_on_packages(result, language);
}
