#define _GNU_SOURCE
#include "network/lookup.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <resolv.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/thread.h"

struct lookups {
    atomic_int users;  /* the caller and the threads */
    atomic_int active; /* the threads */
};

struct lookup {
    struct lookups *lookups;
    atomic_int users; /* the caller and the thread */
    int event;        /* owned */
    char *name;       /* owned */
    /* The answer, once the event is there. */
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    size_t count;
    const char *problem;
};

struct lookups *lookups_new(void)
{
    struct lookups *lookups = memory_allocate(sizeof *lookups);

    atomic_store(&lookups->users, 1);
    atomic_store(&lookups->active, 0);
    return lookups;
}

void lookups_leave(struct lookups *lookups)
{
    if (lookups && atomic_fetch_sub(&lookups->users, 1) == 1)
        free(lookups);
}

static void leave(struct lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->users, 1) > 1)
        return;
    close(lookup->event);
    free(lookup->name);
    free(lookup);
}

/* The thread of a lookup has ended, or was not started. */
static void end_thread(struct lookups *lookups)
{
    atomic_fetch_sub(&lookups->active, 1);
    lookups_leave(lookups);
}

static void add_address(struct lookup *lookup, const struct sockaddr *found)
{
    struct ip_address *address = &lookup->addresses[lookup->count];

    *address = (struct ip_address){.family = found->sa_family};
    if (found->sa_family == AF_INET)
        memcpy(address->bytes, &((const struct sockaddr_in *)(const void *)found)->sin_addr, 4);
    else if (found->sa_family == AF_INET6)
        memcpy(address->bytes, &((const struct sockaddr_in6 *)(const void *)found)->sin6_addr, 16);
    else
        return;
    lookup->count++;
}

static void *look_up(void *argument)
{
    struct lookup *lookup = argument;
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const uint64_t one = 1;
    struct addrinfo *found = NULL;
    int error;

    if (strchr(lookup->name, '.') && res_init() == 0)
        _res.options &= ~(unsigned long)RES_DNSRCH; /* of this thread */
    error = getaddrinfo(lookup->name, NULL, &hints, &found);
    for (const struct addrinfo *item = error == 0 ? found : NULL;
         item && lookup->count < LOOKUP_ADDRESSES_MAX; item = item->ai_next)
        add_address(lookup, item->ai_addr);
    if (lookup->count == 0)
        lookup->problem = error != 0 ? gai_strerror(error) : "it has no address";
    if (error == 0)
        freeaddrinfo(found);
    end_thread(lookup->lookups);
    if (write(lookup->event, &one, sizeof one) != sizeof one)
        abort(); /* a counter of 1 always has room */
    leave(lookup);
    return NULL;
}

struct lookup *lookup_start(struct lookups *lookups, const char *name)
{
    struct lookup *lookup;
    pthread_t thread;

    if (atomic_load(&lookups->active) >= LOOKUPS_MAX)
        return NULL;
    lookup = memory_allocate(sizeof *lookup);
    *lookup = (struct lookup){.lookups = lookups,
                              .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                              .name = string_copy(name)};
    atomic_store(&lookup->users, 2);
    atomic_fetch_add(&lookups->users, 1);
    atomic_fetch_add(&lookups->active, 1);
    if (lookup->event >= 0 && thread_start(&thread, look_up, lookup) == 0) {
        pthread_detach(thread);
        return lookup;
    }
    end_thread(lookups);
    atomic_store(&lookup->users, 1);
    leave(lookup);
    return NULL;
}

int lookup_fd(const struct lookup *lookup)
{
    return lookup->event;
}

bool lookup_is_done(const struct lookup *lookup)
{
    struct pollfd polled = {lookup->event, POLLIN, 0};

    return poll(&polled, 1, 0) > 0;
}

size_t lookup_take(const struct lookup *lookup, struct ip_address addresses[LOOKUP_ADDRESSES_MAX],
                   const char **problem)
{
    memcpy(addresses, lookup->addresses, lookup->count * sizeof *addresses);
    *problem = lookup->problem;
    return lookup->count;
}

void lookup_forget(struct lookup *lookup)
{
    if (lookup)
        leave(lookup);
}
