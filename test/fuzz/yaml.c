/*
 * Fuzz target: YAML of a person. What is parsed is within the bounds, and has valid strings alone.
 */
#include "fuzz.h"

#include "base/yaml_text.h"

/* Returns how many values there are in a value, itself among them. */
static int check(const json_t *value, int level)
{
    int count = 1;
    const char *key;
    json_t *member;
    size_t i;

    fuzz_require(level <= YAML_TEXT_LEVELS_MAX, "%d levels", level);
    fuzz_require(json_is_string(value) || json_is_null(value) || json_is_array(value) ||
                     json_is_object(value),
                 "a value of type %d", (int)json_typeof(value));
    if (json_is_string(value))
        fuzz_require(strlen(json_string_value(value)) == json_string_length(value), "a NUL");
    json_array_foreach(value, i, member)
        count += check(member, level + 1);
    json_object_foreach((json_t *)value, key, member)
        count += check(member, level + 1);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    json_t *value = yaml_text_parse((const char *)data, size, &error);

    fuzz_require(!value == (error.kind != ERROR_NONE), "%s", value ? error.message : "no error");
    if (value)
        fuzz_require(check(value, 0) <= YAML_TEXT_VALUES_MAX, "too many values");
    json_decref(value);
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}
