/** A relay whose services record what they would send. All checks, templates and payloads are real. */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Form } from '@form-relay/core/form';
import type { RelayRequest } from '@form-relay/core/http/request';
import { always, bundled } from '@form-relay/runtimes/bundled';
import { openClientsOf } from '@form-relay/runtimes/node/relay';
import { createRelay, type RelayOptions } from '@form-relay/runtimes/relay';
import type { Relay, RelayHandle } from '@form-relay/runtimes/running_relay';
import { openNode } from '@form-relay/runtimes/services';
import type { EnvUse } from '@form-relay/schema/diagnostics';
import {
  currentRecording,
  printing,
  type Recording,
  record,
  recordingLog,
  recordingPlugin,
} from './printing.ts';
import type { SubmissionReport } from './report.ts';
import { Secrets } from './secrets.ts';
import { reportOf } from './write_report.ts';

/** The options of any relay. The clients in `services` are used if `isDelivering`. */
export interface DryRunOptions extends Omit<RelayOptions, 'dryRun'> {
  /** Called with the report of each answered submission, before the response is sent. */
  readonly onReport: (report: SubmissionReport) => void;
  /** Whether outputs really deliver. Captchas are never verified. */
  readonly isDelivering?: boolean;
  /** The relay's URL in this run, read for each request. Default: PUBLIC_URL, or a placeholder. */
  readonly publicUrl?: () => string | undefined;
}

/** A relay whose settings contain placeholders for unset variables. */
export interface DryRun extends Relay {
  /** The differences between this run of a form and a real relay with these variables. */
  notesOf(formId: string): readonly string[];
}

export function createDryRun({
  onReport,
  isDelivering = false,
  publicUrl,
  ...options
}: DryRunOptions): DryRun {
  const secrets = new Secrets();
  const real = options.env ?? process.env;
  const made = placeholderSettings();
  const env = { ...made, ...withoutEmpty(real) };
  /** Placeholders for the outputs of the current config. Real deliveries use none. */
  const placeholders = () => (isDelivering ? new Map() : placeholdersOf(relay.config.current?.env ?? []));
  const relay = createRelay(
    {
      bundled,
      ...options,
      openClients: openClientsOf({ ...options, env }),
      env,
      plugins: [recordingPlugin(isDelivering), ...always, ...(options.plugins ?? [])],
      dryRun: isDelivering ? 'delivering' : true,
      throttled: false,
      services: {
        ...(options.services?.now && { now: options.services.now }),
        log: recordingLog(options.services?.log ?? (() => {})),
      },
      observe: (event) => {
        options.observe?.(event);
        const recording = currentRecording();
        if (recording) recording.answered = event;
      },
    },
    (base) => {
      const runtime = openNode(base);
      const services = { ...runtime.services, ...options.services };
      const readEnv = (name: string) => {
        const value = services.env(name);
        // PUBLIC_URL is not secret.
        if (value && name !== 'PUBLIC_URL' && value !== made[name]) secrets.add(name, value);
        return value || placeholders().get(name)?.value;
      };
      return { ...runtime, services: printing({ ...services, env: readEnv }, secrets, isDelivering) };
    },
  );
  if (publicUrl)
    Object.defineProperty(relay.settings, 'publicUrl', { get: () => publicUrl() ?? env.PUBLIC_URL });
  const { admit, uploads } = relay.handle;
  const notesOf = (formId: string) => {
    const { forms, env = [] } = relay.config.current ?? {};
    const form = forms?.get(formId);
    return form ? notes(form, env, { isSet: (name) => Boolean(real[name]), isDelivering }) : [];
  };
  const handle = async (request: RelayRequest) => {
    const recording: Recording = { answered: undefined, deliveries: new Map(), logged: [] };
    // The report is complete with the response, so nothing may run later.
    const answer = await record(recording, () => relay.handle({ ...request, livesOn: false }));
    const { answered } = recording;
    if (answered)
      onReport(await reportOf(request, { ...recording, answered }, secrets, notesOf(answered.formId ?? '')));
    return answer;
  };
  return { ...relay, handle: Object.assign(handle, { admit, uploads }) satisfies RelayHandle, notesOf };
}

const withoutEmpty = (env: RelayOptions['env'] = {}) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

/** The confirmation link in the mail for a held submission, without the relay's origin. */
export function confirmLink({ outcome, mails }: SubmissionReport): string | undefined {
  if (outcome !== 'held') return undefined;
  const texts = mails.flatMap(({ sent }) => sent).map((sent) => (sent.kind === 'mail' ? sent.text : ''));
  return /^https?:\/\/[^\s/]+(\/(?:[\w-]+\/)?api\/v1\/confirm\/\S+)$/m.exec(texts.join('\n'))?.[1];
}

/** Placeholders for unset variables in a dry run, so that messages can be shown, and how they affect the result. */

const placeholderSettings = (): Readonly<Record<string, string>> => ({
  FORM_TOKEN_SECRET: randomUUID(),
  RECEIPT_SECRET: randomUUID(),
  PUBLIC_URL: 'https://public-url-is-not-set.example',
  MAIL_FROM_ADDRESS: 'mail-from-address@is-not-set.example',
});

const madeUp = 'this run uses a made-up value';
/** Continues the sentence "… is not set here". */
const settingsSay: Readonly<Record<string, string>> = {
  FORM_TOKEN_SECRET: madeUp,
  RECEIPT_SECRET: madeUp,
  PUBLIC_URL: 'this run uses a placeholder address',
  MAIL_FROM_ADDRESS: 'this run uses a placeholder address',
};

interface Placeholder {
  readonly value: string;
  /** Continues the sentence "… is not set here". */
  readonly says: string;
}

const login: Placeholder = { value: 'made-up-login', says: 'a dry run does not sign in' };
const noToken: Placeholder = { value: 'made-up-credential', says: 'a dry run requests no token' };
const room: Placeholder = { value: 'made-up-name', says: 'this run uses a made-up name' };
const address: Placeholder = {
  value: 'https://address.is-not-set.example/made-up',
  says: 'this run uses a placeholder address',
};

/** The JSON of a fake service account, with a key that this process generated. */
function makeServiceAccount(): Placeholder {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const account = {
    token_uri: 'https://address.is-not-set.example/made-up',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  return { ...noToken, value: JSON.stringify(account) };
}

let serviceAccount: Placeholder | undefined;

/** Keyed by the output's key that needs one. */
const placeholders: Readonly<Record<string, Placeholder>> = {
  sign: {
    value: `whsec_${Buffer.from('made up, because it is not set here').toString('base64')}`,
    says: 'this run signs with a made-up secret',
  },
  oauth2: noToken,
  token: { value: 'made-up-token', says: 'this run uses a made-up token' },
  url: address,
  url_env: address,
  username: login,
  password: login,
  channel: room,
  chat_id: room,
  room,
  topic: room,
};

/** Any secret would do, because no request reaches the provider. Not mentioned in the notes. */
const captchaSecret: Placeholder = { value: 'dry-run', says: '' };

/** Placeholders by variable, for values that outputs and captchas require: addresses, keys, tokens and logins. */
export const placeholdersOf = (uses: readonly EnvUse[]): ReadonlyMap<string, Placeholder> =>
  new Map(
    uses.flatMap((use) => {
      const placeholder = placeholderFor(use);
      return placeholder ? [[use.name, placeholder] as const] : [];
    }),
  );

function placeholderFor({ path }: EnvUse): Placeholder | undefined {
  if (path.includes('captcha')) return captchaSecret;
  if (path.includes('service_account')) {
    serviceAccount ??= makeServiceAccount();
    return serviceAccount;
  }
  const output = path.findIndex((step) => step === 'outputs' || step === 'through');
  const key = path.slice(output + 1).find((step) => typeof step === 'string');
  return output < 0 ? undefined : placeholders[String(key)];
}

/**
 * The differences between a dry run of a form and a relay with the same variables.
 *
 * @param all The variables that the config reads.
 */
export function notes(
  { id, provided }: Form,
  all: readonly EnvUse[],
  { isSet, isDelivering }: { readonly isSet: (name: string) => boolean; readonly isDelivering: boolean },
): readonly string[] {
  const uses = all.filter(({ path }) => path[0] === 'forms' && path[1] === id && !path.includes('keys_env'));
  // Real deliveries use no placeholders.
  const known = isDelivering ? new Map<string, Placeholder>() : placeholdersOf(uses);
  const unset = [...new Set(uses.map(({ name }) => name))].filter((name) => !isSet(name));
  const saying = (of: (name: string) => string | undefined) =>
    unset.flatMap((name) => (of(name) ? `${name} is not set here; ${of(name)}` : []));
  const captcha = provided.get('captcha');
  const keep = provided.get('keep');
  return [
    ...unset
      .filter((name) => !(name in settingsSay) && !known.get(name)?.says)
      .map((name) => `${name} is not set here, so it renders as empty text`),
    ...saying((name) => settingsSay[name]),
    ...saying((name) => known.get(name)?.says),
    ...(keep ? [`a dry run queues nothing in ${keep.where.in.name}, and retries nothing`] : []),
    ...(provided.get('places') ? ['a dry run does not read the store: it counts from 0, in memory'] : []),
    ...(captcha ? [`${captcha.provider} was not contacted: a dry run decides the result itself`] : []),
  ];
}
