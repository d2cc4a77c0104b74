/** Stages a world for one examination, and shows its diagnoses as lines. */

import { ca } from '../../../test/support/certificates.ts';
import { tryFolder } from '../../clients/src/folder.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { textSource } from '../../config/src/source.ts';
import type { Environment } from '../../core/src/settings.ts';
import type { Diagnosis } from '../../mail-dns/src/diagnosis.ts';
import type { Resolver } from '../../mail-dns/src/dns.ts';
import { ownServices } from '../../runtimes/src/inspect.ts';
import type { DoctorContext } from '../src/context.ts';
import type { Examine } from '../src/examination.ts';
import { createTryConnect } from '../src/probes/http.ts';
import { createSmtpConnect } from '../src/probes/smtp.ts';
import { readSetup } from '../src/setup.ts';

/** The DNS records of a name. */
export interface Records {
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  /** The most wanted first. */
  readonly MX?: readonly string[];
  readonly TXT?: readonly string[];
  readonly CNAME?: readonly string[];
}

export type Zone = Readonly<Record<string, Records | 'SERVFAIL'>>;

const failed = (code: string) => Object.assign(new Error(`query${code}`), { code });

/** A DNS with these names; it knows `com`, as every public one does. */
export function resolverOf(zone: Zone): Resolver {
  const recordsOf = async <K extends keyof Records>(name: string, type: K): Promise<string[]> => {
    const records = zone[name];
    if (records === 'SERVFAIL') throw failed('ESERVFAIL');
    if (!records) throw failed('ENOTFOUND');
    if (!records[type]) throw failed('ENODATA');
    return [...records[type]];
  };
  return {
    resolve4: (name) => recordsOf(name, 'A'),
    resolve6: (name) => recordsOf(name, 'AAAA'),
    resolveCname: (name) => recordsOf(name, 'CNAME'),
    resolveMx: async (name) => {
      const hosts = await recordsOf(name, 'MX');
      return hosts.map((exchange, index) => ({ exchange, priority: 10 * index })).toReversed();
    },
    resolveNs: async (name) => {
      if (name !== 'com') throw failed('ENODATA');
      return ['a.gtld-servers.net'];
    },
    // As they come from the DNS: in pieces of at most 255 bytes.
    resolveTxt: async (name) => (await recordsOf(name, 'TXT')).map((text) => text.match(/.{1,255}/g) ?? ['']),
  };
}

/** A resolver in a network without a way out: it knows nothing at all. */
export const lonelyResolver: Resolver = {
  ...resolverOf({}),
  resolveNs: async () => {
    throw failed('ENOTFOUND');
  },
};

interface Stage extends Partial<Omit<DoctorContext, 'env'>> {
  readonly env?: Environment;
  readonly zone?: Zone;
}

export function worldOf({ env = {}, zone = {}, ...parts }: Stage = {}): DoctorContext {
  return {
    env,
    now: Date.now,
    http: createHttpClient(),
    resolver: resolverOf(zone),
    tryConnect: createTryConnect({ ca }),
    connectSmtp: createSmtpConnect({ ca }),
    askSes: () => Promise.reject(new Error('there was no need for SES')),
    tryFolder,
    listBucket: () => Promise.reject(new Error('there was no need for a bucket')),
    writeIntoBucket: () => Promise.reject(new Error('there was no need for a bucket')),
    writes: false,
    openStore: () => Promise.reject(new Error('there was no need for a store')),
    openCounts: () => Promise.reject(new Error('there was no need for counts')),
    ...parts,
  };
}

export const setupOf = (config: string, env: Environment = {}) =>
  readSetup(env, ownServices(env), () => textSource('webform.yaml', config));

/** The results of an examination of a config: `verdict subject: says -> remedy`. */
export async function diagnose(look: Examine, config: string, stage: Stage = {}): Promise<readonly string[]> {
  return (await look(await setupOf(config, stage.env), worldOf(stage))).map(asLine);
}

export const asLine = ({ verdict, subject, says, remedy, record }: Diagnosis) =>
  `${verdict} ${subject}: ${says}${remedy === undefined ? '' : ` -> ${remedy}`}${record ? ` [${record.name} ${record.type} ${record.value}]` : ''}`;

/** A config of one form, `contact`, with these outputs (YAML) and whatever more. */
export const formWith = (outputs: string, more = '') =>
  `forms: {contact: {fields: [{name: email}], outputs: ${outputs}${more && `, ${more}`}}}`;
