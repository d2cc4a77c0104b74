import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** Has the style of a tool button, unless its class says otherwise. */
export const Button = (props: ButtonHTMLAttributes) => <button type="button" class="tool" {...props} />;

interface TroubleProps {
  readonly words: string;
  readonly button?: string;
  readonly onGo: () => void;
}

/** An error message with a button for the remedy. */
export const Trouble = ({ words, button = 'Try again', onGo }: TroubleProps) => (
  <div class="notice bad" role="alert">
    <p>{words}</p>
    <Button onClick={onGo}>{button}</Button>
  </div>
);

type Option = readonly [value: string | number, words: ComponentChildren];

/** The options of a `<select>`: values with labels. */
export const Options = ({ of }: { readonly of: Iterable<Option> }) => (
  <>
    {[...of].map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </>
);

/** Line icons on a 16 px grid. Each is shown beside text, or in a control with an accessible name. */
const paths = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 2.8v6.4M8 12.6v.6',
  slash: 'M8 2a6 6 0 100 12A6 6 0 008 2zM3.8 3.8l8.4 8.4',
  clock: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3.2l2.2 1.4',
  down: 'M8 2.5v10M4 8.8l4 4 4-4',
  up: 'M8 13.5v-10M4 7.2l4-4 4 4',
  ring: 'M8 5.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z',
  lock: 'M4 7.5h8v5.8H4zM5.5 7.5V5.2a2.5 2.5 0 015 0v2.3',
  send: 'M2.5 8L13.5 3l-3 10.5-3-4zM7.5 9.5L13.5 3',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  again: 'M12.8 8a4.8 4.8 0 11-1.5-3.5M12.8 2.4v2.8H10',
  pen: 'M3 13l.7-2.9L10.6 3l2.4 2.4-7 7z',
  open: 'M9.5 3h3.5v3.5M13 3L7.5 8.5M11.5 9.5V13H3V4.5h3.5',
  plus: 'M8 3v10M3 8h10',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  play: 'M5 3.5l7.5 4.5L5 12.5z',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  bin: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.6M9.2 7v3.6',
  undo: 'M3 6.5h6.5a3.2 3.2 0 010 6.5H6M5.8 3.5L3 6.5l2.8 3',
  redo: 'M13 6.5H6.5a3.2 3.2 0 000 6.5H10M10.2 3.5l2.8 3-2.8 3',
  inbox: 'M2.5 9l2-5.5h7l2 5.5v3.5h-11zM2.5 9h3.2c.3 1.4 1.2 2 2.3 2s2-.6 2.3-2h3.2',
  reply: 'M6.5 4L3 7.5 6.5 11M3.5 7.5h5a4.5 4.5 0 014.5 4.5v.5',
  back: 'M13 8H3.5M7.5 4l-4 4 4 4',
  clip: 'M12.5 7.5l-5 5a3 3 0 01-4.3-4.2l5.3-5.4a2 2 0 012.9 2.8L6.2 11a1 1 0 01-1.5-1.4l4.6-4.6',
  print: 'M4.5 6V2.5h7V6M4.5 11.5h-2v-5h11v5h-2M4.5 9.5h7v4h-7z',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.5 10.5L14 14',
  flag: 'M4 14V2.5M4 3h8l-2 2.8L12 8.5H4',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  chart: 'M3 13.5V8M8 13.5v-11M13 13.5V6',
  menu: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  help: 'M5.8 6a2.2 2.2 0 114 1.2c-.8.8-1.8 1.1-1.8 2.3M8 12.4v.3',
  people:
    'M6 3a2.2 2.2 0 100 4.4A2.2 2.2 0 006 3zM2 13c0-2.4 1.7-4 4-4s4 1.6 4 4M10.5 3.4a2 2 0 010 3.8M11.5 9.3c1.6.5 2.5 1.9 2.5 3.7',
  out: 'M9.5 3H3v10h6.5M7 8h6.5M11 5.5L13.5 8 11 10.5',
  download: 'M8 2.5v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

interface DialogProps {
  readonly title: string;
  readonly class?: string;
  /** Also called on Esc. The caller must then stop rendering the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The element with `autofocus` gets the focus, which returns to its previous element on closing. */
export function Dialog({ title, onClose, children, ...others }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Runs before the next key press, which is meant for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={others.class}
      aria-labelledby={id}
      onCancel={(event) => {
        // The browser's own event comes later, and keys pressed until then would be lost.
        event.preventDefault();
        onClose();
      }}
      // The browser itself closes the dialog when Esc is pressed twice.
      onClose={() => element.current && onClose()}
    >
      <div class="bar">
        <h2 id={id}>{title}</h2>
        <button type="button" class="tool" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
