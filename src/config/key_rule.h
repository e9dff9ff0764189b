/*
 * What a value of the configuration may be: the part of a key that does not depend on where the
 * value goes. See config/config_keys.h for the keys themselves.
 */
#ifndef CONFIG_KEY_RULE_H
#define CONFIG_KEY_RULE_H

enum key_type {
    KEY_STRING,
    KEY_PATH, /* a string: a path relative to the configuration file */
    KEY_BOOLEAN,
    KEY_WHOLE, /* a number without a fraction */
    KEY_NUMBER,
    KEY_STRINGS,         /* an array of strings */
    KEY_STRINGS_BY_NAME, /* an object whose members are strings */
    KEY_WHOLE_BY_LANGUAGE,
    KEY_OBJECT, /* an object with keys of its own */
    KEY_STRING_OR_OBJECT,
    KEY_PORTS,        /* an array of numbers of ports */
    KEY_HOSTS,        /* an array of hosts, each a string or an object with keys of its own */
    KEY_CREDENTIALS,  /* an array of objects with keys of their own */
    KEY_TOOL_SERVERS, /* an object of servers of tools by name */
    KEY_MCP_SERVERS,  /* the same, as a .mcp.json has it */
    KEY_LANGUAGES
};

struct key_rule {
    const char *name;
    enum key_type type;
    /* Smallest and largest number, length of a string in bytes, or count of items; 0, 0: any. */
    double minimum, maximum;
    const char *unit;                /* for messages: " MB"; NULL or "" if a number stands alone */
    const char *title, *description; /* for people who write a configuration */
    const char *pattern; /* JSON Schema's, for a string, each string or each name; or NULL */
};

#endif
