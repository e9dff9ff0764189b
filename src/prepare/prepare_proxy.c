#include "prepare/prepare_proxy.h"

#include <poll.h>

/* Bytes for the relay that wait in the queue of the docker command. */
enum { PIECE = 65536 };

int prepare_proxy_open(struct prepare_proxy *proxy, const struct prepare *prepare,
                       const struct network_rules *rules, struct error *error)
{
    proxy->prepare = prepare;
    proxy->proxy = proxy_new(rules, &proxy->log, prepare->docker, error);
    return proxy->proxy ? 0 : -1;
}

static bool take(void *context, enum process_stream stream, const char *data, size_t length)
{
    const struct prepare_proxy *proxy = context;

    if (stream == PROCESS_STDERR)
        return proxy->prepare->output(proxy->prepare->context, stream, data, length);
    proxy_take(proxy->proxy, data, length);
    return true;
}

static void give(void *context, struct strbuf *queue)
{
    const struct prepare_proxy *proxy = context;
    char bytes[PIECE];
    const size_t length = proxy_give(proxy->proxy, bytes, sizeof bytes);

    if (length > 0)
        strbuf_add(queue, bytes, length);
}

static void serve(void *context, int number)
{
    const struct prepare_proxy *proxy = context;

    (void)number;
    proxy_serve(proxy->proxy);
}

static void watch(void *context, struct loop *loop)
{
    const struct prepare_proxy *proxy = context;

    loop_add(loop, proxy_fd(proxy->proxy), POLLIN, serve, context, 0);
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
    network_log_release(&proxy->log);
}
