// Converts CSV or tab-separated text on stdin into an aligned Markdown table. The first line is the heading; columns of numbers are right-aligned.
'use strict';

/** RFC 4180: fields in quotes may hold delimiters, line ends and doubled quotes. */
function parse(text, delimiter) {
    const rows = [[]];
    let [field, quoted] = ['', false];
    const end = () => { rows.at(-1).push(field); field = ''; };
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quoted) {
            if (c !== '"') field += c;
            else if (text[i + 1] === '"') field += text[++i];
            else quoted = false;
        } else if (c === '"' && field === '') quoted = true;
        else if (c === delimiter) end();
        else if (c === '\n') { end(); rows.push([]); }
        else if (c !== '\r') field += c;
    }
    end();
    return rows.filter((row) => row.length > 1 || row[0] !== '');
}

const text = require('fs').readFileSync(0, 'utf8').replace(/^\ufeff/, '');
const rows = parse(text, text.split('\n', 1)[0].includes('\t') ? '\t' : ',');
if (rows.length === 0) {
    console.error('markdown_table: there is nothing on stdin');
    process.exit(1);
}
const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
const cells = rows.map((row) => Array.from({ length: columns }, (_, i) =>
    (row[i] ?? '').trim().replace(/\|/g, '\\|').replace(/\s*\n\s*/g, '<br>')));
const length = (cell) => [...cell].length;
const widths = cells[0].map((_, i) => cells.reduce((most, row) => Math.max(most, length(row[i])), 3));
const right = cells[0].map((_, i) => cells.length > 1 && cells.slice(1).every((row) => /^[-+]?[\d.,]*\d%?$|^$/.test(row[i])));
const pad = (cell, i) => {
    const space = ' '.repeat(widths[i] - length(cell));
    return right[i] ? space + cell : cell + space;
};
const rule = widths.map((width, i) => right[i] ? '-'.repeat(width - 1) + ':' : '-'.repeat(width));
for (const row of [cells[0].map(pad), rule, ...cells.slice(1).map((cells) => cells.map(pad))])
    console.log(`| ${row.join(' | ')} |`);
