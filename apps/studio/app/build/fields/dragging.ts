/** Drags a row by its handle with a mouse, pen or finger. */
import { signal } from '@preact/signals';
import { move } from './actions.ts';
import { plan } from './form_model.ts';
import { type Item, isSameSlot, type Slot, slotOf } from './plan.ts';

/** The dragged item, and the drop line in pixels from the top of the list. */
export const dragged = signal<
  { readonly index: number; readonly line: number | undefined; readonly isInGroup: boolean } | undefined
>(undefined);

/** Distance from the scroll container's edge, in pixels, within which it scrolls automatically. */
const edge = 48;

/** A drop position, and the height of its line on the screen. */
interface Target {
  readonly slot: Slot;
  readonly y: number;
}

/** Finds the first row whose middle is below the pointer, in its group and step; else the end. */
function targetAt(list: HTMLElement, moved: number, y: number): Target | undefined {
  const rows = plan.value.items
    .filter(({ index }) => index !== moved)
    .flatMap((item) => {
      const row = list.querySelector(`[data-index="${item.index}"]`);
      return row ? [{ item, box: row.getBoundingClientRect() }] : [];
    });
  const below = rows.findIndex(({ box }) => y < (box.top + box.bottom) / 2);
  const before = below < 0 ? rows.length : below;
  const [next, last] = [rows[before], rows[before - 1]];
  const neighbour = next ?? last;
  if (!neighbour) return undefined;
  const { group, step } = neighbour.item;
  return { slot: { before, group, step }, y: next?.box.top ?? neighbour.box.bottom };
}

function scrollerOf(element: Element | null): Element {
  for (let one = element; one; one = one.parentElement) {
    const { overflowY } = getComputedStyle(one);
    if (/auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight) return one;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** Starts when a handle is pressed. Escape cancels. */
export function drag(event: PointerEvent, item: Item): void {
  const handle = event.currentTarget as HTMLElement;
  const list = handle.closest<HTMLElement>('.b-canvas');
  if (!list || event.button !== 0) return;
  event.preventDefault();
  handle.setPointerCapture(event.pointerId);
  const scroller = scrollerOf(list);
  const start = event.clientY;
  let y = start;
  let isUnderWay = false;
  let target: Target | undefined;
  let frame = 0;
  const look = () => {
    frame = requestAnimationFrame(look);
    const view = scroller.getBoundingClientRect();
    const bottom = Math.min(view.bottom, innerHeight);
    const by = y < Math.max(view.top, 0) + edge ? -8 : y > bottom - edge ? 8 : 0;
    if (by !== 0) scroller.scrollBy(0, by);
    target = targetAt(list, item.index, y);
    const isMoved = target && !isSameSlot(target.slot, slotOf(plan.value, item.index));
    const line = target && isMoved ? target.y - list.getBoundingClientRect().top : undefined;
    dragged.value = { index: item.index, line, isInGroup: target?.slot.group !== undefined };
  };
  const follow = (moved: PointerEvent) => {
    y = moved.clientY;
    if (isUnderWay || Math.abs(y - start) < 4) return;
    isUnderWay = true;
    look();
  };
  const end = (isDropped: boolean) => {
    cancelAnimationFrame(frame);
    dragged.value = undefined;
    ending.abort();
    if (isDropped && isUnderWay && target && !isSameSlot(target.slot, slotOf(plan.value, item.index)))
      move(item, target.slot, 'handle');
  };
  const ending = new AbortController();
  const { signal } = ending;
  handle.addEventListener('pointermove', follow, { signal });
  handle.addEventListener('pointerup', () => end(true), { signal });
  handle.addEventListener('pointercancel', () => end(false), { signal });
  const press = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape') return;
    pressed.preventDefault();
    end(false);
  };
  addEventListener('keydown', press, { signal, capture: true });
}
