#include "test.h"

#include "base/text.h"
#include "docker/engine_info.h"

static void read_texts(struct engine_info *engine, const char *version, const char *info)
{
    engine_info_init(engine);
    assert_true(engine_info_read_version(engine, version, strlen(version)));
    assert_true(engine_info_read_info(engine, info, strlen(info)));
}

/* Memory, swap, processes and CPU time, each as "x" (unknown), "-" or "+". */
static void check_limits(const struct engine_info *engine, const char *expected)
{
    char seen[ENGINE_LIMITS + 1] = "";

    for (int i = 0; i < ENGINE_LIMITS; i++)
        seen[i] = "x-+"[engine->limits[i]];
    assert_string_equal(seen, expected);
}

CASE(engine_info__docker)
{
    struct engine_info engine;

    read_texts(
        &engine,
        "{\"Client\":{\"Version\":\"28.2.2\",\"ApiVersion\":\"1.41\",\"Context\":\"default\"},"
        "\"Server\":{\"Platform\":{\"Name\":\"Docker Desktop 4.27.1\"},\"Components\":["
        "{\"Name\":\"Engine\",\"Version\":\"20.10.24\"},{\"Name\":\"runc\",\"Version\":\"1.1.5\"},"
        "{\"Name\":\"a\\n\",\"Version\":\"1\"},{\"Name\":\"none\",\"Version\":\"\"},{\"Name\":5},6]"
        ","
        "\"Version\":\"20.10.24\"}}",
        "{\"Driver\":\"overlay2\",\"LoggingDriver\":\"json-file\",\"CgroupDriver\":\"systemd\","
        "\"KernelVersion\":\"6.1\",\"MemoryLimit\":true,\"SwapLimit\":false,"
        "\"CpuCfsQuota\":true,\"PidsLimit\":true,\"NCPU\":8,\"CgroupVersion\":\"2\",\"Name\":"
        "\"box\","
        "\"OperatingSystem\":\"Debian\",\"ServerVersion\":\"20.10.24\","
        "\"DockerRootDir\":\"/var/lib/docker\",\"SecurityOptions\":[\"name=apparmor\","
        "\"name=seccomp,profile=builtin\",\"name=rootless\",\"name=userns\"],"
        "\"Warnings\":[\"WARNING: one\",\"two\"]}");
    assert_text_or_null(engine.client, "28.2.2");
    assert_text_or_null(engine.context, "default");
    assert_text_or_null(engine.version, "20.10.24");
    assert_text_or_null(engine.platform, "Docker Desktop 4.27.1");
    assert_text_or_null(engine.system, "Debian");
    assert_text_or_null(engine.host, "box");
    assert_text_or_null(engine.directory, "/var/lib/docker");
    assert_text_or_null(engine.driver, "overlay2");
    assert_text_or_null(engine.cgroup, "2");
    assert_text_or_null(engine.seccomp, "builtin");
    assert_int_equal(engine.cpus, 8);
    assert_true(engine.rootless && engine.user_namespaces && engine.apparmor);
    assert_int_equal(engine.kind, ENGINE_DOCKER);
    assert_false(engine.selinux);
    check_limits(&engine, "+-++");
    assert_int_equal(engine.warnings.count, 2);
    assert_string_equal(engine.warnings.items[0], "WARNING: one");
    assert_text_or_null(engine.api, "1.41");
    assert_text_or_null(engine.kernel, "6.1");
    assert_text_or_null(engine.log_driver, "json-file");
    assert_text_or_null(engine.cgroup_driver, "systemd");
    assert_int_equal(engine.components.count, 2);
    assert_string_equal(engine.components.items[0], "runc 1.1.5");
    assert_string_equal(engine.components.items[1], "a\\n 1");
    engine_info_release(&engine);
}

CASE(engine_info__podman)
{
    struct engine_info engine;

    read_texts(
        &engine, "{\"Client\":{\"APIVersion\":\"4.3.1\",\"Version\":\"4.3.1\"}}",
        "{\"host\":{\"cgroupControllers\":[\"memory\",\"pids\"],\"cgroupVersion\":\"v2\","
        "\"cpus\":3,\"cgroupManager\":\"cgroupfs\",\"kernel\":\"6.1\",\"logDriver\":\"k8s-file\","
        "\"ociRuntime\":{\"name\":\"crun\",\"version\":\"crun version 1.8.1\\ncommit: 4\"},"
        "\"conmon\":{\"version\":\"conmon version 2.1.6, commit: unknown\"},"
        "\"distribution\":{\"distribution\":\"debian\"},\"hostname\":\"box\",\"security\":"
        "{\"rootless\":true,\"seccompEnabled\":true,\"selinuxEnabled\":false}},"
        "\"store\":{\"graphDriverName\":\"overlay\",\"graphRoot\":\"/g\"},"
        "\"version\":{\"Version\":\"4.3.1\"}}");
    assert_int_equal(engine.kind, ENGINE_PODMAN);
    assert_true(engine.rootless);
    assert_text_or_null(engine.version, "4.3.1");
    assert_text_or_null(engine.cgroup, "2");
    assert_text_or_null(engine.driver, "overlay");
    assert_text_or_null(engine.directory, "/g");
    assert_text_or_null(engine.system, "debian");
    assert_text_or_null(engine.seccomp, "default");
    assert_int_equal(engine.cpus, 3);
    assert_text_or_null(engine.api, "4.3.1");
    assert_text_or_null(engine.kernel, "6.1");
    assert_text_or_null(engine.log_driver, "k8s-file");
    assert_text_or_null(engine.cgroup_driver, "cgroupfs");
    assert_int_equal(engine.components.count, 2);
    assert_string_equal(engine.components.items[0], "crun 1.8.1");
    assert_string_equal(engine.components.items[1], "conmon 2.1.6");
    check_limits(&engine, "+++-");
    engine_info_release(&engine);
}

CASE(engine_info__podman_with_the_docker_client)
{
    struct engine_info engine;

    read_texts(
        &engine,
        "{\"Client\":{\"Version\":\"28.2.2\"},\"Server\":{\"Components\":[{\"Name\":\"Podman "
        "Engine\"}],\"Version\":\"4.3.1\"}}",
        "{\"CPUCfsQuota\":false,\"NCPU\":-1}");
    assert_int_equal(engine.kind, ENGINE_PODMAN);
    assert_int_equal(engine.cpus, 0);
    check_limits(&engine, "xxx-");
    engine_info_release(&engine);
}

/* podman is known by its version alone, before `info`. */
CASE(engine_info__podman_by_its_version)
{
    static const char text[] = "{\"Client\":{\"APIVersion\":\"4.3.1\",\"Version\":\"4.3.1\","
                               "\"OsArch\":\"linux/amd64\",\"Os\":\"linux\"}}";
    struct engine_info engine;

    engine_info_init(&engine);
    assert_true(engine_info_read_version(&engine, text, strlen(text)));
    assert_int_equal(engine.kind, ENGINE_PODMAN);
    assert_text_or_null(engine.client, "4.3.1");
    engine_info_release(&engine);
}

CASE(engine_info__everything_may_be_missing)
{
    struct engine_info engine;

    read_texts(&engine, "{}", "{}");
    assert_null(engine.client);
    assert_null(engine.version);
    assert_null(engine.seccomp);
    check_limits(&engine, "xxxx");
    engine_info_release(&engine);
    read_texts(&engine, "{\"Client\":5,\"Server\":null}",
               "{\"MemoryLimit\":\"yes\",\"SecurityOptions\":{\"a\":1},\"Warnings\":[5,null],"
               "\"Driver\":[\"x\"],\"CgroupVersion\":2,\"Name\":\"\"}");
    assert_null(engine.driver);
    assert_null(engine.cgroup);
    assert_null(engine.host);
    assert_int_equal(engine.warnings.count, 0);
    check_limits(&engine, "xxxx");
    engine_info_release(&engine);
}

CASE(engine_info__garbage)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;
    struct engine_info engine;

    engine_info_init(&engine);
    assert_false(engine_info_read_version(&engine, "", 0));
    assert_false(engine_info_read_info(&engine, "[]", 2));
    assert_false(engine_info_read_info(&engine, "{\"a\":", 5));
    strbuf_addstr(&many, "{\"a\":[1");
    for (int i = 0; i < 30000; i++)
        strbuf_addstr(&many, ",1");
    strbuf_addstr(&many, "]}");
    assert_false(engine_info_read_info(&engine, many.data, many.length));
    engine_info_release(&engine);
}

CASE(engine_info__strings_are_escaped_and_bounded)
{
    CLEANUP(strbuf_release) struct strbuf info = STRBUF_INIT;
    struct engine_info engine;

    engine_info_init(&engine);
    strbuf_addstr(&info, "{\"Driver\":\"a\\u001b[2J\",\"OperatingSystem\":\"");
    for (int i = 0; i < 1000; i++)
        strbuf_addch(&info, 'x');
    strbuf_addstr(&info, "\",\"Warnings\":[\"\\u009b\"");
    for (int i = 0; i < 100; i++)
        strbuf_addstr(&info, ",\"w\"");
    strbuf_addstr(&info, "],\"SecurityOptions\":[\"name=seccomp,profile=\\u001b\"]}");
    assert_true(engine_info_read_info(&engine, info.data, info.length));
    assert_text_or_null(engine.driver, "a\\x1b[2J");
    assert_int_equal(strlen(engine.system), 203);
    assert_int_equal(engine.warnings.count, 8);
    assert_string_equal(engine.warnings.items[0], "\\xc2\\x9b");
    assert_text_or_null(engine.seccomp, "\\x1b");
    engine_info_release(&engine);
}
