// Installs the packages from npm that the tests need, once. A module that uses them is imported after this one, with
// `await import()`.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

execFileSync(fileURLToPath(new URL('install', import.meta.url)), { stdio: ['ignore', 2, 2] });
