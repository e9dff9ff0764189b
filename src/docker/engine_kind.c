#include "docker/engine_kind.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/engine_info.h"
#include "docker/engine_memory.h"

const char *engine_kind_name(enum engine_kind kind)
{
    static const char *const names[] = {[ENGINE_DOCKER] = "Docker", [ENGINE_PODMAN] = "podman"};

    return names[kind];
}

char *engine_tmpfs(const char *path, long size_mb, unsigned uid, unsigned gid)
{
    return string_format("%s:rw,exec,nosuid,nodev,size=%ldm,uid=%u,gid=%u,mode=0700", path, size_mb,
                         uid, gid);
}

void engine_add_log(struct strvec *arguments, unsigned long long max)
{
    if (max == 0) {
        strvec_push_each(arguments, "--log-driver", "none", NULL);
        return;
    }
    strvec_push_each(arguments, "--log-driver", "local", "--log-opt", "max-file=1", "--log-opt",
                     "compress=false", "--log-opt", NULL);
    strvec_pushf(arguments, "max-size=%lluk", max / 1024 + 1);
}

void engine_add_label(struct strbuf *template, const char *key)
{
    strbuf_addf(template, "{{json (.Label \"%s\")}}", key);
}

bool engine_refused_run(int status)
{
    return status == 125; /* docker-run(1), "Exit Status" */
}

void engine_ask(const struct docker *docker, const struct notifier *cancel)
{
    CLEANUP(engine_info_release) struct engine_info engine;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    engine_info_init(&engine);
    if (engine_memory_users(docker->memory) == ENGINE_USERS_UNKNOWN &&
        engine_info_ask_details(&engine, docker, budget_deadline(docker, BUDGET_QUERY), cancel,
                                &ignored) == 0)
        engine_memory_set_engine(docker->memory,
                                 engine.rootless || engine.user_namespaces ? ENGINE_USERS_MAPPED
                                                                           : ENGINE_USERS_ALL,
                                 engine.cpus);
}

bool engine_lacks_user(const struct docker *docker, unsigned user)
{
    return user > ENGINE_USERS_MAPPED_MAX &&
           engine_memory_users(docker->memory) == ENGINE_USERS_MAPPED;
}
