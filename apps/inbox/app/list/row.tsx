import { Icon } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import type { Entry } from '../../src/api.ts';
import { about, titleOf } from '../about.ts';
import { opened, query } from '../address.ts';
import { IconTag, Time } from '../controls.tsx';
import { WorkTags } from '../message/work.tsx';
import { counted, exactTime, nameOf, shortTime, stateWords } from '../words.ts';
import { openAt } from './entries.ts';
import { extend, selected, toggle } from './selection.ts';

interface RowProps {
  readonly index: number;
  readonly count: number;
  readonly entry: Entry | undefined;
  readonly top: number;
  readonly isCurrent: boolean;
}

export function Row({ index, count, entry, top, isCurrent }: RowProps) {
  const isOpen = entry !== undefined && entry.id === opened.value;
  const isSelected = entry !== undefined && selected.value.has(entry.id);
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
        if (shiftKey) void extend(index);
        else if (isPick || ctrlKey || metaKey) toggle(index);
        else void openAt(index);
      }}
      onFocus={({ currentTarget }) =>
        // The list holds the focus for its rows, which are added and removed as it scrolls.
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
        <Time at={entry.receivedAt} format={shortTime} title={exactTime(entry.receivedAt)} />
      </span>
      <span class="second">
        <bdi class="summary">{isSealed ? 'Sealed values' : summary}</bdi>
        <Tags entry={entry}>{entry.work && <WorkTags work={entry.work} />}</Tags>
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
    {entry.isSealed && <IconTag icon="lock" words="Sealed" />}
    {entry.files > 0 && <IconTag icon="clip" words={counted(entry.files, 'file')} />}
    {entry.part && (
      <span class={`tag ${entry.part === 'withdrawn' ? 'warn' : ''}`}>
        {entry.part === 'withdrawn' ? 'Withdrawn' : 'Changed'}
      </span>
    )}
    {entry.mark && <span class={`tag ${entry.mark}`}>{entry.mark === 'spam' ? 'Spam' : 'Not spam'}</span>}
    {entry.isDoubted && !entry.mark && <span class="tag warn">Suspected spam</span>}
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
