import 'reflect-metadata';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiDocuments } from './documents.ts';

/** `npm run api`: writes docs/api anew, without what is no longer generated. */
const folder = join(process.cwd(), 'docs', 'api');
const documents = await apiDocuments();
mkdirSync(folder, { recursive: true });
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && entry.name.endsWith('.json')) rmSync(join(entry.parentPath, entry.name));
}
for (const [path, text] of documents) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
console.log(`docs/api: ${documents.size} documents`);
