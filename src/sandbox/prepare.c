#include "sandbox/prepare.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "docker/container.h"
#include "docker/image_store.h"
#include "sandbox/box.h"
#include "sandbox/environment.h"
#include "sandbox/owner.h"
#include "sandbox/prepared.h"
#include "sandbox/prepared_file.h"

/* Of the engine's time, for what is not a step. */
enum { CREATE_PERCENT = 600, INSPECT_PERCENT = 30 };

/* After a day nobody on another host believes that the steps still run. */
enum { LONGEST_MS = 24 * 3600 * 1000 };

enum { LIST_MAX = 1 << 16 };

/*
 * Process 1 of the container: "NAME=VALUE"..., "--", STEP.... The variables do not become part of the image, as
 * they would if the container were given them. All output goes one way, so that it stays in its order.
 */
static const char RUNNER[] =
    "while [ \"$1\" != -- ]; do export \"$1\"; shift; done; shift\n"
    "exec 2>&1\n"
    "for step; do printf '+ %s\\n' \"$step\"; /bin/sh -c \"$step\" </dev/null || exit; done";

static const char BASE_FORMAT[] = "{\"id\":{{json .Id}},\"user\":{{json .Config.User}},"
                                  "\"entrypoint\":{{json .Config.Entrypoint}},"
                                  "\"cmd\":{{json .Config.Cmd}}}";
static const char VIEW_FORMAT[] =
    "{\"size\":{{json .Size}},\"created\":{{json .Created}},"
    "\"base\":{{json (index .Config.Labels \"isolator.prepared.base-id\")}}}";

static void release_json(json_t **json)
{
    json_decref(*json);
}

/* ---- what the engine says of an image */

/* What the template makes of it, JSON, a new reference: 1, 0 where there is no such image, -1. */
static int look(const struct docker *docker, const char *image, const char *format,
                const struct cancel *cancel, json_t **json, struct error *error)
{
    CLEANUP_FREE char *text = NULL;
    const int there = image_store_look(docker, image, format, cancel, &text, error);

    if (there <= 0)
        return there;
    *json = json_loads(text, 0, NULL);
    if (!*json)
        return error_set(error, ERROR_ENGINE,
                         "cannot look at the image '%s': what docker says is not JSON", image);
    return 1;
}

/* The id in it, borrowed; NULL where it has not the form of one. */
static const char *id_of(const json_t *json, const char *member)
{
    static const char start[] = "sha256:";
    const char *id = json_string_value(json_object_get(json, member));

    return id && strncmp(id, start, strlen(start)) == 0 && strlen(id) == strlen(start) + 64 &&
                   strspn(id + strlen(start), "0123456789abcdef") == 64
               ? id
               : NULL;
}

static int look_at_base(const struct docker *docker, const struct language *language,
                        const struct cancel *cancel, json_t **base, struct error *error)
{
    const int there = look(docker, language->image, BASE_FORMAT, cancel, base, error);

    if (there == 0)
        return error_set(error, ERROR_IMAGE,
                         "image '%s' is not on the engine; run: isolator pull %s", language->image,
                         language->name);
    if (there == 1 && !id_of(*base, "id"))
        return error_set(error, ERROR_ENGINE, "cannot look at the image '%s': docker names no id",
                         language->image);
    return there == 1 ? 0 : -1;
}

/* The tags of ours that an image has; none where there is no such image. */
static int look_at_tags(const struct docker *docker, const char *image, const struct cancel *cancel,
                        struct strvec *tags, struct error *error)
{
    static const char start[] = PREPARED_REPOSITORY ":";
    CLEANUP(release_json) json_t *all = NULL;
    json_t *tag;
    size_t i;

    if (look(docker, image, "{{json .RepoTags}}", cancel, &all, error) < 0)
        return -1;
    json_array_foreach(all, i, tag)
    {
        const char *text = json_string_value(tag);

        if (text && strncmp(text, start, strlen(start)) == 0)
            strvec_push(tags, text);
    }
    return 0;
}

/* ---- a container that runs to its end */

/* What a container for the image gets. The box must have its labels by then. */
static struct container_spec spec_of(const struct box *box, const char *image, const char *network,
                                     const struct strvec *cap_drop, const struct strvec *command)
{
    return (struct container_spec){
        .name = box->name,
        .image = image,
        .network = network,
        .volume = "/tmp", /* what lies in a volume is not part of the image */
        .cap_drop = cap_drop,
        .labels = &box->labels,
        .command = command,
        .environment_file = -1,
    };
}

/* Starts it, and hands over what it writes. *status is that of its command. */
static int run_to_end(const struct prepare *prepare, const struct box *box, process_sink *sink,
                      void *context, int *status, struct error *error)
{
    static const struct process_options streams = {.stdin_kind = PROCESS_STDIN_NULL};
    const struct docker *docker = prepare->docker;
    struct process_pump pump = PROCESS_PUMP_INIT;
    CLEANUP(process_release) struct process client = PROCESS_INIT;
    struct container_state state;

    if (container_start(docker, box->name, &streams, &client, error) != 0)
        return -1;
    pump.sink = sink;
    pump.context = context;
    pump.cancel = cancel_fd(prepare->cancel);
    if (process_pump(&client, &pump) == PROCESS_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (container_inspect(docker, box->name, clock_now_ms() + docker_share(docker, INSPECT_PERCENT),
                          &state, error) != 0)
        return -1;
    if (!state.started)
        return error_set(error, ERROR_ENGINE, "cannot start the container: %s",
                         *state.message ? state.message : "'docker start' failed");
    if (!state.ended)
        return error_set(error, ERROR_ENGINE,
                         "'docker start' ended before the command; was it killed?");
    *status = state.exit_code;
    return 0;
}

/* Creates a container for the command. The caller removes it, and releases the box in any case. */
static int create_box(const struct prepare *prepare, struct box *box, const char *image,
                      const char *network, const struct strvec *command, struct error *error)
{
    CLEANUP(strvec_release) struct strvec cap_drop = STRVEC_INIT;
    CLEANUP(strvec_release)
    struct strvec remarks = STRVEC_INIT; /* on limits, of which there are none */
    const struct container_spec spec = spec_of(box, image, network, &cap_drop, command);

    /* What nobody needs to install something. */
    strvec_push_each(&cap_drop, "NET_RAW", "MKNOD", "AUDIT_WRITE", NULL);
    return box_create(box, &spec, clock_now_ms() + docker_share(prepare->docker, CREATE_PERCENT), 0,
                      prepare->cancel, &remarks, error);
}

static int remove_box(const struct box *box, int result, struct error *error)
{
    CLEANUP(error_release) struct error left = ERROR_INIT;

    if (box_remove(box, NULL, 0, &left) == 0 || result != 0)
        return result;
    return error_set(error, left.kind, "%s", left.message);
}

/* ---- the steps */

static struct strvec step_command(const struct language *language)
{
    CLEANUP(strvec_release) struct strvec variables = STRVEC_INIT;
    struct strvec command = STRVEC_INIT;

    environment_set(&variables, "HOME=/tmp");
    for (size_t i = 0; i < language->environment.count; i++)
        environment_set(&variables, language->environment.items[i]);
    strvec_push_each(&command, "/bin/sh", "-c", RUNNER, "sh", NULL);
    strvec_push_all(&command, &variables);
    strvec_push(&command, "--");
    strvec_push_all(&command, &language->preparation.steps);
    return command;
}

/* What the image has of its history, which the container's labels become. */
static void add_labels(struct strvec *labels, const struct language *language, const char *base_id)
{
    json_t *steps = json_array();
    char *text;

    for (size_t i = 0; i < language->preparation.steps.count; i++)
        json_array_append_new(steps, json_string(language->preparation.steps.items[i]));
    text = json_dumps(steps, JSON_ENSURE_ASCII | JSON_COMPACT);
    json_decref(steps);
    if (!text)
        abort();
    strvec_pushf(labels, "isolator.prepared.language=%s", language->name);
    strvec_pushf(labels, "isolator.prepared.base=%s", language->image);
    strvec_pushf(labels, "isolator.prepared.base-id=%s", base_id);
    strvec_pushf(labels, "isolator.prepared.steps=%s", text);
    free(text);
}

/* An instruction with a JSON array behind it; returns whether that has words. */
static bool add_words(struct strvec *changes, const char *instruction, const json_t *words)
{
    char *text = json_is_array(words) ? json_dumps(words, JSON_ENSURE_ASCII) : string_copy("[]");

    if (!text)
        abort();
    strvec_pushf(changes, "%s %s", instruction, text);
    free(text);
    return json_array_size(words) > 0;
}

/*
 * What makes the image run like its base again: the container had another user, entrypoint and command. docker
 * commit takes those of the container where an instruction gives nothing, so a base without any command gets a
 * shell. The variables are proxies that the docker command may have put into the container, with passwords.
 */
static int restore_base(const json_t *base, struct strvec *changes, struct error *error)
{
    const char *user = json_string_value(json_object_get(base, "user"));
    const json_t *command = json_object_get(base, "cmd");
    bool entrypoint;

    owner_disown(changes);
    for (const char *const *name = container_proxy_variables; *name; name++)
        strvec_pushf(changes, "ENV %s=\"\"", *name);
    if (user && user[strspn(user, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.:-")] != '\0')
        return error_set(error, ERROR_ENGINE, "the image has a user whose name cannot be kept");
    if (user && *user)
        strvec_pushf(changes, "USER %s", user);
    entrypoint = add_words(changes, "ENTRYPOINT", json_object_get(base, "entrypoint"));
    if (entrypoint || json_array_size(command) > 0)
        add_words(changes, "CMD", command);
    else
        strvec_push(changes, "CMD [\"/bin/sh\"]");
    return 0;
}

/*
 * Runs the steps, and makes the image unless one has failed. An engine that is interrupted while it makes the image may
 * finish it: then it is complete, and found the next time.
 */
static int make_image(const struct prepare *prepare, const struct language *language,
                      const json_t *base, const char *tag, int *status, struct error *error)
{
    CLEANUP(strvec_release) struct strvec command = step_command(language);
    CLEANUP(strvec_release) struct strvec changes = STRVEC_INIT;
    CLEANUP(box_release) struct box box;
    const char *network = prepare->network                ? prepare->network
                          : language->preparation.network ? language->preparation.network
                                                          : "none";
    int result;

    box_init(&box, prepare->docker, LONGEST_MS);
    add_labels(&box.labels, language, id_of(base, "id"));
    if (restore_base(base, &changes, error) != 0 ||
        create_box(prepare, &box, language->image, network, &command, error) != 0)
        return -1;
    result = run_to_end(prepare, &box, prepare->output, prepare->context, status, error);
    if (result == 0 && *status == 0)
        result =
            container_commit(prepare->docker, box.name, tag, &changes, 0, prepare->cancel, error);
    return remove_box(&box, result, error);
}

/* ---- the packages */

static bool keep_list(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct strbuf *kept = context;
    const size_t room = LIST_MAX - kept->length;

    if (stream == PROCESS_STDOUT)
        strbuf_add(kept, data, length < room ? length : room);
    return true;
}

/* The lines that are names a model may be told, each once; the others are passed over. */
static void take_packages(char *text, struct strvec *packages)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (packages->count < PREPARED_PACKAGES_MAX && prepared_is_package(line) &&
            !strvec_contains(packages, line))
            strvec_push(packages, line);
}

static int list_packages(const struct prepare *prepare, const struct language *language,
                         struct strvec *packages, int *status, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;
    CLEANUP(box_release) struct box box;
    int result;

    box_init(&box, prepare->docker, LONGEST_MS);
    if (create_box(prepare, &box, language->preparation.tag, "none", &language->list_packages,
                   error) != 0)
        return -1;
    result = run_to_end(prepare, &box, keep_list, &list, status, error);
    if (result == 0 && *status == 0 && list.data)
        take_packages(list.data, packages);
    return remove_box(&box, result, error);
}

/* Writes down what was prepared: the steps where they stand nowhere else, and the packages. */
static int note(const struct prepare *prepare, const struct language *language,
                struct prepared *prepared, struct error *error)
{
    const struct preparation *preparation = &language->preparation;
    CLEANUP(prepared_note_release) struct prepared_note note = PREPARED_NOTE_INIT;

    note.image = string_copy(preparation->tag);
    if (preparation->noted) {
        strvec_push_all(&note.steps, &preparation->steps);
        note.network = preparation->network ? string_copy(preparation->network) : NULL;
    }
    if (language->list_packages.count > 0 &&
        list_packages(prepare, language, &note.packages, &prepared->list_status, error) != 0)
        return error_prefix(error, "cannot list the packages");
    prepared->packages = (long long)note.packages.count;
    return prepared_file_put(language->name, &note, error);
}

/* ---- the images that are replaced */

/*
 * Removes `tag` and the other tags of the image that had these, but for those to keep. More than two tags of ours
 * are those of another preparation as well, which is left alone. What a container uses stays.
 */
static void drop(const struct docker *docker, const char *tag, const struct strvec *tags,
                 const struct strvec *keep)
{
    for (size_t i = 0; i < tags->count; i++) {
        CLEANUP(error_release) struct error used = ERROR_INIT;

        if (!strvec_contains(keep, tags->items[i]) &&
            (tags->count <= 2 || strcmp(tags->items[i], tag) == 0))
            image_store_remove(docker, tags->items[i], NULL, &used);
    }
}

/* Gives the image its tags, and removes what has had them or was the language's before. */
static int move_tags(const struct prepare *prepare, const struct language *language,
                     const char *exact, const char *noted, struct error *error)
{
    const struct docker *docker = prepare->docker;
    const char *tag = language->preparation.tag;
    CLEANUP(strvec_release) struct strvec before = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec older = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keep = STRVEC_INIT;

    if (noted && strcmp(noted, tag) == 0)
        noted = NULL;
    strvec_push_each(&keep, exact, tag, NULL);
    if (look_at_tags(docker, tag, prepare->cancel, &before, error) != 0 ||
        (noted && look_at_tags(docker, noted, prepare->cancel, &older, error) != 0))
        return -1;
    if (!strvec_contains(&before, exact) &&
        image_store_tag(docker, exact, tag, prepare->cancel, error) != 0)
        return -1;
    if (prepare->tag && image_store_tag(docker, exact, prepare->tag, prepare->cancel, error) != 0)
        return -1;
    drop(docker, tag, &before, &keep);
    if (noted)
        drop(docker, noted, &older, &keep);
    return 0;
}

int prepare_language(const struct prepare *options, const struct language *language,
                     struct prepared *prepared, struct error *error)
{
    struct docker docker = *options->docker;
    struct prepare own = *options, *const prepare = &own;
    CLEANUP(prepared_note_release) struct prepared_note noted = PREPARED_NOTE_INIT;
    CLEANUP(release_json) json_t *base = NULL;
    CLEANUP_FREE char *exact = NULL;
    CLEANUP_FREE char *id = NULL;
    int there;

    docker.allow_unenforced = true; /* there are no limits */
    own.docker = &docker;
    *prepared = (struct prepared){.reference = language->preparation.tag};
    if (prepared_file_get(language->name, &noted, error) != 0 ||
        look_at_base(prepare->docker, language, prepare->cancel, &base, error) != 0)
        return -1;
    exact = prepared_tag(language->name, id_of(base, "id"), &language->preparation.steps);
    there = image_store_look(prepare->docker, exact, "{{.Id}}", prepare->cancel, &id, error);
    if (there < 0)
        return -1;
    prepared->before = there == 1;
    if (there == 0 && make_image(prepare, language, base, exact, &prepared->status, error) != 0)
        return -1;
    if (prepared->status != 0)
        return 0;
    if (move_tags(prepare, language, exact, noted.image, error) != 0)
        return -1;
    if (there == 1 && noted.image && strcmp(noted.image, language->preparation.tag) == 0 &&
        (noted.steps.count > 0 || !language->preparation.noted))
        return 0; /* all of it is noted */
    return note(prepare, language, prepared, error);
}

/* ---- what there is */

int prepare_look(const struct docker *docker, const struct language *language,
                 const struct cancel *cancel, struct prepare_view *view, struct error *error)
{
    CLEANUP(release_json) json_t *image = NULL;
    CLEANUP(release_json) json_t *base = NULL;
    const char *created;
    int there = look(docker, language->preparation.tag, VIEW_FORMAT, cancel, &image, error);

    *view = (struct prepare_view){.state = PREPARE_MISSING, .created = ""};
    if (there <= 0)
        return there;
    there = look(docker, language->image, BASE_FORMAT, cancel, &base, error);
    if (there < 0)
        return -1;
    view->state = PREPARE_READY;
    if (there == 1 && (!id_of(image, "base") || !id_of(base, "id") ||
                       strcmp(id_of(image, "base"), id_of(base, "id")) != 0))
        view->state = PREPARE_OUTDATED;
    view->size = (long long)json_integer_value(json_object_get(image, "size"));
    created = json_string_value(json_object_get(image, "created"));
    if (created && strspn(created, "0123456789-T:.Z+") == strlen(created))
        snprintf(view->created, sizeof view->created, "%.19s", created);
    return 0;
}

int prepare_remove(const struct docker *docker, const struct language *language,
                   const struct cancel *cancel, struct error *error)
{
    CLEANUP(prepared_note_release) struct prepared_note noted = PREPARED_NOTE_INIT;
    CLEANUP(strvec_release) struct strvec tags = STRVEC_INIT;
    const char *tag;

    if (prepared_file_get(language->name, &noted, error) != 0)
        return -1;
    tag = language->preparation.tag ? language->preparation.tag : noted.image;
    if (tag && look_at_tags(docker, tag, cancel, &tags, error) != 0)
        return -1;
    for (size_t i = 0; i < tags.count; i++)
        if ((tags.count <= 2 || strcmp(tags.items[i], tag) == 0) &&
            image_store_remove(docker, tags.items[i], cancel, error) != 0)
            return -1;
    if (noted.image && prepared_file_put(language->name, NULL, error) != 0)
        return -1;
    return tags.count > 0 || noted.image ? 1 : 0;
}
