import type { Diagnosis } from '@form-relay/mail-dns';
import type { Target } from '../target.ts';

/** Checks whether deliveries would succeed, without delivering anything. */
export interface Probe<T extends Target> {
  /** A key for the server of a target: each server is examined once. */
  serverOf(target: T): string;
  /** Resolves with all findings, expected failures included. */
  examine(target: T, timeoutMs: number): Promise<readonly Diagnosis[]>;
}
