/*
 * Why a docker command failed. The messages of docker are not stable between versions, so the
 * reason is found by asking further questions whose answer is an exit status.
 */
#ifndef DOCKER_EXPLAIN_H
#define DOCKER_EXPLAIN_H

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"

/*
 * The answer that an exit status gives. It is unknown if the command cannot be run, does not end,
 * is killed or crashes (docker_crashed()).
 */
enum docker_answer { DOCKER_NO, DOCKER_YES, DOCKER_UNKNOWN };

/* Whether the engine answers before the deadline (clock_now_ms()). `cancel` may be NULL. */
enum docker_answer docker_engine_answers(const struct docker *docker, long long deadline,
                                         const struct notifier *cancel);

/*
 * A docker_engine_check for commands that may take as long as a slow engine needs: the deadline if
 * the engine answers within BUDGET_QUESTION, else BUDGET_ANSWER from then on, as it may only be
 * slow to answer. `deadline` may be 0: none.
 */
long long docker_check_engine(const struct docker *docker, long long deadline,
                              const struct notifier *cancel, bool *answers);

/*
 * Sets the error of a command that failed with `message` because the engine does not answer
 * (`answer`): what to do about it (docker/unreachable.h), and the message if that may tell more.
 * ERROR_ENGINE. Returns -1.
 */
int docker_explain_no_answer(const struct docker *docker, enum docker_answer answer,
                             const char *what, const char *message, const struct notifier *cancel,
                             struct error *error);

/*
 * The same for a command that was given up, since the engine did not answer in time. It replaces
 * the error of docker_run().
 */
int docker_explain_silence(const struct docker *docker, const char *what,
                           const struct notifier *cancel, struct error *error);

/*
 * Sets the error of a command on `image` that failed with `message`: the image is missing
 * (ERROR_IMAGE, with the command that pulls it), the engine does not answer, or the message itself
 * (both ERROR_ENGINE). It asks the engine twice, for BUDGET_QUERY each, and docker for its
 * endpoint (BUDGET_ENDPOINT), and sets ERROR_CANCELLED if
 * `cancel` (may be NULL) is raised before the answer. Returns -1.
 */
int docker_explain(const struct docker *docker, const char *image, const char *what,
                   const char *message, const struct notifier *cancel, struct error *error);

/*
 * Asks for BUDGET_QUERY whether the engine is of the kind that the command's name says. 0, also if
 * it does not answer. Else -1: the error says what is wrong and what to do, and repeats the message
 * of a command that has failed, unless that is NULL. ERROR_ENGINE.
 */
int docker_check_kind(const struct docker *docker, const char *what, const char *message,
                      const struct notifier *cancel, struct error *error);

#endif
