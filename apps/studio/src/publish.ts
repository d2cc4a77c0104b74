/** "Publish": a relay on this machine, files and commands for a server, and a look at it from outside. */

import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import { failure, ok, warning } from '@form-relay/base/finding';
import type { Result } from '@form-relay/base/result';
import { isThisMachine, parseUrl, reservedHostIn } from '@form-relay/base/url';
import type { Form, RelayRequest, RelayResponse } from '@form-relay/core/index';
import { DeployMistake, type Deployment, deployment } from '@form-relay/starters/deploy';
import { deployTargets } from '@form-relay/starters/deploy_targets';
import { answer, nothing } from './answers.ts';
import type { LiveConfig } from './live_config.ts';
import { jsonIn, shown } from './mail_connection.ts';
import type { Connected, PublishState, Served } from './state.ts';
import { isOwnPage } from './studio_server.ts';

export type { LogLine, Served } from './state.ts';

export const publishPath = '/studio/publish';

/** A relay that serves the config's file. */
export interface LocalRelay {
  readonly state: Served;
  /** @param isShared For the local network, too. */
  start(isShared: boolean): void;
  stop(): void;
  /** Has it read its config at once. */
  reload(): void;
}

export interface Publishing {
  readonly local: (changed: () => void) => LocalRelay;
  /** Pages of the manual, and files of deploy/. */
  readonly sources: () => Promise<Readonly<Record<string, string>>>;
  /** Writes new files beside the config, and replaces none; resolves with their folder. */
  readonly writeFiles: (files: Deployment['files']) => Promise<Result<string, string>>;
}

interface PublishOptions {
  readonly config: LiveConfig;
  readonly file: string;
  readonly publishing: Publishing;
  readonly changed: (state: PublishState) => void;
}

export function createPublishing({ config, file, publishing, changed }: PublishOptions) {
  const local = publishing.local(() => changed(stateNow()));
  const stateNow = (): PublishState => ({
    ...local.state,
    addresses: addressesOf(local.state),
    targets: Object.entries(deployTargets).map(([name, { title, page, place }]) => ({
      name,
      title,
      page: `docs/${page}`,
      place: place?.[0],
    })),
  });

  const deploy = async (asked: Asked): Promise<Deployment & { readonly trouble?: string }> => {
    const variables = [
      ...new Set((config.current?.env ?? []).filter(({ isNeeded }) => isNeeded).map(({ name }) => name)),
    ];
    const options = { ...asked, config: config.text, file, variables };
    const none = { files: [], steps: [], records: [], notes: [] };
    if (config.state !== 'fresh') return { ...none, trouble: 'The config does not load: correct it first.' };
    try {
      return deployment(asked.target, options, await publishing.sources());
    } catch (error) {
      if (!(error instanceof DeployMistake)) throw error;
      const trouble = mistakes[error.message] ?? `${error.message} holds characters that no command may have`;
      return { ...none, trouble };
    }
  };

  const post = async (name: string, sent: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const asked = askedIn(sent);
    switch (name) {
      case 'start':
        local.start(sent.shared === true);
        return stateNow();
      case 'stop':
        local.stop();
        return stateNow();
      case 'deploy':
        return Object.hasOwn(deployTargets, asked.target) ? deploy(asked) : undefined;
      case 'files': {
        const { files, trouble } = await deploy(asked);
        const written = trouble === undefined ? await publishing.writeFiles(files) : undefined;
        return written?.ok ? { folder: written.value } : { trouble: trouble ?? written?.error };
      }
      case 'check': {
        const form = config.current?.forms.get(asked.form);
        return form && (await lookFromOutside(String(sent.address ?? ''), form));
      }
      default:
        return undefined;
    }
  };

  return {
    state: stateNow,
    /** The file was saved or changed. */
    fileChanged: () => {
      local.reload();
      if (local.state.isRunning) changed(stateNow());
    },
    handle: async (request: RelayRequest): Promise<RelayResponse> => {
      const json = (value: unknown) => answer('application/json', JSON.stringify(value));
      if (request.method !== 'POST') return request.path === publishPath ? json(stateNow()) : nothing(404);
      if (!isOwnPage(request)) return answer('text/plain', 'only the studio itself may do this', {}, 403);
      const found = await post(request.path.slice(publishPath.length + 1), jsonIn(request.body));
      return found === undefined ? nothing(404) : json(found);
    },
  };
}

type Asked = Readonly<Record<'target' | 'domain' | 'email' | 'place' | 'form', string>>;

function askedIn({ target, domain, email, place, form }: Readonly<Record<string, unknown>>): Asked {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
  return {
    target: text(target),
    domain: text(domain).toLowerCase(),
    email: text(email),
    place: text(place),
    form: text(form),
  };
}

/** By the key of `DeployOptions`. */
const mistakes: Readonly<Record<string, string>> = {
  domain: 'Write the public name as the DNS has it, such as forms.your-company.com.',
  email: 'Write your own address: the authority that signs the certificate mails to it.',
  file: 'Rename the config to letters, digits, dots and hyphens: its name is in the commands.',
};

const addressesOf = ({ port, isShared }: Served): readonly string[] => {
  if (port === undefined) return [];
  const others = isShared
    ? Object.values(networkInterfaces()).flatMap((all = []) =>
        all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
      )
    : [];
  return ['127.0.0.1', ...others].map((host) => `http://${host}:${port}`);
};

const askMs = 8_000;
/** A form's page is shorter. */
const mostBytes = 2_000_000;

/** Asks a public relay as a visitor's browser would. Delivers nothing. */
async function lookFromOutside(address: string, form: Form): Promise<Connected> {
  const url = parseUrl(/^https?:/.test(address) ? address : `https://${address}`);
  if (!url || url.username || (url.protocol !== 'https:' && !isThisMachine(url.host)))
    return { findings: [], trouble: 'Write the public address, such as https://forms.your-company.com.' };
  const example = reservedHostIn(url.hostname);
  if (example !== undefined)
    return { findings: [], trouble: `${example} is a name for examples; write yours` };
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  const found = [await lookUp(url.hostname)];
  if (found[0]?.level !== 'failure' && url.protocol === 'https:') found.push(await seeCertificate(url));
  if (found.every(({ level }) => level !== 'failure')) {
    found.push(await askReady(base));
    found.push(await findForm(base, form));
    found.push(await submitNothing(base, form));
  }
  return { findings: found.map(shown) };
}

async function lookUp(host: string) {
  const all = await lookup(host, { all: true }).catch(() => []);
  return all.length > 0
    ? ok('DNS', `${host} is at ${all.map(({ address }) => address).join(', ')}`)
    : failure(
        'DNS',
        `${host} has no address yet`,
        'Add the record below at your DNS provider. It may take an hour until it is seen.',
      );
}

const seeCertificate = ({ hostname, port }: URL) =>
  new Promise<ReturnType<typeof ok>>((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port) || 443,
      servername: hostname,
      timeout: askMs,
    });
    const end = (finding: ReturnType<typeof ok>) => {
      socket.destroy();
      resolve(finding);
    };
    socket.once('secureConnect', () =>
      end(ok('TLS', `the certificate is good until ${socket.getPeerCertificate().valid_to}`)),
    );
    socket.once('timeout', () =>
      end(failure('TLS', `no answer within ${askMs / 1000} s`, 'Open port 443 in the firewall.')),
    );
    socket.once('error', ({ message }) =>
      end(
        failure(
          'TLS',
          message,
          'Look at the log of what does TLS, such as Caddy: ports 80 and 443 have to be open.',
        ),
      ),
    );
  });

interface Heard {
  readonly status: number;
  readonly text: string;
}

const ask = async (url: string, init: RequestInit = {}): Promise<Heard> => {
  try {
    const heard = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(askMs), ...init });
    return { status: heard.status, text: (await heard.text()).slice(0, mostBytes) };
  } catch (error) {
    const { cause, message } = error as Error & { readonly cause?: { readonly code?: string } };
    return { status: 0, text: cause?.code ?? message };
  }
};

const inWords = ({ status, text }: Heard) => (status === 0 ? text : `it answers ${status}`);

async function askReady(base: string) {
  const heard = await ask(`${base}/readyz`);
  if (heard.status === 200) return ok('Relay', 'it is ready');
  const remedy = 'Look at the log of the relay; without it, at that of the proxy in front of it.';
  // Google's front end keeps these paths to itself.
  return heard.status === 404
    ? warning('Relay', `${base}/readyz is not there`, 'On Cloud Run that is normal.')
    : failure('Relay', inWords(heard), remedy);
}

async function findForm(base: string, { id, fields }: Form) {
  const heard = await ask(`${base}/api/v1/form/${encodeURIComponent(id)}`);
  if (heard.status !== 200)
    return failure('Form', `${id}: ${inWords(heard)}`, 'Bring the latest config to the server.');
  const missing = fields.filter(({ name, inputs }) => !inputs && !heard.text.includes(`name="${name}"`));
  return missing.length === 0
    ? ok('Form', `${id} is there`)
    : warning(
        'Form',
        `${id} lacks ${missing.map(({ name }) => name).join(', ')}`,
        'Bring the latest config to the server.',
      );
}

/** The relay refuses an empty submission before it delivers anything. */
async function submitNothing(base: string, { id, fields }: Form) {
  const subject = 'Submission';
  if (!fields.some(({ required }) => required))
    return warning(
      subject,
      'not tried, since no field is required: an empty one would be delivered',
      'Send one from the page.',
    );
  const heard = await ask(`${base}/api/v1/submit/${encodeURIComponent(id)}`, {
    method: 'POST',
    body: new URLSearchParams(),
    headers: { accept: 'application/json' },
  });
  if (heard.status === 422)
    return ok(subject, 'an empty one was checked and refused, as it should be; nothing was delivered');
  if (heard.status === 200)
    return warning(
      subject,
      'an empty one was taken for that of a bot; nothing was delivered',
      'Send one from the page.',
    );
  return failure(
    subject,
    inWords(heard),
    'Look at the log of the relay; the line has the answer’s request id.',
  );
}
