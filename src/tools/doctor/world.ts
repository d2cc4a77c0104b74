/** What the examinations need of the outside world, as types: tests stage each of it. */
import type { Effects } from '../../effects.ts';
import type { Environment } from '../../settings/settings.ts';
import type { AskClamd } from '../../transports/clamd/clamd.ts';
import type { ProbeEffects } from '../../transports/probes.ts';

export interface World extends Pick<Effects, 'http' | 'openStore'>, Omit<ProbeEffects, 'env'> {
  readonly env: Environment;
  readonly resolver: Resolver;
  readonly askClamd: AskClamd;
}

/** The part of Node's `dns.promises.Resolver` that is used. Rejects with a `code`, as that does. */
export interface Resolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  resolveCname(name: string): Promise<string[]>;
  resolveMx(name: string): Promise<{ exchange: string; priority: number }[]>;
  resolveNs(name: string): Promise<string[]>;
  /** Each record comes in the pieces that it was sent in. */
  resolveTxt(name: string): Promise<string[][]>;
}
