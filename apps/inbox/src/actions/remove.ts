import { ClientError } from '@form-relay/base/client_error';
import { submissionOf } from '@form-relay/stored/archive/archive';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import type { ActionContext } from './context.ts';
import { done, locate, refused } from './context.ts';

/** Removes a submission from every store and archive. Deliveries go first: nothing is delivered that no archive shows. */
export async function remove(entry: IndexedEntry, context: ActionContext): Promise<ActionDone> {
  const { id, form } = entry;
  const left: string[] = [];
  const gone = new Set<string>();
  const attempt = async (place: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      left.push(`${place}: ${error.message}`);
    }
  };
  for (const [index, store] of context.stores.entries()) {
    await attempt('kept deliveries', async () => {
      const isIts = (kept: { readonly id: string; readonly form: string }) =>
        submissionOf(kept.id) === id && kept.form === form;
      for await (const lease of store.leaseMatching(({ kept }) => isIts(kept))) {
        await lease.done();
        gone.add(lease.kept.id);
      }
      if (!entry.kept.some((one) => one.store === index && !gone.has(one.id))) return;
      for await (const { kept } of store.list())
        if (isIts(kept)) throw new ClientError(`${kept.id} is being delivered right now`);
    });
  }
  for (const one of locate(entry, context)) await attempt(one.in.name, () => one.in.remove(one.path));
  return left.length === 0 ? done('Deleted.') : refused(`not all of it was deleted: ${left.join('; ')}`);
}
