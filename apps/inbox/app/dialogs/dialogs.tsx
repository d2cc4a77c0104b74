import { Button } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Entry, MessageView } from '../../src/api.ts';
import { paramsOf, query } from '../address.ts';
import { asJson, fetchApi, wordsOf } from '../ask.ts';
import { Confirm, close, Dialog, Radios } from '../controls.tsx';
import { hasMore, total } from '../list/entries.ts';
import { deleteAll } from '../list/selection.ts';
import { act, remove } from '../message/message_now.ts';
import { counted, fullTime, number, senderOf } from '../words.ts';

interface OfMessage {
  readonly message: MessageView;
}

const Output = ({ type, target }: MessageView['outputs'][number]) => (
  <>
    <b>{type}</b> {target !== type && <bdi>{target}</bdi>}
  </>
);

/** Asks for an output, and explains what delivering again means. */
export function Again({ message: { id, outputs } }: OfMessage) {
  const output = useSignal(outputs[0]?.index ?? 0);
  return (
    <Dialog title="Deliver again">
      <p>
        This sends the submission again, even if it was delivered before. The receiver gets another copy, with
        a new key that marks it as a repeat.
      </p>
      <Radios
        legend="Output"
        of={output}
        options={outputs.map((one) => [
          one.index,
          <span key={one.index}>
            <Output {...one} />
          </span>,
        ])}
      />
      <Confirm words="Deliver again" onGo={() => act(id, { action: 'again', output: output.value })} />
    </Dialog>
  );
}

interface DeleteProps {
  readonly entries: readonly Entry[];
  /** The number selected, unless for a single entry. Entries that the person may not delete are kept. */
  readonly of?: number;
}

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
          ` ${number(waiting)} of them still have pending deliveries, which will be cancelled.`}
      </p>
      {staying > 0 && (
        <p>
          {number(staying)} of the selected submissions will remain, because you may not delete submissions of
          their forms.
        </p>
      )}
      <Confirm words={isOne ? 'Delete' : `Delete ${counted(entries.length, 'submission')}`} isBad onGo={go} />
    </Dialog>
  );
}

export const Restore = ({ message: { id, outputs } }: OfMessage) => (
  <Dialog title="Restore this submission?">
    <p>The relay delivers this submission as usual and marks it as not spam. Sent mail cannot be recalled.</p>
    {outputs.length > 0 && (
      <ul class="outputs" aria-label="Outputs of the form">
        {outputs.map((one) => (
          <li key={one.index}>
            <Output {...one} />
          </li>
        ))}
      </ul>
    )}
    <Confirm words="Restore" onGo={() => act(id, { action: 'restore' })} />
  </Dialog>
);

/** Saves the server's response as a download. Rejects, and saves nothing, if the response breaks off. */
export async function save(path: string, options: RequestInit, name: string): Promise<void> {
  const answer = await fetchApi(path, options);
  const blob = await answer.blob().catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new Error('The download was interrupted. Nothing was saved.');
  });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

const formats = [
  ['xlsx', 'Excel workbook'],
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
] as const;

/** Exports the current view, or the selected entries, as a file. */
export function Export({ ids }: { readonly ids?: readonly string[] }) {
  const isRunning = useSignal(false);
  const said = useSignal<{ readonly words: string; readonly isBad?: boolean }>({ words: '' });
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const go = async (format: string) => {
    isRunning.value = true;
    said.value = { words: 'Reading the submissions…' };
    const params = paramsOf(query.peek());
    params.set('format', format);
    const { signal } = stop.current;
    try {
      await (ids
        ? save('/api/export', { ...asJson({ ids, format }), signal }, `submissions.${format}`)
        : save(`/api/export?${params}`, { signal }, `submissions.${format}`));
      said.value = { words: 'Saved.' };
    } catch (error) {
      said.value = { words: wordsOf(error), isBad: true };
    }
    isRunning.value = false;
  };
  const isAll = paramsOf(query.value).size === 0;
  return (
    <Dialog title="Export">
      <p>
        {ids
          ? `Saves the selected submissions: ${number(ids.length)}`
          : `Saves ${isAll ? 'all submissions' : 'the submissions that match the filters'}`}
        {ids || total.value === undefined || hasMore.value ? '' : `: ${number(total.value)}`}. In the workbook
        and the CSV, no text is run as a formula. Sealed values are left out.
      </p>
      {said.value.isBad ? (
        <p class="notice bad" role="alert">
          {said.value.words}
        </p>
      ) : (
        <p role="status">{said.value.words}</p>
      )}
      <div class="buttons">
        <Button onClick={close}>Close</Button>
        {formats.map(([format, words]) => (
          <Button key={format} class="main" disabled={isRunning.value} onClick={() => go(format)}>
            {`Save as ${words}`}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
