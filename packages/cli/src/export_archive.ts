import type { Choice } from './archive/archive.ts';
import { asCsv, asJsonLines } from './archive/export.ts';
import { type ArchiveOptions, withArchive, writeOut } from './open_archive.ts';

export type ExportOptions = ArchiveOptions & Choice & { readonly format: 'csv' | 'jsonl' };

/** Writes what an archive holds to stdout, for a spreadsheet or for a program. */
export const exportArchive = (options: ExportOptions): Promise<void> =>
  withArchive(options, (reading, tell) =>
    writeOut((options.format === 'csv' ? asCsv : asJsonLines)(reading, options, tell)),
  );
