import type { EnvUse } from '@form-relay/core/schema/diagnostics';

/** A value in the place of an unset variable, so that messages can be shown. */
export interface Placeholder {
  readonly value: string;
  /** Follows "is not set here". */
  readonly says: string;
}

const secret: Placeholder = {
  value: `whsec_${Buffer.from('made up, for it is not set here!').toString('base64')}`,
  says: 'a made-up secret signs',
};
const login: Placeholder = { value: 'made-up-login', says: 'nobody signs in here' };
const room: Placeholder = { value: 'made-up-name', says: 'a made-up name stands in' };
let dkimKey: string | undefined;

/** By the key of an output that needs one. */
const placeholders: Readonly<Record<string, Placeholder>> = {
  sign: secret,
  dkim: {
    get value() {
      dkimKey ??= process.getBuiltinModule('node:crypto').generateKeyPairSync('rsa', {
        modulusLength: 2_048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }).privateKey;
      return dkimKey;
    },
    says: 'a made-up key signs',
  },
  oauth2: { value: 'made-up-credential', says: 'no token is asked for here' },
  token: { value: 'made-up-token', says: 'a made-up token stands in' },
  url: { value: 'https://address.is-not-set.example/made-up', says: 'a made-up address stands in' },
  url_env: { value: 'https://address.is-not-set.example/made-up', says: 'a made-up address stands in' },
  username: login,
  password: login,
  channel: room,
  chat_id: room,
  room,
  topic: room,
};

/** Any secret would do, since no provider is asked: nobody needs to hear of it. */
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
  const output = path.findIndex((step) => step === 'outputs' || step === 'through');
  const key = path.slice(output + 1).find((step) => typeof step === 'string');
  return output < 0 ? undefined : placeholders[String(key)];
}
