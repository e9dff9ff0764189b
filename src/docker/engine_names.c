#include "docker/engine_names.h"

#include <string.h>

#include "base/cleanup.h"

int engine_names_list(const struct docker *docker, enum engine_names kind, long long deadline,
                      const struct notifier *cancel, struct strvec *names, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};
    const bool images = kind == ENGINE_IMAGES;

    strvec_push_each(&call.arguments, images ? "image" : "network", "ls", "--format",
                     images ? "{{.Repository}}:{{.Tag}}" : "{{.Name}}", NULL);
    if (docker_succeed(docker, &call,
                       images ? "cannot list the images" : "cannot list the networks", &output,
                       error) != 0)
        return -1;
    /* without the last line if it was cut off */
    for (const char *line = strbuf_string(&output.out), *end; (end = strchr(line, '\n'));
         line = end + 1) {
        CLEANUP_FREE char *name = string_format("%.*s", (int)(end - line), line);

        if (!strstr(name, "<none>"))
            strvec_push(names, name);
    }
    return 0;
}
