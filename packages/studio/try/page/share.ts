/** The link that holds the config, for others; and those of others. */
import { byId, onClick, say } from '../../src/browser/client/page_parts.ts';
import { type ReadFragment, readFragment, writeFragment } from '../fragment.ts';

const yaml = byId<HTMLTextAreaElement>('yaml');
const linked = byId('linked');

/** What is said of a link that cannot be read. */
const refusals = {
  too_long: 'The link’s config is over 64 KB, so it was not read.',
  other_version: 'The link was made by another version of this page, so it was not read.',
  broken: 'The link is damaged, perhaps cut off, so its config was not read.',
} as const;

export const sayOfLink = ({ kind }: ReadFragment) => {
  linked.textContent =
    kind === 'none' ? '' : kind === 'config' ? 'This config came with the link.' : refusals[kind];
};

/** Puts a text into the editor, as if it were typed. */
export const typeIn = (text: string) => {
  yaml.value = text;
  yaml.dispatchEvent(new Event('input'));
};

export function followLinks(): void {
  onClick('#share', async () => {
    try {
      history.replaceState(null, '', await writeFragment(yaml.value));
    } catch {
      linked.textContent = 'The config is over 64 KB, which no link here holds.';
      return;
    }
    const copied = await navigator.clipboard.writeText(location.href).then(
      () => 'Copied',
      () => 'It is the address of this page now',
    );
    const words = `${copied}: the link holds the whole config, and whoever has the link can read it. It is never sent to a server.`;
    linked.textContent = words;
    say(words);
  });
  addEventListener('hashchange', async () => {
    const given = await readFragment(location.hash);
    if (given.kind === 'none') return;
    if (given.kind === 'config') typeIn(given.text);
    sayOfLink(given);
  });
}
