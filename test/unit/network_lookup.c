#include "test.h"

#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "network/lookup.h"

static int resolver[2]; /* a byte for each lookup that may end */
static atomic_int calls;

/* In place of that of the C library: it finds nothing, once it may end. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    char byte;

    (void)name, (void)service, (void)hints;
    *found = NULL;
    atomic_fetch_add(&calls, 1);
    if (read(resolver[0], &byte, 1) != 1)
        abort();
    return EAI_NONAME;
}

static void let_end(size_t count)
{
    const char bytes[64] = "";

    assert_int_equal(write(resolver[1], bytes, count), count);
}

static void wait_for(const struct lookup *lookup)
{
    struct pollfd polled = {lookup_fd(lookup), POLLIN, 0};

    assert_int_equal(poll(&polled, 1, 60000), 1);
}

static void check_nothing_found(struct lookup *lookup)
{
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    const char *problem;

    wait_for(lookup);
    assert_int_equal(lookup_take(lookup, addresses, &problem), 0);
    assert_string_equal(problem, gai_strerror(EAI_NONAME));
    lookup_forget(lookup);
}

static void wait_for_calls(int expected)
{
    for (int i = 0; i < 6000 && atomic_load(&calls) != expected; i++)
        poll(NULL, 0, 10);
    assert_int_equal(atomic_load(&calls), expected);
}

/* The others wait. One that is forgotten counts, too, as long as the resolver is at work for it. */
CASE(lookup__32_at_once)
{
    enum { AT_ONCE = 32, ALL = 60, FORGOTTEN = 40 };
    struct lookups *lookups = lookups_new();
    struct lookup *all[ALL];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, resolver), 0);
    for (size_t i = 0; i < ALL; i++) {
        all[i] = lookup_start(lookups, "name");
        assert_non_null(all[i]);
    }
    wait_for_calls(AT_ONCE);
    lookup_forget(all[0]);
    lookup_forget(all[ALL - 1]);
    lookup_forget(all[FORGOTTEN]);
    poll(NULL, 0, 50); /* in which no further one may begin */
    wait_for_calls(AT_ONCE);
    let_end(1);
    wait_for_calls(AT_ONCE + 1);
    let_end(ALL - 3);
    for (size_t i = 1; i < ALL - 1; i++)
        if (i != FORGOTTEN)
            check_nothing_found(all[i]);
    wait_for_calls(ALL - 2);
    all[0] = lookup_start(lookups, "name");
    assert_non_null(all[0]);
    let_end(1);
    check_nothing_found(all[0]);
    lookups_leave(lookups);
    close(resolver[0]);
    close(resolver[1]);
}
