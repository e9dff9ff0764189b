#include "test.h"

#include <sys/utsname.h>

#include "base/clock.h"
#include "base/linux.h"
#include "container/delivery.h"

/* What a delivery sets. */
struct delivered {
    struct strvec command;
    struct container_spec spec;
};

static void set_spec(struct delivered *delivered, enum delivery delivery)
{
    *delivered = (struct delivered){.command = STRVEC_INIT};
    delivery_set_spec(delivery, "/work dir", &delivered->command, &delivered->spec);
    assert_ptr_equal(delivered->spec.command, &delivered->command);
}

static const struct container_tmpfs *own_tmpfs(const struct delivered *delivered)
{
    return &delivered->spec.tmpfs[CONTAINER_TMPFS_MAX - 1];
}

/* The name that engines have for this machine's architecture. */
static const char *engine_name(void)
{
    struct utsname system;

    assert_int_equal(uname(&system), 0);
    return strcmp(system.machine, "x86_64") == 0 ? "amd64" : "arm64";
}

/* Appends everything that the shell of an image is sent. */
static void add_delivery(struct strbuf *all)
{
    size_t at = 0, before;

    do {
        before = all->length;
        delivery_send(&at, all);
    } while (all->length > before);
}

CASE(delivery__by_the_shell)
{
    struct strbuf sent = STRBUF_INIT;
    struct delivered delivered;

    add_delivery(&sent);
    set_spec(&delivered, DELIVERY_SHELL);
    assert_int_equal(delivered.command.count, 5);
    assert_string_equal(delivered.command.items[0], "/bin/sh");
    assert_string_equal(delivered.command.items[1], "-c");
    assert_string_equal(delivered.command.items[3], "/bin/sh");
    assert_string_equal(delivered.command.items[4], "/work dir");
    assert_string_equal(own_tmpfs(&delivered)->path, "/.isolator");
    /* There is room for all that is sent. */
    assert_true((size_t)own_tmpfs(&delivered)->size_mb << 20 > sent.length);
    assert_null(delivered.spec.volume);
    assert_null(delivered.spec.tmpfs[0].path);
    strvec_release(&delivered.command);
    strbuf_release(&sent);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The script reads exactly what is sent, and executes it as a file that nobody can read. */
CASE(delivery__script)
{
    static const char last[] = "chmod 0555 /.isolator/supervisor\n"
                               "exec /.isolator/supervisor \"$1\"\n";
    struct strbuf sent = STRBUF_INIT;
    struct delivered delivered;
    CLEANUP_FREE char *one = NULL;
    CLEANUP_FREE char *several = NULL;
    const char *script;

    add_delivery(&sent);
    assert_memory_equal(sent.data, "\177ELF", 4);
    set_spec(&delivered, DELIVERY_SHELL);
    script = delivered.command.items[2];
    one = string_format("head -c %zu >/.isolator/supervisor\n%s", sent.length, last);
    several = string_format("head -c %zu >/.isolator/all\ncase $(uname -m) in\n", sent.length);
    if (strstr(script, "uname")) {
        assert_memory_equal(script, several, strlen(several));
        assert_true(ends_with(script, last));
    } else {
        assert_string_equal(script, one);
    }
    strvec_release(&delivered.command);
    strbuf_release(&sent);
}

CASE(delivery__by_a_volume)
{
    struct delivered delivered;

    set_spec(&delivered, DELIVERY_VOLUME);
    assert_int_equal(delivered.command.count, 2);
    assert_string_equal(delivered.command.items[0], "/.isolator/supervisor");
    assert_string_equal(delivered.command.items[1], "/work dir");
    assert_string_equal(delivered.spec.volume, "/.isolator");
    for (int i = 0; i < CONTAINER_TMPFS_MAX; i++)
        assert_null(delivered.spec.tmpfs[i].path);
    strvec_release(&delivered.command);
}

/* podman may leave the volume of a container that it removes itself. */
CASE(delivery__removed_by_the_engine)
{
    const struct docker docker = {.kind = ENGINE_DOCKER}, podman = {.kind = ENGINE_PODMAN};

    assert_true(delivery_auto_remove(DELIVERY_SHELL, &docker));
    assert_true(delivery_auto_remove(DELIVERY_VOLUME, &docker));
    assert_true(delivery_auto_remove(DELIVERY_SHELL, &podman));
    assert_false(delivery_auto_remove(DELIVERY_VOLUME, &podman));
}

/* The volume gets one file, with the supervisor that is embedded. */
static const struct volume_files no_files = {.script = -1};

CASE(delivery__fills_a_volume)
{
    char *directory = temp_create();
    CLEANUP_FREE char *docker_path =
        script_in(directory, "docker", "echo \"$@\" >calls\nexec cat >archive");
    CLEANUP_FREE char *list = string_format("tar -tvf %s/archive | cut -c 1-10,44-", directory);
    CLEANUP_FREE char *extract = string_format("tar -xOf %s/archive", directory);
    const struct docker docker = {.command = docker_path, .engine_timeout = 100};
    struct error error = ERROR_INIT;
    struct strbuf sent = STRBUF_INIT, got;
    char *calls;

    assert_int_equal(
        delivery_fill_volume(&docker, "box", "", &no_files, clock_now_ms() + 60000, NULL, &error),
        0);
    assert_no_error(&error);
    calls = read_in(directory, "calls");
    assert_string_equal(calls, "cp - box:/.isolator\n");
    free(calls);
    got = shell_output(list);
    assert_memory_equal(strbuf_string(&got), "-rwxr-xr-x", 10);
    assert_true(ends_with(strbuf_string(&got), " supervisor\n"));
    assert_null(strchr(strchr(strbuf_string(&got), '\n') + 1, '\n'));
    strbuf_release(&got);
    got = shell_output(extract);
    add_delivery(&sent);
    assert_in_range(got.length, 1, sent.length);
    assert_memory_equal(got.data, "\177ELF", 4);
    strbuf_release(&got);
    strbuf_release(&sent);
    temp_remove(directory);
}

/* Only who knows the name of the script finds it. The FIFOs are root's, for all who are there. */
CASE(delivery__fills_a_volume_with_more)
{
    char *directory = temp_create();
    CLEANUP_FREE char *docker_path = script_in(directory, "docker", "exec cat >archive");
    CLEANUP_FREE char *list =
        string_format("tar -tvf %s/archive | awk '{ print $1, $2, $NF }'", directory);
    CLEANUP_FREE char *extract = string_format("tar -xOf %s/archive scripts/0123", directory);
    CLEANUP_FD int script = linux_unnamed_file_of("frames", 6);
    const struct docker docker = {.command = docker_path, .engine_timeout = 100};
    const struct volume_files files = {script, "0123", true};
    struct error error = ERROR_INIT;
    struct strbuf got;

    assert_int_equal(
        delivery_fill_volume(&docker, "box", "", &files, clock_now_ms() + 60000, NULL, &error), 0);
    assert_no_error(&error);
    got = shell_output(list);
    assert_string_equal(strbuf_string(&got), "-rwxr-xr-x 0/0 supervisor\n"
                                             "drwx--x--x 0/0 scripts/\n"
                                             "-rw-r--r-- 0/0 scripts/0123\n"
                                             "prw-rw-rw- 0/0 to-program\n"
                                             "prw-rw-rw- 0/0 to-interactor\n");
    strbuf_release(&got);
    got = shell_output(extract);
    assert_string_equal(strbuf_string(&got), "frames");
    strbuf_release(&got);
    temp_remove(directory);
}

CASE(delivery__volume_that_cannot_be_filled)
{
    char *directory = temp_create();
    CLEANUP_FREE char *docker_path = script_in(directory, "docker", "echo no space >&2; exit 1");
    const struct docker docker = {.command = docker_path, .engine_timeout = 100};
    struct error error = ERROR_INIT;

    assert_int_equal(
        delivery_fill_volume(&docker, "box", "", &no_files, clock_now_ms() + 60000, NULL, &error),
        -1);
    assert_error(&error, ERROR_ENGINE, "cannot copy the supervisor into the container: no space");
    temp_remove(directory);
}

CASE(delivery__architectures)
{
    const char *own = engine_name();
    struct error error = ERROR_INIT;

    assert_int_equal(delivery_check_architecture("a:1", "", &error), 0);
    assert_int_equal(delivery_check_architecture("a:1", own, &error), 0);
    assert_no_error(&error);
    assert_int_equal(delivery_check_architecture("a:1", "s390x", &error), -1);
    assert_int_equal(error.kind, ERROR_COMMAND);
    assert_non_null(strstr(error.message, "the image 'a:1' is for s390x, and this isolator was "
                                          "built to run images for "));
    assert_non_null(strstr(error.message, own));
    error_release(&error);
}
