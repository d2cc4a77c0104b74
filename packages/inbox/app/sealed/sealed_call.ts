/** The messages between the page and the worker that opens sealed submissions. */

export type Method = 'unlock' | 'open' | 'openFile' | 'search' | 'rows' | 'refresh' | 'forget';

export interface SealedProgress {
  readonly opened: number;
  /** Sealed to another key, or damaged. */
  readonly shut: number;
  readonly of: number;
  /** The latest trouble, in words. */
  readonly problem?: string | undefined;
}

export interface OpenedFile {
  readonly name: string;
  /** As the visitor's browser said: do not trust it. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An entry as the inbox lists it. */
export interface Found {
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
}

export interface Call {
  readonly call: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}
