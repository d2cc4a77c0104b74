import { asCsv, asJsonLines } from '@form-relay/stored/kept/export';
import { chooser } from '@form-relay/stored/kept/list';
import { writeOut } from './open_archive.ts';
import {
  type ChoiceOptions,
  choiceOf,
  type IdentityOption,
  keysOf,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';

export interface ExportOptions extends StoreOptions, ChoiceOptions, IdentityOption {
  readonly format: 'csv' | 'jsonl';
}

/** Writes what visitors sent and outputs owe to stdout, for a spreadsheet or for a program. */
export const exportKept = (options: ExportOptions): Promise<void> =>
  withStore(options, async (open) => {
    const { store, config } = open;
    const troubles = new Troubles();
    const { isChosen } = chooser(choiceOf(options));
    const keys = await keysOf(open, options);
    const world = { store, config, keys, isChosen, tell: troubles.tell };
    await writeOut((options.format === 'csv' ? asCsv : asJsonLines)(world));
    troubles.end('that could not be read');
  });
