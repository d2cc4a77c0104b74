/** The index on this computer's disk: pieces in IndexedDB, encrypted under a key derived from the identity. */
import type { IndexedRow } from './sealed_index.ts';

/** Another version is another name, and is thrown away. */
const version = 'v2';
const mostIndexes = 4;

export interface Cabinet {
  read(): Promise<ReadonlyMap<number, readonly IndexedRow[]>>;
  write(nth: number, rows: readonly IndexedRow[]): Promise<void>;
  clear(): Promise<void>;
}

/** For one place and one identity: neither can be told from its name. */
export async function openCabinet(place: string, identities: readonly string[]): Promise<Cabinet> {
  const secret = new TextEncoder().encode([...identities].sort().join('\n'));
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits', 'deriveKey']);
  const hkdf = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new TextEncoder().encode(place),
    info: new TextEncoder().encode(`form-relay sealed index ${version} ${info}`),
  });
  const key = await crypto.subtle.deriveKey(hkdf('key'), base, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  const bits = new Uint8Array(await crypto.subtle.deriveBits(hkdf('name'), base, 128));
  const name = `${version}-${[...bits].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const database = await openDatabase();
  await keepFew(database, name);
  const range = IDBKeyRange.bound([name, 0], [name, Number.MAX_SAFE_INTEGER]);
  const pieces = (mode: IDBTransactionMode) => database.transaction('pieces', mode).objectStore('pieces');
  const aad = (nth: number) => new TextEncoder().encode(`${name}/${nth}`);
  const clear = async () => void (await done(pieces('readwrite').delete(range)));
  return {
    clear,
    async read() {
      const found = new Map<number, readonly IndexedRow[]>();
      try {
        const [keys, values] = await Promise.all([
          done(pieces('readonly').getAllKeys(range)),
          done(pieces('readonly').getAll(range)),
        ]);
        for (const [index, value] of values.entries()) {
          const nth = (keys[index] as [string, number])[1];
          const { iv, bytes } = value as { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer };
          const open = await crypto.subtle.decrypt(
            { name: 'AES-GCM', iv, additionalData: aad(nth) },
            key,
            bytes,
          );
          found.set(nth, JSON.parse(new TextDecoder().decode(open)));
        }
        return found;
      } catch {
        await clear();
        return new Map();
      }
    },
    async write(nth, rows) {
      if (rows.length === 0) return void (await done(pieces('readwrite').delete([name, nth])));
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const clearText = new TextEncoder().encode(JSON.stringify(rows));
      const bytes = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData: aad(nth) },
        key,
        clearText,
      );
      await done(pieces('readwrite').put({ iv, bytes }, [name, nth]));
    },
  };
}

/** Notes the use of an index, and removes those of other versions and the longest unused. */
async function keepFew(database: IDBDatabase, name: string): Promise<void> {
  const uses = () => database.transaction('uses', 'readwrite').objectStore('uses');
  await done(uses().put(Date.now(), name));
  const [names, times] = await Promise.all([done(uses().getAllKeys()), done(uses().getAll())]);
  const newest = names
    .map((each, index) => ({ name: String(each), at: Number(times[index]) }))
    .sort((a, b) => b.at - a.at);
  const old = newest.filter((each, index) => index >= mostIndexes || !each.name.startsWith(`${version}-`));
  for (const each of old) {
    const range = IDBKeyRange.bound([each.name, 0], [each.name, Number.MAX_SAFE_INTEGER]);
    await done(database.transaction('pieces', 'readwrite').objectStore('pieces').delete(range));
    await done(uses().delete(each.name));
  }
}

async function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open('form-relay-sealed', 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('pieces');
    opening.result.createObjectStore('uses');
  };
  return done(opening);
}

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
