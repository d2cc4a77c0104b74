import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { paramsOf, query } from '../address.ts';
import { wordsOf } from '../ask.ts';
import { total } from '../list/entries.ts';
import { counted, number } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { save } from './save.ts';
import { close } from './shown.ts';

/** The current view as a file. */
export function Export() {
  const now = useSignal<{ readonly done: number; readonly of: number | undefined } | undefined>(undefined);
  const words = useSignal('');
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const go = async (format: 'csv' | 'jsonl') => {
    const abort = new AbortController();
    stop.current = abort;
    now.value = { done: 0, of: undefined };
    words.value = '';
    const params = paramsOf(query.peek());
    params.set('format', format);
    try {
      await save(
        `/api/export?${params}`,
        {},
        {
          name: `submissions.${format}`,
          stop: abort.signal,
          on: (done, of) => (now.value = { done, of }),
        },
      );
      words.value = `Saved ${counted(now.peek()?.done ?? 0, 'submission')}.`;
    } catch (error) {
      words.value = abort.signal.aborted ? 'Stopped.' : wordsOf(error);
    }
    now.value = undefined;
  };
  const isAll = paramsOf(query.value).size === 0;
  return (
    <Dialog title="Export">
      <p>
        Saves {isAll ? 'all submissions' : 'the submissions that the filters let through'}
        {total.value === undefined ? '' : `: ${number(total.value)}`}. In the CSV, cells that a spreadsheet
        would run as formulas are guarded. Sealed values are left out.
      </p>
      {now.value && (
        <div class="running">
          <p id="exporting">
            {number(now.value.done)}
            {now.value.of === undefined ? '' : ` of ${number(now.value.of)}`}
          </p>
          <progress
            aria-labelledby="exporting"
            value={now.value.of ? now.value.done : undefined}
            max={now.value.of || undefined}
          />
        </div>
      )}
      <p role="status">{words.value}</p>
      <div class="buttons">
        {now.value ? (
          <button type="button" class="tool" onClick={() => stop.current?.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" class="tool" onClick={close}>
            Close
          </button>
        )}
        <button type="button" class="main" disabled={now.value !== undefined} onClick={() => void go('csv')}>
          Save as CSV
        </button>
        <button
          type="button"
          class="main"
          disabled={now.value !== undefined}
          onClick={() => void go('jsonl')}
        >
          Save as JSON Lines
        </button>
      </div>
    </Dialog>
  );
}
