import { ClientError } from '@form-relay/base/client_error';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import { totalOf } from '@form-relay/queue/store_status';
import type { QueueConfig, Queued, Store } from '@form-relay/stores/store';
import type { DoctorContext } from './context.ts';
import { type Examine, folderRemedy, storeOfCloudflare, timeoutMs } from './examination.ts';
import { firstOf, formsOf } from './outputs.ts';

/** Whether the store can be used in which forms keep what outputs owe, and what waits there for its owner. */
export const examineKeeping: Examine = async (setup, context) => {
  const keep = setup.loaded?.shared.get('keep');
  if (!keep) return [];
  if (keep.in.kind === 'queue') return [storeOfCloudflare(keep.in.name)];
  const keeping = formsOf(setup).filter(({ provided }) => provided.get('keep'));
  const forms = keeping.length > 0 ? firstOf(keeping) : 'a form';
  const store = await context.openStore(keep);
  try {
    const found = await store.look(timeoutMs);
    return [
      ...found.map((one) =>
        typeof one === 'string' ? ok(keep.in.name, one) : warning(keep.in.name, one.says, one.remedy),
      ),
      ...(context.writes ? await tryOut(store, keep, context) : []),
      ...(await waiting(store, keep)),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, ${forms} cannot keep anything, and what outputs do not take is answered 500`;
    const remedy = keep.in.kind === 'folder' ? folderRemedy(error, keep.in.path) : remedies[keep.in.kind];
    return [failure(keep.in.name, says, remedy)];
  } finally {
    await store.close();
  }
};

const remedies: Readonly<Record<Exclude<QueueConfig['in']['kind'], 'folder' | 'queue'>, string>> = {
  sqs: 'Check the address of the queue, the region, the credentials, and what the role may do (docs/keep.md).',
  plugin: 'Check the address, the credentials, and that the plug-in can reach its server.',
  nats: 'Check the address, the credentials, and that the stream is there: relay kept setup declares it.',
};

/** Keeps one entry and forgets it, where nobody else can take it for a submission meanwhile. */
async function tryOut(
  store: Store,
  { in: place }: QueueConfig,
  { now }: DoctorContext,
): Promise<readonly Diagnosis[]> {
  if (place.kind !== 'folder') return [];
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
  const leases = await store.keep([entry], { isMine: true, dueAt: at, timeoutMs });
  for (const lease of leases) await lease.done();
  return [ok(place.name, 'kept an entry, and forgot it')];
}

/** Deliveries that wait for their owner are a warning: nothing else resolves them. */
async function waiting(store: Store, { in: place }: QueueConfig): Promise<readonly Diagnosis[]> {
  const { due, aside, oldestKeptAt } = totalOf(await store.count());
  const since =
    oldestKeptAt === undefined ? '' : `, the oldest since ${new Date(oldestKeptAt).toISOString()}`;
  if (due + aside === 0) return [ok(place.name, 'nothing waits')];
  if (aside === 0)
    return [ok(place.name, `${count(due)} and ${due === 1 ? 'is' : 'are'} tried again${since}`)];
  const says = `${count(due + aside)}${since}; of these, ${aside} for you`;
  return [warning(place.name, says, 'relay kept list says why; mend it, then run relay kept retry.')];
}

const count = (many: number) => (many === 1 ? '1 delivery waits' : `${many} deliveries wait`);
