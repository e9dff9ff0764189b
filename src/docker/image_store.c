#include "docker/image_store.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"
#include "docker/explain.h"

/*
 * Inspects the image; the output is what docker prints for the Go template. Returns 1; 0 if the
 * engine has no such image; -1 if it does not say.
 */
static int inspect(const struct docker *docker, const char *image, const char *template,
                   const struct notifier *cancel, struct docker_output *output, struct error *error)
{
    CLEANUP(error_release) struct error reason = ERROR_INIT;
    CLEANUP_FREE char *message = NULL;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY), .cancel = cancel};

    strvec_push_each(&call.arguments, "image", "inspect", "--format", template, "--", image, NULL);
    if (docker_run(docker, &call, output, error) != 0)
        return -1;
    if (output->status == 0)
        return 1;
    message = docker_failure(docker, &call, output);
    docker_explain(docker, image, "cannot inspect an image", message, cancel, &reason);
    return reason.kind == ERROR_IMAGE ? 0 : error_set(error, reason.kind, "%s", reason.message);
}

int image_store_has(const struct docker *docker, const char *image, const struct notifier *cancel,
                    struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;

    return inspect(docker, image, IMAGE_ID_TEMPLATE, cancel, &output, error);
}

/* Writes the tags as Docker does. */
static void rename_tags(enum engine_kind kind, struct strvec *tags)
{
    struct strvec renamed = STRVEC_INIT;

    for (size_t i = 0; i < tags->count; i++)
        strvec_push(&renamed, engine_image_name(kind, tags->items[i]));
    strvec_release(tags);
    *tags = renamed;
}

/*
 * The template prints the whole object. One that names a member fails if the engine leaves that
 * member out and the struct of the docker command lacks it (see IMAGE_ID_TEMPLATE): Docker 29
 * leaves out what is empty (API 1.52, GET /images/{name}/json).
 * podman 4.3 takes "{{json .}}" for the word "json", with which it prints an array.
 */
int image_store_details(const struct docker *docker, const char *image,
                        const struct notifier *cancel, struct image_details *details,
                        struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const int there = inspect(docker, image, "{{- json .}}", cancel, &output, error);

    if (there == 1 && !image_details_read(details, strbuf_string(&output.out), output.out.length)) {
        image_details_release(details);
        return error_set(error, ERROR_ENGINE,
                         "cannot inspect the image '%s': '%s image inspect' did not answer in JSON",
                         image, docker->command);
    }
    rename_tags(docker->kind, &details->tags);
    return there;
}

int image_store_environment(const struct docker *docker, const char *image,
                            const struct notifier *cancel, struct strvec *environment,
                            struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const int there = inspect(docker, image, "{{json .Config.Env}}", cancel, &output, error);
    json_t *list;
    size_t i;
    json_t *item;

    if (there < 0)
        return -1;
    if (there == 0)
        return error_set(error, ERROR_IMAGE, "image '%s' is not on the engine", image);
    list = json_loadb(strbuf_string(&output.out), output.out.length, 0, NULL);
    json_array_foreach(list, i, item)
        if (json_is_string(item))
            strvec_push(environment, json_string_value(item));
    json_decref(list);
    return 0;
}

/* docker image COMMAND FIRST [SECOND]. */
static int change(const struct docker *docker, const char *command, const char *first,
                  const char *second, const char *what, const struct notifier *cancel,
                  struct error *error)
{
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_IMAGE), .cancel = cancel};

    strvec_push_each(&call.arguments, "image", command, "--", first, second, NULL);
    return docker_succeed(docker, &call, what, NULL, error);
}

int image_store_tag(const struct docker *docker, const char *image, const char *tag,
                    const struct notifier *cancel, struct error *error)
{
    return change(docker, "tag", image, tag, "cannot tag the image", cancel, error);
}

int image_store_remove(const struct docker *docker, const char *tag, const struct notifier *cancel,
                       struct error *error)
{
    return change(docker, "rm", tag, NULL, "cannot remove the image", cancel, error);
}

/* Sets the error of a pull that has failed. Returns -1. */
static int explain_pull(const struct docker *docker, const char *what, const char *message,
                        const struct notifier *cancel, struct error *error)
{
    const enum docker_answer answer =
        docker_engine_answers(docker, budget_deadline(docker, BUDGET_QUERY), cancel);

    if (notifier_raised(cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (answer != DOCKER_YES)
        return docker_explain_no_answer(docker, answer, what, message, cancel, error);
    return error_set(error, ERROR_IMAGE,
                     "%s: %s; without its registry, bring the image with '%s save' and '%s load', "
                     "or set \"image\" of the language to one that the engine has",
                     what, message, docker->command, docker->command);
}

int image_store_pull(const struct docker *docker, const char *image, const struct notifier *cancel,
                     struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.cancel = cancel,
                               .show_stdout = true,
                               .engine_check = docker_check_engine,
                               .check_at = budget_deadline(docker, BUDGET_SILENCE)};
    CLEANUP_FREE char *what = string_format("cannot pull the image '%s'", image);
    CLEANUP_FREE char *message = NULL;

    strvec_push_each(&call.arguments, "pull", "--", image, NULL);
    if (docker_run(docker, &call, &output, error) != 0)
        return output.given_up ? docker_explain_silence(docker, what, cancel, error) : -1;
    message = docker_last_message(&output.err);
    if (output.status == 0) {
        if (*message)
            diagnostics_line("%s", message);
        return 0;
    }
    if (*message == '\0') {
        free(message);
        message = docker_failure(docker, &call, &output);
    }
    return explain_pull(docker, what, message, cancel, error);
}
