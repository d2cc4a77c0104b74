/** Mails to visitors name the output that sends them by its position (docs/confirmation.md, "The mail server"). */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, valueAt } from '../../schema_nodes.ts';

/** The edits that keep these mails with their output when the one at `gone` is removed. */
export const through = (form: Json | undefined, path: Path, gone: number): readonly Action[] =>
  ['confirmation_mail', 'double_opt_in', 'verification_mail'].flatMap((key): readonly Action[] => {
    const index = isMap(form) ? valueAt([key, 'through'], form) : undefined;
    if (typeof index !== 'number' || index < gone) return [];
    const at = [...path, key, 'through'];
    return [index === gone ? { do: 'remove', path: at } : { do: 'set', path: at, value: index - 1 }];
  });

/** A form needs an output to load: this one stands for it in a new form until the first is chosen. Its address never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Nothing has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && JSON.stringify(outputs[0]) === JSON.stringify(placeholder);
