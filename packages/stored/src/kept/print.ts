import { writeOut } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Submission } from '@form-relay/core/submission';
import type { ContentKeys } from '@form-relay/queue/content';
import { isUnreleased, submissionOf, withdraw } from '@form-relay/queue/held';
import { ageInWords, type Leases, type Listed } from '@form-relay/queue/index';
import { timeLimit } from '@form-relay/stores/open_store';
import { printable } from '@form-relay/yaml/problem';
import { table } from '../archive/export.ts';
import { writeDocument } from '../archive/read_entry.ts';
import { beginningOf, saveFile } from '../terminal.ts';
import { chooser, documentOf, type Facts, factsOf, type SubmissionDocument, Totals } from './list.ts';
import { readListed, typeInWords } from './open.ts';
import { settleAll } from './settle.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  keysOf,
  type OpenStore,
  type StoreOptions,
  Troubles,
  tellNone,
  whyNone,
  withStore,
} from './with_store.ts';

/** An export's source and keys. */
export interface Exporting {
  readonly leases: Leases;
  readonly config: Config | undefined;
  readonly keys: ContentKeys;
  readonly isChosen: (one: Listed) => boolean;
  /** Reports what cannot be read. */
  readonly tell: (id: string, what: string) => void;
}

async function* readAll({ leases, keys, isChosen, tell }: Exporting) {
  for await (const one of leases.list()) {
    if (!isChosen(one)) continue;
    const read = await readListed(one, keys);
    if (read.ok) yield { one, submission: read.value };
    else tell(one.kept.id, read.error);
  }
}

/** Each delivery as a line of JSON: its facts and the submission. */
export async function* asJsonLines(context: Exporting): AsyncGenerator<string> {
  const { config, tell } = context;
  for await (const { one, submission } of readAll(context)) {
    const document = documentOf(submission, config?.forms.get(one.kept.form));
    const line = writeDocument({ ...factsOf(one, config), ...document });
    if (line.ok) yield `${line.value}\n`;
    else tell(one.kept.id, line.error);
  }
}

/** A table for spreadsheets with a row for each delivery, so a submission has a row for each pending output. */
export const asCsv = (context: Exporting): AsyncGenerator<string> => table(rows(context));

async function* rows(context: Exporting) {
  for await (const { one, submission } of readAll(context)) {
    const { id, form, received_at } = factsOf(one, context.config);
    const { page, values } = submission;
    yield { id, form, received_at, ...(page && { page }), cells: values };
  }
}

interface ListOptions extends StoreOptions, ChoiceOptions {
  readonly json?: boolean;
  /** Also show submitted values. */
  readonly show?: boolean;
}

/** Prints a line for each queued delivery and the totals. */
export const listKept = (options: ListOptions, context: CommandContext): Promise<void> =>
  withStore(options, context, async (open) => {
    const troubles = new Troubles();
    const says = options.show ? saying(open, troubles) : undefined;
    const choosing = chooser(choiceOf(options));
    await writeOut((options.json ? asJson : asLines)(open, choosing, says));
    if (options.json) tellNone(choosing, open);
    troubles.end('could not be read');
  });

/** Describes a submission, as JSON and as the first words of a line. */
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

type Choosing = ReturnType<typeof chooser>;

async function* chosen({ leases, config }: OpenStore, { isChosen }: Choosing) {
  for await (const one of leases.list()) {
    if (isChosen(one)) yield { one, facts: factsOf(one, config) };
  }
}

async function* asJson(open: OpenStore, choosing: Choosing, says: Says | undefined): AsyncGenerator<string> {
  for await (const { one, facts } of chosen(open, choosing)) {
    const line = writeDocument({ ...facts, ...(await says?.(one))?.document });
    if (line.ok) yield `${line.value}\n`;
  }
}

async function* asLines(open: OpenStore, choosing: Choosing, says: Says | undefined): AsyncGenerator<string> {
  const totals = new Totals();
  const now = open.relay.services.now();
  for await (const { one, facts } of chosen(open, choosing)) {
    totals.add(one);
    const said = says && `  ${(await says(one)).beginning}`;
    yield `${printable(`${lineOf(facts, now)}${said ?? ''}`)}\n`;
  }
  const lines = totals.lines(now).join('');
  const why = whyNone(choosing, open);
  yield why === undefined ? lines : `${why}\n`;
}

function lineOf(facts: Facts, now: number): string {
  const { id, form, output, received_at, kept_at, tries, reason } = facts;
  const place = output.type && ` (outputs[${output.index}])`;
  const to = typeInWords(output.type) + (output.target === undefined ? place : ` to ${output.target}`);
  const tried = tries === 0 ? 'not tried yet' : tries === 1 ? 'tried once' : `tried ${tries} times`;
  const state = `queued for ${ageInWords(now - Date.parse(kept_at))}, ${tried}, ${stateInWords(facts, now)}`;
  return [received_at, id, form, to, reason ? `${state}: ${reason.words}` : state].join('  ');
}

function stateInWords({ state, next_try_at }: Facts, now: number): string {
  if (state === 'held') return state;
  if (state !== 'due') return `dead letter (${state})`;
  if (next_try_at === null) return 'retried automatically';
  const ms = Date.parse(next_try_at) - now;
  return ms <= 0 ? 'due now' : `due in ${ageInWords(ms)}`;
}

interface ShowOptions extends StoreOptions {
  /** Also show submitted values. */
  readonly show?: boolean;
  /** The folder to save the files in. */
  readonly files?: string;
}

/** Prints all that is known about deliveries as JSON; for a submission, about all its deliveries. */
export const showKept = (
  ids: readonly string[],
  options: ShowOptions,
  context: CommandContext,
): Promise<void> =>
  withStore(options, context, async (open) => {
    const { config, leases } = open;
    const keys = keysOf(open);
    const troubles = new Troubles();
    const { isChosen, unmet } = chooser({ ids });
    const names = new Set<string>();
    for await (const one of leases.list()) {
      if (!isChosen(one)) continue;
      const { kept } = one;
      const read = await readListed(one, keys);
      const document = read.ok ? documentOf(read.value, config?.forms.get(kept.form)) : undefined;
      const shown = document && (options.show ? document : withoutValues(document));
      print({ ...factsOf(one, config), ...shown });
      if (!read.ok) troubles.tell(kept.id, read.error);
      else if (options.files !== undefined)
        for (const file of [...read.value.files.values()].flat()) await saveFile(options.files, file, names);
    }
    troubles.end('could not be shown', unmet);
  });

/** The structure of a submission, without its values. */
const withoutValues = ({ fields, files }: SubmissionDocument) => ({
  fields: fields.map(({ name, label, values }) => ({ name, label, values: values.length })),
  files: files.map(({ field, type, size }) => ({ field, type, size })),
});

function print(document: object): void {
  const text = writeDocument(document, 2);
  if (text.ok) process.stdout.write(`${text.value}\n`);
}

interface DropOptions extends StoreOptions, ChoiceOptions {
  /** Whether to delete them; otherwise they are only listed. */
  readonly yes?: boolean;
}

/** Permanently deletes the deliveries named by id, or the selected ones with `--yes`, and prints how many. */
export const dropKept = (
  ids: readonly string[],
  { yes = ids.length > 0, ...options }: DropOptions,
  context: CommandContext,
): Promise<void> =>
  withStore(options, context, async (open) => {
    const { leases, config, relay } = open;
    const choosing = chooser(choiceOf(options, ids));
    const { isChosen, unmet } = choosing;
    const totals = new Totals();
    const unreleased = new Map<string, Submission>();
    if (yes) {
      await settleAll(leases.leaseMatching(isChosen), async (lease) => {
        await lease.done();
        totals.add(lease.listed);
        if (!isUnreleased(lease.kept)) return;
        const submission = submissionOf(lease.kept, config?.forms, keysOf(open), relay.settings);
        if (submission) unreleased.set(submission.requestId, submission);
      });
    } else {
      for await (const one of leases.list()) if (isChosen(one)) totals.add(one);
    }
    process.stdout.write(
      `${yes ? 'dropped' : 'would drop'} ${deliveries(totals.number)}\n${totals.lines(relay.services.now()).join('')}`,
    );
    tellNone(choosing, open);
    await withdrawAll(unreleased, leases);
    if (!yes)
      throw new CommandFailed('nothing was deleted; add --yes to delete these deliveries permanently');
    new Troubles().end('could not be deleted', unmet);
  });

/** Undoes what features did for submissions that no longer have a queued delivery, such as reserving places. */
async function withdrawAll(dropped: Map<string, Submission>, leases: Leases): Promise<void> {
  if (dropped.size === 0) return;
  for await (const { kept } of leases.list()) dropped.delete(kept.id.replace(/-\d+$/, ''));
  for (const submission of dropped.values()) await withdraw(submission);
}

interface ExportOptions extends StoreOptions, ChoiceOptions {
  readonly format: 'csv' | 'jsonl';
}

/** Prints queued submissions with their pending outputs, for spreadsheets or programs. */
export const exportKept = (options: ExportOptions, context: CommandContext): Promise<void> =>
  withStore(options, context, async (open) => {
    const { leases, config } = open;
    const troubles = new Troubles();
    const choosing = chooser(choiceOf(options));
    const keys = keysOf(open);
    const context = { leases, config, keys, isChosen: choosing.isChosen, tell: troubles.tell };
    await writeOut((options.format === 'csv' ? asCsv : asJsonLines)(context));
    tellNone(choosing, open);
    troubles.end('could not be read');
  });

/** The timeout for checking a store. */
const lookMs = 10_000;

/** Sets up the store, as far as the relay can, and prints what was changed and found. */
export const setUpKeep = (options: StoreOptions, context: CommandContext): Promise<void> =>
  withStore(options, context, async ({ name, store }) => {
    const did = (await store.setUp?.()) ?? [];
    const found = (await store.probe(timeLimit(lookMs))).map(({ says, remedy }) =>
      remedy === undefined ? says : `${says}. ${remedy}`,
    );
    for (const line of [...did, ...found]) process.stdout.write(`${printable(`${name}: ${line}`)}\n`);
  });
