import { Resolver as NodeResolver } from 'node:dns/promises';
import { ownAws } from '@form-relay/clients/aws/account';
import { createSesReader } from '@form-relay/clients/aws/ses_client';
import { tryFolder } from '@form-relay/clients/folder';
import { createHttpClient } from '@form-relay/clients/http/http_client';
import { type Environment, settle } from '@form-relay/core/settings';
import type { Resolver } from '@form-relay/mail-dns';
import type { OpenStore } from '@form-relay/queue/open_stores';
import { openCounts, openLeases } from '@form-relay/stores/open_store';
import type { Counts, Store, StorePlace } from '@form-relay/stores/store';
import { createListBucket, createWriteIntoBucket } from './probes/archives.ts';
import { createTryConnect } from './probes/http.ts';
import type { ProbeContext } from './probes/index.ts';
import { createSmtpConnect } from './probes/smtp.ts';

/** The parts of the outside world that the examinations need, so that tests can stage all of it. */
export interface DoctorContext extends Omit<ProbeContext, 'env'> {
  readonly env: Environment;
  readonly resolver: Resolver;
  readonly openStore: OpenStore;
  readonly openCounts: (place: StorePlace) => Promise<Store & { readonly counts: Counts }>;
}

/** This machine's. @param writes Whether archives and stores are tested by writing to them. */
export function openContext(
  env: Environment,
  writes: boolean,
): DoctorContext & { readonly close: () => void } {
  const now = Date.now;
  const readEnv = (name: string) => env[name];
  const aws = ownAws(readEnv, now);
  const services = { env: readEnv, now, aws: async () => aws };
  const resolver = new NodeResolver({ timeout: 2_000, tries: 2 });
  return {
    env,
    now,
    http: createHttpClient(),
    resolver,
    tryConnect: createTryConnect(),
    connectSmtp: createSmtpConnect({ ehloName: settle(env).settings.smtpEhloName }),
    askSes: createSesReader(aws),
    tryFolder,
    listBucket: createListBucket(aws),
    writeIntoBucket: createWriteIntoBucket(aws),
    writes,
    openStore: ({ in: place, forMs, filesIn }) => openLeases(place, { ...services, forMs, filesIn }),
    openCounts: (place) => openCounts(place, services),
    // Questions that were given up must not keep the process alive.
    close: () => resolver.cancel(),
  };
}
