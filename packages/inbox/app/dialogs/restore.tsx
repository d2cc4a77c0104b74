import type { Letter } from '../../src/api.ts';
import { act, isBusy } from '../letter/letter_now.ts';
import { sentWords } from '../sealed/sent_words.ts';
import { Dialog } from './dialog.tsx';
import { close } from './shown.ts';

/** Says what restoring a sealed submission sends. Others are restored without a question. */
export function Restore({ letter: { id } }: { readonly letter: Letter }) {
  const go = async () => {
    close();
    await act(id, { action: 'restore' });
  };
  return (
    <Dialog title="Restore this submission?">
      <p>{sentWords.restore}</p>
      <div class="buttons">
        <button type="button" class="tool" onClick={close}>
          Cancel
        </button>
        <button type="button" class="main" disabled={isBusy.value} onClick={() => void go()}>
          Restore
        </button>
      </div>
    </Dialog>
  );
}
