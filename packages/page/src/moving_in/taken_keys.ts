import { err } from '@form-relay/core/base/result';
import type { Field } from '@form-relay/core/fields/field';
import { restoreSubmission } from '@form-relay/core/kit';
import { Diagnostics } from '@form-relay/core/schema/diagnostics';
import { readSettings } from '@form-relay/core/settings';
import { bundledRegistry, inspectConfig } from '@form-relay/runtimes/inspect';
import type { Keys, Value } from './yaml_text.ts';

export interface TakenKeys {
  readonly keys: Keys;
  /** Keys that the config would refuse, and why. */
  readonly refused: readonly Mistake[];
}

type Mistake = readonly [key: string, why: string];

/** What the config would refuse of a field; `undefined` if nothing. */
export type FindMistake = (keys: Keys) => Mistake | undefined;

/**
 * The keys of a field without those that would keep the config from loading: pages hold patterns that are none, and
 * limits that contradict each other, which browsers ignore. The field types themselves say which.
 */
export function takenKeys(keys: Keys, mistakeIn: FindMistake): TakenKeys {
  const refused: Mistake[] = [];
  let rest = keys;
  for (;;) {
    const mistake = mistakeIn(rest);
    if (mistake === undefined) return { keys: rest, refused };
    refused.push(mistake);
    rest = { ...rest, [mistake[0]]: undefined };
  }
}

/** Asks the field types. */
export async function openMistakeFinder(): Promise<FindMistake> {
  const { field: read, english } = await bundledRegistry();
  const valueMistake = await openValueCheck();
  return (keys) => {
    const at = new Diagnostics();
    const field = read(asWritten(keys), at);
    const [mistake] = at.mistakes;
    if (!mistake) {
      const refused = field && valueMistake(field);
      return refused && ['value', english.translate(refused)];
    }
    const { path, message } = mistake;
    const [key] = path;
    // Its name and its options were looked at before.
    if (typeof key !== 'string' || keys[key] === undefined) throw new Error(`no field: ${message}`);
    return [key, message];
  };
}

/** What the relay would answer to the value of a field. */
async function openValueCheck() {
  const config = 'forms: {any: {fields: [], outputs: [{type: http_post, url: "https://site.invalid"}]}}';
  const parsed = await inspectConfig(config, { name: '', readSibling: async () => err('there is none') });
  const form = parsed.ok ? parsed.value.forms.get('any') : undefined;
  if (!form) throw new Error('a form without fields does not load');
  const made = { requestId: '', receivedAt: Date.now(), values: new Map() };
  const submission = restoreSubmission(form, made, readSettings({}));
  return ({ value = [], check }: Field) => {
    const filled = value.filter((one) => one !== '');
    return filled.length > 0 ? check(filled, submission) : undefined;
  };
}

/** As the config's text arrives at its schema. */
function asWritten(value: Value | undefined): unknown {
  if (value === undefined || typeof value === 'string') return value;
  if (value === true) return 'true';
  if (Array.isArray(value)) return value.map(asWritten);
  const entries = Object.entries(value as Keys).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, asWritten(inner)]));
}
