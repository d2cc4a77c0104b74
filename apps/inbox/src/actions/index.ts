/** What a person can do with a submission. Expected failures are answers in words. */

import { ClientError } from '@form-relay/base/client_error';
import type { ActionAsked, ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { deliver, deliverAgain } from './deliver.ts';
import { mark } from './mark.ts';
import { remove } from './remove.ts';
import { restore } from './restore.ts';
import type { ActionWorld } from './world.ts';
import { refused } from './world.ts';

export { createPeople } from './people.ts';
export { type ActionWorld, openForActions } from './world.ts';

export const act = (entry: IndexedEntry, asked: ActionAsked, world: ActionWorld): Promise<ActionDone> =>
  inWords(() => {
    switch (asked.action) {
      case 'deliver':
        return deliver(entry, asked.output, world);
      case 'again':
        return deliverAgain(entry, asked.output, world);
      case 'restore':
        return restore(entry, world);
      case 'mark':
        return mark(entry, asked.mark, world);
    }
  });

export const deleteEntry = (entry: IndexedEntry, world: ActionWorld): Promise<ActionDone> =>
  inWords(() => remove(entry, world));

async function inWords(work: () => Promise<ActionDone>): Promise<ActionDone> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return refused(error.message);
    throw error;
  }
}
