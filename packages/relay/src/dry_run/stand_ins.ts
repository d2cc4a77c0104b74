import type { Output } from '../outputs/output.ts';
import { madeUpDkimKey } from '../transports/mail/dkim_key.ts';

/** A stand-in for an unset variable, so that messages can be shown. */
export interface StandIn {
  readonly value: string;
  /** Follows "is not set here". */
  readonly says: string;
}

const address: StandIn = {
  value: 'https://address.is-not-set.example/made-up',
  says: 'a made-up address stands in',
};

const secret: StandIn = {
  value: `whsec_${Buffer.from('made up, for it is not set here!').toString('base64')}`,
  says: 'a made-up secret signs',
};

const credential: StandIn = { value: 'made-up-credential', says: 'no token is asked for here' };

const login: StandIn = { value: 'made-up-login', says: 'nobody signs in here' };

const token: StandIn = { value: 'made-up-token', says: 'a made-up token stands in' };
const room: StandIn = { value: 'made-up-name', says: 'a made-up name stands in' };

const signingKey: StandIn = {
  get value() {
    return madeUpDkimKey();
  },
  says: 'a made-up key signs',
};

/** Stand-ins by the key of an output that needs one. */
const standIns: Readonly<Record<string, StandIn>> = {
  ...{ sign: secret, dkim: signingKey, oauth2: credential, token },
  ...{ username: login, password: login },
  ...{ channel: room, chat_id: room, room, topic: room },
};

/**
 * Stand-ins by variable: for addresses, signing keys, tokens and logins, and the tokens and
 * rooms of chats.
 */
export const standInsOf = (outputs: readonly Output[]): ReadonlyMap<string, StandIn> =>
  new Map(
    outputs.flatMap(({ target, templates }) => [
      ...templates.flatMap(({ path, template }) => {
        const standIn = standIns[String(path[0])];
        return standIn ? [...template.envNames].map((name) => [name, standIn] as const) : [];
      }),
      ...(target?.via === 'http' && 'env' in target.address ? [[target.address.env, address] as const] : []),
    ]),
  );
