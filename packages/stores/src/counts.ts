/** A text under a key, and the version that was read. */
export interface Versioned {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
  /** Opaque: only the store that gave it reads it. */
  readonly version: string;
}

/**
 * Texts under keys. A writer names the version that it read, so that no change gets lost. Keys are made of `a-z`, digits, `_`, `-`
 * and `=`, with slashes between them. Rejects with a `ClientError`.
 */
export interface CounterStore {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /** The version that this process saw last, at no cost: good enough to try a write over it. */
  recall?(key: string): Versioned | undefined;
  /**
   * Replaces what was read. Resolves with `true` once the text is stored. `false`: another version is there, or the outcome is
   * unknown; reading again tells.
   */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process uses. */
  remove(key: string, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
