import { Button, Trouble } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { about, progress } from '../about.ts';
import { chooseOnly, paramsOf, query } from '../address.ts';
import { actionsOf, actionWords, mayActOnAll, planRun, Reasons } from '../attention/attention.tsx';
import type { RunPlan } from '../attention/run.ts';
import { dialog } from '../controls.tsx';
import { Delete, Export } from '../dialogs/dialogs.tsx';
import { Assign, Labels } from '../dialogs/pick.tsx';
import { toggleDone } from '../message/message_now.ts';
import { counted, number } from '../words.ts';
import {
  cursor,
  entryAt,
  hasMore,
  mostRows,
  painted,
  retry,
  scroller,
  show,
  total,
  trouble,
} from './entries.ts';
import { Row } from './row.tsx';
import { clear, permitted, readAll, readSelected, running, selectAll, selected } from './selection.ts';

/** The list, or a note why it is empty. */
export function Found() {
  const isChosen = paramsOf(query.value).size > 0;
  return (
    <>
      {trouble.value && <Trouble words={trouble.value} onGo={retry} />}
      <Reasons />
      <SelectionBar />
      {total.value === 0 ? (
        <div class="empty">
          {isChosen ? (
            <>
              <p>
                <b>No submission matches.</b>
              </p>
              <Button onClick={() => chooseOnly({})}>Show all</Button>
            </>
          ) : progress.value ? (
            <p>Reading the archives. Submissions will appear here.</p>
          ) : (
            <>
              <p>
                <b>No submissions yet.</b>
              </p>
              <p>
                {about.value?.places.length === 0
                  ? 'The config has no archive: add an output of type folder or s3 to a form.'
                  : 'New submissions appear here within two seconds.'}
              </p>
            </>
          )}
        </div>
      ) : (
        total.value !== undefined && <List />
      )}
    </>
  );
}

const rowPixels = 64;
/** Extra rows rendered above and below those in view. */
const more = 6;
/** Scroll position and height in pixels, kept outside the component because narrow windows unmount it. */
const place = signal(0);
const view = signal(600);
scroller.shift = (rows) => {
  place.value = Math.max(0, place.peek() + rows * rowPixels);
};
scroller.top = () => {
  place.value = 0;
};
scroller.show = (index) => {
  const top = index * rowPixels;
  if (top < place.peek()) place.value = top;
  else place.value = Math.max(place.peek(), top + rowPixels - view.peek());
};

/** Renders only the rows in view. */
export function List() {
  const element = useRef<HTMLDivElement>(null);
  const count = Math.min(total.value ?? 0, mostRows);
  const top = Math.min(place.value, Math.max(0, count * rowPixels - view.value));
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return undefined;
    const watch = new ResizeObserver(() => {
      if (list.clientHeight > 0) view.value = list.clientHeight;
    });
    watch.observe(list);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const list = element.current;
    if (list && Math.abs(list.scrollTop - top) >= 1) list.scrollTop = top;
  }, [top, count]);
  const first = Math.floor(top / rowPixels);
  const last = Math.min(count - 1, Math.floor((top + view.value) / rowPixels));
  useLayoutEffect(() => show(first, Math.max(first, last)), [first, last, painted.value]);
  const from = Math.max(0, first - more);
  const to = Math.min(count - 1, last + more);
  const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, nth) => from + nth);
  const current = entryAt(cursor.value);
  return (
    <div
      class="list"
      ref={element}
      role="listbox"
      tabIndex={0}
      aria-label="Submissions"
      aria-multiselectable="true"
      aria-activedescendant={cursor.value >= from && cursor.value <= to ? `row-${cursor.value}` : undefined}
      onScroll={({ currentTarget: { scrollTop } }) => {
        place.value = scrollTop;
      }}
    >
      <div class="rows" role="presentation" style={{ height: `${count * rowPixels}px` }}>
        {indexes.map((index) => {
          const entry = entryAt(index);
          return (
            <Row
              key={index}
              index={index}
              count={count}
              entry={entry}
              top={index * rowPixels}
              isCurrent={entry ? entry.id === current?.id : index === cursor.value}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Shows how many entries match, and the bulk actions. */
function SelectionBar() {
  const isBusy = running.value !== undefined;
  const isAny = selected.value.size > 0;
  const button = (label: string, onClick: () => unknown, more = '') => (
    <button type="button" class={`tool ${more}`} disabled={isBusy} onClick={() => void onClick()}>
      {label}
    </button>
  );
  const erasable = permitted('erase');
  return (
    <div class="selection">
      <p class="sum aside" role="status">
        {sumOf()}
      </p>
      {isAny ? (
        <fieldset aria-label="Selected submissions">
          {button('Read', () => readSelected(true))}
          {button('Unread', () => readSelected(false))}
          {about.value?.work && permitted('act').length > 0 && (
            <>
              {button('Done', toggleDone)}
              {button('Label', () => (dialog.value = <Labels />))}
              {button('Assign', () => (dialog.value = <Assign />))}
            </>
          )}
          {actionsOfSelected().map((plan) => button(actionWords(plan.request), () => planRun(plan)))}
          {button('Export', () => (dialog.value = <Export ids={[...selected.peek().keys()]} />))}
          {erasable.length > 0 &&
            button(
              'Delete',
              () => (dialog.value = <Delete entries={erasable} of={selected.peek().size} />),
              'danger',
            )}
          {button('Select none', clear)}
        </fieldset>
      ) : (
        total.value !== undefined &&
        total.value > 0 && (
          <fieldset aria-label="All submissions of the list">
            {mayActOnAll() &&
              !hasMore.value &&
              actionsOf(query.value).map((request) =>
                button(`${actionWords(request)}: all ${number(total.value ?? 0)}`, () =>
                  planRun({ request, count: total.peek() ?? 0, form: query.peek().form }),
                ),
              )}
            {button('Select all', selectAll)}
            {hasUnread() && button('Mark all as read', readAll)}
          </fieldset>
        )
      )}
    </div>
  );
}

function actionsOfSelected(): readonly RunPlan[] {
  const all = permitted('act');
  const plan = (request: RunPlan['request'], some = all): readonly RunPlan[] => {
    const form = some[0]?.form;
    return some.length > 0 ? [{ request, ids: some.map(({ id }) => id), count: some.length, form }] : [];
  };
  const isOneForm = new Set(all.map(({ form }) => form)).size === 1;
  return [
    ...plan(
      { action: 'deliver' },
      all.filter(({ state }) => state === 'kept'),
    ),
    ...plan(
      { action: 'restore' },
      all.filter(({ state }) => state === 'dropped'),
    ),
    ...plan({ action: 'mark', mark: 'spam' }),
    ...plan({ action: 'mark', mark: 'ham' }),
    ...(isOneForm
      ? plan(
          { action: 'again', output: 0 },
          all.filter(({ isSealed }) => !isSealed),
        )
      : []),
  ];
}

function sumOf(): string {
  const { done, of } = running.value ?? { done: 0, of: 0 };
  if (of > 1) return `${number(done)} of ${number(of)}…`;
  if (selected.value.size > 0) return `${number(selected.value.size)} selected`;
  if (total.value === undefined) return trouble.value ? '' : 'Loading…';
  const sum = `${hasMore.value ? 'More than ' : ''}${counted(total.value, 'submission')}`;
  return total.value > mostRows ? `${sum}, of which the newest ${number(mostRows)} are listed` : sum;
}

const hasUnread = () =>
  about.value?.forms.some(({ id, unread }) => unread > 0 && (query.value.form ?? id) === id) === true;
