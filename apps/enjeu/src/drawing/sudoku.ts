import { z } from 'zod';
import { cents, formatEuros } from '#money';
import type { Ink } from './ink.ts';

const face = z.union([z.int().min(1).max(6), z.literal('clover')]);

/** As much of a script of `sudoku/1` as is drawn. */
export const sudokuShape = z.object({
  mechanic: z.literal('sudoku/1'),
  gainCents: z.int().min(1),
  blocks: z.array(z.array(z.int().min(1).max(9)).length(9)).length(9),
  uncovered: z.array(z.array(z.int().min(0).max(1)).length(9)).length(9),
  rolls: z
    .array(z.tuple([face, face]))
    .min(1)
    .max(9),
});

type Sudoku = z.infer<typeof sudokuShape>;
type Roll = Sudoku['rolls'][number];

/** One cell: seen from the start, uncovered by a roll, or masked. */
type Cell = 'given' | 'rolled' | 'masked';

/** The grid as the unit begins, its rolls one by one, and the grid as they leave it (SUD-4.1 to SUD-4.3.3). */
export function drawSudoku(script: Sudoku, ink: Ink): string[] {
  const start = script.uncovered.map((block) => block.map((shown): Cell => (shown === 1 ? 'given' : 'masked')));
  const cells = start.map((block) => [...block]);
  const rolls: string[] = [];
  const came = new Set<number>();
  script.rolls.forEach((roll, n) => {
    if (n >= 3) rolls.push(ink('strong', '  an extra roll'));
    rolls.push(drawRoll(roll, n, uncover(script, cells, digitOf(roll)), came.has(digitOf(roll)), ink));
    came.add(digitOf(roll));
  });
  const gain = ink('strong', `gain box  ${formatEuros(cents(script.gainCents))} EUR a block`);
  return [
    ...drawGrid(script, start, ink),
    `  ${gain}`,
    '',
    ...rolls,
    '',
    ...drawGrid(script, cells, ink),
    `  ${endOf(cells, ink)}`,
    ink('quiet', '  (5) uncovered by a roll   . masked   * block uncovered whole'),
  ];
}

function digitOf([left, right]: Roll): number {
  if (left === 'clover') return right === 'clover' ? 0 : right;
  return right === 'clover' ? left : left + right;
}

/** Uncovers the masked cells that bear this digit; answers how many in which blocks, counted from 1. */
function uncover({ blocks }: Sudoku, cells: Cell[][], digit: number): number[] {
  return blocks.flatMap((digits, block) => {
    const at = digits.indexOf(digit);
    if (cells[block]?.[at] !== 'masked') return [];
    (cells[block] as Cell[])[at] = 'rolled';
    return [block + 1];
  });
}

function drawRoll([left, right]: Roll, n: number, blocks: readonly number[], again: boolean, ink: Ink): string {
  const dice = `[${left}] [${right}]`.padEnd(16);
  const digit = ink('roll', String(digitOf([left, right])));
  const clover = left === 'clover' || right === 'clover' ? ', and one more roll' : '';
  const found =
    blocks.length === 0
      ? 'uncovers nothing'
      : `uncovers a cell in ${blocks.length === 1 ? 'block' : 'blocks'} ${blocks.join(', ')}`;
  return `  roll ${n + 1}  ${dice} ${digit}  ${again ? 'came before, uncovers nothing' : found}${clover}`;
}

function drawGrid({ blocks }: Sudoku, cells: readonly (readonly Cell[])[], ink: Ink): string[] {
  const lines: string[] = [];
  for (const first of [0, 3, 6]) {
    const three = [first, first + 1, first + 2];
    lines.push(`  ${three.map((block) => titleOf(block, cells[block] ?? [], ink)).join('   ')}`);
    for (const row of [0, 3, 6]) {
      const parts = three.map((block) =>
        [row, row + 1, row + 2].map((at) => drawCell(blocks[block]?.[at], cells[block]?.[at], ink)).join(''),
      );
      lines.push(`  ${parts.join(ink('quiet', ' | '))}`);
    }
    lines.push('');
  }
  return lines;
}

function titleOf(block: number, cells: readonly Cell[], ink: Ink): string {
  return isWhole(cells) ? ink('won', `* ${block + 1}`.padEnd(9)) : ink('quiet', `  ${block + 1}`.padEnd(9));
}

function drawCell(digit: number | undefined, cell: Cell | undefined, ink: Ink): string {
  if (cell === 'rolled') return ink('roll', `(${digit})`);
  return cell === 'given' ? ` ${digit} ` : ink('quiet', ' . ');
}

function isWhole(cells: readonly Cell[]): boolean {
  return cells.length > 0 && cells.every((cell) => cell !== 'masked');
}

function endOf(cells: readonly (readonly Cell[])[], ink: Ink): string {
  const whole = cells.filter(isWhole).length;
  if (whole === 0) return 'no block is uncovered whole';
  return ink('won', whole === 1 ? '1 block is uncovered whole' : `${whole} blocks are uncovered whole`);
}
