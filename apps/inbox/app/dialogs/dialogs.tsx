import { useSignal } from '@preact/signals';
import type { Entry, MessageView } from '../../src/api.ts';
import { AskRun } from '../attention/attention.tsx';
import { keys } from '../keys.ts';
import { deleteAll } from '../list/selection.ts';
import { act, remove } from '../message/message_now.ts';
import { counted, fullTime, number, senderOf } from '../words.ts';
import { Confirm, Dialog, dialog } from './dialog.tsx';
import { Export } from './export.tsx';
import { Person } from './person.tsx';
import { Assign, Labels, SaveView } from './pick.tsx';

/** Chooses an output, and says what delivering again means. */
export function Again({ message: { id, outputs } }: { readonly message: MessageView }) {
  const chosen = useSignal(outputs[0]?.index ?? 0);
  return (
    <Dialog title="Deliver again">
      <p>
        This sends the submission again, even if it was delivered before. The receiver gets another copy, with
        a new key that marks it as a repeat.
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

interface DeleteProps {
  readonly entries: readonly Entry[];
  readonly of: number | undefined;
}

/** Asks before one submission is deleted, or those of the selected ones that the person may delete. */
export function Delete({ entries, of }: DeleteProps) {
  const [first] = entries;
  const isOne = entries.length === 1;
  const waiting = entries.filter(({ state }) => state === 'kept').length;
  const staying = (of ?? entries.length) - entries.length;
  const go = () => (of === undefined && first ? remove(first.id) : deleteAll(entries));
  return (
    <Dialog title={isOne ? 'Delete this submission?' : `Delete ${counted(entries.length, 'submission')}?`}>
      {isOne && first && (
        <p>
          <b>
            <bdi>{senderOf(first)}</bdi>
          </b>
          , {fullTime(first.receivedAt)}
        </p>
      )}
      <p>
        {isOne ? 'It is' : 'They are'} removed from every place that the inbox reads, with{' '}
        {isOne ? 'its' : 'their'} files. This cannot be undone.
        {waiting > 0 && isOne && ' A delivery is still pending; it will be cancelled.'}
        {waiting > 0 &&
          !isOne &&
          ` Deliveries of ${number(waiting)} of them are still pending; they will be cancelled.`}
      </p>
      {staying > 0 && (
        <p>
          {number(staying)} of the selected submissions are kept, because you may not delete submissions of
          their forms.
        </p>
      )}
      <Confirm words={isOne ? 'Delete' : `Delete ${counted(entries.length, 'submission')}`} isBad onGo={go} />
    </Dialog>
  );
}

const names: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  Delete: 'Del',
  ' ': 'Space',
};

export const Help = () => (
  <Dialog title="Keys">
    <dl class="keys">
      {keys.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {(keys.length > 4 ? [`${keys[0]}–${keys.at(-1)}`] : keys).map((key) => (
              <kbd key={key}>{names[key] ?? (/^[A-Z]$/.test(key) ? `Shift ${key.toLowerCase()}` : key)}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);

/** Says where a submission goes. */
export function Restore({ message: { id, outputs } }: { readonly message: MessageView }) {
  return (
    <Dialog title="Restore this submission?">
      <p>
        The relay delivers this submission as usual and marks it as not spam. Sent mail cannot be recalled.
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

export function Dialogs() {
  const shown = dialog.value;
  switch (shown?.kind) {
    case 'help':
      return <Help />;
    case 'export':
      return <Export ids={shown.ids} />;
    case 'person':
      return <Person />;
    case 'run':
      return <AskRun {...shown.plan} />;
    case 'labels':
      return <Labels />;
    case 'assign':
      return <Assign />;
    case 'view':
      return <SaveView />;
    case 'again':
      return <Again message={shown.message} />;
    case 'restore':
      return <Restore message={shown.message} />;
    case 'delete':
      return <Delete entries={shown.entries} of={shown.of} />;
    default:
      // None, or one of the page of people.
      return null;
  }
}
