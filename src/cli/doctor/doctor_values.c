/*
 * What `isolator doctor --json` says of the engine in members of their own.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "cli/doctor/doctor.h"

/* NULL: not known. */
static void set(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

static json_t *versions(const struct engine_info *engine)
{
    json_t *object = json_object();

    set(object, "command", engine->client);
    set(object, "engine", engine->version);
    set(object, "api", engine->api);
    set(object, "kernel", engine->kernel);
    for (size_t i = 0; i < engine->components.count; i++) { /* "runc 1.3.4" */
        const char *component = engine->components.items[i];
        const size_t length = strcspn(component, " ");
        CLEANUP_FREE char *name = string_format("%.*s", (int)length, component);

        if (component[length] != '\0' && !json_object_get(object, name))
            set(object, name, component + length + 1);
    }
    return object;
}

json_t *doctor_engine_values(const struct engine_info *engine)
{
    json_t *drivers = json_object();

    set(drivers, "storage", engine->driver);
    set(drivers, "cgroup", engine->cgroup_driver);
    set(drivers, "cgroup_version", engine->cgroup);
    set(drivers, "logging", engine->log_driver);
    set(drivers, "oci_runtime", engine->oci_runtime);
    return json_pack("{s:o, s:o}", "versions", versions(engine), "drivers", drivers);
}

json_t *doctor_limit_values(const struct strvec *enforced, const struct strvec *missing)
{
    return json_pack("{s:o, s:o}", "enforced", json_make_list(enforced), "not_enforced",
                     json_make_list(missing));
}

json_t *doctor_tried_values(const char *oci_runtime)
{
    return json_pack("{s:[s, s], s:s?}", "held", "memory", "processes", "oci_runtime", oci_runtime);
}
