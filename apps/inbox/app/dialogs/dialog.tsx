import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Entry, MessageView } from '../../src/api.ts';
import { Button, Icon } from '../button.tsx';
import { isBusy } from '../message/message_now.ts';

interface ConfirmProps {
  readonly words: string;
  readonly isBad?: boolean;
  readonly onGo: () => unknown;
}

/** Closes the dialog, and does what it asks about unless that is cancelled. */
export const Confirm = ({ words, isBad = false, onGo }: ConfirmProps) => (
  <div class="buttons">
    <Button onClick={close}>Cancel</Button>
    <Button
      class={isBad ? 'main bad' : 'main'}
      disabled={isBusy.value}
      onClick={() => {
        close();
        void onGo();
      }}
    >
      {words}
    </Button>
  </div>
);

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

type Shown =
  | { readonly kind: 'help' | 'person' }
  /** Without `ids`, the current view. */
  | { readonly kind: 'export'; readonly ids?: readonly string[] }
  | { readonly kind: 'again' | 'restore'; readonly message: MessageView }
  /** `of`: how many are selected; those that the person may not delete stay. Absent for a single entry. */
  | { readonly kind: 'delete'; readonly entries: readonly Entry[]; readonly of?: number };

export const dialog = signal<Shown | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};
