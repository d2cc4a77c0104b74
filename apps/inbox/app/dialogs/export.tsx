import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { paramsOf, query } from '../address.ts';
import { asJson, wordsOf } from '../ask.ts';
import { Button } from '../button.tsx';
import { total } from '../list/entries.ts';
import { counted, number } from '../words.ts';
import { close, Dialog, Running } from './dialog.tsx';
import { save } from './save.ts';

/** The current view, or what was selected in it, as a file. */
export function Export({ ids }: { readonly ids: readonly string[] | undefined }) {
  const now = useSignal<ExportingProps | undefined>(undefined);
  const said = useSignal<{ readonly words: string; readonly isBad?: boolean }>({ words: '' });
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const go = async (format: 'csv' | 'jsonl') => {
    const abort = new AbortController();
    stop.current = abort;
    now.value = { done: 0, of: undefined };
    said.value = { words: '' };
    const params = paramsOf(query.peek());
    params.set('format', format);
    try {
      const { rows, of } = await save(
        ids ? '/api/export' : `/api/export?${params}`,
        ids ? asJson({ ids, format }) : {},
        {
          name: `submissions.${format}`,
          stop: abort.signal,
          on: (done, of) => (now.value = { done, of }),
        },
      );
      said.value =
        of !== undefined && rows < of
          ? { words: cutShort(rows, of), isBad: true }
          : { words: `Saved ${counted(rows, 'submission')}.` };
    } catch (error) {
      said.value = abort.signal.aborted
        ? { words: 'Stopped. Nothing was saved.' }
        : { words: wordsOf(error), isBad: true };
    }
    now.value = undefined;
  };
  const isAll = paramsOf(query.value).size === 0;
  return (
    <Dialog title="Export">
      <p>
        {ids
          ? `Saves the selected submissions: ${number(ids.length)}`
          : `Saves ${isAll ? 'all submissions' : 'the submissions that the filters let through'}`}
        {ids || total.value === undefined ? '' : `: ${number(total.value)}`}. In the CSV, cells that a
        spreadsheet would run as formulas are guarded. Sealed values are left out.
      </p>
      {now.value && <Exporting {...now.value} />}
      {said.value.isBad ? (
        <p class="notice bad" role="alert">
          {said.value.words}
        </p>
      ) : (
        <p role="status">{said.value.words}</p>
      )}
      <div class="buttons">
        {now.value ? (
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
        ) : (
          <Button onClick={close}>Close</Button>
        )}
        <Button class="main" disabled={now.value !== undefined} onClick={() => go('csv')}>
          Save as CSV
        </Button>
        <Button class="main" disabled={now.value !== undefined} onClick={() => go('jsonl')}>
          Save as JSON Lines
        </Button>
      </div>
    </Dialog>
  );
}

interface ExportingProps {
  readonly done: number;
  readonly of: number | undefined;
}

const Exporting = ({ done, of }: ExportingProps) => (
  <Running
    id="exporting"
    words={done === 0 ? 'The server reads the submissions…' : number(done) + (of ? ` of ${number(of)}` : '')}
    done={of && done > 0 ? done : undefined}
    of={of || undefined}
  />
);

/** The file is on the disk by now, and looks whole. */
const cutShort = (rows: number, of: number) =>
  `The file is cut short: it has ${number(rows)} of ${counted(of, 'submission')}. Some may have been removed meanwhile, or changed while they were read. Save it again.`;
