/** Folders for a relay: their paths as the relay sees them, and as the trial sees them. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../../scripts/machine.ts';

interface Seen {
  readonly inside: string;
  readonly outside: string;
}

export interface Place {
  /** The config and its sibling files, which the relay only reads. */
  readonly config: Seen;
  /** The only folder that the relay may write to. */
  readonly state: Seen;
}

/** Paths below the relay's own root. */
export const placeIn = (root: string, config: string, state: string): Place => ({
  config: { inside: config, outside: join(root, config) },
  state: { inside: state, outside: join(root, state) },
});

/** Folders of this machine. */
export async function newPlace(): Promise<Place> {
  const root = tempFolder('place');
  await mkdir(join(root, 'state'));
  return placeIn('/', join(root, 'config'), join(root, 'state'));
}

/** Copies the plug-in, the certificate and the page that the config, the environment and a command name. */
export async function fill({ config }: Place): Promise<void> {
  await mkdir(config.outside, { recursive: true });
  for (const file of ['../../examples/plugins/blocklist.mjs', '../../test/support/ca.pem'])
    await copyFile(new URL(file, import.meta.url), join(config.outside, file.split('/').at(-1) ?? ''));
  const form = '<form action="https://a.example/api/v1/submit/contact" method="post">';
  await writeFile(join(config.outside, 'page.html'), `${form}<input name="name"><input name="email"></form>`);
}
