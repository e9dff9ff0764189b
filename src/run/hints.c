#include "run/hints.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

const struct hint_reader hint_person = {
    .package = "; to add it: ",
    .network = "this container has no network; --allow-host HOST allows a host",
    .disk = "a disk of this container is full; raise --workdir-size or --tmp-size",
    .memory = "for more memory, raise --memory",
};

const struct hint_reader hint_line = {
    .package = "; to add it: ",
    .network = "this container has no network; network.allow of the configuration allows hosts",
    .disk = "a disk of this container is full; raise workdirMB or tmpMB of the configuration",
    .memory = "for more memory, raise memory_mb",
};

const struct hint_reader hint_model = {
    .package = ", and a program cannot install it; the user can: ",
    .network = "this container has no network; only the user can allow hosts",
    .disk = "a disk of this container is full; only the user can make workdirMB or tmpMB larger",
    .memory = "use less memory; only the user can make memoryMB larger",
};

bool hints_is_harmless(const char *name, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@/";

    return length > 0 && length <= HINT_PACKAGE_MAX && !strchr("-./", name[0]) &&
           strspn(name, letters) >= length;
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
    if (!hints_is_harmless(name, length))
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

/* What the program, its build or its first test that failed has said at its end. Borrowed. */
static const char *last_words(const struct result *result)
{
    if (result->reason == REASON_EXCEPTION && result->error)
        return result->error;
    if (result->reason == REASON_BUILD && result->build)
        return strbuf_string(&result->build->text[1]);
    for (size_t i = 0; result->reason == REASON_TESTS && i < result->tests.count; i++)
        if (result->tests.items[i].message)
            return strbuf_string(&result->tests.items[i].text[1]);
    return strbuf_string(&result->text[1]);
}

static bool hint_at_package(struct result *result, const char *words,
                            const struct language *language, const struct hint_reader *reader)
{
    for (size_t i = 0; language && i < sizeof ecosystems / sizeof *ecosystems; i++) {
        const struct ecosystem *ecosystem = &ecosystems[i];
        CLEANUP_FREE char *package = strvec_contains(&language->extensions, ecosystem->extension)
                                         ? missing_package(words, ecosystem)
                                         : NULL;

        if (!package)
            continue;
        result_add_hint(result,
                        string_format("the package '%s' is not in the image%sisolator prepare %s "
                                      "--network bridge --run '%s %s'",
                                      package, reader->package, language->name, ecosystem->install,
                                      package));
        return true;
    }
    return false;
}

static bool has_any(const char *words, const char *const *marks)
{
    while (*marks && !strstr(words, *marks))
        marks++;
    return *marks;
}

struct hint_program hint_program_of(const struct config *config, const struct plan *plan)
{
    return (struct hint_program){config_language(config, plan->language),
                                 sandbox_policy_reaches_network(&plan->policy)};
}

bool hints_add(struct result *result, const struct hint_program *program,
               const struct hint_reader *reader)
{
    static const char *const no_network[] = {"Network is unreachable",
                                             "network is unreachable",
                                             "ENETUNREACH",
                                             "name resolution",
                                             "EAI_AGAIN",
                                             "Could not resolve host",
                                             "Name or service not known",
                                             NULL};
    static const char *const no_space[] = {"No space left on device", "no space left on device",
                                           "ENOSPC", NULL};
    const char *words = last_words(result);

    if (result->reason == REASON_OOM)
        result_add_hint(result, string_copy(reader->memory));
    if (result_success(result) ||
        (result->reason != REASON_EXIT && result->reason != REASON_EXCEPTION &&
         result->reason != REASON_BUILD && result->reason != REASON_TESTS))
        return false;
    if (!program->has_network && has_any(words, no_network))
        result_add_hint(result, string_copy(reader->network));
    if (has_any(words, no_space))
        result_add_hint(result, string_copy(reader->disk));
    return hint_at_package(result, words, program->language, reader);
}

bool hints_is_new(struct strvec *printed, const char *hint)
{
    if (strvec_contains(printed, hint))
        return false;
    if (printed->count < HINTS_PRINTED_MAX)
        strvec_push(printed, hint);
    return true;
}
