#include "config/request.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/environment.h"
#include "config/workdir.h"
#include "docker/image.h"

/* Where programs may put what they need: the workdir holds their files, /tmp the rest. */
static const char HOME_VARIABLE[] = "HOME=/tmp";

void request_init(struct request *request)
{
    *request = (struct request){.file = -1, .stdin_file = -1, .live = {-1, -1}};
    sandbox_policy_init(&request->policy);
}

void request_release(struct request *request)
{
    free(request->language);
    free(request->image);
    free(request->workdir);
    free(request->dir);
    cleanup_fd(&request->file);
    free(request->code);
    free(request->entrypoint);
    input_files_release(&request->files);
    strvec_release(&request->arguments);
    strvec_release(&request->environment);
    cleanup_fd(&request->stdin_file);
    sandbox_policy_release(&request->policy);
    strvec_release(&request->artifacts);
    free(request->save_image);
    free(request->save_dockerfile);
    request_init(request);
}

int request_add_artifact(struct request *request, const char *pattern, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(pattern, 80);

    while (strncmp(pattern, "./", 2) == 0)
        pattern += 2;
    if (*pattern == '\0' || *pattern == '/' || strlen(pattern) > REQUEST_PATTERN_MAX)
        return error_set(error, ERROR_USAGE,
                         "'%s' must be a pattern for paths in the working directory, like *.png",
                         shown);
    if (request->artifacts.count == REQUEST_PATTERNS_MAX)
        return error_set(error, ERROR_USAGE, "more than %d patterns", REQUEST_PATTERNS_MAX);
    strvec_push(&request->artifacts, pattern);
    return 0;
}

static const struct language *find_language(const struct config *config,
                                            const struct request *request, struct error *error)
{
    const struct language *language;

    if (request->language) {
        char *const names[] = {request->language, NULL};

        if (config_check_languages(config, names, error) != 0)
            return NULL;
        return config_language(config, request->language);
    }
    language = request->entrypoint ? config_language_of_file(config, request->entrypoint) : NULL;
    if (!language) {
        CLEANUP_FREE char *known = config_language_names(config);
        CLEANUP_FREE char *shown = text_escape(request->entrypoint ? request->entrypoint : "-");
        error_set(error, ERROR_USAGE,
                  "cannot tell the language of '%s'; give " ERROR_SUBJECT " (%s)", shown, known);
        error_about(error, REQUEST_LANGUAGE);
    }
    return language;
}

/*
 * A single file may have any name on the host; it is sent under its own only where that is one of
 * the language, since compilers go by the extension.
 */
static char *choose_entrypoint(const struct request *request, const struct language *language)
{
    const char *name = request->entrypoint;
    const char *dot = name ? strrchr(name, '.') : NULL;

    const bool chosen = request->dir || request->code;

    if (name && (chosen || (dot && strvec_contains(&language->extensions, dot))))
        return string_copy(name);
    return string_copy(language->default_filename);
}

/* The argument with each "{entrypoint}" replaced; owned. */
static char *fill_in(const char *argument, const char *entrypoint)
{
    static const char mark[] = "{entrypoint}";
    struct strbuf filled = STRBUF_INIT;
    const char *found;

    while ((found = strstr(argument, mark))) {
        strbuf_add(&filled, argument, (size_t)(found - argument));
        /* A name like "-c" would be an option of the interpreter. */
        if (found == argument && entrypoint[0] == '-')
            strbuf_addstr(&filled, "./");
        strbuf_addstr(&filled, entrypoint);
        argument = found + strlen(mark);
    }
    strbuf_addstr(&filled, argument);
    return strbuf_steal(&filled);
}

static int check_environment(const struct request *request, struct error *error)
{
    for (size_t i = 0; i < request->environment.count; i++) {
        const char *assignment = request->environment.items[i];
        const size_t length = strcspn(assignment, "=");

        if (!environment_is_name(assignment, length)) {
            CLEANUP_FREE char *name = string_format("%.*s", (int)length, assignment);
            CLEANUP_FREE char *shown = text_escape_short(name, 80);
            return error_set(error, ERROR_USAGE,
                             "'%s' is not the name of an environment variable: letters, digits, _",
                             shown);
        }
        if (environment_is_reserved(assignment, length))
            return error_set(error, ERROR_USAGE,
                             "variable '%.*s' cannot be given: shells keep it for themselves",
                             (int)length, assignment);
    }
    return 0;
}

static int check_request(const struct request *request, struct error *error)
{
    if (request->image && image_check_reference(request->image, error) != 0)
        return -1;
    CLEANUP_FREE char *workdir = request->workdir ? workdir_parse(request->workdir, error) : NULL;

    if (request->workdir && !workdir)
        return -1;
    if (request->save_image && image_check_tag(request->save_image, error) != 0)
        return -1;
    return check_environment(request, error);
}

int plan_resolve(struct plan *plan, const struct config *config, const struct request *request,
                 struct error *error)
{
    const struct language *language = find_language(config, request, error);

    if (!language || check_request(request, error) != 0)
        return -1;
    plan->request = request;
    plan->language = language->name;
    plan->image = request->image ? request->image : language->image;
    if (!request->image && language->preparation.tag) {
        plan->image = language->preparation.tag;
        plan->base = language->image;
    }
    plan->workdir = request->workdir ? request->workdir : config->workdir;
    plan->entrypoint = choose_entrypoint(request, language);
    if (input_files_check_path(plan->entrypoint, error) != 0)
        return error_prefix(error, "entrypoint");
    if (input_files_check(&request->files, plan->entrypoint, error) != 0)
        return -1;

    plan->artifacts_most = config->max_artifacts;
    plan->artifact_bytes_most = config->max_artifact_bytes;
    config_policy(config, language, &plan->policy);
    sandbox_policy_overlay(&plan->policy, &request->policy);
    if (sandbox_policy_check(&plan->policy, &config->maximums, error) != 0)
        return -1;

    for (size_t i = 0; i < language->command.count; i++)
        strvec_push_owned(&plan->command, fill_in(language->command.items[i], plan->entrypoint));
    strvec_push_all(&plan->command, &request->arguments);
    environment_set(&plan->public_environment, HOME_VARIABLE);
    for (size_t i = 0; i < language->environment.count; i++)
        environment_set(&plan->public_environment, language->environment.items[i]);
    strvec_push_all(&plan->environment, &plan->public_environment);
    for (size_t i = 0; i < request->environment.count; i++)
        environment_set(&plan->environment, request->environment.items[i]);
    return 0;
}

void plan_release(struct plan *plan)
{
    free(plan->entrypoint);
    strvec_release(&plan->command);
    strvec_release(&plan->environment);
    strvec_release(&plan->public_environment);
    sandbox_policy_release(&plan->policy);
    *plan = (struct plan)PLAN_INIT;
}
