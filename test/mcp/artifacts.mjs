// Files that come back in results: in the forms that each revision knows, and a real plot.

import { is, ok } from './cases.mjs';

// One file of each kind, written by a shell.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='; // one pixel
const WRITE = `echo ${PNG} | base64 -d >picture.bin
printf 'OggS\\000' >sound; printf '1,2\\n' >table.csv; printf 'PK\\003\\004\\377' >packed.zip`;

const PICTURE = { type: 'image', data: PNG, mimeType: 'image/png' };
const SOUND = { type: 'audio', data: 'T2dnUwA=', mimeType: 'audio/ogg' };
const TABLE = { name: 'table.csv', mimeType: 'text/csv', text: '1,2\n' };
const PACKED = { name: 'packed.zip', mimeType: 'application/zip', blob: 'UEsDBP8=' };

// A resource in the result, whose URI is recognised by its end.
function isEmbedded(content, { name, ...rest }, what) {
    const { uri, ...resource } = content?.resource ?? {};
    is([content?.type, resource], ['resource', rest], what);
    ok(/^isolator:\/\/runs\/[0-9a-f]{16}\/files\//.test(uri) && uri.endsWith(`/${name}`), `${what}: its URI`, uri);
}

async function isLinked(session, content, { name, ...rest }, what) {
    is([content?.type, content?.name, content?.mimeType, content?.size], ['resource_link', name, rest.mimeType, 5], what);
    const { contents } = await session.client.readResource({ uri: content.uri });
    is(contents, [{ uri: content.uri, ...rest }], `${what}: it can be read`);
}

export async function checkArtifacts(session, revision, known) {
    const { content, structuredContent } = await session.call(
        { language: 'busybox', entrypoint_code: WRITE, artifacts: ['*'], timeout_seconds: 300 });
    const [text, packed, picture, sound, table] = content;
    is(content.length, 5, 'all come back');
    const [example, id] = text.text.match(/^In a later call: .*isolator:\/\/runs\/([0-9a-f]{16})\/.*\n/m) ?? [];
    is(example, `In a later call: "additional_files": [{"filename": "packed.zip", "uri": "isolator://runs/${id}/files/packed.zip"}]\n`,
        'how a later call gets one');
    is(text.text.replace(example, ''), '(no output)\n--- artifacts ---\npacked.zip (application/zip, 5 bytes)\n' +
        'picture.bin (image/png, 67 bytes)\nsound (audio/ogg, 5 bytes)\ntable.csv (text/csv, 4 bytes)\n', 'they are listed');
    is(picture, PICTURE, 'a picture, by its content');
    if (known.annotations)
        is(sound, SOUND, 'audio');
    else
        isEmbedded(sound, { name: 'sound', mimeType: 'audio/ogg', blob: 'T2dnUwA=' }, 'audio');
    isEmbedded(table, TABLE, 'a text');
    const uri = `isolator://runs/${id}/files/packed.zip`;
    const later = await session.shell('od -An -tx1 again.zip', { additional_files: [{ filename: 'again.zip', uri }] });
    is(later.content[0].text, '--- stdout ---\n 50 4b 03 04 ff\n', 'a later call uses one');
    if (known.structured) {
        await isLinked(session, packed, PACKED, 'another file');
        is(structuredContent.artifacts.map(({ name, bytes }) => [name, bytes]),
            [['packed.zip', 5], ['picture.bin', 67], ['sound', 5], ['table.csv', 4]], 'structuredContent');
    } else {
        isEmbedded(packed, PACKED, 'another file');
    }
}

const PLOT = `
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.figure(figsize=(5, 3), dpi=100)
plt.plot([x / 10 for x in range(100)], [x * x for x in range(100)])
plt.savefig("plot.png")
print("plotted")
`;

// Width and height of a PNG (its section 11.2.2, IHDR).
function sizeOf(png) {
    return [png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)];
}

export async function checkPlot(session) {
    const { content, isError } = await session.call(
        { language: 'python', entrypoint_code: PLOT, artifacts: ['*.png'], timeout_seconds: 300 });
    ok(content[0].text.startsWith('--- stdout ---\nplotted\n--- artifacts ---\nplot.png (image/png, '), 'what it printed',
        content[0].text);
    is([isError, content.length, content[1]?.type, content[1]?.mimeType], [false, 2, 'image', 'image/png'], 'the picture');
    const png = Buffer.from(content[1]?.data ?? '', 'base64');
    is(png.length > 24 ? sizeOf(png) : png.length, ['PNG', 500, 300], 'its size in pixels');
}
