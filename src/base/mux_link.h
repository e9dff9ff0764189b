/*
 * isolator's end of what the relay of a container carries (base/mux.h): parses what the relay says,
 * hands it to the service that has the slot, and keeps the messages of the services until the relay
 * can have them. It has no thread and one descriptor that the caller's loop has to know. A relay is
 * not trusted: after a message that it must not send, all connections are over, and nothing more is
 * taken.
 */
#ifndef BASE_MUX_LINK_H
#define BASE_MUX_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mux.h"

struct mux_link;

/* With so many bytes of messages that the relay does not have yet, a service sends no more data. */
enum { MUX_LINK_FULL = 262144 };

/*
 * What serves a range of slots. A slot that a function gets is one of them; take_*() return false
 * if the relay must not say this now.
 */
struct mux_service {
    void *context;         /* borrowed */
    unsigned first, count; /* the slots */
    unsigned long long
        max_bytes; /* that the relay may send in its slots, with MUX_LINK_OPEN_COST */
    /* Readable when there is something to do; borrowed; -1: none. */
    int fd, timer;
    bool (*take_open)(void *context, unsigned slot);
    bool (*take_data)(void *context, unsigned slot, const char *bytes, size_t length);
    bool (*take_credit)(void *context, unsigned slot, uint32_t bytes);
    bool (*take_end)(void *context, unsigned slot);
    bool (*take_close)(void *context, unsigned slot);
    void (*taken)(void *context); /* all messages that have come; NULL: not needed */
    void (*serve)(void *context);
    /* There is room again, after there were MUX_LINK_FULL bytes. */
    void (*has_room)(void *context);
    /* Programs cannot connect to it, for this errno. */
    void (*failed)(void *context, int number);
    /* All its connections are over, for this reason, a literal. */
    void (*broken)(void *context, const char *reason);
};

/* What a connection counts in bytes: attempts to connect are bounded too. */
enum { MUX_LINK_OPEN_COST = 1024 };

/* NULL: ERROR_SYSTEM. */
struct mux_link *mux_link_new(struct error *error);

/* Adds a service, which is copied. Its slots are no other's. ERROR_SYSTEM. */
int mux_link_add(struct mux_link *link, const struct mux_service *service, struct error *error);

/* Forgets the services, which are not called. NULL is ignored. */
void mux_link_free(struct mux_link *link);

/* The descriptor that is readable when mux_link_serve() has something to do. */
int mux_link_fd(const struct mux_link *link);
void mux_link_serve(struct mux_link *link);

/* Takes bytes of the relay. */
void mux_link_take(struct mux_link *link, const char *bytes, size_t length);

/* How many bytes were taken since the last call, which the relay may send again. */
size_t mux_link_taken(struct mux_link *link);

/* Fills in the next bytes for the relay, at most `size`. Returns how many. */
size_t mux_link_give(struct mux_link *link, char *bytes, size_t size);

/* ---- for the services */

/*
 * Queues a message. A relay opens a slot again only after CLOSE from both sides. So what waits for
 * it is bounded if services keep to the credit and to MUX_LINK_FULL.
 */
void mux_link_send(struct mux_link *link, unsigned slot, enum mux_type type, const void *payload,
                   size_t length);

/* Whether MUX_LINK_FULL bytes wait. */
bool mux_link_is_full(const struct mux_link *link);

#endif
