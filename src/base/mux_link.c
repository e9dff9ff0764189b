#define _GNU_SOURCE
#include "base/mux_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"

/* Those of hosts and those of tools. */
enum { SERVICES_MAX = 2 };

/* What waits for the relay: data, and in each slot a short text and a few messages. */
enum { OUT_MAX = 4 * MUX_LINK_FULL };

struct served {
    struct mux_service service;
    bool has_begun;           /* the relay has said whether it listens */
    unsigned long long spent; /* bytes that were taken */
};

struct mux_link {
    struct served services[SERVICES_MAX];
    size_t count;
    int epoll;         /* owned; of the descriptors of the services, by their index */
    struct strbuf in;  /* the start of a message */
    struct strbuf out; /* messages for the relay */
    size_t out_at;     /* of which these bytes were given */
    bool broken;       /* nothing more is taken */
    size_t taken;      /* bytes that are new to mux_link_taken() */
};

struct mux_link *mux_link_new(struct error *error)
{
    struct mux_link *link = memory_allocate(sizeof *link);

    *link = (struct mux_link){.epoll = epoll_create1(EPOLL_CLOEXEC)};
    if (link->epoll >= 0)
        return link;
    error_set_errno(error, ERROR_SYSTEM, "cannot wait for connections");
    mux_link_free(link);
    return NULL;
}

/* Waits for a descriptor of the next service. */
static bool watch(const struct mux_link *link, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = link->count};

    return fd < 0 || epoll_ctl(link->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int mux_link_add(struct mux_link *link, const struct mux_service *service, struct error *error)
{
    if (link->count == SERVICES_MAX)
        abort();
    if (!watch(link, service->fd) || !watch(link, service->timer))
        return error_set_errno(error, ERROR_SYSTEM, "cannot wait for connections");
    link->services[link->count++] = (struct served){.service = *service};
    return 0;
}

void mux_link_free(struct mux_link *link)
{
    if (!link)
        return;
    if (link->epoll >= 0)
        close(link->epoll);
    strbuf_release(&link->in);
    strbuf_release(&link->out);
    free(link);
}

int mux_link_fd(const struct mux_link *link)
{
    return link->epoll;
}

void mux_link_serve(struct mux_link *link)
{
    struct epoll_event events[SERVICES_MAX];
    const int count = epoll_wait(link->epoll, events, SERVICES_MAX, 0);

    for (int i = 0; i < count; i++) {
        const struct mux_service *service = &link->services[events[i].data.u64].service;

        service->serve(service->context);
    }
}

/* ---- what the relay says */

static struct served *find_service(struct mux_link *link, unsigned slot)
{
    for (size_t i = 0; i < link->count; i++) {
        const struct mux_service *service = &link->services[i].service;

        if (slot >= service->first && slot - service->first < service->count)
            return &link->services[i];
    }
    return NULL;
}

/* The relay says once, in the first slot, whether programs can connect. */
static bool take_begin(struct served *served, const struct mux_message *message,
                       const unsigned char *payload)
{
    const struct mux_service *service = &served->service;
    const bool is_first = !served->has_begun && message->slot == service->first;

    served->has_begun = true;
    if (!is_first || message->length != (message->type == MUX_FAILED ? 4 : 0))
        return false;
    if (message->type == MUX_FAILED)
        service->failed(service->context, (int)mux_read_number(payload));
    return true;
}

/* False: the relay must not say this. */
static bool take_message(struct mux_link *link, const struct mux_message *message,
                         const unsigned char *payload)
{
    struct served *served = find_service(link, message->slot);
    const struct mux_service *service = served ? &served->service : NULL;

    if (!service)
        return false;
    served->spent += MUX_HEADER + message->length;
    switch (message->type) {
    case MUX_LISTENS:
    case MUX_FAILED:
        return take_begin(served, message, payload);
    case MUX_OPEN:
        served->spent += MUX_LINK_OPEN_COST;
        return message->length == 0 && service->take_open(service->context, message->slot);
    case MUX_DATA:
        return service->take_data(service->context, message->slot, (const char *)payload,
                                  message->length);
    case MUX_CREDIT:
        return message->length == 4 &&
               service->take_credit(service->context, message->slot, mux_read_number(payload));
    case MUX_END:
        return message->length == 0 && service->take_end(service->context, message->slot);
    case MUX_CLOSE:
        return message->length == 0 && service->take_close(service->context, message->slot);
    default:
        return false;
    }
}

static void break_off(struct mux_link *link, const char *reason)
{
    link->broken = true;
    for (size_t i = 0; i < link->count; i++)
        link->services[i].service.broken(link->services[i].service.context, reason);
    strbuf_release(&link->in);
    strbuf_release(&link->out);
    link->out_at = 0;
}

/* Handles the messages that are complete. False: one of them must not come. */
static bool take_messages(struct mux_link *link)
{
    size_t done = 0;

    while (link->in.length - done >= MUX_HEADER) {
        const unsigned char *header = (const unsigned char *)link->in.data + done;
        struct mux_message message;

        if (!mux_read(header, &message))
            return false;
        if (link->in.length - done - MUX_HEADER < message.length)
            break;
        if (!take_message(link, &message, header + MUX_HEADER) ||
            link->out.length - link->out_at > OUT_MAX)
            return false;
        done += MUX_HEADER + message.length;
    }
    strbuf_drop(&link->in, done);
    return true;
}

static bool has_spent_all(const struct mux_link *link)
{
    for (size_t i = 0; i < link->count; i++)
        if (link->services[i].spent > link->services[i].service.max_bytes)
            return true;
    return false;
}

void mux_link_take(struct mux_link *link, const char *bytes, size_t length)
{
    if (link->broken)
        return;
    strbuf_add(&link->in, bytes, length);
    link->taken += length;
    if (!take_messages(link)) {
        break_off(link, "the relay in the container has sent what it must not, so all connections "
                        "were ended");
        return;
    }
    if (has_spent_all(link)) {
        break_off(link, "the program has made too many connections, or sent too much that was "
                        "refused, so all connections were ended");
        return;
    }
    for (size_t i = 0; i < link->count; i++)
        if (link->services[i].service.taken)
            link->services[i].service.taken(link->services[i].service.context);
}

size_t mux_link_taken(struct mux_link *link)
{
    const size_t taken = link->broken ? 0 : link->taken;

    link->taken = 0;
    return taken;
}

/* ---- to the relay */

void mux_link_send(struct mux_link *link, unsigned slot, enum mux_type type, const void *payload,
                   size_t length)
{
    unsigned char header[MUX_HEADER];

    mux_write(header, slot, type, length);
    strbuf_add(&link->out, header, sizeof header);
    strbuf_add(&link->out, payload, length);
}

bool mux_link_is_full(const struct mux_link *link)
{
    return link->out.length >= MUX_LINK_FULL;
}

size_t mux_link_give(struct mux_link *link, char *bytes, size_t size)
{
    const size_t left = link->out.length - link->out_at;
    const size_t length = left < size ? left : size;
    const bool was_full = mux_link_is_full(link);

    if (length > 0)
        memcpy(bytes, link->out.data + link->out_at, length);
    link->out_at += length;
    if (link->out_at < link->out.length / 2)
        return length;
    strbuf_drop(&link->out, link->out_at);
    link->out_at = 0;
    for (size_t i = 0; i < link->count && was_full && !mux_link_is_full(link); i++)
        link->services[i].service.has_room(link->services[i].service.context);
    return length;
}
