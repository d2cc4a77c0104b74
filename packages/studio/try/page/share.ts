/** The link that holds the config, for others; and those of others. */
import { signal } from '@preact/signals';
import { editor, say, text } from '../../app/store.ts';
import { type ReadFragment, readFragment, writeFragment } from '../fragment.ts';

/** A sentence about the link, below the header. */
export const linked = signal('');

/** Shown for a link that cannot be read. */
const refusals = {
  too_long: 'The link’s config is over 64 KB, so it was not read.',
  other_version: 'The link was made by another version of this page, so it was not read.',
  broken: 'The link is damaged, perhaps cut off, so its config was not read.',
} as const;

export const sayOfLink = ({ kind }: ReadFragment) => {
  linked.value =
    kind === 'none' ? '' : kind === 'config' ? 'This config came with the link.' : refusals[kind];
};

/** Puts another config into the editor, which can undo it. */
export const takeConfig = (config: string) =>
  editor.value?.apply([{ from: 0, to: text.value.length, insert: config }]);

export async function share(): Promise<void> {
  try {
    history.replaceState(null, '', await writeFragment(text.value));
  } catch {
    linked.value = 'The config is over 64 KB, which no link here holds.';
    return;
  }
  const copied = await navigator.clipboard.writeText(location.href).then(
    () => 'Copied',
    () => 'It is the address of this page now',
  );
  linked.value = `${copied}: the link holds the whole config, and whoever has the link can read it. It is never sent to a server.`;
  say(linked.value);
}

export const followLinks = () =>
  addEventListener('hashchange', async () => {
    const given = await readFragment(location.hash);
    if (given.kind === 'none') return;
    if (given.kind === 'config') takeConfig(given.text);
    sayOfLink(given);
  });
