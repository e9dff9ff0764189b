/*
 * Fuzz target: the output of the docker command, which is the input. These properties are checked:
 *
 * - An error message becomes one clean line of at most 500 bytes, which is empty only for no
 * message.
 * - The state of a container is read or refused: no run has a negative duration, a container that
 * was not started has not run, and the message of the engine is one line.
 * - Every valid tag of an image is a valid name of one.
 * - The description of an engine becomes a few short lines.
 * - The description of an image becomes strings, or is refused.
 * - A line of a list becomes one container with the requested number of labels, or none.
 */
#include "fuzz.h"

#include "docker/container.h"
#include "docker/container_list.h"
#include "docker/docker.h"
#include "docker/engine_info.h"
#include "docker/engine_time.h"
#include "docker/image.h"
#include "docker/image_details.h"
#include "docker/image_inspect.h"

/* The year 9999 in milliseconds since 1970, and a month that is written as having 99 days. */
static const long long LATEST_MS = 253402300800000LL + 100 * 86400000LL;

static void check_message(const uint8_t *data, size_t size)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;
    bool blank = true;

    strbuf_add(&text, data, size);
    for (size_t i = 0; i < size; i++)
        blank = blank && memchr(" \t\r\n", data[i], 4);
    message = docker_message(&text);
    fuzz_require(fuzz_is_line(message), "%s", message);
    fuzz_require(strlen(message) <= 500, "%zu bytes", strlen(message));
    fuzz_require((*message == '\0') == blank, "'%s'", message);
    fuzz_require(text.length == size && memcmp(strbuf_string(&text), data, size) == 0, "changed");
}

static void check_state(const char *text)
{
    struct container_state state;

    if (!container_state_read(&state, text))
        return;
    fuzz_require(!strchr(state.message, '\n') && strstr(text, state.message), "%s", state.message);
}

static void check_time(const char *text)
{
    long long ms;

    if (engine_time_parse(text, &ms))
        fuzz_require(ms >= -1 && ms <= LATEST_MS, "%lld ms", ms);
}

static void check_image(const char *text)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(error_release) struct error tag_error = ERROR_INIT;
    const bool utf8 = fuzz_is_utf8(text, strlen(text));
    const bool name = image_check_reference(text, &error) == 0;

    if (!name)
        fuzz_check_error(&error, utf8, 500);
    image_name_matches(text, "name:latest");
    image_name_matches("name", text);
    if (image_check_tag(text, &tag_error) == 0)
        fuzz_require(name && fuzz_is_line(text), "'%s' is a tag, and no name", text);
    else
        fuzz_check_error(&tag_error, utf8, 500);
}

static void check_line(const char *text)
{
    fuzz_require(!text || (fuzz_is_line(text) && strlen(text) <= 1000), "%s", text);
}

static void check_engine(const uint8_t *data, size_t size)
{
    CLEANUP(engine_info_release) struct engine_info engine;

    engine_info_init(&engine);
    engine_info_read_version(&engine, (const char *)data, size);
    engine_info_read_info(&engine, (const char *)data, size);
    check_line(engine.client);
    check_line(engine.context);
    check_line(engine.version);
    check_line(engine.platform);
    check_line(engine.system);
    check_line(engine.host);
    check_line(engine.directory);
    check_line(engine.driver);
    check_line(engine.cgroup);
    check_line(engine.seccomp);
    fuzz_require(engine.warnings.count <= 8, "%zu warnings", engine.warnings.count);
    for (size_t i = 0; i < engine.warnings.count; i++)
        check_line(engine.warnings.items[i]);
}

static void check_list(const uint8_t *data, size_t size)
{
    for (size_t keys = 0; keys < 3; keys++) {
        CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
        const bool added = container_list_add(&list, (const char *)data, size, keys);

        fuzz_require(list.count == (added ? 1 : 0), "%zu rows", list.count);
        fuzz_require(!added || list.rows[0].labels.count == keys, "not %zu labels", keys);
        fuzz_require(!added || strlen(list.rows[0].name) < size, "'%s'", list.rows[0].name);
    }
}

static void check_details(const uint8_t *data, size_t size)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;

    image_details_read(&details, (const char *)data, size);
    fuzz_require(!details.id || strlen(details.id) == 71, "'%s' is no id", details.id);
    fuzz_require(*details.created == '\0' || strlen(details.created) == 19, "'%s' is no time",
                 details.created);
    fuzz_require(details.bytes >= -1, "%lld bytes", details.bytes);
    for (size_t i = 0; i < details.labels.count; i++)
        fuzz_require(strchr(details.labels.items[i], '=') != NULL, "%s", details.labels.items[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *text = fuzz_string(data, size);

    check_message(data, size);
    check_state(text);
    check_time(text);
    check_image(text);
    check_engine(data, size);
    check_list(data, size);
    check_details(data, size);
    return 0;
}
