import type { FormOutput } from '../../form.ts';

/** What stands in for a variable that is not set, so that it can be shown what would be sent. */
export interface StandIn {
  readonly value: string;
  /** After "is not set here". */
  readonly says: string;
}

const address: StandIn = {
  value: 'https://address.is-not-set.example/',
  says: 'a made-up address stands in',
};

const secret: StandIn = {
  value: `whsec_${Buffer.from('made up, for it is not set here!').toString('base64')}`,
  says: 'a made-up secret signs',
};

/** By the name of the variable, for all that outputs read their address (D67) or what they sign with (D80) from. */
export const standInsOf = (outputs: readonly FormOutput[]): ReadonlyMap<string, StandIn> =>
  new Map(
    outputs.flatMap(({ target, templates }) => [
      ...templates
        .filter(({ path }) => path[0] === 'sign')
        .flatMap(({ template }) => [...template.envNames].map((name) => [name, secret] as const)),
      ...(target?.via === 'http' && 'env' in target.address ? [[target.address.env, address] as const] : []),
    ]),
  );
