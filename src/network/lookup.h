/*
 * Looks up the addresses of a name without waiting: getaddrinfo(3) in a thread of its own, since it
 * cannot be interrupted. A caller who has no use for the answer any more forgets the lookup; its
 * thread ends when the system's resolver gives up.
 */
#ifndef NETWORK_LOOKUP_H
#define NETWORK_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ip_address.h"

/* How many lookups go on at once for one caller, while others wait for their turn; and the
 * addresses that are taken of an answer. */
enum { LOOKUPS_MAX = 32, LOOKUP_ADDRESSES_MAX = 16 };

struct lookup;

/* The lookups of one caller, with those that it has forgotten and that still go on. */
struct lookups;
struct lookups *lookups_new(void);

/* The caller has no use for it any more, and has forgotten all of its lookups. NULL is ignored. */
void lookups_leave(struct lookups *lookups);

/*
 * Starts one. The name is taken as it is: the search domains of this host do not complete it. If
 * LOOKUPS_MAX go on, those that were forgotten among them, it begins when one of them ends. NULL:
 * the system refuses a thread or a descriptor.
 */
struct lookup *lookup_start(struct lookups *lookups, const char *name);

/* The descriptor that is readable when there is an answer. */
int lookup_fd(const struct lookup *lookup);

/* Whether there is one. */
bool lookup_is_done(const struct lookup *lookup);

/*
 * Takes the answer: the addresses in the order in which they are to be tried (RFC 6724). Returns
 * how many; 0: `problem` is a static text that says why there are none.
 */
size_t lookup_take(const struct lookup *lookup, struct ip_address addresses[LOOKUP_ADDRESSES_MAX],
                   const char **problem);

/* Forgets it, whether there is an answer or not. NULL is ignored. */
void lookup_forget(struct lookup *lookup);

#endif
