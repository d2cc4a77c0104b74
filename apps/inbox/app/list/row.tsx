import { Icon } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import type { Entry } from '../../src/api.ts';
import { about, titleOf } from '../about.ts';
import { query } from '../address.ts';
import { WorkTags } from '../message/work.tsx';
import { counted, exactTime, nameOf, shortTime, stateWords } from '../words.ts';

interface RowProps {
  readonly index: number;
  readonly count: number;
  readonly entry: Entry | undefined;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onOpen: () => void;
  /** @param isRange From the one before. */
  readonly onPick: (isRange: boolean) => void;
}

export function Row(props: RowProps) {
  const { index, count, entry, top, isCurrent, isOpen, isSelected, onOpen, onPick } = props;
  const classes = [
    'row',
    isCurrent && 'current',
    isOpen && 'open',
    isSelected && 'selected',
    entry && !entry.isRead && 'unread',
    entry?.work?.isDone && 'done',
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page open it
    <div
      class={classes.filter(Boolean).join(' ')}
      id={`row-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-current={isOpen ? 'true' : undefined}
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${top}px)` }}
      onClick={({ target, shiftKey, ctrlKey, metaKey }) => {
        const isPick = target instanceof Element && target.closest('.pick') !== null;
        if (isPick || shiftKey || ctrlKey || metaKey) onPick(shiftKey);
        else onOpen();
      }}
      onFocus={({ currentTarget }) =>
        // The list has the focus for all its rows, which come and go.
        currentTarget.closest<HTMLElement>('.list')?.focus({ preventScroll: true })
      }
    >
      <span class="pick" aria-hidden="true">
        <Icon name="check" />
      </span>
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
  const { isSealed, sender, summary } = entry;
  return (
    <>
      <span class="first">
        {!entry.isRead && <span class="unseen">Unread. </span>}
        <bdi class="sender" title={sender}>
          {isSealed ? 'Sealed' : nameOf(sender) || 'No name'}
        </bdi>
        {!query.value.form && (about.value?.forms.length ?? 0) > 1 && (
          <span class="form">{titleOf(entry.form)}</span>
        )}
        <time dateTime={new Date(entry.receivedAt).toISOString()} title={exactTime(entry.receivedAt)}>
          {shortTime(entry.receivedAt)}
        </time>
      </span>
      <span class="second">
        <bdi class="summary">{isSealed ? 'Sealed values' : summary}</bdi>
        <Tags entry={entry}>
          <WorkTags entry={entry} />
        </Tags>
      </span>
    </>
  );
}

interface TagsProps {
  readonly entry: Entry;
  readonly children?: ComponentChildren;
}

export const Tags = ({ entry, children }: TagsProps) => (
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
    {entry.part && (
      <span class={`tag ${entry.part === 'withdrawn' ? 'warn' : ''}`}>
        {entry.part === 'withdrawn' ? 'Withdrawn' : 'Changed'}
      </span>
    )}
    {entry.mark && <span class={`tag ${entry.mark}`}>{entry.mark === 'spam' ? 'Spam' : 'Not spam'}</span>}
    {entry.isDoubted && !entry.mark && <span class="tag warn">Doubted</span>}
    {entry.isFailed ? (
      <span class="tag bad">{stateWords.failed}</span>
    ) : (
      entry.state !== 'stored' && (
        <span class={`tag ${entry.state}`}>
          {stateWords[entry.state === 'kept' ? 'waiting' : entry.state]}
        </span>
      )
    )}
    {children}
  </span>
);
