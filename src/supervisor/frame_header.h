/*
 * The header of a frame, and the frames of the channels (supervisor/protocol.h), for both ends.
 */
#ifndef SUPERVISOR_FRAME_HEADER_H
#define SUPERVISOR_FRAME_HEADER_H

#include "supervisor/protocol.h"

static inline enum frame_type frame_channel_type(enum frame_channel channel)
{
    static const enum frame_type types[CHANNELS] = {
        [CHANNEL_STDOUT] = FRAME_STDOUT,   [CHANNEL_STDERR] = FRAME_STDERR,
        [CHANNEL_FILES] = FRAME_FILES,     [CHANNEL_REPORT] = FRAME_REPORT,
        [CHANNEL_NETWORK] = FRAME_NETWORK,
    };

    return types[channel];
}

/* The channel that a frame of this type belongs to; CHANNELS: none. */
static inline enum frame_channel frame_channel_of(uint32_t type)
{
    int channel = 0;

    while (channel < CHANNELS && frame_channel_type((enum frame_channel)channel) != type)
        channel++;
    return (enum frame_channel)channel;
}

static inline void frame_header_write(unsigned char header[FRAME_HEADER], enum frame_type type,
                                      size_t length)
{
    for (int i = 0; i < 4; i++)
        header[i] = (unsigned char)(length >> 8 * i);
    header[4] = (unsigned char)type;
    header[5] = header[6] = header[7] = 0;
}

/* Returns the length of the payload and sets the type; -1: these bytes are no header. */
static inline long frame_header_read(const unsigned char header[FRAME_HEADER],
                                     enum frame_type *type)
{
    const uint32_t length = (uint32_t)header[0] | (uint32_t)header[1] << 8 |
                            (uint32_t)header[2] << 16 | (uint32_t)header[3] << 24;

    *type = (enum frame_type)header[4];
    if (length > FRAME_PAYLOAD_MAX || header[5] != 0 || header[6] != 0 || header[7] != 0)
        return -1;
    return (long)length;
}

#endif
