/** The value below which the share `p` (0 to 1) of the numbers lies; NaN for none. */
export function percentile(numbers: readonly number[], p: number): number {
  if (numbers.length === 0) return Number.NaN;
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** A table whose columns line up, for a terminal and for a Markdown page alike. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n');
}

/** `1234.56` → `1,235`; below 10 with one decimal, NaN as a dash. */
export function figure(number: number): string {
  if (Number.isNaN(number)) return '–';
  return number.toLocaleString('en', {
    maximumFractionDigits: Math.abs(number) < 10 ? 2 : Math.abs(number) < 100 ? 1 : 0,
  });
}
