/*
 * What a program and an interactor have said to each other, line by line in the order in which it
 * passed through isolator, as Kattis writes it: a line of the interactor begins with "<", one of
 * the program with ">". Both threads of an interaction add to it.
 */
#ifndef RUN_TRANSCRIPT_H
#define RUN_TRANSCRIPT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum transcript_side { SAID_BY_PROGRAM, SAID_BY_INTERACTOR };

struct transcript {
    pthread_mutex_t lock;
    size_t max; /* bytes of the text */
    struct strbuf text;
    struct strbuf lines[2]; /* the last line of each side, which has no end yet */
    bool truncated;
    /* clock_now_ms() when something was added last, before `until_ms`; 0: nothing was. */
    long long last_ms, until_ms;
};

void transcript_init(struct transcript *transcript, size_t max, long long until_ms);

void transcript_add(struct transcript *transcript, enum transcript_side side, const char *data,
                    size_t length);

/* Gives away the text, as valid UTF-8, with the lines that have no end; empties the transcript. */
struct strbuf transcript_finish(struct transcript *transcript);

#endif
