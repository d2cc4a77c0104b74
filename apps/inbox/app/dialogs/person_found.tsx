import type { Found } from '../../src/api.ts';
import { titleOf } from '../about.ts';
import { counted, exactTime, stateWords } from '../words.ts';

/** The list before erasing. */
export function PersonFound({ found: { entries, sealed } }: { readonly found: Found }) {
  return (
    <>
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        <ul class="person-found" tabIndex={0} aria-label="Submissions found">
          {entries.map((entry) => (
            <li key={entry.id}>
              <b>{exactTime(entry.receivedAt)}</b> <bdi>{titleOf(entry.form)}</bdi>{' '}
              <span class={`tag ${entry.state}`}>{stateWords[entry.state]}</span>
              <span class="aside">{entry.places.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
      {sealed > 0 && (
        <p class="notice warn">
          {counted(sealed, 'sealed submission')} could not be looked into: <code>relay archive erase</code>{' '}
          with <code>--identity</code> finds theirs.
        </p>
      )}
    </>
  );
}
