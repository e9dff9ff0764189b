#include "config/config.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/prepare_notes.h"
#include "config/prepare_rules.h"
#include "default_config.h"

enum { FILE_MAX = 1 << 20 };

int config_check_workdir(const char *path, struct error *error)
{
    /* A file system over these would break the container or its isolation. */
    static const char *const refused[] = {"/proc", "/sys", "/dev",   "/etc", "/bin",
                                          "/sbin", "/lib", "/lib64", "/usr"};
    const size_t length = strlen(path);
    CLEANUP_FREE char *shown = text_escape(path);
    bool good = path[0] == '/' && length > 1 && length < 256 && path[length - 1] != '/' &&
                !strstr(path, "//") && !strpbrk(path, " \t\n\r:,\"'\\$`");

    for (const char *part = path; good && (part = strchr(part, '/')); part++)
        if (strncmp(part, "/./", 3) == 0 || strncmp(part, "/../", 4) == 0 ||
            strcmp(part, "/.") == 0 || strcmp(part, "/..") == 0)
            good = false;
    if (!good)
        return error_set(error, ERROR_USAGE,
                         "'%s' is not a working directory; write an absolute path like /workspace",
                         shown);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const size_t part = strlen(refused[i]);
        if (strncmp(path, refused[i], part) == 0 && (path[part] == '/' || path[part] == '\0'))
            return error_set(error, ERROR_USAGE,
                             "'%s' cannot be the working directory: it lies in "
                             "the system's %s",
                             shown, refused[i]);
    }
    return 0;
}

int config_read_file(const char *path, struct strbuf *text, struct error *error)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    char chunk[4096];
    ssize_t length;

    if (fd < 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot open the configuration '%s'", path);
    while ((length = read(fd, chunk, sizeof chunk)) > 0) {
        strbuf_add(text, chunk, (size_t)length);
        if (text->length > FILE_MAX)
            return error_set(error, ERROR_CONFIG, "%s: larger than 1 MiB", path);
    }
    if (length < 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot read the configuration '%s'", path);
    return 0;
}

char *config_home(const char *name)
{
    const char *xdg = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (xdg && *xdg == '/')
        return string_format("%s/isolator/%s", xdg, name);
    return string_format("%s/.config/isolator/%s", home && *home == '/' ? home : "", name);
}

static const char installed_file[] = ISOLATOR_DATADIR "/isolator_config.json";

/*
 * Returns the file to read, owned, or NULL if there is none. A file that is asked for, also by the
 * environment, must exist; of the others the first that exists is taken.
 */
static char *find_file(const char *asked_for, enum config_origin *origin)
{
    static const enum config_origin places[] = {CONFIG_OF_USER, CONFIG_OF_SYSTEM, CONFIG_INSTALLED};
    const char *variable = getenv("ISOLATOR_CONFIG");
    char *candidates[3];
    char *found = NULL;

    *origin = CONFIG_ASKED_FOR;
    if (asked_for)
        return string_copy(asked_for);
    if (variable && *variable) {
        *origin = strcmp(variable, installed_file) == 0 ? CONFIG_INSTALLED : CONFIG_ENVIRONMENT;
        return string_copy(variable);
    }
    *origin = CONFIG_BUILT_IN;
    candidates[0] = config_home("config.json");
    candidates[1] = string_copy("/etc/isolator/config.json");
    candidates[2] = string_copy(installed_file);
    for (int i = 0; i < 3; i++) {
        if (!found && (access(candidates[i], F_OK) == 0)) {
            found = candidates[i];
            *origin = places[i];
        } else {
            free(candidates[i]);
        }
    }
    return found;
}

static int overlay_file(struct config *config, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    if (config_read_file(config->file, &text, error) != 0)
        return -1;
    return config_overlay(config, strbuf_string(&text), text.length, config->file, error);
}

int config_load_built_in(struct config *config, struct error *error)
{
    config->origin = CONFIG_BUILT_IN;
    return config_overlay(config, default_config, sizeof default_config, "built-in configuration",
                          error);
}

int config_load(struct config *config, const char *file, const struct limits *own,
                struct error *error)
{
    bool installed;

    if (config_load_built_in(config, error) != 0)
        return -1;
    config->file = find_file(file, &config->origin);
    installed = config->origin == CONFIG_INSTALLED;
    if (installed && overlay_file(config, error) != 0)
        return -1;
    if (own)
        limits_overlay(&config->defaults.limits, own);
    if (config->file && !installed && overlay_file(config, error) != 0)
        return -1;
    return prepare_notes_apply(config, error);
}

void config_prepare(struct language *language)
{
    struct preparation *preparation = &language->preparation;

    free(preparation->tag);
    preparation->tag = NULL;
    if (preparation->steps.count > 0)
        preparation->tag = prepare_tag(language->name, language->image, &preparation->steps);
}

struct docker config_docker(const struct config *config)
{
    return (struct docker){.command = config->container_command,
                           .engine_timeout = config->engine_timeout,
                           .allow_unenforced = config->allow_unenforced};
}

const struct language *config_language(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->language_count; i++)
        if (strcmp(config->languages[i].name, name) == 0)
            return &config->languages[i];
    return NULL;
}

int config_check_languages(const struct config *config, char *const *names, struct error *error)
{
    for (; *names; names++) {
        CLEANUP_FREE char *known = config_language_names(config);
        CLEANUP_FREE char *shown = text_escape_short(*names, 80);

        if (!config_language(config, *names))
            return error_set(error, ERROR_USAGE, "unknown language '%s'; known are: %s", shown,
                             known);
    }
    return 0;
}

const struct language *config_language_of_file(const struct config *config, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < config->language_count; i++)
        if (strvec_contains(&config->languages[i].extensions, dot))
            return &config->languages[i];
    return NULL;
}

void config_policy(const struct config *config, const struct language *language,
                   struct sandbox_policy *policy)
{
    sandbox_policy_init(policy);
    sandbox_policy_overlay(policy, &config->defaults);
    sandbox_policy_overlay(policy, &language->policy);
    sandbox_policy_clamp(policy, &config->maximums);
}

char *config_language_names(const struct config *config)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (size_t i = 0; i < config->language_count; i++)
        strvec_push(&names, config->languages[i].name);
    return strvec_join(&names, ", ");
}

void config_init(struct config *config)
{
    *config = (struct config){.file = NULL};
    sandbox_policy_init(&config->defaults);
    sandbox_policy_init(&config->maximums);
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < config->language_count; i++) {
        struct language *language = &config->languages[i];

        free(language->name);
        free(language->image);
        strvec_release(&language->command);
        strvec_release(&language->extensions);
        free(language->default_filename);
        strvec_release(&language->environment);
        sandbox_policy_release(&language->policy);
        strvec_release(&language->preparation.steps);
        free(language->preparation.network);
        free(language->preparation.tag);
        strvec_release(&language->list_packages);
        strvec_release(&language->packages);
    }
    for (size_t i = 0; i < config->layer_count; i++) {
        free(config->layers[i].name);
        json_decref(config->layers[i].root);
    }
    free(config->layers);
    free(config->languages);
    free(config->file);
    free(config->container_command);
    free(config->workdir);
    free(config->prompts_dir);
    sandbox_policy_release(&config->defaults);
    sandbox_policy_release(&config->maximums);
}
