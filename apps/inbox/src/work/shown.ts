/** Shows the work on submissions (work.ts) in the answers of other addresses. */
import { mailboxText } from '@form-relay/base/address';
import type { About, MessageView, View, Window } from '../api.ts';
import type { ExportRow } from '../entry_index.ts';
import { maySee, type Person } from '../gate.ts';
import type { InboxOptions } from '../server/options.ts';
import { type WorkStore, whoIs } from './work.ts';

/** People who may read a form, those of the config and invited ones. */
export const colleagues = ({ config, access }: InboxOptions, form?: string): readonly string[] => {
  const people = [...(config()?.shared.get('inbox')?.people ?? []), ...(access?.accounts.people() ?? [])];
  return people.flatMap(({ email, may, forms }) => {
    const reads =
      may.includes('manage') || (may.includes('read') && (!form || !forms || forms.includes(form)));
    return email !== undefined && reads ? [email] : [];
  });
};

/** The facts about the work that the page needs once. */
export function aboutWork(options: InboxOptions, person: Person): Pick<About, 'work' | 'whyNoWork'> {
  const { work, whyNoStore } = options;
  if (!work) return { whyNoWork: whyNoStore };
  const isFree = person.subject === undefined;
  const near = [...(person.forms ?? [undefined])].flatMap((form) => colleagues(options, form));
  const people = isFree ? work.assigned() : [...new Set([person.name, ...near])];
  return { work: { labels: work.labels(), views: viewsFor(person, work), people, isFree } };
}

/** Only views of forms that the person may read: searches of others reveal submissions. */
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

/** Rows to export, with what people added. */
export const withAdded = (rows: AsyncIterable<readonly ExportRow[]>, options: InboxOptions) => ({
  rows: rowsWithWork(rows, options),
  hasWork: options.work?.isEmpty() === false,
});

async function* rowsWithWork(pages: AsyncIterable<readonly ExportRow[]>, { work }: InboxOptions) {
  for await (const rows of pages) {
    const added = work?.of(rows.map(({ id }) => id));
    yield rows.map((row) => (added?.has(row.id) ? { ...row, work: work?.detail(row.id, '') } : row));
  }
}

/** A person's submissions as JSON Lines, and after them a line for each to which people added something. */
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
