import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { newest, touch } from './arrivals.ts';

const isShown = signal(false);

const summaryOf = (number: number) => document.querySelector<HTMLElement>(`#s${number} > summary`);

/** Leads to a new story that is out of view, perhaps in a hidden pane; `reveal` shows the pane of the stories. */
export function Toast({ reveal }: { readonly reveal?: () => void }) {
  const story = newest.value;
  useLayoutEffect(() => {
    if (!story) {
      isShown.value = false;
      return;
    }
    // The story itself is drawn in the same turn as this, or later.
    const frame = requestAnimationFrame(() => {
      const summary = summaryOf(story.number);
      if (summary) scrollUp(summary);
      isShown.value =
        !summary?.checkVisibility({ visibilityProperty: true }) ||
        summary.getBoundingClientRect().top >= innerHeight - 40;
    });
    return () => cancelAnimationFrame(frame);
  }, [story]);
  if (!story || !isShown.value) return null;
  const go = () => {
    isShown.value = false;
    reveal?.();
    touch(story.number);
    requestAnimationFrame(() => {
      const summary = summaryOf(story.number);
      summary?.scrollIntoView();
      summary?.focus({ preventScroll: true });
    });
  };
  return (
    <button type="button" class="toast" onClick={go}>
      {story.ending.word}: see what happened ↓
    </button>
  );
}

/** The newest story stands first: in a pane that scrolls by itself, at its top. */
function scrollUp(element: HTMLElement): void {
  const { parentElement: parent } = element;
  if (!parent || parent === document.body) return;
  const scrolls =
    parent.scrollHeight > parent.clientHeight && getComputedStyle(parent).overflowY !== 'visible';
  if (scrolls) parent.scrollTop = 0;
  else scrollUp(parent);
}
