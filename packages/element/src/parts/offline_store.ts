/** Finished forms that are stored in this browser (IndexedDB), for all forms on pages of the same origin. */

export type Values = readonly (readonly [name: string, value: string | File])[];

export interface Kept {
  /** Identifies the submission in each attempt to send it. */
  readonly id: string;
  /** The URL that it is sent to. */
  readonly place: string;
  /** Milliseconds since the epoch, like `until`. */
  readonly at: number;
  readonly until: number;
  readonly values: Values;
  /** Why the visitor must act. */
  readonly problem?: string;
}

const name = 'offline';

const opened = () =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('form-relay', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await opened();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(name, mode);
      const request = work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

export const list = async (): Promise<readonly Kept[]> => {
  const all = await inStore<Kept[]>('readonly', (store) => store.getAll());
  return all.sort((one, other) => one.at - other.at);
};
export const put = (kept: Kept) => inStore('readwrite', (store) => store.put(kept));
export const remove = (id: string) => inStore('readwrite', (store) => store.delete(id));
