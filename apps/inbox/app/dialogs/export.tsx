import { Button } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { paramsOf, query } from '../address.ts';
import { asJson, fetchApi, wordsOf } from '../ask.ts';
import { hasMore, total } from '../list/entries.ts';
import { number } from '../words.ts';
import { close, Dialog } from './dialog.tsx';

/** Has the browser save what the server sends. Rejects if that breaks off; nothing is saved then. */
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

/** The current view, or what was selected in it, as a file. */
export function Export({ ids }: { readonly ids: readonly string[] | undefined }) {
  const isRunning = useSignal(false);
  const said = useSignal<{ readonly words: string; readonly isBad?: boolean }>({ words: '' });
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const go = async (format: 'xlsx' | 'csv' | 'jsonl') => {
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
        and the CSV, no text is a formula. Sealed values are left out.
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
        <Button class="main" disabled={isRunning.value} onClick={() => go('xlsx')}>
          Save as Excel workbook
        </Button>
        <Button class="main" disabled={isRunning.value} onClick={() => go('csv')}>
          Save as CSV
        </Button>
        <Button class="main" disabled={isRunning.value} onClick={() => go('jsonl')}>
          Save as JSON Lines
        </Button>
      </div>
    </Dialog>
  );
}
