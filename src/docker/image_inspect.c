#include "docker/image_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "docker/engine_time.h"

#define CANNOT "cannot inspect the images"

/* Digits of an id, and of its short form that engines print for people. */
enum { ID_DIGITS = 64, SHORT_DIGITS = 12 };
static const char algorithm[] = "sha256:";

/* The year 2000. A reproducible build sets an earlier time. */
static const long long EARLIEST_MS = 946684800000;

/* A line for an image: its id, size, time of creation, and all its names. */
static const char template[] =
    IMAGE_ID_TEMPLATE " {{.Size}} {{.Created}}"
                      "{{range .RepoTags}} {{.}}{{end}}{{range .RepoDigests}} {{.}}{{end}}";

/* The name after the parts that may be left out. */
static const char *without_registry(const char *name)
{
    static const char *const defaults[] = {"docker.io/", "localhost/", "library/"};

    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (strncmp(name, defaults[i], strlen(defaults[i])) == 0)
            name += strlen(defaults[i]);
    return name;
}

bool image_name_matches(const char *reference, const char *name)
{
    const char *short_name = without_registry(reference);
    const char *last = strrchr(short_name, '/');
    CLEANUP_FREE char *tagged =
        string_format("%s%s", short_name, strpbrk(last ? last : short_name, ":@") ? "" : ":latest");

    return strcmp(tagged, without_registry(name)) == 0;
}

/* Whether the reference is this id or its beginning. */
static bool is_id_of(const char *reference, const char *id)
{
    const size_t skip = strlen(algorithm);

    if (strncmp(id, algorithm, skip) == 0)
        id += skip;
    if (strncmp(reference, algorithm, skip) == 0)
        reference += skip;
    return strlen(reference) >= SHORT_DIGITS && strncmp(reference, id, strlen(reference)) == 0;
}

bool image_line_is_of(const char *line, const char *reference)
{
    CLEANUP_FREE char *words = string_copy(line);
    char *rest = NULL;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (image_name_matches(reference, word) || is_id_of(reference, word))
            return true;
    return false;
}

static void read_facts(struct image_facts *facts, const char *line)
{
    char created[32] = "";
    long long bytes = -1, ms;

    facts->present = true;
    if (sscanf(line, "%*s %18lld %31[^\n]", &bytes, created) >= 1 && bytes >= 0)
        facts->bytes = bytes;
    if (engine_time_parse(created, &ms) && ms >= EARLIEST_MS)
        facts->created = ms / 1000;
}

bool image_line_has_id(const char *line)
{
    const size_t skip = strncmp(line, algorithm, strlen(algorithm)) == 0 ? strlen(algorithm) : 0;

    return strspn(line + skip, "0123456789abcdef") == ID_DIGITS;
}

/* Adds the lines that begin with an id; messages may stand between them. */
static void split_lines(const struct strbuf *text, struct strvec *lines)
{
    const char *rest = strbuf_string(text);

    while (*rest) {
        const size_t length = strcspn(rest, "\n");

        if (image_line_has_id(rest))
            strvec_pushf(lines, "%.*s", (int)length, rest);
        rest += length + (rest[length] == '\n');
    }
}

/*
 * The engine answers in the order of the references, and leaves out missing images. Returns how
 * many lines belong to a reference.
 */
static size_t match(const struct strvec *lines, const struct strvec *references,
                    struct image_facts *facts)
{
    const bool all = lines->count == references->count;
    size_t taken = 0;

    for (size_t i = 0; i < references->count && taken < lines->count; i++)
        if (all || image_line_is_of(lines->items[taken], references->items[i]))
            read_facts(&facts[i], lines->items[taken++]);
    return taken;
}

/* One docker command for these images. A missing image is no error; -1 as for image_inspect(). */
static int inspect(const struct docker *docker, char *const *references, size_t count,
                   long long deadline, const struct notifier *cancel, struct strvec *lines,
                   struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "image", "inspect", "--format", template, "--", NULL);
    for (size_t i = 0; i < count; i++)
        strvec_push(&call.arguments, references[i]);
    if (docker_run(docker, &call, &output, error) != 0)
        return error->kind == ERROR_CANCELLED ? -1 : error_prefix(error, CANNOT);
    split_lines(&output.out, lines);
    if (output.status == 0 || lines->count > 0)
        return 0;
    /* The engine has none of them, or does not answer this question either. */
    strvec_release(&call.arguments);
    strvec_push_each(&call.arguments, "version", "--format", "{{.Server.Version}}", NULL);
    return docker_succeed(docker, &call, CANNOT, NULL, error);
}

int image_inspect(const struct docker *docker, const struct strvec *references, long long deadline,
                  const struct notifier *cancel, struct image_facts *facts, struct error *error)
{
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;

    for (size_t i = 0; i < references->count; i++)
        facts[i] = (struct image_facts){.bytes = -1, .created = -1};
    if (references->count == 0)
        return 0;
    if (inspect(docker, references->items, references->count, deadline, cancel, &lines, error) != 0)
        return -1;
    if (match(&lines, references, facts) == lines.count)
        return 0;
    for (size_t i = 0; i < references->count; i++) {
        CLEANUP(strvec_release) struct strvec line = STRVEC_INIT;

        facts[i] = (struct image_facts){.bytes = -1, .created = -1};
        if (inspect(docker, &references->items[i], 1, deadline, cancel, &line, error) != 0)
            return -1;
        if (line.count == 1)
            read_facts(&facts[i], line.items[0]);
    }
    return 0;
}
