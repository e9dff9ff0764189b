#include "mcp/advice.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "mcp/tool_description.h"
#include "request/session_arguments.h"

/* Bytes of the names of packages in a warning. */
enum { PACKAGES_BYTES_MAX = 200 };

/* Bytes of the names of files in a warning, after which no other comes, and of one of them. */
enum { NAMES_BYTES_MAX = 150, NAME_BYTES_MAX = 80, EXTENSION_MAX = 10 };

/* Whether the name is short, and nothing in it can be misread. */
static bool is_harmless(const char *name, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@/";

    return length > 0 && length <= ADVICE_PACKAGE_MAX && !strchr("-./", name[0]) &&
           strspn(name, letters) >= length;
}

/* Without a session, an interpreter shows only what is printed. */
static void advise_to_print(struct result *result, const struct language *language, bool sessions)
{
    if (!result_success(result) || result->session || result->artifacts.count > 0 ||
        result->unreturned_count > 0 || result->text[0].length + result->text[1].length > 0 ||
        language->session_command.count == 0)
        return;
    if (sessions)
        strvec_pushf(&result->warnings,
                     "print what you want to see; in a session (\"session\": \"%s\") the value of "
                     "the last expression and open figures come back by themselves",
                     SESSION_NEW);
    else
        strvec_push(&result->warnings, "print what you want to see");
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
            strlen(dot) > EXTENSION_MAX || !dot[1] || !is_harmless(dot + 1, strlen(dot + 1)))
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
    strvec_pushf(&result->warnings, "%s; to get them, give \"artifacts\": [\"%s\"]",
                 strbuf_string(&text), pattern);
}

/* ---- packages */

/* How the programs of a language say that a module is missing. */
struct ecosystem {
    const char *extension; /* that the language has */
    const char *mark;      /* before the name of the module, which ends with a quote */
    char separator;        /* after the name of the package in that of the module */
    const char *install;
};

static const struct ecosystem ecosystems[] = {
    {".py", "No module named '", '.', "pip install"},
    {".js", "Cannot find module '", '/', "npm install --prefix /"},
    {".js", "Cannot find package '", '/', "npm install --prefix /"},
};

/* Modules of Python whose packages have other names. */
static const char *const packages_of_modules[][2] = {
    {"PIL", "pillow"},
    {"bs4", "beautifulsoup4"},
    {"cv2", "opencv-python"},
    {"docx", "python-docx"},
    {"dateutil", "python-dateutil"},
    {"sklearn", "scikit-learn"},
    {"skimage", "scikit-image"},
    {"yaml", "pyyaml"},
};

static const char *last_mark(const char *text, const char *mark)
{
    const char *last = NULL;

    for (const char *found = text; (found = strstr(found, mark)); found++)
        last = found;
    return last;
}

/* The package of the module that the text says is missing, owned; NULL: it names none. */
static char *missing_package(const char *text, const struct ecosystem *ecosystem)
{
    const char *found = last_mark(text, ecosystem->mark);
    const char *name = found ? found + strlen(ecosystem->mark) : "";
    const char *end = strchr(name, '\'');
    size_t length;

    if (!end || end[1] == ';') /* "No module named 'a.b'; 'a' is not a package" */
        return NULL;
    length = (size_t)(end - name);
    if (!is_harmless(name, length))
        return NULL;
    for (size_t i = 0, scope = name[0] == '@'; i < length; i++)
        if (name[i] == ecosystem->separator && scope-- == 0)
            length = i;
    for (size_t i = 0; i < sizeof packages_of_modules / sizeof *packages_of_modules; i++)
        if (ecosystem->separator == '.' && strlen(packages_of_modules[i][0]) == length &&
            strncmp(packages_of_modules[i][0], name, length) == 0)
            return string_copy(packages_of_modules[i][1]);
    return string_format("%.*s", (int)length, name);
}

static void advise_to_prepare(struct result *result, const struct language *language)
{
    const bool failed = (result->reason == REASON_EXIT || result->reason == REASON_EXCEPTION) &&
                        !result_success(result);
    const char *text = result->reason == REASON_EXCEPTION && result->error
                           ? result->error
                           : strbuf_string(&result->text[1]);

    for (size_t i = 0; failed && i < sizeof ecosystems / sizeof *ecosystems; i++) {
        const struct ecosystem *ecosystem = &ecosystems[i];
        CLEANUP_FREE char *package = strvec_contains(&language->extensions, ecosystem->extension)
                                         ? missing_package(text, ecosystem)
                                         : NULL;
        CLEANUP(strbuf_release) struct strbuf names = STRBUF_INIT;

        if (!package)
            continue;
        strvec_pushf(&result->warnings,
                     "the package '%s' is not in the image, and a program cannot install it; the "
                     "user can: isolator prepare %s --network bridge --run '%s %s'",
                     package, language->name, ecosystem->install, package);
        tool_add_packages(&names, "packages in the image:", &language->packages,
                          PACKAGES_BYTES_MAX);
        if (names.length > 0)
            strvec_push(&result->warnings, strbuf_string(&names));
        return;
    }
}

/* A job may run for longer than a call. */
static void advise_to_wait_less(struct result *result)
{
    if (result->reason == REASON_TIMEOUT && !result->session)
        strvec_pushf(&result->warnings,
                     "a program that needs longer%s can run as a job: give \"background\": true%s, "
                     "and call wait_job for the result",
                     result->network ? ", and no hosts," : "",
                     result->network ? " and \"hosts\": []" : "");
}

void advice_add(struct result *result, const struct language *language,
                const struct advice_offers *offers)
{
    advise_to_ask(result);
    if (offers->job)
        advise_to_wait_less(result);
    if (!language)
        return;
    advise_to_print(result, language, offers->sessions);
    advise_to_prepare(result, language);
}
