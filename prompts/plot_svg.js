// Draws a bar chart as SVG on stdout. Each line on stdin is a label and a number. Argument: the title.
'use strict';

const escape = (text) => text.replace(/[<>&"']/g, (c) => `&#${c.codePointAt(0)};`)
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udfff](?![\udc00-\udfff])/g, '\ufffd');

const bars = [];
for (const line of require('fs').readFileSync(0, 'utf8').split(/\r?\n/)) {
    const match = /^(.*?)[\s,;:=]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*$/.exec(line);
    if (match && Number.isFinite(Number(match[2]))) bars.push({ label: match[1].trim(), value: Number(match[2]) });
    else if (line.trim() !== '') console.error(`plot_svg: left out, as there is no number at its end: ${JSON.stringify(line)}`);
}
if (bars.length === 0) {
    console.error('plot_svg: no line on stdin is a label and a number');
    process.exit(1);
}

const [left, wide, high, gap] = [160, 480, 20, 6];
const title = process.argv[2] ?? '';
const top = title ? 40 : 10;
const values = bars.map((bar) => bar.value);
const least = values.reduce((a, b) => Math.min(a, b), 0);
const span = values.reduce((a, b) => Math.max(a, b), 0) - least || 1;
const at = (value) => left + (wide * (value - least)) / span;
const round = (number) => Math.round(number * 10) / 10;

console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${left + wide + 80}" ` +
    `height="${top + bars.length * (high + gap) + 10}" font-family="sans-serif" font-size="13">`);
if (title) console.log(`<text x="${left}" y="25" font-size="18">${escape(title)}</text>`);
bars.forEach(({ label, value }, i) => {
    const y = top + i * (high + gap);
    const from = Math.min(at(0), at(value));
    const size = Math.abs(at(value) - at(0));
    console.log(`<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escape(label)}</text>` +
        `<rect x="${round(from)}" y="${y}" width="${round(size)}" height="${high}" fill="#1f77b4"/>` +
        `<text x="${round(from + size) + 6}" y="${y + 15}">${value}</text>`);
});
console.log('</svg>');
