import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { close } from './shown.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Modal; the focus returns to where it was. */
export function Dialog({ title, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        // The browser's own event comes later, and keys pressed until then would come to nothing.
        event.preventDefault();
        close();
      }}
    >
      <div class="bar">
        <h2 id={id}>{title}</h2>
        <button type="button" class="tool" aria-label="Close" onClick={close}>
          <Icon name="cross" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
