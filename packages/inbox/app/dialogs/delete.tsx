import type { Entry } from '../../src/api.ts';
import { isBusy, remove } from '../letter/letter_now.ts';
import { fullTime } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { close } from './shown.ts';

export function Delete({ letter }: { readonly letter: Entry }) {
  const { id, sender, receivedAt, state, isSealed } = letter;
  const go = async () => {
    close();
    await remove(id);
  };
  return (
    <Dialog title="Delete this submission?">
      <p>
        <b>
          <bdi>{isSealed ? 'Sealed submission' : sender || 'No name'}</bdi>
        </b>
        , {fullTime(receivedAt)}
      </p>
      <p>
        It is removed from every place that the inbox reads, with its files. This cannot be undone.
        {state === 'kept' && ' A delivery still waits; it will not be made.'}
      </p>
      <div class="buttons">
        <button type="button" class="tool" onClick={close}>
          Cancel
        </button>
        <button type="button" class="main bad" disabled={isBusy.value} onClick={() => void go()}>
          Delete
        </button>
      </div>
    </Dialog>
  );
}
