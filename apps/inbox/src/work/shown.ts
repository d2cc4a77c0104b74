/** Adds the work on submissions (work.ts) to other answers. */
import { mailboxText } from '@form-relay/base/address';
import type { About, MessageView, Query, View, Window } from '../api.ts';
import type { ExportRow } from '../entry_index.ts';
import { exportAnswer, type Format } from '../export/export.ts';
import { type Answer, maySee, type Person } from '../gate.ts';
import { record } from '../server/answer.ts';
import type { InboxOptions } from '../server/options.ts';
import { type WorkStore, whoIs } from './work.ts';

/** People who may read a form: those in the config, and invited ones. */
export const colleagues = ({ config, access }: InboxOptions, form?: string): readonly string[] => {
  const people = [...(config()?.shared.get('inbox')?.people ?? []), ...(access?.accounts.people() ?? [])];
  return people.flatMap(({ email, may, forms }) => {
    const reads =
      may.includes('manage') || (may.includes('read') && (!form || !forms || forms.includes(form)));
    return email !== undefined && reads ? [email] : [];
  });
};

/** The settings for work that the page loads once. */
export function aboutWork(options: InboxOptions, person: Person): Pick<About, 'work' | 'whyNoWork'> {
  const { work, whyNoStore } = options;
  if (!work) return { whyNoWork: whyNoStore };
  const isFree = person.subject === undefined;
  const near = [...(person.forms ?? [undefined])].flatMap((form) => colleagues(options, form));
  const people = isFree ? work.assigned() : [...new Set([person.name, ...near])];
  return { work: { labels: work.labels(), views: viewsFor(person, work), people, isFree } };
}

/** Omits views of forms that the person may not read, because their searches reveal submissions. */
export const viewsFor = (person: Person, work: WorkStore): readonly View[] =>
  work.views(whoIs(person), person.mayManage).filter(({ query }) => {
    const form = new URLSearchParams(query).get('form');
    return form === null || maySee(person, form);
  });

export function withWork(window: Window, { work }: InboxOptions): Window {
  const added = work?.of(window.entries.map(({ id }) => id));
  return { ...window, entries: window.entries.map((one) => ({ ...one, work: added?.get(one.id) })) };
}

export function withDetail(view: MessageView, { work, outbox }: InboxOptions, person: Person): MessageView {
  if (!work) return view;
  const by = outbox?.carrier(view.form);
  return {
    ...view,
    detail: work.detail(view.id, whoIs(person)),
    replies: by && { from: mailboxText(by.from), replyTo: mailboxText(by.replyTo ?? by.from) },
  };
}

/** Records a download, then starts it: rows with the work that people added. */
export async function exportOf(
  options: InboxOptions,
  person: Person,
  format: Format,
  query: Query,
  ids?: readonly string[],
  count?: number,
): Promise<Answer> {
  const { index, sources, exportProgram: program, config, work } = options;
  const { forms } = person;
  await record(options, person, 'exported', {
    count: count ?? (await index.window(query, 0, 1, forms)).total,
  });
  const rows = rowsWithWork(index.rows(query, forms, ids), options);
  const hasWork = work?.isEmpty() === false;
  return exportAnswer({ program, sources, format, config: config(), rows, hasWork });
}

async function* rowsWithWork(pages: AsyncIterable<readonly ExportRow[]>, { work }: InboxOptions) {
  for await (const rows of pages) {
    const added = work?.of(rows.map(({ id }) => id));
    yield rows.map((row) => (added?.has(row.id) ? { ...row, work: work?.detail(row.id, '') } : row));
  }
}

/** A person's submissions as JSON Lines, then one line for each submission with work. */
export async function* linesWithWork(lines: AsyncIterable<string>, { work }: InboxOptions) {
  const ids = new Set<string>();
  for await (const line of lines) {
    const { id } = JSON.parse(line) as { readonly id?: string };
    if (id !== undefined) ids.add(id);
    yield line;
  }
  for (const id of work?.of([...ids]).keys() ?? []) {
    const { draft: _, ...added } = work?.detail(id, '') ?? {};
    yield `${JSON.stringify({ kind: 'added', id, ...added })}\n`;
  }
}
