#include "container/job_log.h"
#include "supervisor/frame_header.h"

void job_log_init(struct job_log *log, const char *key)
{
    *log = (struct job_log){.frames = STRBUF_INIT};
    sealed_reader_init(&log->reader, key);
}

void job_log_release(struct job_log *log)
{
    sealed_reader_release(&log->reader);
    strbuf_release(&log->frames);
}

void job_log_add(struct job_log *log, const char *data, size_t length)
{
    strbuf_drop(&log->frames, log->done);
    log->done = 0;
    sealed_reader_add(&log->reader, data, length, &log->frames);
}

/* The bytes of the next frame with its header; 0: it is not complete. A bad header is a frame. */
static size_t frame_length(const struct job_log *log)
{
    const size_t left = log->frames.length - log->done;
    enum frame_type type;
    long payload;

    if (left < FRAME_HEADER)
        return 0;
    payload = frame_header_read((const unsigned char *)log->frames.data + log->done, &type);
    if (payload < 0)
        return FRAME_HEADER;
    return left >= FRAME_HEADER + (size_t)payload ? FRAME_HEADER + (size_t)payload : 0;
}

bool job_log_has_frame(const struct job_log *log)
{
    return frame_length(log) > 0;
}

bool job_log_take(struct job_log *log, enum frame_type *type, const char **payload, size_t *length)
{
    const size_t whole = frame_length(log);
    const char *frame;

    if (whole == 0)
        return false;
    frame = log->frames.data + log->done;
    if (frame_header_read((const unsigned char *)frame, type) < 0)
        return false;
    *payload = frame + FRAME_HEADER;
    *length = whole - FRAME_HEADER;
    log->done += whole;
    return true;
}

bool job_log_next(struct job_log *log, struct supervisor_link *link,
                  const struct supervisor_handler *handler, void *context)
{
    const size_t length = frame_length(log);

    if (length == 0)
        return false;
    supervisor_link_feed(link, log->frames.data + log->done, length, handler, context);
    log->done += length;
    return true;
}
