import type { Listed } from '@form-relay/queue/index';
import { writeDocument } from '@form-relay/stored/archive/document';
import { asCsv, asJsonLines } from '@form-relay/stored/kept/export';
import { chooser, documentOf, factsOf, type SubmissionDocument, Totals } from '@form-relay/stored/kept/list';
import { readListed } from '@form-relay/stored/kept/open';
import { settleAll } from '@form-relay/stored/kept/settle';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { writeOut } from './open_archive.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  keysOf,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';
import { saveFile } from './save_file.ts';

export interface ShowOptions extends StoreOptions {
  /** Also what the visitor wrote. */
  readonly show?: boolean;
  /** The folder that the files are written to. */
  readonly files?: string;
}

/** Prints all that is known of a delivery, as JSON; of a submission, all of its deliveries. */
export const showKept = (ids: readonly string[], options: ShowOptions): Promise<void> =>
  withStore(options, async (open) => {
    const { config, store } = open;
    const keys = keysOf(open);
    const troubles = new Troubles();
    const { isChosen, unmet } = chooser({ ids });
    const names = new Set<string>();
    for await (const one of store.list()) {
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
    troubles.end('that could not be shown', unmet);
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

export interface DropOptions extends StoreOptions, ChoiceOptions {
  /** Whether to drop them; else the command only lists them. */
  readonly yes?: boolean;
}

/** Forgets deliveries for good, those that are named or with `--yes`, and says which they were. */
export const dropKept = (
  ids: readonly string[],
  { yes = ids.length > 0, ...options }: DropOptions,
): Promise<void> =>
  withStore(options, async ({ store, config, relay }) => {
    const { isChosen, unmet } = chooser(choiceOf(options, ids));
    const totals = new Totals();
    const add = (one: Listed) => totals.add(factsOf(one, config));
    if (yes) {
      await settleAll(store.leaseMatching(isChosen), async (lease) => {
        await lease.done();
        add(lease.listed);
      });
    } else {
      for await (const one of store.list()) if (isChosen(one)) add(one);
    }
    process.stdout.write(
      `${yes ? 'dropped' : 'would drop'} ${deliveries(totals.number)}\n${totals.lines(relay.services.now()).join('')}`,
    );
    if (!yes) throw new CommandFailed('nothing was dropped; --yes drops them, for good');
    new Troubles().end('that could not be dropped', unmet);
  });

export interface ExportOptions extends StoreOptions, ChoiceOptions {
  readonly format: 'csv' | 'jsonl';
}

/** Writes what visitors sent and outputs owe to stdout, for a spreadsheet or for a program. */
export const exportKept = (options: ExportOptions): Promise<void> =>
  withStore(options, async (open) => {
    const { store, config } = open;
    const troubles = new Troubles();
    const { isChosen } = chooser(choiceOf(options));
    const keys = keysOf(open);
    const context = { store, config, keys, isChosen, tell: troubles.tell };
    await writeOut((options.format === 'csv' ? asCsv : asJsonLines)(context));
    troubles.end('that could not be read');
  });

/** How long a store may take to say how it is. */
const lookMs = 10_000;

/** Makes what the store needs, where that is the relay's to make, and says what it did and what it found. */
export const setUpKeep = (options: StoreOptions): Promise<void> =>
  withStore(options, async ({ name, store }) => {
    const did = (await store.setUp?.()) ?? [];
    const found = (await store.look(lookMs)).map((one) =>
      typeof one === 'string' ? one : `${one.says}. ${one.remedy}`,
    );
    for (const line of [...did, ...found]) process.stdout.write(`${printable(`${name}: ${line}`)}\n`);
  });
