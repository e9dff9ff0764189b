#include "run/save.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "run/owner.h"

/* A JSON array in one line, as Dockerfile instructions take commands and paths; owned. */
static char *json_words(const struct strvec *words)
{
    json_t *array = json_array();
    char *text = NULL;

    for (size_t i = 0; i < words->count; i++) {
        struct strbuf clean = STRBUF_INIT;

        text_add_utf8(&clean, words->items[i], strlen(words->items[i]));
        json_array_append_new(array, json_string(strbuf_string(&clean)));
        strbuf_release(&clean);
    }
    text = json_dumps(array, JSON_ENCODE_ANY);
    json_decref(array);
    if (!text)
        abort();
    return text;
}

/* NAME="VALUE" of a Dockerfile ENV, in which \, " and $ are escaped; owned. */
static char *env_instruction(const char *assignment)
{
    const size_t name = strcspn(assignment, "=");
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "ENV %.*s=\"", (int)name, assignment);
    for (const char *at = assignment + name + 1; *at; at++) {
        if (strchr("\\\"$", *at))
            strbuf_addch(&line, '\\');
        strbuf_addch(&line, *at);
    }
    strbuf_addch(&line, '"');
    return strbuf_steal(&line);
}

/*
 * A path for COPY, in which the parser of Dockerfiles takes \\, $ and quotes for its own and, on the
 * host's side (pattern), *, ? and [ for a pattern; owned.
 */
static char *copy_path(const char *path, bool pattern)
{
    struct strbuf out = STRBUF_INIT;

    for (; *path; path++) {
        if (pattern && strchr("*?[", *path))
            strbuf_addf(&out, "[%c]", *path);
        else if (pattern && *path == '\\')
            strbuf_addstr(&out, "\\\\\\\\"); /* escaped for the pattern, and again for the parser */
        else if (strchr("\\$\"'", *path))
            strbuf_addf(&out, "\\%c", *path);
        else
            strbuf_addch(&out, *path);
    }
    return strbuf_steal(&out);
}

/* What both forms say of how to run; Dockerfile instructions. */
static struct strvec run_instructions(const struct plan *plan)
{
    struct strvec lines = STRVEC_INIT;
    CLEANUP_FREE char *command = json_words(&plan->command);

    for (size_t i = 0; i < plan->public_environment.count; i++)
        strvec_push_owned(&lines, env_instruction(plan->public_environment.items[i]));
    strvec_pushf(&lines, "WORKDIR %s", plan->workdir);
    strvec_pushf(&lines, "USER %u:%u", plan->policy.uid, plan->policy.gid);
    strvec_push(&lines, "ENTRYPOINT []");
    strvec_pushf(&lines, "CMD %s", command);
    return lines;
}

/* An archive with the workdir and the directories above it, to be unpacked at the root. */
static int workdir_archive(const struct plan *plan, struct archive *archive, struct error *error)
{
    CLEANUP_FREE char *path = string_copy(plan->workdir + 1);

    if (archive_open(archive, plan->policy.uid, plan->policy.gid, "", error) != 0)
        return -1;
    for (char *slash = path; slash; slash++) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (archive_add_directory(archive, path, 0, error) != 0)
            return -1;
        if (!slash)
            break;
        *slash = '/';
    }
    return archive_finish(archive, error);
}

static int fill_and_commit(const struct run *run, const char *name, long long deadline,
                           struct error *error)
{
    const struct docker *docker = run->docker;
    CLEANUP(archive_release) struct archive workdir = ARCHIVE_INIT;
    CLEANUP(strvec_release) struct strvec instructions = run_instructions(run->plan);

    owner_disown(&instructions);
    if (workdir_archive(run->plan, &workdir, error) != 0 ||
        container_copy_in(docker, name, "/", archive_file(&workdir), deadline, run->cancel,
                          error) != 0 ||
        container_copy_in(docker, name, run->plan->workdir, archive_file(run->files), deadline,
                          run->cancel, error) != 0)
        return -1;
    return container_commit(docker, name, run->plan->request->save_image, &instructions, deadline,
                            run->cancel, error);
}

int save_image(struct run *run, struct error *error)
{
    CLEANUP(owned_container_release) struct owned_container container;
    struct container_spec spec;
    const long long deadline = budget_deadline(run->docker, BUDGET_IMAGE);
    int result;

    /* A container that is never started, of the same limits. */
    run->start = clock_now_ms();
    owned_container_init(&container, run->docker, limits_timeout_ms(&run->plan->policy.limits));
    spec = owned_container_spec(&container, run->plan);
    spec.network = "none"; /* which also keeps the proxies of the docker command out of the image */
    spec.read_only = false; /* docker cp refuses a read-only root */
    spec.tmpfs[0].path = NULL;
    spec.command = &run->plan->command;
    if (owned_container_create(&container, &spec, run_setup_deadline(run), run_end(run),
                               run->cancel, &run->result->warnings, error) != 0)
        return -1;
    result = fill_and_commit(run, container.name, deadline, error);
    run_remove(run, &container, NULL);
    return result;
}

int save_dockerfile(const struct plan *plan, const char *image, struct error *error)
{
    const struct request *request = plan->request;
    CLEANUP(strvec_release) struct strvec instructions = run_instructions(plan);
    CLEANUP_FREE char *lines = strvec_join(&instructions, "\n");
    CLEANUP_FREE char *target =
        string_format("%s/%s", plan->workdir, request->dir ? "" : plan->entrypoint);
    CLEANUP(strvec_release) struct strvec copy = STRVEC_INIT;
    CLEANUP_FREE char *paths = NULL;
    struct stat status;
    FILE *file;
    bool good;

    strvec_push_owned(&copy, copy_path(request->dir ? "." : request->entrypoint, true));
    strvec_push_owned(&copy, copy_path(target, false));
    paths = json_words(&copy);
    file = fopen(request->save_dockerfile, "we");
    if (!file)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write the Dockerfile '%s'",
                               request->save_dockerfile);
    good = fprintf(file, "FROM %s\nCOPY --chown=%u:%u %s\n%s\n", image, plan->policy.uid,
                   plan->policy.gid, paths, lines) > 0;
    good = fclose(file) == 0 && good;
    if (good)
        return 0;
    error_set_errno(error, ERROR_SYSTEM, "cannot write the Dockerfile '%s'",
                    request->save_dockerfile);
    if (stat(request->save_dockerfile, &status) == 0 && S_ISREG(status.st_mode))
        unlink(request->save_dockerfile); /* a part of it would build something else */
    return -1;
}
