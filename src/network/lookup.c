#define _GNU_SOURCE
#include "network/lookup.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <resolv.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/thread.h"

struct lookups {
    pthread_mutex_t mutex; /* for all of this */
    int users;             /* the caller and the threads */
    int threads;
    struct lookup *first, *last; /* those that wait for a thread; borrowed */
};

struct lookup {
    struct lookups *lookups;
    bool waits;          /* for a thread */
    struct lookup *next; /* which waits too */
    atomic_int users;    /* the caller, and the thread that works on it */
    int event;           /* owned */
    char *name;          /* owned */
    /* The answer, once the event is there. */
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    size_t count;
    const char *problem;
};

struct lookups *lookups_new(void)
{
    struct lookups *lookups = memory_allocate(sizeof *lookups);

    *lookups = (struct lookups){.mutex = PTHREAD_MUTEX_INITIALIZER, .users = 1};
    return lookups;
}

/* Gives up a use, with the mutex held. */
static void unlock_and_leave(struct lookups *lookups)
{
    const bool is_last = --lookups->users == 0;

    pthread_mutex_unlock(&lookups->mutex);
    if (is_last)
        free(lookups);
}

void lookups_leave(struct lookups *lookups)
{
    if (!lookups)
        return;
    pthread_mutex_lock(&lookups->mutex);
    unlock_and_leave(lookups);
}

static void leave(struct lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->users, 1) > 1)
        return;
    close(lookup->event);
    free(lookup->name);
    free(lookup);
}

/* ---- those that wait, with the mutex held */

static void add_waiting(struct lookups *lookups, struct lookup *lookup)
{
    lookup->waits = true;
    if (lookups->last)
        lookups->last->next = lookup;
    else
        lookups->first = lookup;
    lookups->last = lookup;
}

static void remove_waiting(struct lookups *lookups, struct lookup *lookup)
{
    struct lookup *before = NULL;

    for (struct lookup *item = lookups->first; item != lookup; item = item->next)
        before = item;
    if (before)
        before->next = lookup->next;
    else
        lookups->first = lookup->next;
    if (lookups->last == lookup)
        lookups->last = before;
    lookup->next = NULL;
    lookup->waits = false;
}

/* ---- the threads */

/* Returns what a thread does next. NULL: nothing; the thread has no use for `lookups` any more. */
static struct lookup *take_next(struct lookups *lookups)
{
    struct lookup *next;

    pthread_mutex_lock(&lookups->mutex);
    next = lookups->first;
    if (next) {
        remove_waiting(lookups, next);
        atomic_fetch_add(&next->users, 1);
        pthread_mutex_unlock(&lookups->mutex);
        return next;
    }
    lookups->threads--;
    unlock_and_leave(lookups);
    return NULL;
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

static int find(struct lookup *lookup, const char *name)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(name, NULL, &hints, &found);

    for (const struct addrinfo *item = error == 0 ? found : NULL;
         item && lookup->count < LOOKUP_ADDRESSES_MAX; item = item->ai_next)
        add_address(lookup, item->ai_addr);
    if (error == 0)
        freeaddrinfo(found);
    return error;
}

#ifdef __GLIBC__
/* Of this thread; the first option is for names with a dot, the other one for those without. */
static int find_without_search(struct lookup *lookup)
{
    if (res_init() == 0)
        _res.options &= ~((unsigned long)RES_DNSRCH | RES_DEFNAMES);
    return find(lookup, lookup->name);
}
#else
/* Whether a line of hosts(5) has the name. */
static bool line_has(char *line, const char *name, struct ip_address *address)
{
    char *rest, *word;

    line[strcspn(line, "#")] = '\0';
    word = strtok_r(line, " \t\r\n", &rest);
    if (!word || !ip_address_parse(word, address))
        return false;
    while ((word = strtok_r(NULL, " \t\r\n", &rest)))
        if (strcasecmp(word, name) == 0)
            return true;
    return false;
}

/* musl completes each name but one that ends with a dot, as which no name is in hosts(5). */
static int find_without_search(struct lookup *lookup)
{
    CLEANUP_FREE char *absolute = string_format("%s.", lookup->name);
    FILE *hosts = fopen("/etc/hosts", "re");
    char line[512];

    while (hosts && lookup->count < LOOKUP_ADDRESSES_MAX && fgets(line, sizeof line, hosts))
        lookup->count += line_has(line, lookup->name, &lookup->addresses[lookup->count]);
    if (hosts)
        fclose(hosts);
    return lookup->count > 0 ? 0 : find(lookup, absolute);
}
#endif

static void look_up(struct lookup *lookup)
{
    const int error = find_without_search(lookup);

    if (lookup->count == 0)
        lookup->problem = error != 0 ? gai_strerror(error) : "it has no address";
}

/* Does lookups until none waits. Each answer is told after its thread is free for another one. */
static void *work(void *argument)
{
    struct lookup *lookup = argument;
    const uint64_t one = 1;

    while (lookup) {
        struct lookup *next;

        look_up(lookup);
        next = take_next(lookup->lookups);
        if (write(lookup->event, &one, sizeof one) != sizeof one)
            abort(); /* a counter of 1 always has room */
        leave(lookup);
        lookup = next;
    }
    return NULL;
}

/* Starts a thread for a lookup, with the mutex held. False: the system refuses it. */
static bool start_thread(struct lookups *lookups, struct lookup *lookup)
{
    pthread_t thread;

    atomic_store(&lookup->users, 2);
    if (thread_start(&thread, work, lookup) != 0) {
        atomic_store(&lookup->users, 1);
        return false;
    }
    pthread_detach(thread);
    lookups->users++;
    lookups->threads++;
    return true;
}

/* ---- the caller */

struct lookup *lookup_start(struct lookups *lookups, const char *name)
{
    struct lookup *lookup = memory_allocate(sizeof *lookup);
    bool started = true;

    *lookup = (struct lookup){.lookups = lookups,
                              .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                              .name = string_copy(name)};
    atomic_store(&lookup->users, 1);
    pthread_mutex_lock(&lookups->mutex);
    if (lookup->event < 0)
        started = false;
    else if (lookups->threads < LOOKUPS_MAX)
        started = start_thread(lookups, lookup);
    else
        add_waiting(lookups, lookup);
    pthread_mutex_unlock(&lookups->mutex);
    if (started)
        return lookup;
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
    if (!lookup)
        return;
    pthread_mutex_lock(&lookup->lookups->mutex);
    if (lookup->waits)
        remove_waiting(lookup->lookups, lookup);
    pthread_mutex_unlock(&lookup->lookups->mutex);
    leave(lookup);
}
