import { ClientError } from '@form-relay/base/client_error';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import type { QueueConfig } from '@form-relay/queue/open_stores';
import { totalOf } from '@form-relay/queue/store_status';
import { worksOn } from '@form-relay/stores/index';
import { timeLimit } from '@form-relay/stores/open_store';
import type { Leases, Queued } from '@form-relay/stores/store';
import type { DoctorContext } from './context.ts';
import { diagnosisOf, type Examine, remedyOf, storeOfCloudflare, timeoutMs } from './examination.ts';
import { firstOf, formsOf } from './outputs.ts';

/** Whether the store can be used in which forms keep what outputs owe, and what waits there for its owner. */
export const examineKeeping: Examine = async (setup, context) => {
  const keep = setup.loaded?.shared.get('keep');
  if (!keep) return [];
  if (!worksOn(keep.in.type, 'node')) return [storeOfCloudflare(keep.in.name)];
  const keeping = formsOf(setup).filter(({ provided }) => provided.get('keep'));
  const forms = keeping.length > 0 ? firstOf(keeping) : 'a form';
  const store = await context.openStore(keep);
  try {
    const found = await store.probe(timeLimit(timeoutMs));
    return [
      ...found.map((one) => diagnosisOf(keep.in.name, one)),
      ...(context.writes ? await tryOut(store.leases, keep, context) : []),
      ...(await waiting(store.leases, keep)),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, ${forms} cannot keep anything, and what outputs do not take is answered 500`;
    return [failure(keep.in.name, says, remedyOf(store.remedies, error))];
  } finally {
    await store.close();
  }
};

/** Keeps one entry and forgets it, where nobody else can take it for a submission meanwhile. */
async function tryOut(
  leases: Leases,
  { in: place }: QueueConfig,
  { now }: DoctorContext,
): Promise<readonly Diagnosis[]> {
  if (!place.type.isFolder) return [];
  const at = now();
  const entry: Queued = {
    id: `doctor-${at}-0`,
    form: 'relay doctor',
    output: { place: 0, of: 1, type: 'none', fingerprint: '' },
    receivedAt: at,
    keptAt: at,
    tries: 0,
    why: undefined,
    content: new Uint8Array(),
  };
  const kept = await leases.keep([entry], { isMine: true, dueAt: at, timeoutMs });
  for (const lease of kept) await lease.done();
  return [ok(place.name, 'kept an entry, and forgot it')];
}

/** Deliveries that wait for their owner are a warning: nothing else resolves them. */
async function waiting(leases: Leases, { in: place }: QueueConfig): Promise<readonly Diagnosis[]> {
  const { due, aside, oldestKeptAt } = totalOf(await leases.count());
  const since =
    oldestKeptAt === undefined ? '' : `, the oldest since ${new Date(oldestKeptAt).toISOString()}`;
  if (due + aside === 0) return [ok(place.name, 'nothing waits')];
  if (aside === 0)
    return [ok(place.name, `${count(due)} and ${due === 1 ? 'is' : 'are'} tried again${since}`)];
  const says = `${count(due + aside)}${since}; of these, ${aside} for you`;
  return [warning(place.name, says, 'relay kept list says why; mend it, then run relay kept retry.')];
}

const count = (many: number) => (many === 1 ? '1 delivery waits' : `${many} deliveries wait`);
