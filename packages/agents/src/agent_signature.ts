/** Verifies signatures of agents (draft-ietf-webbotauth-httpsig-protocol). For submissions, it is stricter than the draft. */
import { createHash } from 'node:crypto';
import { publicAddress } from '@form-relay/core/http/request';
import type { Submission } from '@form-relay/core/index';
import type { SharedState } from '@form-relay/stores/store';
import { type InnerList, isInnerList, parseItem } from 'structured-headers';
import { type Directories, directoryAddress } from './directory.ts';
import { bytesIn, isDigestOf, readDictionary, type SignedRequest, signatureBase } from './signature.ts';

/** An agent that a config names. */
export interface Agent {
  /** The directory's URL, as returned by `directoryAddress`. */
  readonly address: string;
  /** The URL as written in the config. */
  readonly name: string;
  readonly may: 'send' | 'doubt';
}

export interface Verdict {
  readonly agent: Agent;
  /** `unverified`: the signature could not be checked, for example because the directory was unavailable. */
  readonly result: 'verified' | 'invalid' | 'expired' | 'replayed' | 'unverified';
  /** The reason, for the owner. Contains no submitted data. */
  readonly why?: string;
}

export interface Judges {
  readonly agents: readonly Agent[];
  readonly directories: Directories;
  readonly state: SharedState;
}

/** How far agents' clocks may differ from this one, in seconds. */
const skew = 60;
const mostSeconds = 86_400;
/** Only the first signatures, and the first members that name agents, are examined: anybody can send headers with many of them. */
const mostMembers = 5;

/** `undefined`: the request has no signature, or does not claim to come from an agent in the config. */
export async function judge(submission: Submission, judges: Judges): Promise<Verdict | undefined> {
  const { 'signature-agent': named, 'signature-input': inputs, signature } = submission.request.headers;
  const claimed = claimedBy(named, judges.agents);
  const [first] = claimed.values();
  if (!first || (inputs === undefined && signature === undefined)) return undefined;
  let failed: Verdict | undefined;
  const ours = [...(readDictionary(inputs) ?? [])].filter(
    ([, input]) => input[1].get('tag') === 'web-bot-auth',
  );
  for (const [label, input] of ours.slice(0, mostMembers)) {
    const isUnclear = [inputs, signature].some((header) => occurrences(header, label) !== 1);
    const agent = isInnerList(input) && !isUnclear ? agentOf(input, claimed) : undefined;
    if (!agent) continue;
    const verdict = await judgeOne(submission, label, input as InnerList, agent, judges);
    if (verdict.result === 'verified') return verdict;
    failed ??= verdict;
  }
  return (
    failed ?? { agent: first, result: 'invalid', why: 'no agent signature covers the Signature-Agent header' }
  );
}

/** The agents named in `Signature-Agent`, by member. A whole header without members, as in earlier drafts, has the key ''. */
function claimedBy(header: string | undefined, agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const claimed = new Map<string, Agent>();
  const add = (member: string, named: unknown, type: unknown) => {
    const isUnknown = type !== undefined && !/^(directory|jwks_uri)$/.test(String(type));
    const address = typeof named === 'string' && !isUnknown ? directoryAddress(named) : undefined;
    const agent = agents.find((one) => one.address === address);
    if (agent) claimed.set(member, agent);
  };
  if (!header?.trimStart().startsWith('"')) {
    const members = [...(readDictionary(header) ?? [])]
      .slice(0, mostMembers)
      .filter(([name]) => occurrences(header, name) === 1);
    for (const [name, [value, parameters]] of members) {
      add(name, value, parameters.get('type'));
      if (members.length === 1) add('', value, parameters.get('type'));
    }
    return claimed;
  }
  try {
    add('', parseItem(header)[0], undefined);
  } catch {}
  return claimed;
}

/** How many times a dictionary contains a member. Parsers disagree on which of several counts. */
const occurrences = (header: string | undefined, name: string): number =>
  (header ?? '').split(',').filter((part) => part.trimStart().startsWith(`${name}=`)).length;

/** The agent whose name is covered by the signature. */
function agentOf([components]: InnerList, claimed: ReadonlyMap<string, Agent>): Agent | undefined {
  const [covered, ...others] = components.filter(([name]) => name === 'signature-agent');
  return covered && others.length === 0 ? claimed.get(String(covered[1].get('key') ?? '')) : undefined;
}

async function judgeOne(
  submission: Submission,
  label: string,
  input: InnerList,
  agent: Agent,
  { directories, state }: Judges,
): Promise<Verdict> {
  const { services, settings, request, receivedAt } = submission;
  const is = (result: Verdict['result'], why?: string): Verdict => ({ agent, result, ...(why && { why }) });
  const address = new URL(publicAddress(request, settings.publicUrl) ?? 'http://unknown.invalid');
  const signed: SignedRequest = {
    ...{ method: request.method, query: request.query, headers: request.headers },
    origin: address.origin,
    path: `${address.pathname.replace(/\/$/, '')}${request.path}`,
    body: request.body ?? new Uint8Array(),
  };
  const missing = missingIn(input, request.query);
  if (missing !== undefined) return is('invalid', `the signature does not cover ${missing}`);
  const { created, expires, keyid, alg, nonce } = Object.fromEntries(input[1]);
  const areTexts = [alg, nonce].every((one) => one === undefined || typeof one === 'string');
  if (!Number.isInteger(created) || !Number.isInteger(expires) || typeof keyid !== 'string' || !areTexts)
    return is('invalid', 'created, expires or keyid is missing, or malformed');
  const [from, until] = [Number(created), Number(expires)];
  if (until <= from || until - from > mostSeconds)
    return is('invalid', 'the signature must be valid for 1 s to 24 h');
  const now = receivedAt / 1_000;
  if (from > now + skew) return is('expired', 'the signature was created in the future: check both clocks');
  if (until < now - skew) return is('expired', 'the signature has expired');
  const text = signatureBase(signed, input);
  const bytes = bytesIn(readDictionary(request.headers.signature)?.get(label));
  if (text === undefined || !bytes)
    return is('invalid', 'the signature is malformed, or covers a component that the request lacks');
  if (!isDigestOf(request.headers['content-digest'], signed.body))
    return is('invalid', 'Content-Digest is not that of the body');
  if (services.isDryRun) return is('unverified', 'a dry run contacts no directory');
  const found = await directories.key(agent.address, keyid, services);
  if ('failure' in found) return is('unverified', found.failure);
  if ('unknown' in found) return is('invalid', found.unknown);
  if (alg !== undefined && alg !== found.key.algorithm)
    return is('invalid', 'the algorithm does not match the key');
  if (!(await found.key.verifies(bytes, text)))
    return is('invalid', 'the signature was not made with this key');
  // Some signatures can be altered and stay valid, so the signed text identifies the use, not the signature.
  const use = createHash('sha256')
    .update(JSON.stringify([agent.address, keyid, nonce ?? text]))
    .digest('base64url');
  const by = services.uuid();
  try {
    const entry = await state.change(
      submission,
      `agents ${use}`,
      (known) => known ?? { text: by, until: (until + 2 * skew) * 1_000 },
    );
    return entry?.text === by ? is('verified') : is('replayed', 'the signature was already used');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return is('unverified', `could not check for a replay: ${why}`);
  }
}

/** The first reason why a signature is not restricted to one submission to one form. */
function missingIn([components]: InnerList, query: string): string | undefined {
  const covered = new Set(components.filter(([, { size }]) => size === 0).map(([name]) => name));
  const has = (...names: readonly string[]) => names.every((name) => covered.has(name));
  if (!has('@method')) return '@method';
  if (!has('@target-uri') && !has('@authority', '@path', ...(query === '' ? [] : ['@query'])))
    return '@target-uri, nor @authority, @path and a query';
  return has('content-digest') ? undefined : 'content-digest';
}
