#include "cli/batch/batch_resume.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/lines.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/spool.h"
#include "base/text.h"
#include "cli/batch/batch_line.h"
#include "cli/safe_json.h"

/* A result may be longer than a request, since it escapes the output of the program. */
enum { CHUNK = 65536, RESULT_MAX = 4 * JSON_TEXT_MAX, SHOWN_MAX = 60 };
enum { RESULT_VALUES_MAX = 2 * JSON_TEXT_VALUES_MAX };

/* ---- the lines of a file */

struct scan {
    int fd;
    off_t at, end;    /* the bytes that are read */
    long long number; /* of the current line, from 1 */
    bool unended;     /* the current line is the last one, and no newline follows it */
    off_t line_at;    /* where the last line begins, if it is unended */
    /* Takes a line; `text` is NULL if it is too long. */
    int (*take)(struct scan *scan, const char *text, size_t length, struct error *error);
    void *context;
};

static int take_lines(struct scan *scan, struct lines *lines, struct error *error)
{
    enum lines_event event;
    const char *text;
    size_t length;

    while ((event = lines_next(lines, &text, &length)) != LINES_NONE) {
        scan->number++;
        if (event == LINES_LINE && text_is_blank(text, length))
            continue;
        if (scan->take(scan, event == LINES_LINE ? text : NULL, length, error) != 0)
            return -1;
        linux_trim_memory(length);
    }
    return 0;
}

/* Feeds the next bytes. Returns how many, 0 at the end, -1 with the error. */
static ssize_t feed(struct scan *scan, struct lines *lines, char *chunk, struct error *error)
{
    const off_t left = scan->end - scan->at;
    ssize_t length;

    if (notifier_raised(signals_cancel()))
        return error_set(error, ERROR_CANCELLED, "cancelled before the first request ran");
    length = pread(scan->fd, chunk, left < CHUNK ? (size_t)left : CHUNK, scan->at);
    if (length < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read the file");
    lines_feed(lines, chunk, (size_t)length);
    for (ssize_t i = length; i > 0; i--)
        if (chunk[i - 1] == '\n') {
            scan->line_at = scan->at + i;
            break;
        }
    scan->at += length;
    return length;
}

/* Reads the file from `at` to the size that it has now, since it may grow. */
static int scan_file(struct scan *scan, size_t max_length, struct error *error)
{
    CLEANUP(lines_release) struct lines lines = LINES_INIT(max_length);
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    struct stat status;
    ssize_t length;

    if (fstat(scan->fd, &status) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read the file");
    scan->end = status.st_size;
    scan->line_at = scan->at;
    while (scan->at < scan->end && (length = feed(scan, &lines, chunk, error)) != 0)
        if (length < 0 || take_lines(scan, &lines, error) != 0)
            return -1;
    scan->unended = scan->line_at < scan->at;
    lines_end(&lines);
    return take_lines(scan, &lines, error);
}

/* Returns the descriptor if it is a file, else that of a copy; -1 with the error. */
static int file_of(int fd, const char *name, struct error *error)
{
    struct stat status;

    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    return spool_copy_to_disk(fd, name, signals_cancel(), error);
}

/* ---- results */

struct results {
    struct batch_resume *resume;
    const char *name; /* escaped */
    bool is_cut;      /* the last line is incomplete */
};

/* Whether a line that is not JSON may be the start of a result. */
static bool begins_like_result(const char *text, size_t length)
{
    static const char start[] = "{\"id\":";
    const size_t compared = length < sizeof start - 1 ? length : sizeof start - 1;

    return memcmp(text, start, compared) == 0;
}

/* Whether the result says something about the program, so that it need not run again. */
static bool stands(const char *reason)
{
    static const char *const again[] = {"engine", "cancelled", "image-missing", "judge-error"};

    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        if (strcmp(reason, again[i]) == 0)
            return false;
    return true;
}

static int take_result(struct scan *scan, const char *text, size_t length, struct error *error)
{
    struct results *results = scan->context;
    const bool readable = text && json_text_count(text, length) <= RESULT_VALUES_MAX;
    json_t *result = readable ? json_text_parse(text, length, NULL) : NULL;
    const json_t *id = json_object_get(result, "id");
    const bool is_job = json_is_string(json_object_get(result, "job"));
    const char *reason = json_string_value(json_object_get(result, "reason"));

    if (id && (reason || is_job)) {
        if (!json_is_null(id) && (is_job || stands(reason)))
            batch_ids_add(&results->resume->done, id, scan->number);
    } else if (!result && text && scan->unended && begins_like_result(text, length)) {
        results->is_cut = true;
    } else {
        error_set(error, ERROR_INPUT, "'%s', line %lld: not a result of isolator batch",
                  results->name, scan->number);
    }
    json_decref(result);
    return error->kind == ERROR_NONE ? 0 : -1;
}

/* Whether stdout is this file. ERROR_USAGE if it is and does not append to it. */
static int is_output(int fd, const char *name, bool *same, struct error *error)
{
    struct stat from, to;

    *same = fstat(fd, &from) == 0 && fstat(STDOUT_FILENO, &to) == 0 && S_ISREG(from.st_mode) &&
            from.st_dev == to.st_dev && from.st_ino == to.st_ino;
    if (*same && !(fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND))
        return error_set(error, ERROR_USAGE,
                         "stdout overwrites '%s', which is to be resumed; append to it with >>",
                         name);
    return 0;
}

/* Makes the next result begin a line of its own. */
static int mend_output(const struct scan *scan, const struct results *results, struct error *error)
{
    struct stat status;

    if (fstat(STDOUT_FILENO, &status) != 0 || status.st_size != scan->end)
        return error_set(error, ERROR_INPUT, "'%s' has grown; is another batch still running?",
                         results->name);
    if (results->is_cut ? ftruncate(STDOUT_FILENO, scan->line_at) != 0
                        : io_write_all(STDOUT_FILENO, "\n", 1) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot repair the last line of '%s'",
                               results->name);
    return 0;
}

/* Reads the file of the results, which stdout is if it is the `same`. */
static int read_results(struct scan *scan, bool same, struct error *error)
{
    const struct results *results = scan->context;

    if (scan_file(scan, RESULT_MAX, error) != 0 ||
        (same && scan->unended && mend_output(scan, results, error) != 0))
        return -1;
    if (results->is_cut)
        diagnostics_line("warning: the last line of '%s' is incomplete%s", results->name,
                         same ? " and was removed" : "");
    return 0;
}

int batch_resume_read_results(struct batch_resume *resume, int fd, const char *name,
                              struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(name);
    struct results results = {resume, escaped, false};
    struct scan scan = {.take = take_result, .context = &results};
    bool same;
    int result;

    if (is_output(fd, escaped, &same, error) != 0 ||
        (scan.fd = file_of(fd, "the results", error)) < 0)
        return -1;
    result = read_results(&scan, same, error);
    if (scan.fd != fd)
        close(scan.fd);
    return result;
}

/* ---- requests */

struct requests {
    struct batch_resume *resume;
    const struct batch_shard *shard;
    struct batch_ids seen;
};

/* Sets the error: two lines have this id. Returns -1. */
static int refuse_id(const json_t *id, long long first, long long second, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *shown = NULL;

    safe_json_dump(id, json_text_flags(id) | JSON_ENCODE_ANY, safe_json_add, &text);
    shown = text_escape_short(strbuf_string(&text), SHOWN_MAX);
    return error_set(error, ERROR_INPUT,
                     "lines %lld and %lld have the same id %s; --resume needs different ids", first,
                     second, shown);
}

/* A line that is not a request has no id; its result will say so. */
static int take_request(struct scan *scan, const char *text, size_t length, struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    struct requests *requests = scan->context;
    json_t *arguments = NULL, *id = NULL;
    long long first;
    int result = 0;

    if (!text || batch_line_parse(text, length, &arguments, &id, &ignored) != 0 || !id) {
        json_decref(arguments);
        return 0;
    }
    first = batch_ids_add(&requests->seen, id, scan->number);
    if (first != 0)
        result = refuse_id(id, first, scan->number, error);
    if (batch_shard_has(requests->shard, scan->number) &&
        batch_resume_skips(requests->resume, id, arguments)) {
        requests->resume->skipped++;
        requests->resume->bytes += (long long)length + 1;
    }
    json_decref(arguments);
    json_decref(id);
    return result;
}

int batch_resume_check_requests(struct batch_resume *resume, const struct batch_shard *shard,
                                int *in, struct error *error)
{
    struct requests requests = {resume, shard, BATCH_IDS_INIT};
    struct scan scan = {.take = take_request, .context = &requests};
    int result;

    scan.fd = file_of(*in, "the requests", error);
    if (scan.fd < 0)
        return -1;
    *in = scan.fd;
    scan.at = lseek(*in, 0, SEEK_CUR);
    result = scan_file(&scan, JSON_TEXT_MAX, error);
    batch_ids_release(&requests.seen);
    return result;
}

bool batch_resume_skips(const struct batch_resume *resume, const json_t *id,
                        const json_t *arguments)
{
    const json_t *session = json_object_get(arguments, "session");
    const json_t *workspace = json_object_get(arguments, "workspace");

    return id && (!session || json_is_null(session)) && (!workspace || json_is_null(workspace)) &&
           batch_ids_find(&resume->done, id) != 0;
}

void batch_resume_release(struct batch_resume *resume)
{
    batch_ids_release(&resume->done);
}
