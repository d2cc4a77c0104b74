/** All that a config with keys loads: their rules, and the stage that lets servers in. */
import { readClient } from '../../base/client.ts';
import { late, lateFunction } from '../../base/late.ts';
import { clientNetwork } from '../../base/networks.ts';
import type { Outcome, RefusalCode } from '../../base/outcome.ts';
import { err, ok } from '../../base/result.ts';
import type { ServerArrival, ServersStage } from '../../form.ts';
import type { Taken } from '../../memory/rates.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { list, secretVariable } from '../../schema/kinds.ts';
import type { Rate } from '../../schema/rate.ts';
import type { RawMap } from '../feature.ts';
import { keepsInQueue } from '../keep/keep.ts';
import { type Keys, senderOf } from './senders.ts';

export const variableNames = list(secretVariable(), { least: 1 });

const mostKeys = 20;

/** Mistakes between keys of a form as it is written. */
export function keysProblems(
  { keys_env: names, keys_limit: limit }: RawMap,
  { keep, counted_in: place }: RawMap,
): readonly Finding[] {
  if (!Array.isArray(names))
    return limit === undefined || names !== undefined
      ? []
      : [{ ...finding('keys_limit_unused', ['keys_limit']), aboutKey: true }];
  return [
    ...(names.length > mostKeys ? [finding('keys_too_many', ['keys_env'], { most: mostKeys })] : []),
    ...names.flatMap((name, at) =>
      names.indexOf(name) < at ? [finding('keys_env_twice', ['keys_env', at])] : [],
    ),
    ...(keepsInQueue(keep) && !place ? [{ ...finding('keys_in_queue', ['keys_env']), aboutKey: true }] : []),
  ];
}

export const keysWarnings = ({ where }: Keys): readonly Finding[] =>
  where ? [] : [{ ...finding('keys_remembered_nowhere', ['keys_env']), aboutKey: true }];

/** How many wrong keys of one client are answered 401, each with a line in the log. */
const wrongLimit = { most: 20, withinMs: 60_000 };

const answerOnce = lateFunction(late(async () => (await import('./answered_once.ts')).answerOnce));

/** Lets servers in, and answers each `Idempotency-Key` once. */
export const serversStage = ({ names, limit, where }: Keys): ServersStage => ({
  knows: (key, env) => senderOf(names, key, env) !== undefined,
  admit: async (key, arrival) => {
    const { form, effects, world, tell } = arrival;
    const sender = senderOf(names, key, effects.env);
    if (!sender) return err(await refuse(arrival));
    const late = await waitAt(`${form.id}\0${sender.name}`, limit, arrival, { key: sender.name });
    if (late) return err(late);
    tell({ kind: 'checked', passed: true, evidence: { check, code: 'known', key: sender.name } });
    const header = world.request.headers['idempotency-key'];
    if (header === undefined) return ok(async () => ok(undefined));
    const idempotencyKey = readIdempotencyKey(header);
    if (idempotencyKey === undefined) return err(badRequest('idempotency_key_malformed'));
    if (!where) return err(badRequest('idempotency_unavailable'));
    return ok(async (sent) => answerOnce({ where, sender, idempotencyKey }, sent, arrival));
  },
});

/** Wrong keys count for their client, who cannot use up anything of a server's. */
async function refuse(arrival: ServerArrival): Promise<Outcome> {
  const { form, world, settings, memory, tell } = arrival;
  const from = readClient(world.request, settings);
  const network = 'address' in from ? clientNetwork(from.address) : '';
  const client = network === '' ? undefined : memory.nameOf(network);
  const late = await waitAt(`${form.id}\0\0${network}`, wrongLimit, arrival, { client });
  if (late) return late;
  tell({ kind: 'checked', passed: false, evidence: { check, code: 'wrong', client } });
  return { kind: 'key_refused' };
}

/** How the request ends if there were too many before. */
async function waitAt(
  name: string,
  limit: Rate | undefined,
  { memory, tell }: ServerArrival,
  about: { readonly key: string } | { readonly client: string | undefined },
): Promise<Outcome | undefined> {
  if (!limit) return undefined;
  const taken: Taken = await memory.rates.take(`keys\0${name}`, limit);
  if (!('waitMs' in taken)) return undefined;
  tell({ kind: 'checked', passed: false, evidence: { check, code: 'beyond', ...limit, ...about } });
  const retryAfterSeconds = Math.max(1, Math.ceil(taken.waitMs / 1_000));
  return { kind: 'rate_limited', retryAfterSeconds, ...('key' in about && { by: 'key' }) };
}

const check = 'keys';

const badRequest = (code: RefusalCode): Outcome => ({ kind: 'bad_request', refusal: { code } });

/**
 * Reads an `Idempotency-Key` header: a quoted string (RFC 9651, 3.3.3), as the IETF's draft has it, or the bare text that most
 * senders write. 1 to 255 printable ASCII characters. Both forms of one text are the same key.
 *
 * @returns `undefined` if it is malformed.
 */
export function readIdempotencyKey(header: string): string | undefined {
  const text = header.trim();
  const key = text.startsWith('"') ? unquoted(text) : text;
  return key !== undefined && /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined;
}

/** Quotes and backslashes inside are escaped, and nothing follows the end. */
function unquoted(text: string): string | undefined {
  const [, inside] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? [];
  return inside?.replaceAll(/\\(.)/g, '$1');
}
