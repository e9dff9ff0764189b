#include "prepare/prepare_steps.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "config/environment.h"
#include "config/prepare_rules.h"
#include "container/delivery.h"
#include "container/owned_container.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/dockerfile.h"
#include "docker/engine_kind.h"
#include "prepare/prepare_maker.h"
#include "prepare/prepare_proxy.h"
#include "request/proxy_variables.h"

/* A preparation takes a day at most, for the deadline in the labels of its container. */
enum { MAX_USE_MS = 24 * 3600 * 1000 };

enum { LIST_MAX = 1 << 16 };

/*
 * Process 1 of the container, with the arguments DIRECTORY, NAME=VALUE..., "--", STEP.... It
 * changes the directory and sets the variables itself, since those of the container would become
 * part of the image. All output goes to one stream, so that it keeps its order.
 */
#define RUNNER                                                                                     \
    "cd \"$1\" || exit; shift\n"                                                                   \
    "while [ \"$1\" != -- ]; do export \"$1\"; shift; done; shift\n"                               \
    "exec 2>&1\n"                                                                                  \
    "for step; do printf '+ %s\\n' \"$step\"; /bin/sh -c \"$step\" </dev/null || exit; done"

/*
 * What the steps have here does not become part of the image: it is a volume.
 * PREPARE_FILES_DIRECTORY is in it.
 */
#define TEMPORARY "/tmp"

/*
 * What follows RUNNER if a volume would become part of the image, so that there is none: empties
 * the directory, after it has killed what the steps have left running.
 */
#define CLEANER                                                                                    \
    "\ncd /; kill -9 -1 2>/dev/null\n"                                                             \
    "for left in " TEMPORARY "/..?* " TEMPORARY "/.[!.]* " TEMPORARY                               \
    "/*; do rm -rf \"$left\" || exit; done"

/* The file of the relay (prepare/prepare_proxy.h) in it, which is there until the relay runs. */
#define RELAY_NAME ".isolator-relay"

/* ---- a container that runs to its end */

/* What a container is made of; all members are borrowed. */
struct step_container {
    const char *image;
    const struct prepare_network *network;
    const struct strvec *command;
};

/* Borrows from all arguments; the labels of the container must be complete. */
static struct container_spec step_spec(const struct prepare *prepare,
                                       const struct owned_container *container,
                                       const struct step_container *step,
                                       const struct strvec *cap_drop)
{
    return (struct container_spec){
        .name = container->name,
        .image = step->image,
        .network = step->network->name ? step->network->name : "none",
        .volume = engine_leaves_out_volumes(prepare->docker->kind) ? TEMPORARY : NULL,
        .cap_drop = cap_drop,
        .labels = &container->labels,
        .command = step->command,
        .lifeline = step->network->hosts.count > 0, /* stdin is the relay's */
        /* An image shows the environment of its container, and proxies may contain passwords. */
        .without_proxies = true,
    };
}

/*
 * Starts the container, passes its output to the sink, or to the proxy unless that is NULL, and
 * waits for its end. Sets the exit status.
 */
static int run_to_end(const struct prepare *prepare, const struct owned_container *container,
                      struct prepare_proxy *proxy, process_sink *sink, void *context, int *status,
                      struct error *error)
{
    const struct process_options streams = {.stdin_kind =
                                                proxy ? PROCESS_STDIN_PIPE : PROCESS_STDIN_NULL};
    const struct docker *docker = prepare->docker;
    struct process_pump pump = PROCESS_PUMP_INIT;
    CLEANUP(process_release) struct process client = PROCESS_INIT;
    struct container_state state;

    if (container_start(docker, container->name, &streams, &client, error) != 0)
        return -1;
    pump.sink = sink;
    pump.context = context;
    if (proxy)
        prepare_proxy_attach(proxy, &client, &pump);
    pump.cancel = notifier_fd(prepare->cancel);
    if (process_pump(&client, &pump) == PROCESS_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (container_inspect(docker, container->name, budget_deadline(docker, BUDGET_INSPECT), &state,
                          error) != 0)
        return -1;
    if (!state.started && *state.message)
        return error_set(error, ERROR_ENGINE, "cannot start the container: %s", state.message);
    if (!state.started)
        return error_set(error, ERROR_ENGINE, "cannot start the container: '%s start' failed",
                         docker->command);
    if (!state.ended)
        return error_set(error, ERROR_ENGINE, "'%s start' ended before the command; was it killed?",
                         docker->command);
    *status = state.exit_code;
    return 0;
}

/* Creates a container for the command. On success the caller removes it. */
static int create_step_container(const struct prepare *prepare, struct owned_container *container,
                                 const struct step_container *step, struct error *error)
{
    CLEANUP(strvec_release) struct strvec cap_drop = STRVEC_INIT;
    const struct container_spec spec = step_spec(prepare, container, step, &cap_drop);

    /* No installation needs these capabilities. */
    strvec_push_each(&cap_drop, "NET_RAW", "MKNOD", "AUDIT_WRITE", NULL);
    return owned_container_create(container, &spec, budget_deadline(prepare->docker, BUDGET_IMAGE),
                                  0, prepare->cancel, prepare->warnings, error);
}

/* A failure becomes a warning: the reaper or `isolator gc` removes the container later. */
static void remove_step_container(const struct prepare *prepare,
                                  const struct owned_container *container)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    if (owned_container_remove(container, NULL, 0, &failure) != 0)
        strvec_push(prepare->warnings, failure.message);
}

/* ---- the steps */

static char *step_script(const struct prepare *prepare, bool has_proxy)
{
    return string_format("%s%s%s", has_proxy ? PREPARE_PROXY_SCRIPT : "", RUNNER,
                         engine_leaves_out_volumes(prepare->docker->kind) ? "" : CLEANER);
}

static struct strvec step_command(const struct prepare *prepare, const struct language *language,
                                  const struct network_rules *hosts)
{
    const bool has_proxy = hosts->count > 0;
    CLEANUP_FREE char *script = step_script(prepare, has_proxy);
    CLEANUP(strvec_release) struct strvec variables = STRVEC_INIT;
    struct strvec command = STRVEC_INIT;

    environment_set(&variables, "HOME=/tmp");
    if (has_proxy)
        proxy_variables_set(&variables, hosts,
                            network_rules_terminate(hosts) ? TEMPORARY "/" PROXY_BUNDLE_NAME
                                                           : NULL);
    for (size_t i = 0; i < language->environment.count; i++)
        environment_set(&variables, language->environment.items[i]);
    strvec_push_each(&command, "/bin/sh", "-c", script, "sh", NULL);
    if (has_proxy) {
        strvec_push(&command, TEMPORARY "/" RELAY_NAME);
        strvec_pushf(&command, "%d", hosts->max_connections);
    }
    strvec_push(&command, language->preparation.files.count > 0 ? PREPARE_FILES_DIRECTORY : ".");
    strvec_push_all(&command, &variables);
    strvec_push(&command, "--");
    strvec_push_all(&command, &language->preparation.steps);
    return command;
}

/*
 * Adds labels to the container that become labels of the image: what it was prepared from, and by
 * whom.
 */
static void add_labels(struct strvec *labels, const struct prepare *prepare,
                       const struct language *language, const char *base_id,
                       const struct prepare_files *files)
{
    json_auto_t *steps = json_make_list(&language->preparation.steps);
    char *text = json_dumps(steps, JSON_ENSURE_ASCII | JSON_COMPACT);

    if (!text)
        abort();
    strvec_pushf(labels, PREPARE_LABEL_LANGUAGE "=%s", language->name);
    strvec_pushf(labels, PREPARE_LABEL_BASE "=%s", language->image);
    strvec_pushf(labels, PREPARE_LABEL_BASE_ID "=%s", base_id);
    strvec_pushf(labels, PREPARE_LABEL_STEPS "=%s", text);
    strvec_pushf(labels, PREPARE_LABEL_TAG "=%s", language->preparation.tag);
    if (files->digest.count > 0)
        strvec_pushf(labels, PREPARE_LABEL_FILES "=%s", files->digest.items[0]);
    prepare_maker_labels(labels, prepare->config_file);
    free(text);
}

/*
 * Adds the instructions that restore the user, entrypoint and command of the base image, since the
 * container had others. docker commit keeps those of the container if an instruction is empty, so a
 * base image without a command gets a shell.
 */
static int restore_base(const struct image_details *base, struct strvec *changes,
                        struct error *error)
{
    owner_disown(changes);
    if (base->user &&
        base->user[strspn(base->user, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.:-")] != '\0')
        return error_set(error, ERROR_ENGINE, "the image has a user whose name cannot be kept");
    if (base->user)
        strvec_pushf(changes, "USER %s", base->user);
    dockerfile_add_words(changes, "ENTRYPOINT", &base->entrypoint);
    if (base->entrypoint.count > 0 || base->command.count > 0)
        dockerfile_add_words(changes, "CMD", &base->command);
    else
        strvec_push(changes, "CMD [\"/bin/sh\"]");
    return 0;
}

const struct prepare_network *prepare_steps_network(const struct prepare *prepare,
                                                    const struct language *language)
{
    return prepare_network_is_given(prepare->network) ? prepare->network
                                                      : &language->preparation.network;
}

/* They do not become part of the image. */
static int copy_files(const struct prepare *prepare, const struct owned_container *container,
                      const struct prepare_files *files, struct error *error)
{
    if (files->digest.count == 0)
        return 0;
    return container_copy_in(prepare->docker, container->name, TEMPORARY, "the files",
                             archive_file(&files->archive), 0, prepare->cancel, error);
}

/* Runs the steps in a container of the image `base` that has not started, with a proxy or not. */
static int run_steps(const struct prepare *prepare, const struct owned_container *container,
                     const struct language *language, const struct image_details *base, int *status,
                     struct error *error)
{
    const struct network_rules *hosts = &prepare_steps_network(prepare, language)->hosts;
    CLEANUP(prepare_proxy_release) struct prepare_proxy proxy = PREPARE_PROXY_INIT;
    int result;

    if (hosts->count == 0)
        return run_to_end(prepare, container, NULL, prepare->output, prepare->context, status,
                          error);
    if (delivery_copy_supervisor(prepare->docker, container->name, TEMPORARY, RELAY_NAME,
                                 language->image, base->architecture, prepare->cancel,
                                 error) != 0 ||
        prepare_proxy_open(&proxy, prepare, hosts, error) != 0 ||
        prepare_proxy_copy_certificates(&proxy, container->name, TEMPORARY, error) != 0)
        return -1;
    result = run_to_end(prepare, container, &proxy, NULL, NULL, status, error);
    prepare_proxy_warn(&proxy);
    return result;
}

int prepare_make_image(const struct prepare *prepare, const struct language *language,
                       const struct image_details *base, const struct prepare_files *files,
                       const char *tag, int *status, struct error *error)
{
    const struct prepare_network *network = prepare_steps_network(prepare, language);
    CLEANUP(strvec_release)
    struct strvec command = step_command(prepare, language, &network->hosts);
    CLEANUP(strvec_release) struct strvec changes = STRVEC_INIT;
    CLEANUP(owned_container_release) struct owned_container container;
    /* by its id, since a pull may move its name */
    const struct step_container step = {base->id, network, &command};
    int result;

    owned_container_init(&container, prepare->docker, NULL, MAX_USE_MS);
    add_labels(&container.labels, prepare, language, base->id, files);
    if (restore_base(base, &changes, error) != 0 ||
        create_step_container(prepare, &container, &step, error) != 0)
        return -1;
    result = copy_files(prepare, &container, files, error);
    if (result == 0)
        result = run_steps(prepare, &container, language, base, status, error);
    if (result == 0 && *status == 0)
        result = container_commit(prepare->docker, container.name, tag, &changes, 0,
                                  prepare->cancel, error);
    remove_step_container(prepare, &container);
    return result;
}

/* ---- the packages */

static bool keep_list(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct strbuf *kept = context;

    if (stream == PROCESS_STDOUT)
        strbuf_add(kept, data, length);
    return true;
}

/*
 * Adds the lines that are allowed names of packages, each once. A last line that was cut is
 * ignored.
 */
static void add_packages(struct strbuf *list, struct strvec *packages)
{
    char *last = list->is_cut ? strrchr(list->data, '\n') : NULL;
    char *rest = NULL;

    if (last)
        *last = '\0';
    for (char *line = strtok_r(list->data, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest))
        if (packages->count < PREPARE_PACKAGES_MAX && prepare_is_package(line))
            strvec_push_once(packages, line);
}

int prepare_list_packages(const struct prepare *prepare, const struct language *language,
                          const char *image, struct strvec *packages, int *status,
                          struct error *error)
{
    static const struct prepare_network none = PREPARE_NETWORK_INIT;
    const struct step_container step = {image, &none, &language->list_packages};
    CLEANUP(strbuf_release) struct strbuf list = STRBUF_MAX(LIST_MAX);
    CLEANUP(owned_container_release) struct owned_container container;
    int result;

    owned_container_init(&container, prepare->docker, NULL, MAX_USE_MS);
    if (create_step_container(prepare, &container, &step, error) != 0)
        return -1;
    result = run_to_end(prepare, &container, NULL, keep_list, &list, status, error);
    if (result == 0 && *status == 0 && list.data)
        add_packages(&list, packages);
    remove_step_container(prepare, &container);
    return result;
}
