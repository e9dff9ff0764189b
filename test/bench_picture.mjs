// The picture of README's comparisons, drawn as src/cli/bench_picture.c draws the figures of `isolator bench`.

const WIDTH = 720, MARGIN = 16, TOP = 56, GROUP_HEIGHT = 66, BAR_X = 96, BAR_HEIGHT = 14, BAR_STEP = 20, BAR_MAX = 490, GAP = 8, BASELINE = 12;
const HEADING = 'isolator and other ways to do the same';

const escaped = (text) => text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]);
const text = (x, y, content, attributes = '') => `  <text x="${x}" y="${y}"${attributes}>${escaped(content)}</text>\n`;
const number = (value) => value.toFixed(value < 9.95 ? 1 : 0);

// {title, other, unit, figures}: the figure of isolator, and that of `other`. The longer bar has the full length.
function group({ title, other, unit, figures }, y) {
    const bar = (value, label, colour, top) => {
        const length = Math.round(BAR_MAX * value / Math.max(...figures));
        return text(MARGIN, top + BASELINE, label)
            + `  <rect x="${BAR_X}" y="${top}" width="${length}" height="${BAR_HEIGHT}" fill="${colour}"/>\n`
            + text(BAR_X + length + GAP, top + BASELINE, `${number(value)} ${unit}`);
    };
    return text(MARGIN, y, title, ' font-weight="bold"') + bar(figures[0], 'isolator', '#0969da', y + GAP)
        + bar(figures[1], other, '#8c959f', y + GAP + BAR_STEP);
}

export function picture(comparisons) {
    const height = TOP + comparisons.length * GROUP_HEIGHT;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`
        + ' font-family="Helvetica, Arial, sans-serif" font-size="13" role="img" aria-labelledby="title">\n'
        + `  <title id="title">${escaped(HEADING)}</title>\n  <rect width="${WIDTH}" height="${height}" fill="#ffffff"/>\n  <g fill="#24292f">\n`
        + text(MARGIN, 28, HEADING, ' font-size="15" font-weight="bold"')
        + comparisons.map((comparison, i) => group(comparison, TOP + i * GROUP_HEIGHT)).join('') + '  </g>\n</svg>\n';
}

// README's comparisons, in this order.
export const COMPARISONS = {
    run: { title: 'isolator run, and the same docker commands by hand', other: 'by hand', unit: 'ms' },
    warm: { title: 'a call to isolator-mcp while a container waits, and the bare interpreter', other: 'interpreter', unit: 'ms' },
    cold: { title: 'a call to isolator-mcp, no container waits, and the same docker commands by hand', other: 'by hand', unit: 'ms' },
    batch: { title: 'isolator batch, and docker run --rm in a shell loop, two at a time', other: 'shell loop', unit: 'per second' },
};
