/*
 * For container/instance.c and container/instance_end.c: takes bytes that the docker command of an
 * instance has written.
 */
#ifndef CONTAINER_INSTANCE_FEED_H
#define CONTAINER_INSTANCE_FEED_H

#include "container/instance.h"

void instance_feed(struct instance *instance, enum process_stream stream, const char *data,
                   size_t length);

#endif
