import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { opened } from '../address.ts';
import { cursor, entryAt, openAt, painted, scroller, show, total } from './entries.ts';
import { Row } from './row.tsx';
import { extend, selected, toggle } from './selection.ts';

export const rowPixels = 64;
/** Rows drawn above and below those in view. */
const more = 6;

/** The list's own state outlives the list, which narrow windows hide. */
const place = signal(0);

/** A list of any length: it draws the rows in view alone. */
export function List() {
  const element = useRef<HTMLDivElement>(null);
  const view = useSignal(600);
  const scrolled = useRef(0);
  const settled = useSignal(0);
  const count = total.value ?? 0;
  const scale = scaleOf(count * rowPixels, view.value);
  const now = useRef({ scale, count });
  now.current = { scale, count };
  const most = Math.max(0, count * rowPixels - view.value);
  const rows = Math.min(place.value, most);
  // Read, so that the rows are drawn again.
  void settled.value;

  /** Where the rows are is the truth; the scroll bar follows. */
  const settle = () => {
    const list = element.current;
    if (!list) return;
    const wanted = now.current.scale.toScrolled(place.peek());
    if (Math.abs(list.scrollTop - wanted) < 1) return;
    list.scrollTop = wanted;
    scrolled.current = list.scrollTop;
    settled.value += 1;
  };
  const moveTo = (to: number) => {
    const highest = Math.max(0, now.current.count * rowPixels - view.peek());
    place.value = Math.max(0, Math.min(to, highest));
  };
  const onScroll = () => {
    const list = element.current;
    if (!list) return;
    const by = list.scrollTop - scrolled.current;
    if (by === 0) return;
    scrolled.current = list.scrollTop;
    const isEnd = list.scrollTop <= 0 || list.scrollTop >= list.scrollHeight - list.clientHeight - 1;
    if (isEnd || Math.abs(by) > view.peek() * 1.5) moveTo(now.current.scale.toRows(list.scrollTop));
    else moveTo(place.peek() + by);
  };

  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return undefined;
    const watch = new ResizeObserver(() => {
      if (list.clientHeight > 0) view.value = list.clientHeight;
    });
    watch.observe(list);
    list.addEventListener('scrollend', settle);
    scroller.shift = (by) => moveTo(place.peek() + by * rowPixels);
    scroller.top = () => moveTo(0);
    scroller.show = (index) => {
      const top = index * rowPixels;
      if (top < place.peek()) moveTo(top);
      else if (top + rowPixels > place.peek() + view.peek()) moveTo(top + rowPixels - view.peek());
    };
    return () => {
      watch.disconnect();
      scroller.top = () => {
        place.value = 0;
      };
    };
  }, []);
  const first = Math.max(0, Math.floor(rows / rowPixels));
  const last = Math.min(count - 1, Math.floor((rows + view.value) / rowPixels));
  // In the stretch that scales, a step of the wheel is a step of the rows until the scrolling ends.
  const wanted = scale.toScrolled(rows);
  const isExact = scale.drawn === count * rowPixels || Math.abs(wanted - scrolled.current) > view.value * 1.5;
  const drawnAt = isExact ? wanted : scrolled.current;
  useLayoutEffect(() => {
    const list = element.current;
    if (!list || !isExact) return;
    if (Math.abs(list.scrollTop - wanted) >= 1) list.scrollTop = wanted;
    scrolled.current = list.scrollTop;
  }, [isExact, wanted]);
  useLayoutEffect(() => show(first, Math.max(first, last)), [first, last, painted.value]);

  const from = Math.max(0, first - more);
  const to = Math.min(count - 1, last + more);
  const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, nth) => from + nth);
  const offset = drawnAt - rows;
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
      onScroll={onScroll}
    >
      <div class="rows" role="presentation" style={{ height: `${scale.drawn}px` }}>
        {indexes.map((index) => {
          const entry = entryAt(index);
          return (
            <Row
              key={index}
              index={index}
              count={count}
              entry={entry}
              top={offset + index * rowPixels}
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

export interface Scale {
  /** The element's own height. */
  readonly drawn: number;
  /** From the element's scroll position to that of the rows. */
  toRows(scrolled: number): number;
  toScrolled(rows: number): number;
}

const mostPixels = 10_000_000;
const exactPixels = 500_000;

/** @param height All rows. @param view What is in view of them. */
export function scaleOf(height: number, view: number): Scale {
  if (height <= mostPixels) return { drawn: height, toRows: (at) => at, toScrolled: (at) => at };
  const [most, mostRows] = [mostPixels - view, height - view];
  const ratio = (mostRows - 2 * exactPixels) / (most - 2 * exactPixels);
  return {
    drawn: mostPixels,
    toRows: (at) =>
      at <= exactPixels
        ? at
        : at >= most - exactPixels
          ? mostRows - (most - at)
          : exactPixels + (at - exactPixels) * ratio,
    toScrolled: (at) =>
      at <= exactPixels
        ? at
        : at >= mostRows - exactPixels
          ? most - (mostRows - at)
          : exactPixels + (at - exactPixels) / ratio,
  };
}
