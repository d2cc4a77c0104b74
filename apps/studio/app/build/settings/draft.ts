/** Text being typed: one undo step until focus leaves the control, and no typed text is lost. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Action } from '../../../edit/model.ts';
import { act, inOneStep, settle, unwritten } from '../../store.ts';

const pauseMs = 400;
/** Like `act`, but first writes everything typed before. */
export function change(actions: Action | readonly Action[], said: string): boolean {
  settle();
  return act(actions, said);
}

/** Resolves after the click whose pointer is down. */
let press: Promise<void> | undefined;
addEventListener(
  'pointerdown',
  () => {
    press = new Promise((resolve) => {
      const release = () =>
        setTimeout(() => {
          press = undefined;
          resolve();
        });
      for (const end of ['pointerup', 'pointercancel'] as const)
        addEventListener(end, release, { once: true, capture: true });
    });
  },
  { capture: true },
);

/** Waits for the click: writing a text while the pointer is pressed may move the clicked control away. */
function afterPress(then: () => void): void {
  if (press !== undefined) void press.then(then);
  else then();
}

export interface Draft {
  readonly text: string;
  readonly type: (text: string) => void;
  /** Writes the text immediately, as on Enter. */
  readonly flush: () => void;
  /** Writes the text, then shows the config's value. */
  readonly leave: () => void;
}

/** @param write Gets the text after a pause, on Enter, and when focus leaves or the control is removed. */
export function useDraft(stored: string, write: (text: string) => void): Draft {
  const [typed, setTyped] = useState<string | undefined>();
  const left = useRef<(() => void) | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const written = useRef<string | undefined>(undefined);
  const step = useRef({});
  const flush = () => {
    clearTimeout(timer.current);
    left.current?.();
  };
  const type = (text: string) => {
    clearTimeout(timer.current);
    if (left.current) unwritten.delete(left.current);
    setTyped(text);
    const run = () => {
      unwritten.delete(run);
      left.current = undefined;
      written.current = text;
      inOneStep(step.current, () => write(text));
    };
    left.current = run;
    unwritten.add(run);
    timer.current = setTimeout(flush, pauseMs);
  };
  useEffect(() => flush, []);
  useEffect(() => {
    // The value was undone, or changed elsewhere.
    if (!left.current && stored !== written.current) setTyped(undefined);
  }, [stored]);
  const leave = () =>
    afterPress(() => {
      flush();
      setTyped(undefined);
      step.current = {};
    });
  return { text: typed ?? stored, type, flush, leave };
}
