/** A test environment for the doctor, and its findings as lines. */

import { ca } from '../../../test/support/certificates.ts';
import type { Finding } from '../../base/src/finding.ts';
import { isLoopback } from '../../base/src/url.ts';
import { sesReader } from '../../clients/src/aws/ses_client.ts';
import { failed } from '../../clients/src/failures.ts';
import { createTryConnect } from '../../clients/src/probes/http.ts';
import { createProbes, type ProbeContext } from '../../clients/src/probes/index.ts';
import { createSmtpConnect } from '../../clients/src/probes/smtp.ts';
import { textSource } from '../../config/src/source.ts';
import type { Resolver } from '../../core/src/command.ts';
import type { Services } from '../../core/src/services.ts';
import type { Environment } from '../../core/src/settings.ts';
import { ownServices, readSetup } from '../../runtimes/src/inspect.ts';
import { examine } from '../src/examine.ts';

/** The DNS records of a name. */
export interface Records {
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  /** Sorted by preference, the most preferred first. */
  readonly MX?: readonly string[];
  readonly TXT?: readonly string[];
  readonly CNAME?: readonly string[];
}

export type Zone = Readonly<Record<string, Records | 'SERVFAIL'>>;

const dnsFailed = (code: string) => Object.assign(new Error(`query${code}`), { code });

/** A DNS with these names. Like every public DNS, it also knows `com`. */
export function resolverOf(zone: Zone): Resolver {
  const recordsOf = async <K extends keyof Records>(name: string, type: K): Promise<string[]> => {
    const records = zone[name];
    if (records === 'SERVFAIL') throw dnsFailed('ESERVFAIL');
    if (!records) throw dnsFailed('ENOTFOUND');
    if (!records[type]) throw dnsFailed('ENODATA');
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
      if (name !== 'com') throw dnsFailed('ENODATA');
      return ['a.gtld-servers.net'];
    },
    // TXT records arrive in pieces of at most 255 bytes.
    resolveTxt: async (name) => (await recordsOf(name, 'TXT')).map((text) => text.match(/.{1,255}/g) ?? ['']),
  };
}

/** A resolver in a network without internet access: it knows no names. */
export const lonelyResolver: Resolver = {
  ...resolverOf({}),
  resolveNs: async () => {
    throw dnsFailed('ENOTFOUND');
  },
};

interface Stage extends Partial<Omit<ProbeContext, 'env'>> {
  readonly env?: Environment;
  readonly zone?: Zone;
  readonly resolver?: Resolver;
  readonly writes?: boolean;
  readonly openStore?: Services['openStore'];
}

/** Connects only to this machine. */
const here =
  <S extends { readonly host: string }, T>(connect: (server: S) => Promise<T>) =>
  (server: S): Promise<T> =>
    isLoopback(server.host) ? connect(server) : Promise.reject(failed('unresolved', { code: 'ENOTFOUND' }));

/** A config with the test environment. */
export function setupOf(config: string, { env = {}, openStore, ...parts }: Stage = {}) {
  const own = ownServices(env);
  const probes = createProbes({
    ...own,
    tryConnect: here(createTryConnect({ ca })),
    connectSmtp: here(createSmtpConnect({ ca })),
    askSes: async (...request) => sesReader(await own.aws())(...request),
    ehloName: env.SMTP_EHLO_NAME,
    ...parts,
  });
  const services = {
    ...own,
    ...(parts.now && { now: parts.now }),
    ...(openStore && { openStore }),
    probes: async () => probes,
  };
  return readSetup(env, services, () => textSource('webform.yaml', config));
}

/** All findings under a heading, or under the headings that match: `level subject: says -> remedy`. */
export async function diagnose(
  heading: string | RegExp,
  config: string,
  stage: Stage = {},
): Promise<readonly string[]> {
  const { zone = {}, resolver = resolverOf(zone), writes = false } = stage;
  const examinations = await examine(await setupOf(config, stage), { resolver, writes });
  const isWanted = (title: string) => (typeof heading === 'string' ? title === heading : heading.test(title));
  return examinations.flatMap(({ title, findings }) => (isWanted(title) ? findings.map(asLine) : []));
}

export const asLine = ({ level, subject, says, remedy, record }: Finding) =>
  `${level} ${subject}: ${says}${remedy === undefined ? '' : ` -> ${remedy}`}${record ? ` [${record.name} ${record.type} ${record.value}]` : ''}`;

/** A config with one form, `contact`, with these outputs (YAML) and anything else. */
export const formWith = (outputs: string, more = '') =>
  `forms: {contact: {fields: [{name: email}], outputs: ${outputs}${more && `, ${more}`}}}`;

/** The rows of a table, one per line, with ` | ` between cells. */
export const rows = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +\| +/));

/** Lines that match a pattern or begin with a text. In a text, `…` stands for any characters, and `$` for the end. */
export const like = (...patterns: readonly (string | RegExp)[]) =>
  patterns.map((one) => {
    if (typeof one !== 'string') return expect.stringMatching(one);
    const escaped = one.replaceAll(/[.*+?^(){}|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    return expect.stringMatching(new RegExp(`^${escaped}`, 's'));
  });
