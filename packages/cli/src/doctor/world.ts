/** What the examinations need of the outside world, as types: tests stage each of it. */
import type { Effects } from '@form-relay/relay/base/effects';
import type { Environment } from '@form-relay/relay/schema/settings/settings';
import type { AskClamd } from '@form-relay/relay/transports/clamd/clamd';
import type { ProbeEffects } from '@form-relay/relay/transports/probes';

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
