import { ClientError } from '@form-relay/base/client_error';
import { readStored } from '@form-relay/capacity/counters/counter';
import { counts, type Hidden, hiddenOf, readCounts } from '@form-relay/capacity/counters/read_counts';
import type { Form } from '@form-relay/core/form';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import { answersFolder } from '@form-relay/senders/keys/answer_once';
import { worksOn } from '@form-relay/stores/index';
import type { Counts, StorePlace } from '@form-relay/stores/store';
import type { DoctorContext } from './context.ts';
import { type Examine, remedyOf, storeOfCloudflare, timeoutMs } from './examination.ts';
import { firstOf, formsOf } from './outputs.ts';

interface Counting {
  readonly where: StorePlace;
  readonly forms: Form[];
}

/** Whether the stores can be used in which forms count places and registrations, and remember what servers sent. */
export const examineCounting: Examine = async (setup, context) => {
  const stores = new Map<string, Counting>();
  for (const form of formsOf(setup)) {
    const where = form.provided.get('counters')?.place;
    if (!where || !(counts(form) || form.provided.get('keys'))) continue;
    const counting = stores.get(where.name) ?? { where, forms: [] };
    counting.forms.push(form);
    stores.set(where.name, counting);
  }
  const looks = [...stores.values()].map((counting) => examineStore(counting, context));
  return (await Promise.all(looks)).flat();
};

async function examineStore(
  { where, forms }: Counting,
  context: DoctorContext,
): Promise<readonly Diagnosis[]> {
  if (!worksOn(where.type, 'node')) return [storeOfCloudflare(where.name)];
  const opened = await context.openCounts(where);
  const { counts: store, remedies } = opened;
  try {
    const diagnoses: Diagnosis[] = [];
    const whole: Form[] = [];
    for (const form of forms) {
      const read = async (key: string) => readStored(key, await store.read(key, timeoutMs));
      const found = await readCounts(form, read);
      for (const { code, message } of found.damaged.values()) {
        const says = `${message}; submissions to "${form.id}" that it counts are answered 503`;
        const remedy = code === 'counts_damaged' ? remedies?.counts_damaged : updateRemedy;
        diagnoses.push(failure(where.name, says, remedy ?? ''));
      }
      if (form.provided.get('keys')) await store.read(`${answersFolder(form.id)}/000`, timeoutMs);
      diagnoses.push(...hiddenIn(where, form, hiddenOf(found, context.now())));
      if (found.damaged.size === 0) whole.push(form);
    }
    return [
      ...diagnoses,
      ...(whole.length > 0 ? [ok(where.name, `${storedOf(whole)} can be read`)] : []),
      ...(context.writes ? await tryOut(where, store, context) : []),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, ${consequence(forms)}`;
    return [failure(where.name, says, remedyOf(remedies, error))];
  } finally {
    await opened.close();
  }
}

const updateRemedy = 'Update the relay, and do not remove the count.';

/** The owner alone knows whether these arrived. */
function hiddenIn({ name }: StorePlace, { id }: Form, hidden: readonly Hidden[]): readonly Diagnosis[] {
  if (hidden.length === 0) return [];
  const many = hidden.length === 1 ? 'a submission' : `${hidden.length} submissions`;
  const rows = hidden.map((one) => [one.id, `since ${one.since}`, ...one.of.filter(Boolean)].join(', '));
  const says = [`a crash hid what became of ${many} to "${id}":`, ...rows].join('\n');
  const remedy = `Look whether each one arrived, then run relay places ${id} --settle ID or --release ID.`;
  return [warning(name, says, remedy)];
}

function storedOf(forms: readonly Form[]): string {
  const counting = forms.filter(counts);
  return counting.length > 0
    ? `the counts of ${firstOf(counting)}`
    : `what servers sent to ${firstOf(forms)}`;
}

/** Visitors can send a form that only remembers what servers sent. */
function consequence(forms: readonly Form[]): string {
  const counting = forms.filter(counts);
  return counting.length > 0
    ? `${firstOf(counting)} cannot count, and submissions are answered 503`
    : `servers that send ${firstOf(forms)} with an Idempotency-Key are answered 503`;
}

/** Those of forms have a slash. */
const ownKey = 'doctor';

/** Writes a count that nobody reads, and removes it. */
async function tryOut(
  { name }: StorePlace,
  store: Counts,
  { now }: DoctorContext,
): Promise<readonly Diagnosis[]> {
  // The first write into an empty folder only makes room for the next, and others may write as well.
  for (let tries = 0; tries < 10; tries += 1) {
    const read = await store.read(ownKey, timeoutMs);
    if (await store.write(ownKey, JSON.stringify({ written: now() + tries }), read, timeoutMs))
      return [await remove(name, store)];
  }
  return [failure(name, 'others write there at the same time', 'Run relay doctor --write again.')];
}

async function remove(name: string, store: Counts): Promise<Diagnosis> {
  try {
    await store.remove(ownKey, timeoutMs);
    return ok(name, 'wrote a count of its own, and removed it');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `wrote a count of its own, \`${ownKey}\`, and could not remove it: ${error.message}`;
    return warning(name, says, 'It does no harm; remove it, or allow the doctor to.');
  }
}
