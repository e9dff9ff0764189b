// Checks a JSON file against a schema:
//
//     node test/mcp/schema_faults.mjs SCHEMA <FILE
//
// Prints each fault, and nothing if there is none. A schema with a mistake in it is a failure.

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schema = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const check = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(schema);
if (!check(JSON.parse(readFileSync(0, 'utf8'))))
    check.errors.forEach((fault) => console.log(`${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`));
