#include "docker/image_list.h"

#include <string.h>

#include "base/cleanup.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"

static const char algorithm[] = "sha256:";
enum { ID_DIGITS = 64 };

/* The last line may be cut off; then it is not an id. */
static bool is_id(const char *line, size_t length)
{
    const size_t skip = strlen(algorithm);

    return length == skip + ID_DIGITS && strncmp(line, algorithm, skip) == 0 &&
           strspn(line + skip, "0123456789abcdef") >= ID_DIGITS;
}

int image_list(const struct docker *docker, const char *repository, const struct notifier *cancel,
               struct strvec *ids, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY), .cancel = cancel};

    strvec_push_each(&call.arguments, "image", "ls", "--quiet", "--no-trunc", "--", repository,
                     NULL);
    if (docker_succeed(docker, &call, "cannot list the images", &output, error) != 0)
        return -1;
    for (const char *line = strbuf_string(&output.out); *line;) {
        const size_t length = strcspn(line, "\n");
        CLEANUP_FREE char *id = string_format("%.*s", (int)length, line);

        if (is_id(line, length))
            strvec_push_once(ids, id);
        line += length + (line[length] == '\n');
    }
    return 0;
}

int image_list_in_use(const struct docker *docker, const char *id, const struct notifier *cancel,
                      struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY), .cancel = cancel};

    strvec_push_each(&call.arguments, "ps", "--all", "--quiet", "--filter", NULL);
    strvec_pushf(&call.arguments, "ancestor=%s", engine_filter_id(docker->kind, id));
    if (docker_succeed(docker, &call, "cannot list the containers", &output, error) != 0)
        return -1;
    return output.out.length > 0 ? 1 : 0;
}
