/** Folders that a relay is given: as it sees them, and as the trial sees them. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Seen {
  readonly inside: string;
  readonly outside: string;
}

export interface Place {
  /** The config and its sibling files. The relay only reads it. */
  readonly config: Seen;
  /** The one folder that the relay may write. */
  readonly state: Seen;
}

/** Below a root of the relay's own. */
export const placeIn = (root: string, config: string, state: string): Place => ({
  config: { inside: config, outside: join(root, config) },
  state: { inside: state, outside: join(root, state) },
});

/** Folders of this machine, until `leave` is called. */
export async function newPlace(): Promise<Place & { leave(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'relay-place-'));
  const config = join(root, 'config');
  const state = join(root, 'state');
  await mkdir(state);
  return { ...placeIn('/', config, state), leave: () => rm(root, { recursive: true, force: true }) };
}

/** Puts the plug-in, the certificate and the page there that the config, the environment and a command name. */
export async function fill({ config }: Place): Promise<void> {
  await mkdir(config.outside, { recursive: true });
  for (const file of ['../../examples/plugins/blocklist.mjs', '../../test/support/ca.pem'])
    await copyFile(new URL(file, import.meta.url), join(config.outside, file.split('/').at(-1) ?? ''));
  const form = '<form action="https://a.example/api/v1/submit/contact" method="post">';
  await writeFile(join(config.outside, 'page.html'), `${form}<input name="name"><input name="email"></form>`);
}
