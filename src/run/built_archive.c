#include "run/built_archive.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/untar.h"
#include "docker/budget.h"

struct taking {
    struct shared_file *file; /* owned */
    long long length;
    struct untar untar; /* which sees the end: an archive that is cut off is none */
    bool failed;
};

static void pass_entry(void *context, const struct untar_entry *entry)
{
    (void)context;
    (void)entry;
}

static void pass_content(void *context, const char *data, size_t length)
{
    (void)context;
    (void)data;
    (void)length;
}

static void pass_end(void *context)
{
    (void)context;
}

static void take(void *context, int number, const char *data, size_t length)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct taking *taking = context;

    (void)number;
    if (taking->failed)
        return;
    taking->failed = untar_feed(&taking->untar, data, length, &ignored) != 0 ||
                     shared_file_write(taking->file, taking->length, data, length) != 0;
    taking->length += (long long)length;
}

static void note_too_large(void *context, const char *path)
{
    struct taking *taking = context;

    (void)path;
    taking->failed = true;
}

static void receive(struct run *run, struct taking *taking)
{
    static const struct untar_handler handler = {pass_entry, pass_content, pass_end};
    const struct channel channel = {.context = taking, .take = take, .too_large = note_too_large};

    untar_init(&taking->untar, &handler, taking);
    instance_set_channel(run->instance, CHANNEL_FILES, &channel);
    instance_collect(run->instance, INSTANCE_COLLECT_EXACT,
                     limits_bytes(&run->plan->policy.limits, LIMIT_WORKDIR) * 2);
    instance_pump(run->instance, INSTANCE_FILES, budget_deadline(run->docker, BUDGET_FILES),
                  run->cancel);
    instance_set_channel(run->instance, CHANNEL_FILES, NULL);
    taking->failed |= !untar_done(&taking->untar);
    untar_release(&taking->untar);
}

void built_archive_take(struct run *run)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const long long start = clock_now_ms();
    struct taking taking = {.file = shared_file_create(&ignored)};

    if (!taking.file)
        return;
    receive(run, &taking);
    if (taking.failed)
        shared_file_release(taking.file);
    else
        built_files_share(run->plan->built, taking.file);
    docker_traced(run->docker, "built", start);
}

int built_archive_use(struct run *run, const struct shared_file *file, struct error *error)
{
    archive_release(&run->files);
    run->files.file = fcntl(shared_file_fd(file), F_DUPFD_CLOEXEC, 0);
    return run->files.file >= 0
               ? 0
               : error_set_errno(error, ERROR_SYSTEM, "cannot use what was built before");
}
