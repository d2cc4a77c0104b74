import { Button, Dialog as Modal } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Entry, KeyView, MessageView, PersonView } from '../../src/api.ts';
import type { RunPlan } from '../attention/run.ts';
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

/** The dialog that is shown. */
export const Dialog = (props: DialogProps) => <Modal {...props} onClose={close} />;

type Shown =
  | { readonly kind: 'help' | 'person' | 'key' | 'labels' | 'assign' | 'view' }
  | { readonly kind: 'invite'; readonly person?: PersonView }
  | { readonly kind: 'remove'; readonly email: string; readonly keys: readonly KeyView[] }
  | { readonly kind: 'revoke'; readonly id: string; readonly name: string }
  /** Without `ids`, the current view. */
  | { readonly kind: 'export'; readonly ids?: readonly string[] }
  | { readonly kind: 'run'; readonly plan: RunPlan }
  | { readonly kind: 'again' | 'restore'; readonly message: MessageView }
  /** `of`: how many are selected; those that the person may not delete stay. Absent for a single entry. */
  | { readonly kind: 'delete'; readonly entries: readonly Entry[]; readonly of?: number };

export const dialog = signal<Shown | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};
