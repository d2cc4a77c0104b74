import { useSignal } from '@preact/signals';
import type { Letter } from '../../src/api.ts';
import { Button } from '../button.tsx';
import { act, isBusy } from '../letter/letter_now.ts';
import { close, Dialog } from './dialog.tsx';

/** Chooses an output, and says what delivering again means. */
export function Again({ letter: { id, outputs, deliveries } }: { readonly letter: Letter }) {
  const chosen = useSignal(outputs[0]?.index ?? 0);
  const isDelivered = (index: number) =>
    deliveries.some(({ output, result }) => output === index && result === 'delivered');
  const go = async () => {
    close();
    await act(id, { action: 'again', output: chosen.value });
  };
  return (
    <Dialog title="Deliver again">
      <p>
        This sends the submission again, even if it was delivered before. The recipient gets it once more,
        under a new key that says so.
      </p>
      <fieldset class="options">
        <legend>Output</legend>
        {outputs.map(({ index, type, target }) => (
          <label key={index}>
            <input
              type="radio"
              name="output"
              checked={chosen.value === index}
              onChange={() => (chosen.value = index)}
            />
            <span>
              <b>{type}</b> {target !== type && <bdi>{target}</bdi>}
              {isDelivered(index) && <span class="tag delivered">Delivered before</span>}
            </span>
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <Button onClick={close}>Cancel</Button>
        <Button class="main" disabled={isBusy.value} onClick={() => go()}>
          Deliver again
        </Button>
      </div>
    </Dialog>
  );
}
