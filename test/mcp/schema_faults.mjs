// Checks a JSON file against a schema of draft 7 or 2020-12:
//
//     node test/mcp/schema_faults.mjs SCHEMA <FILE
//
// Prints each fault, and nothing if there is none. A schema with a mistake in it is a failure.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const schema = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const Validator = schema.$schema.includes('draft-07') ? Ajv : Ajv2020;
const ajv = new Validator({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
addFormats.default(ajv);
const check = ajv.compile(schema);
if (!check(JSON.parse(readFileSync(0, 'utf8'))))
    check.errors.forEach((fault) => console.log(`${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`));
