#include "docker/engine_users.h"

#include "base/cleanup.h"
#include "docker/budget.h"
#include "docker/engine_info.h"
#include "docker/engine_memory.h"

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
