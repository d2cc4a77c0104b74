import { ClientError, type Form } from '@form-relay/relay/base';
import { type Diagnosis, failure, ok, warning } from '@form-relay/relay/diagnosis';
import { countedFor, keys, keysFolder, storedFor } from '@form-relay/relay/features';
import {
  type CountPlace,
  type CountStore,
  type Hidden,
  hiddenOf,
  readCounts,
  readTally,
} from '@form-relay/relay/places';
import { mending } from '../mending.ts';
import { type Examine, timeoutMs } from './examination.ts';
import { folderRemedy } from './folder_remedy.ts';
import { storeOfCloudflare } from './store_of_cloudflare.ts';
import type { World } from './world.ts';

interface Counting {
  readonly where: CountPlace;
  readonly forms: Form[];
}

/** Whether the stores can be used in which forms count places, registrations and links, and remember what servers sent. */
export const examineCounting: Examine = async ({ forms }, world) => {
  const stores = new Map<string, Counting>();
  for (const form of forms) {
    const where = storedFor(form);
    if (!where) continue;
    const counting = stores.get(where.name) ?? { where, forms: [] };
    counting.forms.push(form);
    stores.set(where.name, counting);
  }
  const looks = [...stores.values()].map((counting) => examineStore(counting, world));
  return (await Promise.all(looks)).flat();
};

async function examineStore({ where, forms }: Counting, world: World): Promise<readonly Diagnosis[]> {
  if (where.kind === 'durable-object') return [storeOfCloudflare(where.name)];
  const store = await world.openCounts(where);
  try {
    const found: Diagnosis[] = [];
    const whole: Form[] = [];
    for (const form of forms) {
      const read = async (key: string) => readTally(key, (await store.read(key, timeoutMs)).text);
      const counts = await readCounts(form, read);
      for (const { message } of counts.damaged.values()) {
        const says = `${message}; submissions to "${form.id}" that it counts are answered 503`;
        found.push(failure(where.name, says, mending[where.kind]));
      }
      if (keys.of(form)) await store.read(`${keysFolder(form.id)}/000`, timeoutMs);
      found.push(...hiddenIn(where, form, hiddenOf(counts, world.now())));
      if (counts.damaged.size === 0) whole.push(form);
    }
    return [
      ...found,
      ...(whole.length > 0 ? [ok(where.name, `${storedOf(whole)} can be read`)] : []),
      ...(world.writes ? await tryOut(where, store, world) : []),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, ${consequence(forms)}`;
    const remedy = where.kind === 'folder' ? folderRemedy(error, where.path) : remedies[where.kind];
    return [failure(where.name, says, remedy)];
  } finally {
    await store.close();
  }
}

/** The owner alone knows whether these arrived. */
function hiddenIn({ name }: CountPlace, { id }: Form, hidden: readonly Hidden[]): readonly Diagnosis[] {
  if (hidden.length === 0) return [];
  const many = hidden.length === 1 ? 'a submission' : `${hidden.length} submissions`;
  const rows = hidden.map((one) => [one.id, `since ${one.since}`, ...one.of.filter(Boolean)].join(', '));
  const says = [`a crash hid what became of ${many} to "${id}":`, ...rows].join('\n');
  const remedy = `Look whether each one arrived, then run relay places ${id} --settle ID or --release ID.`;
  return [warning(name, says, remedy)];
}

function storedOf(forms: readonly Form[]): string {
  const counting = forms.filter(countedFor);
  return counting.length > 0
    ? `the counts of ${firstOf(counting)}`
    : `what servers sent to ${firstOf(forms)}`;
}

/** Visitors can send a form that only remembers what servers sent. */
function consequence(forms: readonly Form[]): string {
  const counting = forms.filter(countedFor);
  return counting.length > 0
    ? `${firstOf(counting)} cannot count, and submissions are answered 503`
    : `servers that send ${firstOf(forms)} with an Idempotency-Key are answered 503`;
}

const remedies: Readonly<Record<Exclude<CountPlace['kind'], 'folder' | 'durable-object'>, string>> = {
  nats: 'Check the address, the credentials, and that the stream is there: relay keep setup declares it.',
  dynamodb:
    'Check the table, whose partition key has to be `id`, a string, the region, the credentials, and what the role may do: dynamodb:GetItem and dynamodb:PutItem.',
};

/** The first, in words. */
function firstOf([first, ...more]: readonly Form[]): string {
  return more.length > 0 ? `"${first?.id}" and ${more.length} more` : `"${first?.id}"`;
}

/** Those of forms have a slash. */
const ownKey = 'doctor';

/** Writes a count that nobody reads, and removes it. */
async function tryOut(
  { name }: CountPlace,
  store: CountStore,
  { now }: World,
): Promise<readonly Diagnosis[]> {
  // The first write into an empty folder only makes room for the next, and others may write as well.
  for (let tries = 0; tries < 10; tries += 1) {
    const read = await store.read(ownKey, timeoutMs);
    if (await store.write(ownKey, JSON.stringify({ written: now() + tries }), read, timeoutMs))
      return [await remove(name, store)];
  }
  return [failure(name, 'others write there at the same time', 'Run relay doctor --write again.')];
}

async function remove(name: string, store: CountStore): Promise<Diagnosis> {
  try {
    await store.remove(ownKey, timeoutMs);
    return ok(name, 'wrote a count of its own, and removed it');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `wrote a count of its own, \`${ownKey}\`, and could not remove it: ${error.message}`;
    return warning(name, says, 'It does no harm; remove it, or allow the doctor to.');
  }
}
