import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Audited, AuditedThing } from '../gate.ts';

/** A line's `what`: what somebody did, or how signing in went. */
export type Recorded =
  | Audited
  | 'signed_in'
  | 'signed_out'
  /** The provider vouched for somebody who may not use the inbox, or not this form. */
  | 'refused';

/** A line: who did what to which submission, without a value of it. */
export interface AuditLine extends AuditedThing {
  /** The verified address, or what the provider calls the person. */
  readonly who: string;
  /** A hash of the provider and its id of the person. */
  readonly subject: string;
  readonly what: Recorded;
  readonly why?: string | undefined;
}

export interface AuditLog {
  /** Resolves once it is on the disk. Rejects if it cannot be written. */
  write(line: AuditLine): Promise<void>;
}

/** Writes one file a month, which only the owner of the process can read. @param folder The latest one. */
export function createAuditLog(folder: () => string, now: () => number): AuditLog {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isTorn = false;

  const append = async () => {
    next = undefined;
    const lines = waiting.join('');
    waiting = [];
    const path = join(folder(), `${new Date(now()).toISOString().slice(0, 7)}.jsonl`);
    const file = await open(path, 'a', 0o600);
    try {
      // A disk that was full may have left half a line.
      await file.appendFile(`${isTorn ? '\n' : ''}${lines}`);
      await file.datasync();
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    } finally {
      await file.close();
    }
  };

  return {
    write(line) {
      waiting.push(`${JSON.stringify({ at: new Date(now()).toISOString(), ...line })}\n`);
      // All lines that come during a write share the next one.
      next ??= last.then(append);
      last = next.catch(() => undefined);
      return next;
    },
  };
}
