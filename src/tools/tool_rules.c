#include "tools/tool_rules.h"

#include "tools/upstream_tools.h"

static int compile(struct glob *globs, size_t *count, const struct strvec *patterns,
                   struct error *error)
{
    for (size_t i = 0; i < patterns->count && i < TOOL_PATTERNS_MAX; i++) {
        if (glob_compile(&globs[*count], patterns->items[i], error) != 0)
            return -1;
        ++*count;
    }
    return 0;
}

int tool_rules_init(struct tool_rules *rules, const struct tool_server *server, struct error *error)
{
    rules->by_hint = !server->has_allow && server->ask.count == 0;
    rules->allow_count = rules->ask_count = 0;
    if (compile(rules->allow, &rules->allow_count, &server->allow, error) != 0)
        return -1;
    return compile(rules->ask, &rules->ask_count, &server->ask, error);
}

static bool matches(const struct glob *globs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (glob_match(&globs[i], name))
            return true;
    return false;
}

enum tool_verdict tool_rules_verdict(const struct tool_rules *rules, const char *name,
                                     bool has_read_only_hint)
{
    if (!tool_name_is_valid(name)) /* a '/' would have the globs compare the last part alone */
        return TOOL_REFUSED;
    if (rules->by_hint)
        return has_read_only_hint ? TOOL_ALLOWED : TOOL_REFUSED;
    if (matches(rules->allow, rules->allow_count, name))
        return TOOL_ALLOWED;
    return matches(rules->ask, rules->ask_count, name) ? TOOL_ASK : TOOL_REFUSED;
}

const char *tool_verdict_name(enum tool_verdict verdict)
{
    static const char *const names[] = {
        [TOOL_REFUSED] = "refused", [TOOL_ASK] = "ask", [TOOL_ALLOWED] = "allowed"};

    return names[verdict];
}

void tool_rules_release(struct tool_rules *rules)
{
    for (size_t i = 0; i < rules->allow_count; i++)
        glob_release(&rules->allow[i]);
    for (size_t i = 0; i < rules->ask_count; i++)
        glob_release(&rules->ask[i]);
    rules->allow_count = rules->ask_count = 0;
}
