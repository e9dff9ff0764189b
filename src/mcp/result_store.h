/*
 * Output that did not fit into a tool result, and the files of runs, for resources/read and for
 * later calls. Thread-safe.
 *
 * The bytes are in files without a name (see linux_unnamed_disk_file()), one for each result, which
 * are gone when the process ends. There is a limit of bytes for all of them: the oldest results are
 * dropped to make room for a new one. Who has opened a part can read it nevertheless.
 */
#ifndef MCP_RESULT_STORE_H
#define MCP_RESULT_STORE_H

#include <pthread.h>
#include <stddef.h>

#include "base/error.h"
#include "base/shared_file.h"

enum {
    STORED_ID_SIZE = 17,            /* with its NUL */
    STORED_TEXT_MAX = 900000,       /* of one stream; more would not fit into one message */
    RESULT_STORE_RESULTS_MAX = 500, /* each has an open file */
    RESULT_STORE_DROPPED_MAX = 1000 /* ids of dropped results that are remembered */
};

/* "stdout" and "stderr", the names of streams in results and URIs. */
extern const char *const stream_names[2];

/* The parts of one run that are stored. */
struct stored_result;

struct result_store {
    pthread_mutex_t lock;
    struct stored_result *first; /* owned; the oldest */
    struct stored_result *last;
    size_t count;
    long long bytes, max_bytes;
    char dropped[RESULT_STORE_DROPPED_MAX][STORED_ID_SIZE]; /* a ring */
    size_t next_dropped;
};

/* A part of a result. */
struct stored_part {
    const char *mime_type;   /* a literal */
    struct file_range range; /* a reference, owned */
};

/* `max_bytes`: of all results. */
void result_store_init(struct result_store *store, long long max_bytes);

/*
 * A new result without parts; owned by the caller until result_store_add(). Its id is random, so it
 * cannot be guessed. `file`, which may be NULL, has `length` bytes of it already and is shared.
 */
struct stored_result *stored_result_new(struct shared_file *file, long long length);

/* Its id of STORED_ID_SIZE - 1 characters, borrowed. */
const char *stored_result_id(const struct stored_result *stored);

/*
 * Adds a part: "stdout", "stderr" or "files/" and the path of a file. The type must be a literal.
 * The first one copies the bytes; ERROR_SYSTEM if the disk has no room for them. The second one
 * takes bytes of the file of stored_result_new().
 */
int stored_result_add(struct stored_result *stored, const char *name, const char *mime_type,
                      const void *data, size_t length, struct error *error);
void stored_result_add_range(struct stored_result *stored, const char *name, const char *mime_type,
                             const struct file_range *range);

/* Stores the result, or frees it if it has no parts. Takes ownership of it. */
void result_store_add(struct result_store *store, struct stored_result *stored);

/*
 * Opens the part of this name, in the result with this id. ERROR_INPUT, which tells a result that
 * was dropped from one that never was.
 */
int result_store_open(struct result_store *store, const char *id, const char *name,
                      struct stored_part *part, struct error *error);

void result_store_release(struct result_store *store);

#endif
