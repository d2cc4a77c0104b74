/** Downloads of a choice, newest first. A thread reads and writes them: this one only passes them on. */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExportRow, Sources } from '../entry_index.ts';
import type { ExportTask, ToExport } from './export_worker.ts';

export interface Exporting extends Omit<ExportTask, 'archives'> {
  /** The built `export_worker.ts`. */
  readonly program: URL;
  readonly sources: Pick<Sources, 'archives'>;
  /** The submissions, in pieces. */
  readonly rows: AsyncIterable<readonly ExportRow[]>;
}

/** Yields the text in pieces; an empty piece only shows that work goes on. The thread ends with the generator. */
export async function* exportOf({ program, sources, format, rows }: Exporting): AsyncGenerator<string> {
  const workerData: ExportTask = { archives: sources.archives, format };
  const resourceLimits = { maxOldGenerationSizeMb: 256 };
  const worker = new Worker(program, { workerData, execArgv: [], resourceLimits });
  const pages = rows[Symbol.asyncIterator]();
  try {
    for await (const [data] of on(worker, 'message', { close: ['exit'] })) {
      const { text } = data as ToExport;
      if (text !== undefined) yield text;
      const page = text === undefined ? await pages.next() : undefined;
      if (data.isDone) return;
      worker.postMessage(page?.value ?? []);
    }
    throw new Error('the export ended before all was written');
  } finally {
    await worker.terminate();
  }
}
