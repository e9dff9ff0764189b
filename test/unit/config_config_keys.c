#include "test.h"

#include "config/config_keys.h"
#include "config/limits.h"

static const enum config_level levels[] = {
    CONFIG_LEVEL_TOP,        CONFIG_LEVEL_LIMITS,     CONFIG_LEVEL_LANGUAGE,
    CONFIG_LEVEL_BUILD,      CONFIG_LEVEL_PREPARE,    CONFIG_LEVEL_SESSIONS,
    CONFIG_LEVEL_JOBS,       CONFIG_LEVEL_WORKSPACES, CONFIG_LEVEL_NETWORK,
    CONFIG_LEVEL_HOST,       CONFIG_LEVEL_CREDENTIAL, CONFIG_LEVEL_TOOL_SERVER,
    CONFIG_LEVEL_TOOL_LIMITS};

/* All keys in the order of the table, each level on a line of its own. */
CASE(config_keys__levels)
{
    CLEANUP(strbuf_release) struct strbuf names = STRBUF_INIT;

    for (size_t i = 0; i < COUNT(levels); i++) {
        const struct config_key *key = NULL;

        while ((key = config_keys_next(levels[i], key)))
            strbuf_addf(&names, "%s ", key->rule->name);
        strbuf_addch(&names, '\n');
    }
    assert_string_equal(
        strbuf_string(&names),
        "$schema containerCommand containerWorkdir engineTimeoutSeconds allowUnenforced "
        "allowNetlink userRange "
        "promptsDir inputsDir auditFile maxConcurrent maxQueued maxTextBytes maxArtifacts "
        "maxArtifactBytes "
        "maxStoredBytes warm warmMaxAgeSeconds warmMemoryMB maxShare sessions jobs workspaces "
        "tools "
        "mcpServers toolLimits images "
        "isolatorPath network defaults maximums languages \n"
        "timeoutSeconds memoryMB cpus cpuSeconds pidsLimit workdirMB tmpMB outputBytes network "
        "readOnly capDrop user ociRuntime \n"
        "image imageVersions command build standard packageStandard sessionCommand buildLimits "
        "stackMB ready preload "
        "aliases "
        "extensions "
        "defaultFilename filenamePattern hello env "
        "prepare "
        "listPackages packages \n"
        "timeoutSeconds memoryMB cpus pidsLimit \n"
        "run files network \n"
        "max idleSeconds lifetimeSeconds cpuSeconds outputBytes \n"
        "keepHours maxRunning \n"
        "idleSeconds lifetimeSeconds maxRunning \n"
        "allow credentials maxBytes maxConnections \n"
        "host ports addresses raw tls \n"
        "host header from prefix \n"
        "command args env allow ask \n"
        "calls atOnce callSeconds valueBytes totalBytes \n");
}

CASE(config_keys__find)
{
    assert_string_equal(config_keys_find(CONFIG_LEVEL_TOP, "maxQueued")->rule->name, "maxQueued");
    assert_ptr_equal(config_keys_find(CONFIG_LEVEL_LIMITS, "memoryMB")->rule,
                     &limit_rules[LIMIT_MEMORY].key);
    assert_string_equal(config_keys_find(CONFIG_LEVEL_PREPARE, "network")->rule->name, "network");
    assert_null(config_keys_find(CONFIG_LEVEL_TOP, "memoryMB"));
    assert_null(config_keys_find(CONFIG_LEVEL_LIMITS, "image"));
    assert_null(config_keys_find(CONFIG_LEVEL_TOP, ""));
}

CASE(config_keys__ranges)
{
    static const struct {
        const char *name;
        double minimum, maximum;
    } expected[] = {
        {"engineTimeoutSeconds", 1, 600},
        {"maxConcurrent", 1, 1024},
        {"maxQueued", 0, 100000},
        {"maxTextBytes", 1000, 450000},
        {"maxArtifacts", 0, 10000},
        {"maxArtifactBytes", 0, 1073741824},
        {"maxStoredBytes", 1048576, 1073741824},
        {"warm", 0, 100},
        {"warmMaxAgeSeconds", 1, 86400},
        {"warmMemoryMB", 0, 1 << 24},
        {"maxShare", 0, 100000},
    };
    const struct config_key *key = NULL;
    size_t count = 0;

    for (size_t i = 0; i < COUNT(expected); i++) {
        key = config_keys_find(CONFIG_LEVEL_TOP, expected[i].name);
        assert_non_null(key);
        assert_true(key->rule->minimum == expected[i].minimum);
        assert_true(key->rule->maximum == expected[i].maximum);
    }
    for (key = NULL; (key = config_keys_next(CONFIG_LEVEL_TOP, key));)
        count += key->rule->type == KEY_WHOLE || key->rule->type == KEY_WHOLE_BY_LANGUAGE;
    assert_int_equal(count, COUNT(expected));
}

/* Every key has what the schema needs. */
CASE(config_keys__are_described)
{
    for (size_t i = 0; i < COUNT(levels); i++) {
        const struct config_key *key = NULL;

        while ((key = config_keys_next(levels[i], key))) {
            const size_t length = key->rule->description ? strlen(key->rule->description) : 0;
            json_t *more = key->schema ? json_loads(key->schema, 0, NULL) : json_object();

            if (!key->rule->title || length < 10 || key->rule->description[length - 1] != '.' ||
                !json_is_object(more))
                fail_msg("%s is not described", key->rule->name);
            json_decref(more);
        }
    }
}
