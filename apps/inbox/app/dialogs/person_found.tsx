import { useSignal } from '@preact/signals';
import type { Found } from '../../src/api.ts';
import { titleOf } from '../about.ts';
import { counted, exactTime, number, stateWords } from '../words.ts';

/** A browser draws so many at once; others appear when asked for. */
const mostLines = 200;

/** The list before erasing. */
export function PersonFound({ found: { entries, sealed } }: { readonly found: Found }) {
  const shown = useSignal(mostLines);
  const more = entries.length - shown.value;
  return (
    <>
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        <ul class="person-found" tabIndex={0} aria-label="Submissions found">
          {entries.slice(0, shown.value).map((entry) => (
            <li key={entry.id}>
              <b>{exactTime(entry.receivedAt)}</b> <bdi>{titleOf(entry.form)}</bdi>{' '}
              <span class={`tag ${entry.state}`}>{stateWords[entry.state]}</span>
              <span class="aside">{entry.places.join(', ')}</span>
            </li>
          ))}
          {more > 0 && (
            <li>
              <button type="button" class="tool" onClick={() => (shown.value += mostLines)}>
                Show {number(Math.min(mostLines, more))} of {number(more)} more
              </button>
            </li>
          )}
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
