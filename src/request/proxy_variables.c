#include "request/proxy_variables.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/drivers.h"
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

/* Adds the text as part of a URL. What stays as it is means nothing special to NODE_OPTIONS. */
static void add_encoded(struct strbuf *url, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-_.~!$&'()*+,;=:@/";

    for (; *text; text++) {
        if (strchr(plain, *text))
            strbuf_add(url, text, 1);
        else
            strbuf_addf(url, "%%%02X", (unsigned char)*text);
    }
}

static bool is_node(const struct strvec *command)
{
    const char *program = command->count > 0 ? command->items[0] : "";
    const char *slash = strrchr(program, '/');

    return strcmp(slash ? slash + 1 : program, "node") == 0;
}

void proxy_variables_set_node(struct strvec *environment, const struct strvec *command)
{
    CLEANUP(strbuf_release) struct strbuf options = STRBUF_INIT;

    if (!is_node(command))
        return;
    strbuf_addstr(&options, "--import=data:text/javascript,");
    add_encoded(&options, driver_node_proxy());
    add_encoded(&options, "//# sourceURL=isolator:node_proxy"); /* its name in stacks */
    set(environment, "NODE_OPTIONS", strbuf_string(&options));
}
