import { Button, Trouble } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { about, progress } from '../about.ts';
import { chooseOnly, opened, paramsOf, query } from '../address.ts';
import { Reasons } from '../attention/attention.tsx';
import {
  cursor,
  entryAt,
  mostRows,
  openAt,
  painted,
  retry,
  scroller,
  show,
  total,
  trouble,
} from './entries.ts';
import { Row } from './row.tsx';
import { extend, selected, toggle } from './selection.ts';
import { SelectionBar } from './selection_bar.tsx';

/** The list, or why there is none. */
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
            <p>The archives are being read. Submissions appear here.</p>
          ) : (
            <>
              <p>
                <b>Nothing has come in yet.</b>
              </p>
              <p>
                {about.value?.places.length === 0
                  ? 'The config names no archive: add an output of the type folder or s3 to a form.'
                  : 'Submissions appear here within two seconds.'}
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
/** Rows drawn above and below those in view. */
const more = 6;
/** The list's own state outlives the list, which narrow windows hide: its scroll position and its height, in pixels. */
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

/** Draws only the rows in view. */
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
              isOpen={entry !== undefined && entry.id === opened.value}
              isSelected={entry !== undefined && selected.value.has(entry.id)}
              onOpen={() => void openAt(index)}
              onPick={(isRange) => (isRange ? void extend(index) : toggle(index))}
            />
          );
        })}
      </div>
    </div>
  );
}
