/** An archive in a bucket: all of it every 15 minutes; between, what each form got since, ten requests a second. */
import { folderOf } from '@form-relay/more-outputs/archive_layout';
import { documentPath, type Entry, entryAt, entryOfFolder } from '@form-relay/stored/archive/archive';
import { type ListKeys, listInBucket, openBucket } from '@form-relay/stored/archive/in_bucket';
import { isSweepFile } from '@form-relay/stored/archive/in_folder';
import type { Followed, Tools } from './follow_folder.ts';
import { mostDocumentBytes, takeIn } from './reader.ts';

const readAtOnce = 16;
const listEveryMs = 15 * 60_000;
/** An object may be that much younger than its name. */
const slackMs = 2 * 60_000;
const mostFormsAtOnce = 10;

export class FollowedBucket implements Followed {
  readonly isPaidFor = true;
  readonly #list: ListKeys;
  readonly #bucket: ReturnType<typeof openBucket>;
  #listedAt = 0;
  readonly #polledAt = new Map<string, number>();
  #turn = 0;

  /** @param forms Those of the config. */
  constructor(
    url: string,
    private readonly tools: Tools,
    private readonly forms: readonly string[],
  ) {
    this.#bucket = openBucket(url);
    this.#list = listInBucket(this.#bucket.reader, this.#bucket.prefix);
  }

  async read(path: string): Promise<Uint8Array | string> {
    const { reader, prefix } = this.#bucket;
    const read = await reader.read(prefix + path, mostDocumentBytes);
    return read.ok ? read.value : read.error;
  }

  async catchUp(): Promise<void> {
    const { intake, writing, isStopped } = this.tools;
    const { entries, archive } = intake;
    const startedAt = Date.now();
    const listing = entries.listing(archive);
    for await (const { keys } of this.#list('', '')) {
      await this.#takeAll(keys, listing.see);
      if (isStopped()) return;
    }
    const gone = listing.unseen();
    if (gone.length > 0) writing(() => gone.forEach((path) => void entries.unstore({ archive, path })));
    this.#listedAt = startedAt;
    this.#polledAt.clear();
  }

  async poll(): Promise<void> {
    if (Date.now() - this.#listedAt > listEveryMs) return this.catchUp();
    const forms = [...new Set([...this.forms, ...this.tools.intake.entries.forms()])];
    for (let nth = 0; nth < Math.min(forms.length, mostFormsAtOnce); nth += 1) {
      const form = forms[this.#turn++ % forms.length] as string;
      const since = (this.#polledAt.get(form) ?? this.#listedAt) - slackMs;
      const polledAt = Date.now();
      const folder = folderOf({ form, receivedAt: since });
      const after = `${folder}/${new Date(since).toISOString().replaceAll(/[-:.]/g, '')}`;
      for await (const { keys } of this.#list(`${folder.split('/', 1)[0]}/`, after))
        await this.#takeAll(keys);
      this.#polledAt.set(form, polledAt);
    }
  }

  async refresh(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#refresh(id);
  }

  async #refresh(id: string): Promise<void> {
    const { entries, archive } = this.tools.intake;
    const entry = entries.get(id);
    if (!entry) return;
    const { receivedAt } = entry;
    const folder = folderOf(entry);
    const stem = new Date(receivedAt).toISOString().replaceAll(/[-:.]/g, '');
    const there: string[] = [];
    for await (const { keys } of this.#list(`${folder}/${stem}`, '')) there.push(...keys);
    const gone = entry.stored.filter((one) => one.archive === archive && !there.includes(one.path));
    if (gone.length > 0) this.tools.writing(() => gone.forEach((one) => void entries.unstore(one)));
    await this.#takeAll(there);
  }

  async #takeAll(keys: readonly string[], seen: (row: number) => void = () => {}): Promise<void> {
    const { intake, writing, done, isStopped } = this.tools;
    const added: Entry[] = [];
    for (const key of keys) {
      if (key.startsWith('.dropped/') || isSweepFile(key)) continue;
      const entry = entryAt(key);
      if (!entry) {
        if (!entryOfFolder(key.slice(0, key.lastIndexOf('/'))))
          intake.tell(key, 'is not part of an archive; ignored');
        continue;
      }
      const row = intake.entries.rowAt({ archive: intake.archive, path: key });
      if (row !== undefined) seen(row);
      else added.push(entry);
    }
    for (let from = 0; from < added.length && !isStopped(); from += readAtOnce * 4) {
      const some = added.slice(from, from + readAtOnce * 4);
      const read = await inTurns(some, (entry) => this.read(documentPath(entry)));
      writing(() => {
        for (const [index, entry] of some.entries()) {
          const bytes = read[index] ?? 'is gone';
          if (typeof bytes === 'string') intake.tell(documentPath(entry), bytes);
          else takeIn(intake, entry, bytes);
          const row = intake.entries.find(entry.id);
          if (row !== undefined) seen(row);
        }
      });
      done(some.length);
    }
  }
}

async function inTurns<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = [];
  let next = 0;
  const turn = async () => {
    for (let nth = next++; nth < items.length; nth = next++) results[nth] = await work(items[nth] as T);
  };
  await Promise.all(Array.from({ length: readAtOnce }, turn));
  return results;
}
