// Says of configurations whether the schema of configuration files takes them:
//
//     node test/mcp/config_schema.mjs SCHEMA <CONFIGURATIONS
//
// Reads one JSON text a line, and adds those that the schema itself suggests: each number at and past the ends
// of its range, and in each object a key that is none. Prints "good JSON" or "bad JSON" for each. A schema with
// a mistake in it is a failure.

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schema = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const check = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

const resolve = (part) => (part.$ref ? schema.$defs[part.$ref.replace('#/$defs/', '')] : part);

// What the schema suggests for a value, put into the whole by `wrap`.
function suggest(reference, wrap) {
    const part = resolve(reference);
    const texts = [];
    if (part.type === 'object') {
        for (const [key, inner] of Object.entries(part.properties ?? {}))
            texts.push(...suggest(inner, (value) => wrap({ [key]: value })));
        if (part.additionalProperties === false)
            texts.push(wrap({ xyzzy: 1 }));
    } else if ('minimum' in part) {
        const below = part.type === 'integer' ? part.minimum - 1 : part.minimum / 2;
        texts.push(...[part.minimum, part.maximum, below, part.maximum + 1].map(wrap));
        texts.push(wrap(part.type === 'integer' ? part.minimum + 0.5 : part.minimum + 0.25));
    }
    for (const inner of part.anyOf ?? [])
        texts.push(...suggest(inner, wrap));
    return [...texts, wrap(null)];
}

const suggested = suggest(schema, (value) => value).map((value) => JSON.stringify(value));
const given = readFileSync(0, 'utf8').split('\n').filter((line) => line);
for (const text of [...given, ...suggested])
    console.log(`${check(JSON.parse(text)) ? 'good' : 'bad'} ${text}`);
