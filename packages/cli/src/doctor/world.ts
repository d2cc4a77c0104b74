/** The parts of the outside world that the examinations need, as types, so that tests can stage all of it. */
import type { Resolver } from '@form-relay/mail-dns';
import type { Effects } from '@form-relay/relay/base';
import type { CountPlace, CountStore } from '@form-relay/relay/places';
import type { Environment } from '@form-relay/relay/schema';
import type { AskClamd, ProbeEffects } from '@form-relay/relay/transports';

export interface World extends Pick<Effects, 'http' | 'openStore'>, Omit<ProbeEffects, 'env'> {
  readonly env: Environment;
  readonly resolver: Resolver;
  readonly askClamd: AskClamd;
  readonly openCounts: (place: CountPlace) => Promise<CountStore>;
}
