import { version } from '@form-relay/base/version';
import * as kit from './kit.ts';
import type { Plugin } from './plugin.ts';

export type Kit = typeof kit;

/** What a package exports: `export default (kit) => ({ name: …, outputs: [kit.outputType({ … })] })`. */
export type MakePlugin = (kit: Kit) => Plugin;

const here = Symbol.for('form-relay kit');
type Shared = { [here]?: { readonly version: string; readonly kit: Kit } };

/** Below 1, a minor version may break. */
const major = (text: string): string =>
  text
    .split('.')
    .slice(0, text.startsWith('0.') ? 2 : 1)
    .join('.');

/** The kit of this process, also for a plug-in with a second copy of the library: templates and markup are recognized by their class. */
export function sharedKit(): Kit {
  const shared = globalThis as Shared;
  shared[here] ??= { version, kit };
  const { version: running, kit: first } = shared[here];
  if (major(running) !== major(version))
    throw new Error(
      `two versions of form-relay in one process, ${running} and ${version}: a plug-in brings its own; make it a peer dependency`,
    );
  return first;
}
