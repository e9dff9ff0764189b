#include "test.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "network/lookup.h"

static int resolver[2]; /* a byte for each lookup that may end */

/* In place of that of the C library: it finds nothing, once it may end. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    char byte;

    (void)name, (void)service, (void)hints;
    *found = NULL;
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

/* One that is forgotten counts, too, as long as the resolver is at work for it. */
static void lookup__32_at_once(void **state)
{
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    struct lookups *lookups = lookups_new();
    struct lookup *all[32];
    const char *problem;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, resolver), 0);
    for (size_t i = 0; i < 32; i++) {
        all[i] = lookup_start(lookups, "name");
        assert_non_null(all[i]);
    }
    assert_null(lookup_start(lookups, "name"));
    assert_false(lookup_is_done(all[0]));
    lookup_forget(all[31]);
    assert_null(lookup_start(lookups, "name"));
    let_end(32);
    for (size_t i = 0; i < 31; i++) {
        wait_for(all[i]);
        assert_int_equal(lookup_take(all[i], addresses, &problem), 0);
        assert_string_equal(problem, gai_strerror(EAI_NONAME));
        lookup_forget(all[i]);
    }
    all[0] = lookup_start(lookups, "name");
    assert_non_null(all[0]);
    let_end(1);
    wait_for(all[0]);
    lookup_forget(all[0]);
    lookups_leave(lookups);
    close(resolver[0]);
    close(resolver[1]);
}
