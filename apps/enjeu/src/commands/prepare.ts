import type { Options } from '../main.ts';
import { dataFolderOf } from '../running-platform.ts';
import { openDataFolder, prepareFolder } from '../start/data-folder.ts';

/** Makes the signing keys and secrets that the services of a deployment read; what is there already stays as it is. */
export async function prepare(_words: readonly string[], options: Options): Promise<void> {
  const folder = dataFolderOf(options);
  prepareFolder(folder);
  const { path, keysFile } = openDataFolder(folder);
  console.log(`keys and secrets are in ${path}; the public keys are in ${keysFile}`);
}
