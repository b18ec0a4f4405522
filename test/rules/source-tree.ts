import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A source file by its path in the tree, with `/` between folders. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export const ROOT = join(import.meta.dirname, '..', '..');

const NOT_OURS = new Set(['node_modules', 'dist', '.git', 'coverage', '.enjeu']);

/** Every TypeScript source below the given folders of a tree. */
export function sourcesOf(root: string, folders: readonly string[]): Source[] {
  return folders
    .flatMap((folder) => filesBelow(join(root, folder)))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ path: relative(root, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** What a source imports: `#money`, `../account.ts`, `node:fs`. */
export function importsOf({ text }: Source): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1] ?? '');
}
