import type { MessageView } from '../../src/api.ts';
import { act } from '../message/message_now.ts';
import { Confirm, Dialog } from './dialog.tsx';

/** Says where a submission goes. */
export function Restore({ message: { id, outputs } }: { readonly message: MessageView }) {
  return (
    <Dialog title="Restore this submission?">
      <p>
        It goes where it would have gone, and counts as not spam. Mail that was sent cannot be taken back.
      </p>
      {outputs.length > 0 && (
        <ul class="outputs" aria-label="Outputs of the form">
          {outputs.map(({ index, type, target }) => (
            <li key={index}>
              <b>{type}</b> {target !== type && <bdi>{target}</bdi>}
            </li>
          ))}
        </ul>
      )}
      <Confirm words="Restore" onGo={() => act(id, { action: 'restore' })} />
    </Dialog>
  );
}
