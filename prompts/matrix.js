// Calculates with one or two matrices on stdin, in JSON like [[1,2],[3,4]]. Argument: determinant, inverse, transpose, rank, multiply, add or solve (the second matrix is the right-hand side).
'use strict';

function fail(message) {
    console.error(`matrix: ${message}`);
    process.exit(1);
}

const isMatrix = (value) => Array.isArray(value) && value.length > 0 && value.every((row) =>
    Array.isArray(row) && row.length > 0 && row.length === value[0].length && row.every(Number.isFinite));

/** Reduces the rows to echelon form, as far as these columns go; says the rank and the determinant's factor. */
function eliminate(rows, columns) {
    let [rank, factor] = [0, 1];
    for (let column = 0; column < columns && rank < rows.length; column++) {
        let pivot = rank;
        for (let i = rank + 1; i < rows.length; i++)
            if (Math.abs(rows[i][column]) > Math.abs(rows[pivot][column])) pivot = i;
        const head = rows[pivot][column];
        if (Math.abs(head) < 1e-12) continue;
        if (pivot !== rank) factor = -factor;
        [rows[rank], rows[pivot]] = [rows[pivot], rows[rank]];
        factor *= head;
        rows[rank] = rows[rank].map((value) => value / head);
        rows.forEach((row, i) => {
            const times = row[column];
            if (i !== rank) rows[i] = row.map((value, j) => value - times * rows[rank][j]);
        });
        rank++;
    }
    return { rank, factor };
}

const width = (a) => a[0].length;
const square = (a) => width(a) === a.length ? a : fail('the matrix is not square');
const copy = (a) => a.map((row) => [...row]);
const identity = (n) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Number(i === j)));

function solve(a, right) {
    if (right.length !== square(a).length) fail('the right-hand side has another number of rows');
    const rows = a.map((row, i) => [...row, ...right[i]]);
    if (eliminate(rows, a.length).rank < a.length) fail('the matrix is singular');
    return rows.map((row) => row.slice(a.length));
}

const operations = {
    determinant(a) {
        const { rank, factor } = eliminate(copy(square(a)), a.length);
        return rank < a.length ? 0 : factor;
    },
    inverse: (a) => solve(a, identity(a.length)),
    transpose: (a) => a[0].map((_, j) => a.map((row) => row[j])),
    rank: (a) => eliminate(copy(a), width(a)).rank,
    multiply(a, b) {
        if (width(a) !== b.length) fail('the first has as many columns as the second has rows');
        return a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
    },
    add(a, b) {
        if (width(a) !== width(b) || a.length !== b.length) fail('both are of the same size');
        return a.map((row, i) => row.map((value, j) => value + b[i][j]));
    },
    solve,
};

const rounded = (value) => Array.isArray(value) ? value.map(rounded) : Number(value.toPrecision(12)) + 0;

const name = process.argv[2];
if (!Object.hasOwn(operations, name ?? '')) fail(`takes one of ${Object.keys(operations).join(', ')}`);
let matrices;
try {
    const text = require('fs').readFileSync(0, 'utf8').trim();
    matrices = JSON.parse(`[${text.replace(/\]\s*\]\s*\[\s*\[/g, ']],[[')}]`);
} catch (error) {
    fail(`stdin is no JSON: ${error.message}`);
}
const needed = operations[name].length;
if (matrices.length !== needed || !matrices.every(isMatrix))
    fail(`${name} takes ${needed} of what looks like [[1,2],[3,4]], with rows of the same length`);
const answer = rounded(operations[name](...matrices));
console.log(Array.isArray(answer) ? answer.map((row) => JSON.stringify(row)).join('\n') : String(answer));
