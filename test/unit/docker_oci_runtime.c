#include "test.h"

#include "docker/oci_runtime.h"

static const char info[] =
    "{\"ID\": \"AB:CD\", \"DockerRootDir\": \"/var/lib/docker\", \"DefaultRuntime\": \"runc\", "
    "\"Runtimes\": {\"runc\": {\"path\": \"runc\"}, \"box\": {\"path\": \"/usr/bin/runsc\", "
    "\"runtimeArgs\": [\"--network=none\"]}, \"open\": {\"path\": \"/usr/bin/runsc\", "
    "\"runtimeArgs\": [\"--network=none\", \"-ignore-cgroups\"]}, \"closed\": {\"path\": "
    "\"/usr/bin/runsc\", \"runtimeArgs\": [\"--ignore-cgroups=false\"]}, \"shim\": "
    "{\"runtimeType\": \"io.containerd.runsc.v1\"}}}";

/* Reads what `docker info` says of the runtime of this name. */
static void read_info(struct oci_runtime *runtime, const char *text, const char *name)
{
    struct engine_info engine;

    engine_info_init(&engine);
    assert_true(engine_info_read_info(&engine, text, strlen(text)));
    *runtime = (struct oci_runtime){.name = NULL};
    oci_runtime_read(runtime, &engine, name);
    engine_info_release(&engine);
}

CASE(oci_runtime__what_docker_says)
{
    static const struct {
        const char *name, *found, *identity;
        bool missing, is_gvisor, ignores_limits;
    } cases[] = {
        {NULL, "runc", "Docker AB:CD in /var/lib/docker: runc = runc", false, false, false},
        {"runc", "runc", "Docker AB:CD in /var/lib/docker: runc = runc", false, false, false},
        {"box", "box", "Docker AB:CD in /var/lib/docker: box = /usr/bin/runsc --network=none",
         false, true, false},
        {"open", "open",
         "Docker AB:CD in /var/lib/docker: open = /usr/bin/runsc --network=none -ignore-cgroups",
         false, true, true},
        {"closed", "closed",
         "Docker AB:CD in /var/lib/docker: closed = /usr/bin/runsc --ignore-cgroups=false", false,
         true, false},
        {"shim", "shim", "Docker AB:CD in /var/lib/docker: shim = io.containerd.runsc.v1", false,
         true, false},
        {"none", "none", "Docker AB:CD in /var/lib/docker: none = ", true, false, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oci_runtime runtime;

        read_info(&runtime, info, cases[i].name);
        assert_string_equal(runtime.name, cases[i].found);
        assert_string_equal(runtime.identity, cases[i].identity);
        assert_string_equal(runtime.known, "runc, box, open, closed, shim");
        assert_int_equal(runtime.missing, cases[i].missing);
        assert_int_equal(runtime.is_gvisor, cases[i].is_gvisor);
        assert_int_equal(runtime.ignores_limits, cases[i].ignores_limits);
        oci_runtime_release(&runtime);
    }
}

/* An engine that does not say which ones it has may have any. */
CASE(oci_runtime__silent_engine)
{
    struct oci_runtime runtime;

    read_info(&runtime, "{\"Runtimes\": [1], \"ID\": 5}", "runsc");
    assert_string_equal(runtime.identity, "Docker  in : runsc = ");
    assert_false(runtime.missing);
    oci_runtime_release(&runtime);
    read_info(&runtime, "{\"Runtimes\": {\"a\\u001b\": 1}}", NULL);
    assert_null(runtime.name);
    assert_string_equal(runtime.known, "a\\x1b");
    oci_runtime_release(&runtime);
}

/* podman has no daemon, and is not asked: what selects its settings is what it is known by. */
CASE(oci_runtime__podman)
{
    const struct docker docker = {.command = "/bin/sh", .kind = ENGINE_PODMAN};
    struct oci_runtime runtime, other;
    struct error error = ERROR_INIT;

    unsetenv("CONTAINER_HOST");
    assert_int_equal(oci_runtime_find(&docker, "crun", NULL, &runtime, &error), 0);
    assert_string_equal(runtime.name, "crun");
    assert_non_null(strstr(runtime.identity, "podman /"));
    assert_non_null(strstr(runtime.identity, ": crun"));
    assert_false(runtime.missing || runtime.is_gvisor || runtime.ignores_limits);
    setenv("CONTAINER_HOST", "ssh://there", 1);
    assert_int_equal(oci_runtime_find(&docker, "crun", NULL, &other, &error), 0);
    unsetenv("CONTAINER_HOST");
    assert_string_not_equal(runtime.identity, other.identity);
    oci_runtime_release(&runtime);
    oci_runtime_release(&other);
}
