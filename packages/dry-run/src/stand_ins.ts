import type { Form } from '@form-relay/core/form';

/** Stands in for an unset variable, so that messages can be shown. */
export interface StandIn {
  readonly value: string;
  /** Follows "is not set here". */
  readonly says: string;
}

const secret: StandIn = {
  value: `whsec_${Buffer.from('made up, for it is not set here!').toString('base64')}`,
  says: 'a made-up secret signs',
};
const login: StandIn = { value: 'made-up-login', says: 'nobody signs in here' };
const room: StandIn = { value: 'made-up-name', says: 'a made-up name stands in' };
let dkimKey: string | undefined;

/** By the key of an output that needs one. */
const standIns: Readonly<Record<string, StandIn>> = {
  sign: secret,
  dkim: {
    get value() {
      dkimKey ??= process
        .getBuiltinModule('node:crypto')
        .generateKeyPairSync('rsa', {
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
  username: login,
  password: login,
  channel: room,
  chat_id: room,
  room,
  topic: room,
};

/** Stand-ins by variable, for what outputs cannot do without: addresses, keys, tokens and logins. */
export const standInsOf = (forms: Iterable<Pick<Form, 'outputs'>>): ReadonlyMap<string, StandIn> =>
  new Map(
    [...forms].flatMap(({ outputs }) =>
      outputs.flatMap(({ templates }) =>
        templates.flatMap(({ path, template }) => {
          const standIn = standIns[String(path[0])];
          return standIn ? [...template.envNames].map((name) => [name, standIn] as const) : [];
        }),
      ),
    ),
  );
