/*
 * Finds the media type (as registered by IANA) of a file: by its first bytes, and for text by its
 * name. So the name of an untrusted file does not make text a picture.
 */
#ifndef BASE_MIME_H
#define BASE_MIME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns a constant such as "image/png" or "text/csv"; "text/plain" for other text, and
 * "application/octet-stream" for everything else.
 */
const char *mime_type(const char *name, const char *data, size_t length);

/* True for PNG, JPEG, GIF and WebP, which hosts and models can show. SVG is text to them. */
bool mime_is_picture(const char *type);

/* True for WAV, MP3, Ogg and FLAC. */
bool mime_is_audio(const char *type);

/* True if the bytes are text: valid UTF-8 without a NUL. */
bool mime_is_text(const char *data, size_t length);

#endif
