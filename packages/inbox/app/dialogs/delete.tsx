import type { Letter } from '../../src/api.ts';
import { isBusy, remove } from '../letter/letter_now.ts';
import { fullTime } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { close } from './shown.ts';

export function Delete({ letter }: { readonly letter: Letter }) {
  const { id, sender, receivedAt, deliveries } = letter;
  const owed = deliveries.filter(({ result }) => result === 'kept').length;
  const go = async () => {
    close();
    await remove(id);
  };
  return (
    <Dialog title="Delete this submission?">
      <p>
        <b>
          <bdi>{sender || 'No name'}</bdi>
        </b>
        , {fullTime(receivedAt)}
      </p>
      <p>
        It is removed from every place that the inbox reads, with its files. This cannot be undone.
        {owed > 0 && ` A delivery still waits; it will not be made.`}
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
