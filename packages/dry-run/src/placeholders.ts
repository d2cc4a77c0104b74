/** Placeholders for unset variables in a dry run, so that messages can be shown, and what they change. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Form } from '@form-relay/core/form';
import type { EnvUse } from '@form-relay/schema/diagnostics';

export const placeholderSettings = (): Readonly<Record<string, string>> => ({
  FORM_TOKEN_SECRET: randomUUID(),
  RECEIPT_SECRET: randomUUID(),
  PUBLIC_URL: 'https://public-url-is-not-set.example',
  MAIL_FROM_ADDRESS: 'mail-from-address@is-not-set.example',
});

const madeUp = 'one was made up for this run';
/** Follows "is not set here". */
const settingsSay: Readonly<Record<string, string>> = {
  FORM_TOKEN_SECRET: madeUp,
  RECEIPT_SECRET: madeUp,
  PUBLIC_URL: 'another address stands in',
  MAIL_FROM_ADDRESS: 'a made-up address stands in',
};

interface Placeholder {
  readonly value: string;
  /** Follows "is not set here". */
  readonly says: string;
}

const login: Placeholder = { value: 'made-up-login', says: 'nobody signs in here' };
const noToken: Placeholder = { value: 'made-up-credential', says: 'no token is asked for here' };
const room: Placeholder = { value: 'made-up-name', says: 'a made-up name stands in' };
const address: Placeholder = {
  value: 'https://address.is-not-set.example/made-up',
  says: 'a made-up address stands in',
};

/** The JSON of a service account, with a key of this process. */
function makeServiceAccount(): Placeholder {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const account = {
    token_uri: 'https://address.is-not-set.example/made-up',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  return { ...noToken, value: JSON.stringify(account) };
}

let serviceAccount: Placeholder | undefined;

/** By the key of an output that needs one. */
const placeholders: Readonly<Record<string, Placeholder>> = {
  sign: {
    value: `whsec_${Buffer.from('made up, for it is not set here!').toString('base64')}`,
    says: 'a made-up secret signs',
  },
  oauth2: noToken,
  token: { value: 'made-up-token', says: 'a made-up token stands in' },
  url: address,
  url_env: address,
  username: login,
  password: login,
  channel: room,
  chat_id: room,
  room,
  topic: room,
};

/** Any secret would do, since no request reaches the provider: no note mentions it. */
const captchaSecret: Placeholder = { value: 'dry-run', says: '' };

/** Placeholders by variable, for what outputs and captchas cannot do without: addresses, keys, tokens and logins. */
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
    unset.flatMap((name) => (of(name) ? `${name} is not set here: ${of(name)}` : []));
  const captcha = provided.get('captcha');
  const keep = provided.get('keep');
  return [
    ...unset
      .filter((name) => !(name in settingsSay) && !known.get(name)?.says)
      .map((name) => `${name} is not set here, so it renders empty`),
    ...saying((name) => settingsSay[name]),
    ...saying((name) => known.get(name)?.says),
    ...(keep ? [`this run keeps nothing in ${keep.where.in.name}, and tries nothing again later`] : []),
    ...(provided.get('places')
      ? ['this run does not ask what is taken: it counts from 0, and in its own memory alone']
      : []),
    ...(captcha ? [`${captcha.provider} was not asked: this run decides by itself`] : []),
  ];
}
