import type { Letter } from '../../src/api.ts';
import { Button } from '../button.tsx';
import { act, isBusy } from '../letter/letter_now.ts';
import { close, Dialog } from './dialog.tsx';

/** Says where a submission goes. */
export function Restore({ letter: { id, state, outputs } }: { readonly letter: Letter }) {
  const go = async () => {
    close();
    await act(id, { action: 'restore' });
  };
  return (
    <Dialog title="Restore this submission?">
      <p>
        It goes where it would have gone{state === 'aside' ? ' without doubt' : ''}, marked as restored, and
        counts as not spam. Mail that was sent cannot be taken back.
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
      <div class="buttons">
        <Button onClick={close}>Cancel</Button>
        <Button class="main" disabled={isBusy.value} onClick={() => go()}>
          Restore
        </Button>
      </div>
    </Dialog>
  );
}
