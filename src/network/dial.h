/*
 * Connects to the first of several addresses that answers, without waiting: the next one is tried
 * when one has failed, or has not answered for a while ("Happy Eyeballs", RFC 8305). At most
 * DIAL_OPEN_MAX are tried at the same time: after that, the oldest one is given up.
 */
#ifndef NETWORK_DIAL_H
#define NETWORK_DIAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/ip_address.h"
#include "network/lookup.h"

enum { DIAL_OPEN_MAX = 3 };

struct dial {
    int epoll; /* that tells of the attempts; borrowed */
    uint64_t tag;
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    int fds[LOOKUP_ADDRESSES_MAX]; /* of the attempts; owned; -1: it has failed, or not begun */
    size_t count, begun;
    unsigned port;
    long long next_at; /* clock_now_ms() when the next one begins */
    int error;         /* errno of the last one that failed */
};

/* Begins; `count` is not 0. Events of epoll(7) with this tag say when to call dial_check(). */
void dial_begin(struct dial *dial, int epoll, uint64_t tag, const struct ip_address *addresses,
                size_t count, unsigned port);

/* Begins attempts that are due. Returns a connected descriptor, which is the caller's and is
 * registered nowhere; -1: not yet, until `next_at` at the latest; -2: all have failed. */
int dial_check(struct dial *dial);

/* Ends all attempts. Legal for zeros, too. */
void dial_release(struct dial *dial);

#endif
