/*
 * The channel of an instance that has both directions: bytes from and to the relay of the program
 * (supervisor/relay/relay.h). They pass while isolator waits for the start and the end of the
 * program.
 */
#ifndef CONTAINER_INSTANCE_NETWORK_H
#define CONTAINER_INSTANCE_NETWORK_H

#include "base/loop.h"
#include "container/instance.h"

/* Sends what the channel has for the relay, as far as the supervisor takes it. */
void instance_send_network(struct instance *instance);

/* Lets the channel do what its descriptor tells, and sends what comes of it. */
void instance_watch_network(struct instance *instance, struct loop *loop);

#endif
