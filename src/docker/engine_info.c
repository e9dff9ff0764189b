#include "docker/engine_info.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "docker/budget.h"

/* Bytes of a string, values in an answer, and how many warnings and components are kept. */
enum { STRING_MAX = 200, VALUES_MAX = 20000, WARNINGS_MAX = 8, COMPONENTS_MAX = 8 };

/* Takes a string that is not empty. */
static void take(char **target, const json_t *value)
{
    const char *text = json_string_value(value);

    if (!text || *text == '\0')
        return;
    free(*target);
    *target = text_escape_short(text, STRING_MAX);
}

/* The member `first`, or `second` of that (NULL: no second); borrowed; NULL: none. */
static json_t *at(const json_t *object, const char *first, const char *second)
{
    json_t *value = json_object_get(object, first);

    return second ? json_object_get(value, second) : value;
}

static json_t *parse(const char *text, size_t length)
{
    json_t *root =
        json_text_count(text, length) > VALUES_MAX ? NULL : json_text_parse(text, length, NULL);

    if (json_is_object(root))
        return root;
    json_decref(root);
    return NULL;
}

static void add_component(struct engine_info *engine, const char *name, const char *version)
{
    CLEANUP_FREE char *escaped_name = name ? text_escape_short(name, STRING_MAX) : NULL;
    CLEANUP_FREE char *escaped_version = version ? text_escape_short(version, STRING_MAX) : NULL;

    if (name && version && *name && *version && engine->components.count < COMPONENTS_MAX)
        strvec_pushf(&engine->components, "%s %s", escaped_name, escaped_version);
}

/* "Engine" and "Podman Engine" have the version of the engine. */
static void take_components(struct engine_info *engine, const json_t *components)
{
    size_t i;
    json_t *component;

    json_array_foreach(components, i, component) {
        const char *name = json_string_value(at(component, "Name", NULL));

        if (name && !strstr(name, "Engine"))
            add_component(engine, name, json_string_value(at(component, "Version", NULL)));
    }
}

/* podman: the first line of what its parts print, "crun version 1.8.1". */
static void take_part(struct engine_info *engine, const json_t *part, const char *name)
{
    const char *text = json_string_value(at(part, "version", NULL));
    char version[64];

    if (text && sscanf(text, "%*63s version %63[^ ,\n]", version) == 1)
        add_component(engine, name, version);
}

bool engine_info_read_version(struct engine_info *engine, const char *text, size_t length)
{
    json_t *root = parse(text, length);
    const json_t *server = json_object_get(root, "Server");
    const char *component;

    if (!root)
        return false;
    take(&engine->client, at(root, "Client", "Version"));
    take(&engine->context, at(root, "Client", "Context"));
    take(&engine->api, at(root, "Client", "APIVersion")); /* podman */
    take(&engine->api, at(root, "Client", "ApiVersion"));
    take(&engine->version, at(server, "Version", NULL));
    take_components(engine, at(server, "Components", NULL));
    take(&engine->platform, at(server, "Platform", "Name"));
    component =
        json_string_value(at(json_array_get(at(server, "Components", NULL), 0), "Name", NULL));
    if ((component && strcmp(component, "Podman Engine") == 0) ||
        at(root, "Client", "OsArch")) /* docker has Os and Arch */
        engine->kind = ENGINE_PODMAN;
    else if (at(root, "Client", "Arch"))
        engine->kind = ENGINE_DOCKER;
    json_decref(root);
    return true;
}

static void take_limit(struct engine_info *engine, enum engine_limit limit, const json_t *value)
{
    if (json_is_boolean(value))
        engine->limits[limit] = json_is_true(value) ? ENGINE_YES : ENGINE_NO;
}

static void take_cpus(struct engine_info *engine, const json_t *value)
{
    const json_int_t cpus = json_integer_value(value);

    if (cpus > 0 && cpus <= ENGINE_CPUS_MAX)
        engine->cpus = (long)cpus;
}

/* "name=seccomp,profile=default" */
static void take_security(struct engine_info *engine, const char *option)
{
    static const char seccomp[] = "name=seccomp", profile[] = "profile=";
    const char *named = strstr(option, profile);

    if (strncmp(option, seccomp, strlen(seccomp)) == 0) {
        free(engine->seccomp);
        engine->seccomp =
            text_escape_short(named ? named + strlen(profile) : "default", STRING_MAX);
    }
    engine->rootless |= strcmp(option, "name=rootless") == 0;
    engine->user_namespaces |= strcmp(option, "name=userns") == 0;
    engine->apparmor |= strcmp(option, "name=apparmor") == 0;
    engine->selinux |= strcmp(option, "name=selinux") == 0;
}

/* A runtime has a path and options, or the name of a type. */
static char *oci_command(const json_t *runtime)
{
    const char *path = json_string_value(at(runtime, "path", NULL));
    const char *type = json_string_value(at(runtime, "runtimeType", NULL));
    struct strbuf command = STRBUF_INIT;
    size_t i;
    json_t *option;

    text_add_escaped(&command, path ? path : "", path ? strnlen(path, STRING_MAX) : 0);
    if (type)
        text_add_escaped(&command, type, strnlen(type, STRING_MAX));
    json_array_foreach(at(runtime, "runtimeArgs", NULL), i, option) {
        const char *text = json_string_value(option);

        strbuf_addch(&command, ' ');
        if (text)
            text_add_escaped(&command, text, strnlen(text, STRING_MAX));
    }
    return strbuf_steal(&command);
}

static void take_oci_runtimes(struct engine_info *engine, const json_t *root)
{
    const char *name;
    const json_t *runtime;

    take(&engine->oci_runtime, at(root, "DefaultRuntime", NULL));
    json_object_foreach(json_object_get(root, "Runtimes"), name, runtime) {
        strvec_push_owned(&engine->oci_runtimes, text_escape_short(name, STRING_MAX));
        strvec_push_owned(&engine->oci_commands, oci_command(runtime));
    }
}

static void read_docker(struct engine_info *engine, const json_t *root)
{
    size_t i;
    json_t *item;

    take(&engine->version, at(root, "ServerVersion", NULL));
    take(&engine->system, at(root, "OperatingSystem", NULL));
    take(&engine->host, at(root, "Name", NULL));
    take(&engine->id, at(root, "ID", NULL));
    take_oci_runtimes(engine, root);
    take(&engine->directory, at(root, "DockerRootDir", NULL));
    take(&engine->driver, at(root, "Driver", NULL));
    take(&engine->log_driver, at(root, "LoggingDriver", NULL));
    take(&engine->cgroup, at(root, "CgroupVersion", NULL));
    take(&engine->cgroup_driver, at(root, "CgroupDriver", NULL));
    take(&engine->kernel, at(root, "KernelVersion", NULL));
    take_cpus(engine, at(root, "NCPU", NULL));
    take_limit(engine, ENGINE_MEMORY, at(root, "MemoryLimit", NULL));
    take_limit(engine, ENGINE_SWAP, at(root, "SwapLimit", NULL));
    take_limit(engine, ENGINE_PIDS, at(root, "PidsLimit", NULL));
    take_limit(engine, ENGINE_CPU, at(root, "CPUCfsQuota", NULL));
    take_limit(engine, ENGINE_CPU, at(root, "CpuCfsQuota", NULL));
    json_array_foreach(at(root, "SecurityOptions", NULL), i, item)
        if (json_is_string(item))
            take_security(engine, json_string_value(item));
    json_array_foreach(at(root, "Warnings", NULL), i, item)
        if (json_is_string(item) && engine->warnings.count < WARNINGS_MAX)
            strvec_push_owned(&engine->warnings,
                              text_escape_short(json_string_value(item), STRING_MAX));
}

/* podman info: it enforces the limits whose cgroup controllers it may use. */
static void read_podman(struct engine_info *engine, const json_t *root)
{
    static const char *const controllers[ENGINE_LIMITS] = {"memory", "memory", "pids", "cpu"};
    const json_t *host = json_object_get(root, "host");
    const json_t *security = json_object_get(host, "security");
    const json_t *available = json_object_get(host, "cgroupControllers");
    size_t i;
    json_t *item;

    engine->kind = ENGINE_PODMAN;
    take(&engine->version, at(root, "version", "Version"));
    take(&engine->system, at(host, "distribution", "distribution"));
    take(&engine->host, at(host, "hostname", NULL));
    take(&engine->directory, at(root, "store", "graphRoot"));
    take(&engine->driver, at(root, "store", "graphDriverName"));
    take(&engine->log_driver, at(host, "logDriver", NULL));
    take(&engine->cgroup_driver, at(host, "cgroupManager", NULL));
    take(&engine->kernel, at(host, "kernel", NULL));
    take(&engine->oci_runtime, at(host, "ociRuntime", "name"));
    take_part(engine, at(host, "ociRuntime", NULL), engine->oci_runtime);
    take_part(engine, at(host, "conmon", NULL), "conmon");
    take(&engine->cgroup, at(host, "cgroupVersion", NULL));
    if (engine->cgroup && engine->cgroup[0] == 'v')
        memmove(engine->cgroup, engine->cgroup + 1, strlen(engine->cgroup));
    take_cpus(engine, json_object_get(host, "cpus"));
    engine->rootless |= json_is_true(at(security, "rootless", NULL));
    engine->apparmor |= json_is_true(at(security, "apparmorEnabled", NULL));
    engine->selinux |= json_is_true(at(security, "selinuxEnabled", NULL));
    if (json_is_true(at(security, "seccompEnabled", NULL)) && !engine->seccomp)
        engine->seccomp = string_copy("default");
    /* A rootless one may have none (cgroup v1). */
    for (int limit = 0; limit < ENGINE_LIMITS && (available || engine->rootless); limit++) {
        engine->limits[limit] = ENGINE_NO;
        json_array_foreach(available, i, item)
            if (json_is_string(item) && strcmp(json_string_value(item), controllers[limit]) == 0)
                engine->limits[limit] = ENGINE_YES;
    }
}

bool engine_info_read_info(struct engine_info *engine, const char *text, size_t length)
{
    json_t *root = parse(text, length);

    if (!root)
        return false;
    if (json_is_object(json_object_get(root, "host")))
        read_podman(engine, root);
    else
        read_docker(engine, root);
    json_decref(root);
    return true;
}

void engine_info_ask_endpoint(struct engine_info *engine, const struct docker *docker,
                              const struct notifier *cancel)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* then it is not known */
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_ENDPOINT),
                               .cancel = cancel};
    CLEANUP_FREE char *line = NULL;

    strvec_push_each(&call.arguments, "context", "inspect", "--format",
                     "{{.Endpoints.docker.Host}}", NULL);
    if (docker_run(docker, &call, &output, &ignored) != 0)
        return;
    engine->no_endpoint = output.status != 0 && !docker_crashed(&output);
    if (output.status != 0)
        return;
    line = string_format("%.*s", (int)strcspn(strbuf_string(&output.out), "\n"),
                         strbuf_string(&output.out));
    if (strstr(line, "://"))
        engine->endpoint = text_escape_short(line, STRING_MAX);
}

int engine_info_ask_versions(struct engine_info *engine, const struct docker *docker,
                             long long deadline, const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    engine->kind = docker->kind;
    strvec_push_each(&call.arguments, "version", "--format", "{{json .}}", NULL);
    engine->silences = docker_run(docker, &call, &output, error) != 0 || docker_crashed(&output)
                           ? engine->silences + 1
                           : 0;
    if (error->kind != ERROR_NONE)
        return -1;
    engine_info_read_version(engine, strbuf_string(&output.out), output.out.length);
    if (output.status != 0) {
        CLEANUP_FREE char *message = docker_failure(docker, &call, &output);
        return error_set(error, ERROR_ENGINE, "%s", message);
    }
    return 0;
}

int engine_info_ask_details(struct engine_info *engine, const struct docker *docker,
                            long long deadline, const struct notifier *cancel, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push_each(&call.arguments, "info", "--format", "{{json .}}", NULL);
    if (docker_succeed(docker, &call, "cannot ask the engine", &output, error) != 0)
        return -1;
    if (!engine_info_read_info(engine, strbuf_string(&output.out), output.out.length))
        return error_set(error, ERROR_ENGINE, "'%s info' did not answer in JSON", docker->command);
    return 0;
}

void engine_info_init(struct engine_info *engine)
{
    *engine = (struct engine_info){.warnings = STRVEC_INIT,
                                   .components = STRVEC_INIT,
                                   .oci_runtimes = STRVEC_INIT,
                                   .oci_commands = STRVEC_INIT};
}

void engine_info_release(struct engine_info *engine)
{
    free(engine->client);
    free(engine->context);
    free(engine->endpoint);
    free(engine->version);
    free(engine->platform);
    free(engine->system);
    free(engine->host);
    free(engine->directory);
    free(engine->driver);
    free(engine->log_driver);
    free(engine->cgroup);
    free(engine->cgroup_driver);
    free(engine->api);
    free(engine->kernel);
    free(engine->seccomp);
    free(engine->id);
    free(engine->oci_runtime);
    strvec_release(&engine->oci_runtimes);
    strvec_release(&engine->oci_commands);
    strvec_release(&engine->warnings);
    strvec_release(&engine->components);
}
