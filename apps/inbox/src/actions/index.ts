/** Actions that a person runs on a submission. Expected failures are returned as text. */

import { ClientError } from '@form-relay/base/client_error';
import type { ActionDone, ActionRequest } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { mark, remove, restore } from './change.ts';
import { type ActionContext, refused } from './context.ts';
import { deliver, deliverAgain } from './deliver.ts';

export { unmark } from './change.ts';
export { type ActionContext, openForActions } from './context.ts';
export { deliverAll } from './deliver.ts';
export { createPeople } from './people.ts';

export const act = (
  entry: IndexedEntry,
  request: ActionRequest,
  context: ActionContext,
): Promise<ActionDone> =>
  inWords(() => {
    switch (request.action) {
      case 'deliver':
        return deliver(entry, request.output, context);
      case 'again':
        return deliverAgain(entry, request.output, context);
      case 'restore':
        return restore(entry, context);
      case 'mark':
        return mark(entry, request.mark, context);
    }
  });

export const deleteEntry = (entry: IndexedEntry, context: ActionContext): Promise<ActionDone> =>
  inWords(() => remove(entry, context));

async function inWords(work: () => Promise<ActionDone>): Promise<ActionDone> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return refused(error.message);
    throw error;
  }
}
