/** Mails to visitors name the output that sends them by its position (docs/confirmation.md, "The mail server"). */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, valueAt } from '../../schema_nodes.ts';

/** The edits that keep these mails with their output. @param place The new position of an output; `undefined`: it is gone. */
export const through = (
  form: Json | undefined,
  path: Path,
  place: (index: number) => number | undefined,
): readonly Action[] =>
  ['confirmation_mail', 'double_opt_in'].flatMap((key): readonly Action[] => {
    const index = isMap(form) ? valueAt([key, 'through'], form) : undefined;
    const next = typeof index === 'number' ? place(index) : index;
    if (next === index) return [];
    const at = [...path, key, 'through'];
    return [next === undefined ? { do: 'remove', path: at } : { do: 'set', path: at, value: next }];
  });

export const movedTo = (index: number, from: number, to: number): number => {
  if (index === from) return to;
  if (from < index && index <= to) return index - 1;
  return to <= index && index < from ? index + 1 : index;
};

/** A form needs an output to load: this one stands for it in a new form until the first is chosen. Its address never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Nothing has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && JSON.stringify(outputs[0]) === JSON.stringify(placeholder);
