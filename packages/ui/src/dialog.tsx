import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './controls.tsx';

interface DialogProps {
  readonly title: string;
  readonly class?: string;
  /** Runs on Esc, too: the caller then no longer shows the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The element with `autofocus` gets the focus, which returns to where it was. */
export function Dialog({ title, onClose, children, ...others }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once: the next key is meant for it.
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
        // The browser's own event comes later, and keys pressed until then would come to nothing.
        event.preventDefault();
        onClose();
      }}
      // The browser closes it itself when Esc is pressed twice.
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
