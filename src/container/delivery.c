#include "container/delivery.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "docker/container.h"
#include "docker/engine_kind.h"
#include "docker/image_store.h"
#include "supervisor/protocol.h"
#include "supervisors.h" /* generated: static const struct supervisor_binary supervisors[] */

#define DIRECTORY_NAME ".isolator"
#define DIRECTORY      "/" DIRECTORY_NAME
#define FILE_NAME      "supervisor"
#define PATH           DIRECTORY "/" FILE_NAME

enum { COUNT = sizeof supervisors / sizeof *supervisors, PIECE = 16384 };

/* The names that uname(2) and engines have for an architecture. */
static const struct {
    const char *machine, *engine;
} architectures[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}};

static const char *engine_name(const char *machine)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (strcmp(architectures[i].machine, machine) == 0)
            return architectures[i].engine;
    return machine;
}

/* Bytes of all supervisors, one after the other. */
static size_t total_size(void)
{
    size_t size = 0;

    for (size_t i = 0; i < COUNT; i++)
        size += supervisors[i].size;
    return size;
}

/* The tmpfs has room for all of them and, if there are several, for a copy of one. */
static long tmpfs_mb(void)
{
    return (long)(total_size() * (COUNT > 1 ? 2 : 1) >> 20) + 1;
}

/*
 * Cuts the supervisor of this machine out of a file with all of them, and empties that: it counts
 * against the container's memory.
 */
static void add_choice(struct strbuf *script)
{
    size_t end = 0;

    strbuf_addf(script, "head -c %zu >" DIRECTORY "/all\ncase $(uname -m) in\n", total_size());
    for (size_t i = 0; i < COUNT; i++) {
        end += supervisors[i].size;
        strbuf_addf(script, "%s) head -c %zu " DIRECTORY "/all | tail -c %zu >" PATH ";;\n",
                    supervisors[i].machine, end, supervisors[i].size);
    }
    strbuf_addstr(script, "esac\n: >" DIRECTORY "/all\n");
}

/*
 * The supervisor asks the kernel that no other process may look into it before there is one. It may
 * be read: gVisor executes no other files.
 */
static char *bootstrap_script(void)
{
    struct strbuf script = STRBUF_INIT;

    if (COUNT > 1)
        add_choice(&script);
    else
        strbuf_addf(&script, "head -c %zu >" PATH "\n", total_size());
    strbuf_addstr(&script, "chmod 0555 " PATH "\nexec " PATH " \"$1\"\n");
    return strbuf_steal(&script);
}

void delivery_set_spec(enum delivery delivery, const char *workdir, struct strvec *command,
                       struct container_spec *spec)
{
    if (delivery == DELIVERY_SHELL) {
        CLEANUP_FREE char *script = bootstrap_script();

        strvec_push_each(command, DELIVERY_SHELL_PATH, "-c", script, DELIVERY_SHELL_PATH, workdir,
                         NULL);
        spec->tmpfs[CONTAINER_TMPFS_MAX - 1] = (struct container_tmpfs){DIRECTORY, tmpfs_mb()};
    } else {
        strvec_push_each(command, PATH, workdir, NULL);
        spec->volume = delivery == DELIVERY_VOLUME ? DIRECTORY : NULL;
    }
    spec->command = command;
}

bool delivery_auto_remove(enum delivery delivery, const struct docker *docker)
{
    return delivery == DELIVERY_SHELL || engine_removes_volumes(docker->kind);
}

/* In pieces, since many containers may be started at the same time. */
void delivery_send(void *context, struct strbuf *queue)
{
    size_t *at = context;
    size_t before = 0;

    for (size_t i = 0; i < COUNT; i++) {
        const size_t size = supervisors[i].size;

        if (*at < before + size) {
            const size_t left = before + size - *at;
            const size_t piece = left < PIECE ? left : PIECE;

            strbuf_add(queue, supervisors[i].bytes + size - left, piece);
            *at += piece;
            return;
        }
        before += size;
    }
}

/* The supervisor for images of an architecture; NULL: there is none. */
static const struct supervisor_binary *find(const char *architecture)
{
    struct utsname system;

    if (*architecture == '\0' && uname(&system) == 0)
        architecture = engine_name(system.machine);
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(engine_name(supervisors[i].machine), architecture) == 0)
            return &supervisors[i];
    return NULL;
}

bool delivery_has_choice(void)
{
    return COUNT > 1;
}

int delivery_check_architecture(const char *image, const char *architecture, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf known = STRBUF_INIT;

    if (find(architecture))
        return 0;
    for (size_t i = 0; i < COUNT; i++)
        strbuf_addf(&known, "%s%s", i > 0 ? ", " : "", engine_name(supervisors[i].machine));
    return error_set(error, ERROR_COMMAND,
                     "the image '%s' is for %s, and this isolator was built to run images for %s",
                     image, architecture, strbuf_string(&known));
}

int delivery_inspect_image(const struct docker *docker, const char *image, char architecture[20],
                           const struct notifier *cancel, struct error *error)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    image_store_details(docker, image, cancel, &details, &ignored);
    memcpy(architecture, details.architecture, sizeof details.architecture);
    return delivery_check_architecture(image, architecture, error);
}

int delivery_supervisor_file(const char *architecture, struct error *error)
{
    const struct supervisor_binary *supervisor = find(architecture);
    CLEANUP_FD int file = linux_unnamed_file_of(supervisor->bytes, supervisor->size);

    if (file >= 0 && fchmod(file, 0700) == 0)
        return steal_fd(&file);
    return error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file");
}

/* Bytes of a file, whose offset is 0 then. */
static off_t size_of(int file)
{
    const off_t size = lseek(file, 0, SEEK_END);

    lseek(file, 0, SEEK_SET);
    return size;
}

/* `above` is what goes in front of the names. */
static int add_script(struct archive *archive, int script, const char *above, const char *name,
                      struct error *error)
{
    CLEANUP_FREE char *directory = string_format("%s%s", above, strrchr(JOB_DIRECTORY, '/') + 1);
    CLEANUP_FREE char *path = string_format("%s/%s", directory, name);

    if (archive_add_unlisted_directory(archive, directory, error) != 0)
        return -1;
    return archive_add_file(archive, path, script, size_of(script), false, 0, error);
}

static int add_fifo(struct archive *archive, const char *above, const char *name,
                    struct error *error)
{
    CLEANUP_FREE char *path = string_format("%s%s", above, name);

    return archive_add_fifo(archive, path, error);
}

int delivery_fill_volume(const struct docker *docker, const char *name, const char *architecture,
                         const struct volume_files *files, long long deadline,
                         const struct notifier *cancel, struct error *error)
{
    const bool filled = engine_fills_volumes(docker->kind);
    const char *target = filled ? DIRECTORY : "/", *above = filled ? "" : DIRECTORY_NAME "/";
    CLEANUP_FREE char *path = string_format("%s" FILE_NAME, above);
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    CLEANUP_FD int file = delivery_supervisor_file(architecture, error);

    if (file < 0)
        return -1;
    if (archive_open(&archive, 0, 0, NULL, error) != 0 ||
        (!filled && archive_add_directory(&archive, DIRECTORY_NAME, 0, error) != 0) ||
        archive_add_file(&archive, path, file, size_of(file), true, 0, error) != 0 ||
        (files->script >= 0 &&
         add_script(&archive, files->script, above, files->script_name, error) != 0) ||
        (files->fifos && (add_fifo(&archive, above, FIFO_TO_PROGRAM, error) != 0 ||
                          add_fifo(&archive, above, FIFO_TO_INTERACTOR, error) != 0)) ||
        archive_finish(&archive, error) != 0)
        return -1;
    return container_copy_in(docker, name, target, "the supervisor", archive_file(&archive),
                             deadline, cancel, error);
}

int delivery_copy_supervisor(const struct docker *docker, const char *name, const char *directory,
                             const char *file_name, const char *image, const char *architecture,
                             const struct notifier *cancel, struct error *error)
{
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    CLEANUP_FD int file = -1;

    if (delivery_check_architecture(image, architecture, error) != 0)
        return -1;
    file = delivery_supervisor_file(architecture, error);
    if (file < 0 || archive_open(&archive, 0, 0, NULL, error) != 0 ||
        archive_add_file(&archive, file_name, file, size_of(file), true, 0, error) != 0 ||
        archive_finish(&archive, error) != 0)
        return -1;
    return container_copy_in(docker, name, directory, "the relay", archive_file(&archive), 0,
                             cancel, error);
}
