#include "docker/explain.h"

#include "base/cleanup.h"
#include "base/strvec.h"
#include "docker/budget.h"

/*
 * The answer that an exit status gives. It is unknown if the command cannot be run, does not end,
 * is killed or crashes: a Go program exits with 2 if it gets no thread or no memory (package
 * runtime), and the docker command itself never uses that status.
 */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };
enum { STATUS_GO_CRASH = 2 };

static enum answer ask(const struct docker *docker, const struct strvec *arguments,
                       const struct notifier *cancel)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {.arguments = arguments,
                                     .stdin_file = -1,
                                     .deadline = budget_deadline(docker, BUDGET_QUERY),
                                     .cancel = cancel};

    if (docker_run(docker, &call, &output, &ignored) != 0 || docker_was_killed(&output) ||
        output.status == STATUS_GO_CRASH)
        return ANSWER_UNKNOWN;
    return output.status == 0 ? ANSWER_YES : ANSWER_NO;
}

int docker_explain(const struct docker *docker, const char *image, const char *what,
                   const char *message, const struct notifier *cancel, struct error *error)
{
    CLEANUP(strvec_release) struct strvec version = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec inspect = STRVEC_INIT;
    enum answer engine_answers, image_exists = ANSWER_UNKNOWN;

    strvec_push_each(&version, "version", "--format", "{{.Server.Version}}", NULL);
    strvec_push_each(&inspect, "image", "inspect", "--format", IMAGE_ID_TEMPLATE, "--", image,
                     NULL);
    engine_answers = ask(docker, &version, cancel);
    if (engine_answers == ANSWER_YES)
        image_exists = ask(docker, &inspect, cancel);
    if (image_exists == ANSWER_UNKNOWN && notifier_raised(cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (engine_answers != ANSWER_YES)
        return error_set(error, ERROR_ENGINE,
                         "%s: the container engine does not answer; is it running, and may this "
                         "user reach it? ('isolator doctor' tells more): %s",
                         what, message);
    if (image_exists == ANSWER_NO)
        return error_set(error, ERROR_IMAGE, "image '%s' is not on the engine; run: %s pull %s",
                         image, docker->command, image);
    return error_set(error, ERROR_ENGINE, "%s: %s", what, message);
}
