// Splits the URLs on stdin, one per line, and prints a JSON object per line with protocol, host, port, path, query and fragment, or an error. Uses no network.
'use strict';

const defaults = { 'http:': 80, 'https:': 443, 'ftp:': 21, 'ws:': 80, 'wss:': 443 };

function parts(text) {
    let url;
    try {
        url = new URL(text);
    } catch (error) {
        return { url: text, error: 'no absolute URL' };
    }
    const query = {}; // a name that stands there twice has a list
    for (const [name, value] of url.searchParams)
        Object.defineProperty(query, name, {
            value: Object.hasOwn(query, name) ? [query[name], value].flat() : value,
            enumerable: true, configurable: true, writable: true,
        });
    return {
        url: url.href,
        protocol: url.protocol.slice(0, -1),
        user: url.username || null,
        host: url.hostname || null,
        port: url.port ? Number(url.port) : defaults[url.protocol] ?? null,
        path: url.pathname,
        query,
        fragment: url.hash.slice(1) || null,
    };
}

for (const line of require('fs').readFileSync(0, 'utf8').split(/\r?\n/))
    if (line.trim() !== '') console.log(JSON.stringify(parts(line.trim())));
