/** Downloads of filtered entries, newest first. A worker thread reads and formats them; this thread only forwards the data. */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '@form-relay/core/config';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import type { ExportRow, Sources } from '../entry_index.ts';
import type { Answer } from '../gate.ts';
import { disposition } from '../server/documents.ts';
import type { ExportTask, ToExport } from './export_worker.ts';
import type { SummedField } from './summary.ts';

export const formats = ['csv', 'xlsx', 'jsonl'] as const;
export type Format = (typeof formats)[number];

const mediaTypes: Readonly<Record<ExportTask['format'], string>> = {
  csv: 'text/csv; charset=utf-8',
  'summary.csv': 'text/csv; charset=utf-8',
  summary: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

export interface Exporting extends Pick<ExportTask, 'format' | 'summary'> {
  readonly config: Config | undefined;
  readonly program: URL;
  readonly sources: Pick<Sources, 'archives'>;
  readonly rows: AsyncIterable<readonly ExportRow[]>;
  /** Whether any submission has work added by people. Default: no. */
  readonly hasWork?: boolean;
}

export const exportAnswer = (exporting: Exporting): Answer => ({
  status: 200,
  headers: {
    'content-type': mediaTypes[exporting.format],
    ...(exporting.format !== 'summary' && {
      'content-disposition': disposition('attachment', nameOf(exporting.format)),
    }),
  },
  body: piecesOf(exporting),
});

const nameOf = (format: ExportTask['format']) =>
  format === 'summary.csv' ? format : `submissions.${format}`;

const numeric = /^(?:number|range|rating|scale|nps|computed)$/;

const typesOf = (config: Config | undefined): ExportTask['types'] =>
  [...(config?.forms ?? [])].flatMap(([form, { fields }]) =>
    fields.flatMap(({ name, type }) =>
      numeric.test(type) ? [[form, name, 'number']] : type === 'date' ? [[form, name, 'date']] : [],
    ),
  );

const labelsOf = (config: Config | undefined): ExportTask['labels'] =>
  [...(config?.forms ?? [])].flatMap(([id, form]) =>
    fieldsOf(form).flatMap(({ name, parts = [] }) =>
      parts.flatMap((part) =>
        (part.options ?? []).map(([value, label]) => [id, `${name}.${part.name}`, value, label] as const),
      ),
    ),
  );

/** Yields the file in chunks; an empty chunk is a heartbeat. The thread ends with the generator. */
async function* piecesOf(exporting: Exporting): AsyncGenerator<string | Uint8Array> {
  const { program, sources, format, config, summary, hasWork = false, rows } = exporting;
  const workerData: ExportTask = {
    archives: sources.archives,
    format,
    types: typesOf(config),
    labels: labelsOf(config),
    hasWork,
    ...(summary && { summary }),
  };
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
    throw new Error('the export ended early');
  } finally {
    await worker.terminate();
  }
}

/** Copies fields without their functions, which cannot be sent to a thread. */
export function fieldsOf(form: Form): readonly SummedField[] {
  const locale = form.locale(undefined);
  const summed = (field: Form['fields'][number], name = field.name): SummedField => ({
    name,
    label: labelOf(field, locale),
    type: field.type,
    options: field.offered?.map((value) => [value, field.words([value], locale)[0] ?? value]),
    parts: field.inputs && partsOf(field.name, field.inputs.all).map(([part, input]) => summed(input, part)),
  });
  return form.fields.map((field) => summed(field));
}

/** Parts by their names in the value. A list has each part once for every item. */
function partsOf(name: string, inputs: Form['fields']) {
  const parts = new Map(
    inputs.map((input) => [input.name.slice(name.length + 1).replace(/^\d+\./, ''), input]),
  );
  return [...parts];
}
