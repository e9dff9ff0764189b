#include "run/save.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file_replace.h"
#include "base/shell_words.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/dockerfile.h"
#include "run/run_steps.h"
#include "run/submission.h"

/* What a saved image runs: the command, after the build if there is one. */
static struct strvec saved_command(const struct run *run)
{
    CLEANUP(strvec_release) struct strvec build = submission_build_command(run);
    CLEANUP(strbuf_release) struct strbuf script = STRBUF_INIT;
    struct strvec command = STRVEC_INIT;

    if (build.count == 0) {
        strvec_push_all(&command, &run->plan->command);
        return command;
    }
    shell_words_add(&script, &build);
    strbuf_addstr(&script, " && exec ");
    shell_words_add(&script, &run->plan->command);
    strvec_push_each(&command, "/bin/sh", "-c", strbuf_string(&script), NULL);
    return command;
}

/*
 * Adds the instructions that an image and a Dockerfile have in common. The variables of an image
 * are those of its container: podman 4.3 takes ENV without escapes, and podman 5 with them.
 */
static void add_run_instructions(struct strvec *lines, const struct run *run)
{
    const struct plan *plan = run->plan;
    const struct strvec no_words = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec command = saved_command(run);

    strvec_pushf(lines, "WORKDIR %s", plan->workdir);
    strvec_pushf(lines, "USER %u:%u", plan->policy.uid, plan->policy.gid);
    dockerfile_add_words(lines, "ENTRYPOINT", &no_words);
    dockerfile_add_words(lines, "CMD", &command);
}

/* An archive with the workdir and the directories above it, to be unpacked at the root. */
static int workdir_archive(const struct plan *plan, struct archive *archive, struct error *error)
{
    CLEANUP_FREE char *path = string_copy(plan->workdir + 1);

    if (archive_open(archive, plan->policy.uid, plan->policy.gid, NULL, error) != 0)
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
    CLEANUP(strvec_release) struct strvec instructions = STRVEC_INIT;

    add_run_instructions(&instructions, run);
    owner_disown(&instructions);
    owner_hide_maker(&instructions);
    if (workdir_archive(run->plan, &workdir, error) != 0 ||
        container_copy_in(docker, name, "/", "the files", archive_file(&workdir), deadline,
                          run->cancel, error) != 0 ||
        container_copy_in(docker, name, run->plan->workdir, "the files", archive_file(&run->files),
                          deadline, run->cancel, error) != 0)
        return -1;
    return container_commit(docker, name, run->plan->save_image, &instructions, deadline,
                            run->cancel, error);
}

/* In a container with the same limits that is never started. */
static int save_image(struct run *run, struct error *error)
{
    CLEANUP(owned_container_release) struct owned_container container;
    struct container_spec spec;
    const long long deadline = budget_deadline(run->docker, BUDGET_IMAGE);
    int result;

    run->start = clock_now_ms(); /* the container gets the time of a run, and its removal too */
    owned_container_init(&container, run->docker, run->plan, run_use_ms(run));
    spec = owned_container_spec(&container, run->plan);
    spec.network = "none"; /* which also keeps the proxies of the docker command out of the image */
    spec.read_only = false; /* docker cp refuses a read-only root */
    spec.draw_user = false; /* the image has the user of the policy, and nothing runs here */
    spec.tmpfs[0].path = NULL;
    spec.command = &run->plan->command;
    spec.environment = &run->plan->public_environment;
    if (owned_container_create(&container, &spec, run_setup_deadline(run), run_end_deadline(run),
                               run->cancel, &run->result->warnings, error) != 0)
        return -1;
    result = fill_and_commit(run, container.name, deadline, error);
    run_remove_container(run, &container, NULL);
    return result;
}

static int save_dockerfile(const struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;
    CLEANUP_FREE char *target =
        string_format("%s/%s", plan->workdir, plan->input.dir ? "" : plan->entrypoint);
    CLEANUP_FREE char *text = NULL;

    strvec_pushf(&lines, "FROM %s", run->result->image);
    dockerfile_add_copy(&lines, plan->policy.uid, plan->policy.gid,
                        plan->input.dir ? "." : plan->source_name, target);
    for (size_t i = 0; i < plan->public_environment.count; i++)
        dockerfile_add_environment(&lines, plan->public_environment.items[i]);
    add_run_instructions(&lines, run);
    strvec_push(&lines, "");
    text = strvec_join(&lines, "\n");
    if (file_write(plan->save_dockerfile, text, strlen(text)) == 0)
        return 0;
    return error_set_errno(error, ERROR_SYSTEM, "cannot write the Dockerfile '%s'",
                           plan->save_dockerfile);
}

int save_run(struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;

    if (plan->save_dockerfile && save_dockerfile(run, error) != 0)
        return -1;
    if (plan->save_image) {
        if (save_image(run, error) != 0)
            return -1;
        run->result->image_tag = string_copy(plan->save_image);
    }
    return 0;
}
