/** "Publish": a relay on this machine, files and commands for a server, and a check of it from outside. */

import { networkInterfaces } from 'node:os';
import type { Result } from '@form-relay/base/result';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { lookFromOutside } from '@form-relay/doctor/outside';
import { unsupportedOnCloudflare } from '@form-relay/runtimes/cloudflare/unsupported';
import { Diagnostics, Report } from '@form-relay/schema/diagnostics';
import { DeployMistake, type Deployment, deployment } from '@form-relay/starters/deploy';
import { deployTargets } from '@form-relay/starters/deploy_targets';
import { readDocument } from '@form-relay/yaml/document';
import { formatPath } from '@form-relay/yaml/problem';
import { json, nothing } from './answers.ts';
import type { LiveConfig } from './live_config.ts';
import { jsonIn, shown } from './mail_connection.ts';
import type { Connected, PublishState, Served } from './state.ts';
import { refuseOthers } from './studio_server.ts';

export type { LogLine, Served } from './state.ts';

export const publishPath = '/studio/publish';

/** A relay that serves the config file. */
export interface LocalRelay {
  readonly state: Served;
  /** @param isShared Also listens on the local network. */
  start(isShared: boolean): void;
  stop(): void;
  /** Makes it read its config immediately. */
  reload(): void;
}

export interface Publishing {
  readonly local: (changed: () => void) => LocalRelay;
  /** Pages of the manual, and files in deploy/. */
  readonly sources: () => Promise<Readonly<Record<string, string>>>;
  /** Writes new files next to the config without replacing any; resolves with their folder. */
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
      const made = deployment(asked.target, options, await publishing.sources());
      return asked.target === 'workers' ? { ...made, notes: unsupportedIn(config.text) } : made;
    } catch (error) {
      if (!(error instanceof DeployMistake)) throw error;
      const trouble =
        mistakes[error.message] ?? `${error.message} contains characters that are not allowed in commands`;
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
        if (!form) return undefined;
        const seen = await lookFromOutside(String(sent.address ?? ''), form);
        return { ...seen, findings: seen.findings.map(shown) } satisfies Connected;
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
      if (request.method !== 'POST') return request.path === publishPath ? json(stateNow()) : nothing(404);
      const refusal = refuseOthers(request);
      if (refusal) return refusal;
      const found = await post(request.path.slice(publishPath.length + 1), jsonIn(request.body));
      return found === undefined ? nothing(404) : json(found);
    },
  };
}

/** Paths of the config's parts that a Worker cannot run. */
function unsupportedIn(text: string): readonly string[] {
  const document = readDocument(text);
  const report = new Report();
  if (document.ok) unsupportedOnCloudflare(document.value.value, new Diagnostics([], report));
  return report.errors.map(({ path, message }) => `${formatPath(path)}: ${message}.`);
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

/** Keyed by the names in `DeployOptions`. */
const mistakes: Readonly<Record<string, string>> = {
  domain: 'Enter the public host name, such as forms.your-company.com.',
  email: 'Enter your own address: the certificate authority sends mails to it.',
  file: 'Rename the config so that its name has only letters, digits, dots and hyphens: the commands contain it.',
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
