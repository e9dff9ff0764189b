/*
 * Checks whether a picture is complete: the structure of its format to the end, and its dimensions.
 * A model's service that cannot read one picture of a conversation refuses every later message of
 * it. No pixels are decoded, so a picture that passes may still show nothing.
 */
#ifndef BASE_PICTURE_H
#define BASE_PICTURE_H

#include <stddef.h>

/* Pixels of the longer side: services of models refuse larger pictures. */
enum { PICTURE_SIDE_MAX = 8000 };

/*
 * Returns what is wrong with a picture of this type, as mime_type() (base/mime.h) names it: a
 * constant like "the PNG is not complete"; NULL if it is whole, or of a type that is not known
 * here.
 */
const char *picture_problem(const char *type, const void *data, size_t length);

#endif
