/** Reads and records requests of people. */
import type { ActionDone, ActionRequest } from '../api.ts';
import type { Audited, AuditedThing, Person } from '../gate.ts';
import type { InboxOptions } from './options.ts';
import type { Body } from './routes.ts';

export const mostIds = 10_000;

export const auditedAs = {
  deliver: 'delivered',
  again: 'delivered_again',
  restore: 'restored',
  mark: 'marked',
} as const;

/** The action that a page asks for; in words what is wrong with it; `undefined` if there is none of this name. */
export function actionOf(name: string, { output, mark }: Body): ActionRequest | string | undefined {
  const isOutput = typeof output === 'number' && Number.isSafeInteger(output) && output >= 0;
  switch (name) {
    case 'deliver':
    case 'again':
      return isOutput ? { action: name, output } : 'output must be the number of an output, from 0';
    case 'restore':
      return { action: name };
    case 'mark':
      return mark === 'spam' || mark === 'ham' ? { action: name, mark } : 'mark must be spam or ham';
    default:
      return undefined;
  }
}

export const idsIn = (ids: unknown): readonly string[] | undefined =>
  Array.isArray(ids) && ids.length <= mostIds && ids.every((id) => typeof id === 'string' && id.length <= 300)
    ? ids
    : undefined;

/** The log knows before anything is done, and afterwards if it was not. */
export async function recorded(
  options: InboxOptions,
  person: Person,
  what: Audited,
  { id, form }: AuditedThing,
  act: () => Promise<ActionDone>,
): Promise<ActionDone> {
  await record(options, person, what, { id, form });
  let isDone = false;
  try {
    const done = await act();
    isDone = done.isDone;
    return done;
  } finally {
    if (!isDone) await recordFailure(options, person, what, { id, form });
  }
}

export const record = async (
  { audit }: InboxOptions,
  person: Person,
  what: Audited,
  about: AuditedThing,
): Promise<void> => audit?.(person, what, about);

/** A log that cannot be written is in the owner's log, and what was done stays done. */
export const recordFailure = (options: InboxOptions, person: Person, what: Audited, about: AuditedThing) =>
  record(options, person, what, { ...about, failed: true }).catch(() => {});
