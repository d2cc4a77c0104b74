/** The check of `relay doctor` for the stores of counters. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, groupBy, ok, warning } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import { storeFailure, checkTimeoutMs as timeoutMs, unreachableFromHere } from '@form-relay/stores/index';
import { openCounts } from '@form-relay/stores/open_store';
import type { Counts, Remedies, StorePlace } from '@form-relay/stores/store';
import { readStored } from './counter.ts';
import { counts, type Hidden, hiddenOf, readCounts } from './read_counts.ts';

/** Checks the stores in which forms count places and registrations. */
export const probe = (context: CheckContext): Promise<readonly Finding[]> =>
  examineStores(context, {
    isUsedBy: counts,
    look: lookAtCounts,
    ownKey: 'doctor',
    consequence: (forms) => `${firstOf(forms)} cannot count, so submissions are answered with 503`,
  });

/** The data that a feature stores, and how to check it. */
export interface StoreUse {
  isUsedBy(form: Form): boolean;
  look(store: OpenedCounts, forms: readonly Form[], now: number): Promise<readonly Finding[]>;
  /** The key of the test count. Keys of forms contain a slash, so this one has none. */
  readonly ownKey: string;
  /** The effect on forms while the store fails. */
  consequence(forms: readonly Form[]): string;
}

interface OpenedCounts {
  readonly where: StorePlace;
  readonly store: Counts;
  readonly remedies: Remedies | undefined;
}

/** Checks each store once. */
export async function examineStores(context: CheckContext, use: StoreUse): Promise<readonly Finding[]> {
  const used = [...(context.config?.forms.values() ?? [])].flatMap((form) => {
    const where = form.provided.get('counters')?.place;
    return where && use.isUsedBy(form) ? [{ form, where }] : [];
  });
  const stores = groupBy(used, ({ where }) => where.name);
  const looks = stores.map((same) =>
    examineStore(
      same[0].where,
      same.map(({ form }) => form),
      use,
      context,
    ),
  );
  return (await Promise.all(looks)).flat();
}

async function examineStore(
  where: StorePlace,
  forms: readonly Form[],
  { look, consequence, ownKey }: StoreUse,
  context: CheckContext,
): Promise<readonly Finding[]> {
  const unreachable = unreachableFromHere(where);
  if (unreachable) return [unreachable];
  const { counts: store, remedies, close } = await openCounts(where, context.services);
  try {
    return [
      ...(await look({ where, store, remedies }, forms, context.now())),
      ...(context.writes ? await tryOut(where, store, ownKey, context) : []),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return [storeFailure(where, error, consequence(forms), remedies)];
  } finally {
    await close();
  }
}

async function lookAtCounts(
  { where, store, remedies }: OpenedCounts,
  forms: readonly Form[],
  now: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const whole: Form[] = [];
  for (const form of forms) {
    const read = async (key: string) => readStored(key, await store.read(key, timeoutMs));
    const found = await readCounts(form, read);
    for (const { code, message } of found.damaged) {
      const says = `${message}; submissions to "${form.id}" that it counts are answered with 503`;
      const remedy = code === 'counts_newer' ? updateRemedy : remedies?.[code ?? ''];
      findings.push(failure(where.name, says, remedy ?? ''));
    }
    findings.push(...hiddenIn(where, form, hiddenOf(found, now)));
    if (found.damaged.length === 0) whole.push(form);
  }
  return whole.length > 0
    ? [...findings, ok(where.name, `the counts of ${firstOf(whole)} can be read`)]
    : findings;
}

const updateRemedy = 'Update the relay; do not remove the count.';

/** Warns about submissions whose outcome is unknown after a crash: only the owner can find out whether they arrived. */
function hiddenIn({ name }: StorePlace, { id }: Form, hidden: readonly Hidden[]): readonly Finding[] {
  if (hidden.length === 0) return [];
  const many = hidden.length === 1 ? 'a submission' : `${hidden.length} submissions`;
  const rows = hidden.map((one) => [one.id, `since ${one.since}`, ...one.of.filter(Boolean)].join(', '));
  const says = [`after a crash, the outcome of ${many} to "${id}" is unknown:`, ...rows].join('\n');
  const remedy = `Check whether each one arrived, then run relay places ${id} --settle ID or --release ID.`;
  return [warning(name, says, remedy)];
}

/** Writes a count under a key of its own, and removes it. */
async function tryOut(
  { name }: StorePlace,
  store: Counts,
  ownKey: string,
  { now }: CheckContext,
): Promise<readonly Finding[]> {
  // The first write into an empty folder only sets it up, and other processes may write at the same time.
  for (let tries = 0; tries < 10; tries += 1) {
    const read = await store.read(ownKey, timeoutMs);
    if (await store.write(ownKey, JSON.stringify({ written: now() + tries }), read, timeoutMs))
      return [await remove(name, store, ownKey)];
  }
  return [
    failure(name, 'another process is writing there at the same time', 'Run relay doctor --write again.'),
  ];
}

async function remove(name: string, store: Counts, ownKey: string): Promise<Finding> {
  try {
    await store.remove(ownKey, timeoutMs);
    return ok(name, 'wrote a test count, and removed it');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `wrote a count of its own, \`${ownKey}\`, and could not remove it: ${error.message}`;
    return warning(name, says, 'Remove the test count, or allow the doctor to; the count is harmless.');
  }
}
