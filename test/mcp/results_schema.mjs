// Checks results of isolator against their schema:
//
//     node test/mcp/results_schema.mjs SCHEMA <RESULTS
//
// Reads one JSON object a line. Prints each fault with its line, and at last the members that were seen, in order of
// their names. A member that the schema does not have is a fault, and so is a schema with a mistake in it.

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schema = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const part of [schema, ...Object.values(schema.$defs)])
    part.additionalProperties = false;
const check = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(schema);
const seen = new Set();

readFileSync(0, 'utf8').split('\n').forEach((line, index) => {
    if (!line)
        return;
    const result = JSON.parse(line);
    Object.keys(result).forEach((key) => seen.add(key));
    if (!check(result))
        check.errors.forEach((fault) => console.log(`${index + 1}: ${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`));
});
const members = Object.keys(schema.properties);
console.log(`not seen: ${members.filter((name) => !seen.has(name)).join(' ')}`);
