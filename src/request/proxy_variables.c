#include "request/proxy_variables.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/environment.h"

static bool is_in_list(const struct network_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->hosts[i].name, name) == 0)
            return true;
    return false;
}

static void set(struct strvec *environment, const char *name, const char *value)
{
    CLEANUP_FREE char *assignment = string_format("%s=%s", name, value);

    environment_set(environment, assignment);
}

void proxy_variables_set(struct strvec *environment, const struct network_rules *rules,
                         const char *bundle)
{
    static const char *const bundles[] = {"SSL_CERT_FILE",  "REQUESTS_CA_BUNDLE",
                                          "CURL_CA_BUNDLE", "PIP_CERT",
                                          "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"};
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"};
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    CLEANUP_FREE char *proxy = string_format("http://127.0.0.1:%d", MUX_PORT);
    CLEANUP(strvec_release) struct strvec direct = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!is_in_list(rules, own[i]))
            strvec_push(&direct, own[i]);
    joined = strvec_join(&direct, ",");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        set(environment, names[i], proxy);
    set(environment, "no_proxy", joined);
    set(environment, "NO_PROXY", joined);
    set(environment, "NODE_USE_ENV_PROXY", "1");
    for (size_t i = 0; bundle && i < sizeof bundles / sizeof *bundles; i++)
        set(environment, bundles[i], bundle);
}
