import { ageInWords, type Listed } from '@form-relay/queue/index';
import { writeDocument } from '@form-relay/stored/archive/document';
import { chooser, documentOf, type Facts, factsOf, Totals } from '@form-relay/stored/kept/list';
import { readListed } from '@form-relay/stored/kept/open';
import { printable } from '@form-relay/yaml/excerpt';
import { beginningOf, writeOut } from './open_archive.ts';
import {
  type ChoiceOptions,
  choiceOf,
  keysOf,
  type OpenStore,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';

export interface ListOptions extends StoreOptions, ChoiceOptions {
  readonly json?: boolean;
  /** Also what visitors wrote. */
  readonly show?: boolean;
}

/** A line for each delivery that is kept, and in the end how many these are. */
export const listKept = (options: ListOptions): Promise<void> =>
  withStore(options, async (open) => {
    const troubles = new Troubles();
    const says = options.show ? saying(open, troubles) : undefined;
    await writeOut(options.json ? asJson(open, options, says) : asLines(open, options, says));
    troubles.end('that could not be read');
  });

/** Describes a submission, as JSON and as the beginning of a line. */
type Says = (one: Listed) => Promise<{ readonly document?: object; readonly beginning: string }>;

function saying(open: OpenStore, { tell }: Troubles): Says {
  const keys = keysOf(open);
  return async (one) => {
    const { kept } = one;
    const read = await readListed(one, keys);
    if (!read.ok) {
      tell(kept.id, read.error);
      return { beginning: `(${read.error})` };
    }
    return {
      document: documentOf(read.value, open.config?.forms.get(kept.form)),
      beginning: beginningOf([...read.value.values.values()].flat()),
    };
  };
}

async function* chosen({ store, config }: OpenStore, options: ListOptions) {
  const { isChosen } = chooser(choiceOf(options));
  for await (const one of store.list()) {
    if (isChosen(one)) yield { one, facts: factsOf(one, config) };
  }
}

async function* asJson(
  open: OpenStore,
  options: ListOptions,
  says: Says | undefined,
): AsyncGenerator<string> {
  for await (const { one, facts } of chosen(open, options)) {
    const line = writeDocument({ ...facts, ...(await says?.(one))?.document });
    if (line.ok) yield `${line.value}\n`;
  }
}

async function* asLines(
  open: OpenStore,
  options: ListOptions,
  says: Says | undefined,
): AsyncGenerator<string> {
  const totals = new Totals();
  const now = open.relay.services.now();
  for await (const { one, facts } of chosen(open, options)) {
    totals.add(facts);
    const said = says && `  ${(await says(one)).beginning}`;
    yield `${printable(`${lineOf(facts, now)}${said ?? ''}`)}\n`;
  }
  const lines = totals.lines(now).join('');
  // A queue may hide some.
  yield lines || (open.store.notes ? '' : 'nothing is kept\n');
}

function lineOf(facts: Facts, now: number): string {
  const { id, form, output, received_at, kept_at, tries, reason } = facts;
  const to =
    output.target === undefined
      ? `${output.type} (outputs[${output.index}])`
      : `${output.type} to ${output.target}`;
  const tried = tries === 0 ? 'not tried yet' : tries === 1 ? 'tried once' : `tried ${tries} times`;
  const state = `kept ${ageInWords(now - Date.parse(kept_at))}, ${tried}, ${stateInWords(facts, now)}`;
  return [received_at, id, form, to, reason ? `${state}: ${reason.words}` : state].join('  ');
}

function stateInWords({ state, next_try_at }: Facts, now: number): string {
  if (state !== 'due') return `waits for you (${state})`;
  if (next_try_at === null) return 'tried again by itself';
  const ms = Date.parse(next_try_at) - now;
  return ms <= 0 ? 'due now' : `due in ${ageInWords(ms)}`;
}
