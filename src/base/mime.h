/*
 * What bytes are, by what they begin with, and of text by the name of its file: media types as
 * registered by IANA. The name of an untrusted file does not make text a picture.
 */
#ifndef BASE_MIME_H
#define BASE_MIME_H

#include <stdbool.h>
#include <stddef.h>

/* A constant: "image/png", "text/csv"; "text/plain" of other text, "application/octet-stream" of
 * the rest. */
const char *mime_type(const char *name, const char *data, size_t length);

/* PNG, JPEG, GIF, WebP: what hosts and models can show. An SVG is text to them. */
bool mime_is_picture(const char *type);

/* WAV, MP3, Ogg, FLAC. */
bool mime_is_audio(const char *type);

/* Whether the bytes are text: valid UTF-8 without a NUL. */
bool mime_is_text(const char *data, size_t length);

#endif
