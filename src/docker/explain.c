#include "docker/explain.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strvec.h"
#include "docker/budget.h"
#include "docker/engine_info.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"
#include "docker/image_inspect.h"
#include "docker/unreachable.h"

static enum docker_answer ask(const struct docker *docker, const struct strvec *arguments,
                              long long deadline, const struct notifier *cancel,
                              struct docker_output *output)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {
        .arguments = *arguments, .deadline = deadline, .cancel = cancel};

    if (docker_run(docker, &call, output, &ignored) != 0 || docker_crashed(output))
        return DOCKER_UNKNOWN;
    return output->status == 0 ? DOCKER_YES : DOCKER_NO;
}

enum docker_answer docker_engine_answers(const struct docker *docker, long long deadline,
                                         const struct notifier *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    const long long begin = clock_now_ms();
    enum docker_answer answer;

    strvec_push_each(&arguments, "version", "--format", "{{.Server.Version}}", NULL);
    answer = ask(docker, &arguments, deadline, cancel, &output);
    if (answer == DOCKER_UNKNOWN)
        engine_memory_note_silence(docker->memory, begin);
    else
        engine_memory_note_answer(docker->memory);
    if (answer != DOCKER_YES)
        engine_memory_set_api(docker->memory, NULL);
    return answer;
}

long long docker_check_engine(const struct docker *docker, long long deadline,
                              const struct notifier *cancel, bool *answers)
{
    long long end;

    *answers = docker_engine_answers(docker, budget_deadline(docker, BUDGET_QUESTION), cancel) ==
               DOCKER_YES;
    end = budget_deadline(docker, BUDGET_ANSWER);
    return *answers || (deadline != 0 && deadline < end) ? deadline : end;
}

/*
 * Whether the image is in the list of all images: only that says that one is missing. A question
 * about the image alone also fails if its connection to the engine fails, as one of many by ssh.
 * Without --all, the docker command leaves out images that have no tag from 29.0 on, also those
 * that have a digest: what was pulled by one.
 */
static enum docker_answer image_is_listed(const struct docker *docker, const char *image,
                                          const struct notifier *cancel)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY), .cancel = cancel};
    char *rest = NULL;

    strvec_push_each(&call.arguments, "image", "ls", "--all", "--no-trunc", "--digests", "--format",
                     "{{.ID}} {{.Repository}}:{{.Tag}} {{.Repository}}@{{.Digest}}", NULL);
    if (docker_run(docker, &call, &output, &ignored) != 0 || output.status != 0 ||
        output.out.is_cut)
        return DOCKER_UNKNOWN;
    strbuf_addstr(&output.out, ""); /* not NULL, even if docker printed nothing */
    for (char *line = strtok_r(output.out.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (!image_line_has_id(line))
            return DOCKER_UNKNOWN;
        if (image_line_is_of(line, image))
            return DOCKER_YES;
    }
    return DOCKER_NO;
}

static enum docker_answer image_exists(const struct docker *docker, const char *image,
                                       const struct notifier *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    enum docker_answer answer;

    strvec_push_each(&arguments, "image", "inspect", "--format", IMAGE_ID_TEMPLATE, "--", image,
                     NULL);
    answer = ask(docker, &arguments, budget_deadline(docker, BUDGET_QUERY), cancel, &output);
    return answer == DOCKER_NO ? image_is_listed(docker, image, cancel) : answer;
}

int docker_explain_no_answer(const struct docker *docker, enum docker_answer answer,
                             const char *what, const char *message, const struct notifier *cancel,
                             struct error *error)
{
    CLEANUP(engine_info_release) struct engine_info engine;
    CLEANUP(unreachable_release) struct unreachable found;

    engine_info_init(&engine);
    engine.kind = docker->kind;
    engine.silences = answer == DOCKER_UNKNOWN ? engine_memory_silences(docker->memory) : 0;
    engine_info_ask_endpoint(&engine, docker, cancel);
    found = unreachable_find(docker, &engine, message);
    if (found.reason == UNREACHABLE_UNKNOWN)
        return error_set(error, ERROR_ENGINE, "%s: %s; %s: %s", what, found.problem, found.advice,
                         message);
    return error_set(error, ERROR_ENGINE, "%s: %s; %s", what, found.problem, found.advice);
}

int docker_explain_silence(const struct docker *docker, const char *what,
                           const struct notifier *cancel, struct error *error)
{
    error_release(error);
    return docker_explain_no_answer(docker, DOCKER_UNKNOWN, what, "it did not answer in time",
                                    cancel, error);
}

int docker_check_kind(const struct docker *docker, const char *what, const char *message,
                      const struct notifier *cancel, struct error *error)
{
    CLEANUP(engine_info_release) struct engine_info engine;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP_FREE char *problem = engine_mismatch(docker);
    CLEANUP_FREE char *advice = engine_mismatch_advice(docker);

    engine_info_init(&engine);
    if (engine_info_ask_versions(&engine, docker, budget_deadline(docker, BUDGET_QUERY), cancel,
                                 &ignored) != 0 ||
        engine.kind == docker->kind)
        return 0;
    return error_set(error, ERROR_ENGINE, "%s: %s; %s%s%s", what, problem, advice,
                     message ? ": " : "", message ? message : "");
}

/* Asks for the version of the API that the docker command and the engine use with each other. */
static void learn_api(const struct docker *docker, const struct notifier *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;

    strvec_push_each(&arguments, "version", "--format", "{{.Client.APIVersion}}", NULL);
    if (ask(docker, &arguments, budget_deadline(docker, BUDGET_QUERY), cancel, &output) ==
        DOCKER_YES)
        engine_memory_set_api(docker->memory, strbuf_string(&output.out));
}

int docker_explain(const struct docker *docker, const char *image, const char *what,
                   const char *message, const struct notifier *cancel, struct error *error)
{
    const enum docker_answer answers =
        docker_engine_answers(docker, budget_deadline(docker, BUDGET_QUERY), cancel);
    enum docker_answer exists = DOCKER_UNKNOWN;

    if (answers == DOCKER_YES && docker->memory && unreachable_is_mismatch(message))
        learn_api(docker, cancel);
    if (answers == DOCKER_YES)
        exists = image_exists(docker, image, cancel);
    if (exists == DOCKER_UNKNOWN && notifier_raised(cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (answers != DOCKER_YES)
        return docker_explain_no_answer(docker, answers, what, message, cancel, error);
    if (exists == DOCKER_NO)
        return error_set(error, ERROR_IMAGE, "image '%s' is not on the engine; run: %s pull %s",
                         image, docker->command, image);
    if (docker_check_kind(docker, what, message, cancel, error) != 0)
        return -1;
    return error_set(error, ERROR_ENGINE, "%s: %s", what, message);
}
