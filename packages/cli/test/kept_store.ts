import { mkdir } from 'node:fs/promises';
import { must } from '../../../test/support/must.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { flat, type OpenedStore } from '../../../test/support/stores/place.ts';
import { awsAccount } from '../../clients/src/aws/account.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { packContent } from '../../queue/src/content.ts';
import { outputIdentity } from '../../queue/src/output_match.ts';
import { folder } from '../../stores/src/folder/index.ts';
import { openLeases } from '../../stores/src/open_store.ts';
import type { DeadLetterReason, FailureReason, Queued } from '../../stores/src/store.ts';

/** A submission that no output has received yet. */
export interface QueuedSample {
  readonly form: string;
  /** The submission's id. */
  readonly id: string;
  /** When it was received and queued, in milliseconds since the epoch. */
  readonly at: number;
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  readonly files?: readonly (readonly [field: string, name: string, content: string])[];
  readonly why?: FailureReason;
  /** Set if it is a dead letter. */
  readonly deadLetter?: DeadLetterReason;
  readonly keepSecret?: string;
}

/** Opens the store in a folder, as a separate process would. */
export async function storeIn(path: string): Promise<OpenedStore> {
  const aws = { account: awsAccount(() => undefined), http: createHttpClient().bytes, now: Date.now };
  const world = { env: () => undefined, aws: async () => aws, now: Date.now };
  return flat(await openLeases({ name: path, type: folder }, world));
}

/** Makes a store in a folder, with deliveries that the outputs of a config failed to send. Entries of a form share a file. */
export async function fillStore(
  path: string,
  config: string,
  queued: readonly QueuedSample[],
): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { forms } = must(parseConfig(config, 'webform.yaml'));
  const store = await storeIn(path);
  const all = queued.map((one) => {
    const form = forms.get(one.form);
    if (!form) throw new Error(`the config has no form ${one.form}`);
    return { one, entries: form.outputs.map((_, place) => entryOf(one, place, outputIdentity(form, place))) };
  });
  const keep = ({ one, entries }: (typeof all)[number]) =>
    store.keep(entries, { isMine: false, dueAt: one.at + 60_000, timeoutMs: 10_000 });
  await Promise.all(all.map(keep));
  for (const { one, entries } of all) {
    const { deadLetter } = one;
    if (deadLetter === undefined) continue;
    const isOurs = (id: string) => entries.some((entry) => entry.id === id);
    for await (const lease of store.leaseMatching(({ kept }) => isOurs(kept.id)))
      await lease.deadLetter(deadLetter, lease.kept);
  }
  await store.close();
}

function entryOf(one: QueuedSample, place: number, output: Queued['output']): Queued {
  const { form, at, files = [], why = { code: 'http_status', words: 'the server answered 503' } } = one;
  const id = `${one.id}-${place}`;
  const texts = Object.entries(one.values).map(([name, value]) => [name, [value].flat()] as const);
  const filesOf = files.map(
    ([field, name, content]) => [field, [{ name, type: 'text/plain', bytes: Buffer.from(content) }]] as const,
  );
  const submission = {
    requestId: one.id,
    receivedAt: at,
    values: new Map([
      ...texts,
      ...filesOf.map(([field, all]) => [field, all.map(({ name }) => name)] as const),
    ]),
    files: new Map(filesOf),
    page: undefined,
  };
  const { keepSecret = '' } = one;
  const about = { id, form, output, receivedAt: at };
  const content = packContent(submission, about, keepSecret);
  return { id, form, output, receivedAt: at, keptAt: at, tries: 1, why, content };
}
