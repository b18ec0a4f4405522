#!/usr/bin/env node
import { existsSync } from 'node:fs';

const entry = new URL('../dist/apps/enjeu/src/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('enjeu: the platform is not built yet; run `npm run build` (or `npm start`) first');
  process.exit(1);
}
await import(entry.href);
