/*
 * The members of an object that is JSON of a model or of a batch, one row for each: its name, what
 * it can be, and where its value goes. All members are read in the same way: one that is not given
 * changes nothing, and an unknown one is an error.
 */
#ifndef REQUEST_ARGUMENT_MEMBERS_H
#define REQUEST_ARGUMENT_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

#include "request/argument_values.h"

struct argument_member {
    const char *name;
    enum argument_type type;
    size_t offset;        /* in the struct that the object fills in */
    int minimum, maximum; /* of ARGUMENT_WHOLE; the second also bytes of a name, 0: any number */
    /* Reads the value to the struct at `offset`. NULL: the type says everything. */
    int (*read)(struct argument_reader *reader, const char *name, const json_t *value,
                void *target);
};

/* After the last row. */
#define ARGUMENT_MEMBERS_END                                                                       \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Reads one value, which is given, as the row says; `name` is for messages. */
int argument_member_read(struct argument_reader *reader, const struct argument_member *member,
                         const char *name, const json_t *value, void *object);

/* Reads the members of an object, called `name` in messages, into the struct. */
int argument_members_read(struct argument_reader *reader, const struct argument_member *members,
                          const char *name, const json_t *value, void *object);

#endif
