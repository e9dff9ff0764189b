#include "prepare/prepare_proxy.h"

#include <poll.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "docker/container.h"
#include "request/proxy_variables.h"

/* Bytes for the relay that wait in the queue of the docker command. */
enum { PIECE = 65536 };

int prepare_proxy_open(struct prepare_proxy *proxy, const struct prepare *prepare,
                       const struct network_rules *rules, struct error *error)
{
    proxy->prepare = prepare;
    if (network_rules_terminate(rules)) {
        proxy->terminator = terminator_new(rules, prepare->cancel, error);
        if (!proxy->terminator)
            return -1;
    }
    proxy->link = mux_link_new(error);
    if (!proxy->link)
        return -1;
    proxy->proxy =
        proxy_new(rules, proxy->terminator, &proxy->log, prepare->docker, proxy->link, error);
    return proxy->proxy ? 0 : -1;
}

int prepare_proxy_copy_certificates(const struct prepare_proxy *proxy, const char *container,
                                    const char *directory, struct error *error)
{
    const struct prepare *prepare = proxy->prepare;
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;

    if (!proxy->terminator)
        return 0;
    if (archive_open(&archive, 0, 0, NULL, error) != 0 ||
        terminator_add_certificates(proxy->terminator, &archive, PROXY_BUNDLE_NAME, error) != 0 ||
        archive_finish(&archive, error) != 0)
        return -1;
    return container_copy_in(prepare->docker, container, directory, "the certificates",
                             archive_file(&archive), 0, prepare->cancel, error);
}

static bool take(void *context, enum process_stream stream, const char *data, size_t length)
{
    const struct prepare_proxy *proxy = context;

    if (stream == PROCESS_STDERR)
        return proxy->prepare->output(proxy->prepare->context, stream, data, length);
    mux_link_take(proxy->link, data, length);
    return true;
}

static void give(void *context, struct strbuf *queue)
{
    const struct prepare_proxy *proxy = context;
    char bytes[PIECE];
    const size_t length = mux_link_give(proxy->link, bytes, sizeof bytes);

    if (length > 0)
        strbuf_add(queue, bytes, length);
}

static void serve(void *context, int number)
{
    const struct prepare_proxy *proxy = context;

    (void)number;
    mux_link_serve(proxy->link);
}

static void watch(void *context, struct loop *loop)
{
    const struct prepare_proxy *proxy = context;

    loop_add(loop, mux_link_fd(proxy->link), POLLIN, serve, context, 0);
}

void prepare_proxy_attach(struct prepare_proxy *proxy, struct process *client,
                          struct process_pump *pump)
{
    client->source = give;
    client->source_context = proxy;
    pump->sink = take;
    pump->watch = watch;
    pump->context = proxy;
}

void prepare_proxy_warn(const struct prepare_proxy *proxy)
{
    network_log_warn(&proxy->log, proxy->prepare->warnings);
}

void prepare_proxy_release(struct prepare_proxy *proxy)
{
    proxy_free(proxy->proxy);
    proxy->proxy = NULL;
    mux_link_free(proxy->link);
    proxy->link = NULL;
    terminator_free(proxy->terminator);
    proxy->terminator = NULL;
    network_log_release(&proxy->log);
}
