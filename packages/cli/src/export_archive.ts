import type { Choice } from '@form-relay/stored/archive/archive';
import { asCsv, asJsonLines } from '@form-relay/stored/archive/export';
import { type ArchiveOptions, withArchive, writeOut } from './open_archive.ts';

export type ExportOptions = ArchiveOptions & Choice & { readonly format: 'csv' | 'jsonl' };

/** Writes what an archive holds to stdout, for a spreadsheet or for a program. */
export const exportArchive = (options: ExportOptions): Promise<void> =>
  withArchive(options, (reading, tell) =>
    writeOut((options.format === 'csv' ? asCsv : asJsonLines)(reading, options, tell)),
  );
