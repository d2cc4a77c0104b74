import { useSignal } from '@preact/signals';
import type { MessageView } from '../../src/api.ts';
import { act } from '../message/message_now.ts';
import { Confirm, Dialog } from './dialog.tsx';

/** Chooses an output, and says what delivering again means. */
export function Again({ message: { id, outputs } }: { readonly message: MessageView }) {
  const chosen = useSignal(outputs[0]?.index ?? 0);
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
            </span>
          </label>
        ))}
      </fieldset>
      <Confirm words="Deliver again" onGo={() => act(id, { action: 'again', output: chosen.value })} />
    </Dialog>
  );
}
