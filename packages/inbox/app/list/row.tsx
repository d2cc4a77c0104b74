import type { Entry } from '../../src/api.ts';
import { titleOf } from '../about.ts';
import { Icon } from '../icons.tsx';
import { sealedRow } from '../sealed/sealed_now.ts';
import { alikeWords, counted, exactTime, shortTime, stateWords } from '../words.ts';

interface RowProps {
  readonly index: number;
  readonly count: number;
  readonly entry: Entry | undefined;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

export function Row({ index, count, entry, top, isCurrent, isOpen, onOpen }: RowProps) {
  const classes = ['row', isCurrent && 'current', isOpen && 'open', entry && !entry.isRead && 'unread'];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page open it
    <div
      class={classes.filter(Boolean).join(' ')}
      id={`row-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isOpen}
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onOpen}
      onFocus={({ currentTarget }) =>
        // The list has the focus for all its rows, which come and go.
        currentTarget.closest<HTMLElement>('.list')?.focus({ preventScroll: true })
      }
    >
      {entry ? <Line entry={entry} /> : <Placeholder />}
    </div>
  );
}

const Placeholder = () => (
  <>
    <span class="unseen">Loading</span>
    <span class="bone" />
    <span class="bone long" />
  </>
);

function Line({ entry }: { readonly entry: Entry }) {
  const row = entry.isSealed ? sealedRow(entry.id) : entry;
  return (
    <>
      <span class="first">
        {!entry.isRead && <span class="unseen">Unread. </span>}
        <bdi class="sender">{row ? row.sender || 'No name' : 'Sealed'}</bdi>
        <time dateTime={new Date(entry.receivedAt).toISOString()} title={exactTime(entry.receivedAt)}>
          {shortTime(entry.receivedAt)}
        </time>
      </span>
      <span class="second">
        <span class="form">{titleOf(entry.form)}</span>
        <bdi class="summary">{row ? row.summary : 'Its values are sealed.'}</bdi>
        <Tags entry={entry} />
      </span>
    </>
  );
}

export const Tags = ({ entry }: { readonly entry: Entry }) => (
  <span class="tags">
    {entry.isSealed && (
      <span class="tag" title="Sealed">
        <Icon name="lock" />
        <span class="unseen">Sealed</span>
      </span>
    )}
    {entry.files > 0 && (
      <span class="tag" title={counted(entry.files, 'file')}>
        <Icon name="clip" />
        <span class="unseen">{counted(entry.files, 'file')}</span>
      </span>
    )}
    {entry.alike && <span class="tag">{alikeWords(entry.alike)}</span>}
    {entry.mark && <span class={`tag ${entry.mark}`}>{entry.mark === 'spam' ? 'Spam' : 'Not spam'}</span>}
    {entry.isDoubted && entry.state !== 'aside' && !entry.mark && <span class="tag warn">Doubted</span>}
    {entry.state !== 'delivered' && <span class={`tag ${entry.state}`}>{stateWords[entry.state]}</span>}
    {entry.state === 'delivered' && (
      <span class="tag delivered" title="Delivered">
        <Icon name="check" />
        <span class="unseen">Delivered</span>
      </span>
    )}
  </span>
);
