/** Sealed submissions, opened in this browser by a worker that alone holds the identity. */

import type { Result } from '@form-relay/core/base/result';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Call, OpenedFile, SealedProgress } from './sealed_call.ts';
import type { SealedRow } from './sealed_index.ts';

export type { OpenedFile, SealedProgress } from './sealed_call.ts';

export interface Sealed {
  readonly isUnlocked: ReadonlySignal<boolean>;
  readonly progress: ReadonlySignal<SealedProgress | undefined>;
  /** Resolves once the identity was read and the index of the last visit is there; opening goes on behind. */
  unlock(identity: string | Uint8Array, passphrase?: string): Promise<Result<null, string>>;
  open(id: string): Promise<Result<ArchiveDocument, string>>;
  openFile(id: string, nth: number): Promise<Result<OpenedFile, string>>;
  /** Ids, the newest first. */
  search(search: string): Promise<readonly string[]>;
  rows(ids: readonly string[]): Promise<readonly (SealedRow | undefined)[]>;
  /** After the inbox's entries changed. */
  refresh(): Promise<void>;
  /** Ends the worker, and with it all that was opened. */
  lock(): void;
  /** Removes the index from this computer, too. */
  forget(): Promise<void>;
}

/** @param place Names the inbox, such as its config, so that each has an index of its own. */
export function createSealed(place: string): Sealed {
  const isUnlocked = signal(false);
  const progress = signal<SealedProgress | undefined>(undefined);
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let calls = 0;

  function start(): Worker {
    const started = new Worker(new URL('./sealed_worker.ts', import.meta.url), { type: 'module' });
    started.onmessage = ({ data }) => {
      if (data.progress) progress.value = data.progress;
      const one = waiting.get(data.call);
      waiting.delete(data.call);
      if (data.hasFailed) one?.reject(new Error('the worker failed'));
      else one?.resolve(data.result);
    };
    // Such as a script that does not load: those who wait must learn it.
    started.onerror = () => {
      for (const { reject } of waiting.values()) reject(new Error('the worker failed'));
      waiting.clear();
    };
    return started;
  }

  const call = <T>(method: Call['method'], ...args: readonly unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      calls += 1;
      waiting.set(calls, { resolve: (result) => resolve(result as T), reject });
      worker.postMessage({ call: calls, method, args } satisfies Call);
    });

  function lock(): void {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error('locked'));
    waiting.clear();
    isUnlocked.value = false;
    progress.value = undefined;
  }

  return {
    isUnlocked,
    progress,
    lock,
    async unlock(identity, passphrase = '') {
      if (!isSecureContext)
        return { ok: false, error: 'Open this page by https, or on the machine that serves it.' };
      lock();
      const result = await call<Result<null, string>>('unlock', identity, passphrase, place);
      isUnlocked.value = result.ok;
      if (result.ok) call('refresh').catch(() => undefined);
      else lock();
      return result;
    },
    open: (id) => call('open', id),
    openFile: (id, nth) => call('openFile', id, nth),
    search: (search) => call('search', search),
    rows: (ids) => call('rows', ids),
    refresh: () => call('refresh'),
    async forget() {
      await call('forget');
      lock();
    },
  };
}
