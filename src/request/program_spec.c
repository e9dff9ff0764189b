#include "request/program_spec.h"

#include <string.h>

#include "base/mux.h"

struct program_spec program_spec_of(const struct plan *plan)
{
    const struct network_rules *rules = &plan->policy.network_rules;

    return (struct program_spec){
        .command = &plan->command,
        .environment = &plan->environment,
        .proxies = &plan->relay_environment,
        /* the engine leaves them empty */
        .without_proxies = strcmp(plan->policy.network, "none") == 0,
        .directory = plan->directory,
        .traits = plan->traits,
        .limits = &plan->policy.limits,
        .connections = rules->count > 0 ? rules->max_connections : 0,
        .tools = plan->tools.count > 0 ? MUX_TOOLS_MAX : 0,
        .output_kept = (size_t)plan->policy.limits.number[LIMIT_OUTPUT],
        .input = plan->input.stdin_file,
        .input_is_live = plan->input.stdin_is_live,
    };
}

struct program_spec program_spec_of_build(const struct plan *plan, const struct strvec *command)
{
    struct program_spec spec = program_spec_of(plan);

    spec.command = command;
    spec.environment = &plan->public_environment;
    spec.limits = &plan->build_limits;
    spec.output_kept = (size_t)plan->build_limits.number[LIMIT_OUTPUT];
    spec.input = -1;
    spec.must_succeed = true;
    return spec;
}

struct program_spec program_spec_of_interpreter(const struct plan *plan)
{
    struct program_spec spec = program_spec_of(plan);

    spec.command = &plan->session_command;
    spec.environment = &plan->public_environment;
    return spec;
}
