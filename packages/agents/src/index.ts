/** `agents`: programs that sign their requests may skip the checks for browsers. */
import { type Finding, failure, ok } from '@form-relay/base/finding';
import { countingPlace } from '@form-relay/capacity/counters/index';
import { type CheckContext, check } from '@form-relay/core/command';
import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin, Submission, Values } from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import { array, object } from '@form-relay/schema/collections';
import { httpUrl, oneOf } from '@form-relay/schema/scalars';
import { checked, optional, required, schemaLike, withDefault } from '@form-relay/schema/schema';
import { agentName, thresholdsOf } from '@form-relay/spam/score/marks';
import { isProven, passes, suspicion } from '@form-relay/spam/state';
import { placesFor } from '@form-relay/stores/index';
import type { Agent, Verdict } from './agent_signature.ts';
import { Directories, directoryAddress, fetchDirectory } from './directory.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly agents: readonly Agent[];
  }
}

const directory = schemaLike(
  httpUrl(),
  checked(httpUrl(), (url, at) =>
    directoryAddress(url.href) === undefined || url.search !== '' || url.hash !== ''
      ? at.error('an agent is named by an https:// address without a query, such as https://agent.example')
      : url,
  ),
);

const keys = {
  agents: optional(
    'Programs that may skip the checks for browsers if they sign their requests: `[{directory: https://agent.example}]` (docs/signed-agents.md). Needs PUBLIC_URL.',
    array(
      object({
        directory: required(
          'Address of the agent’s key directory, with which it identifies itself: an origin, or the address of a key set.',
          directory,
        ),
        may: withDefault(
          'send',
          '`send`: submissions that the agent signed count as sent by a person. `doubt`: they count as in doubt (`spam.doubt`), and are never dropped.',
          oneOf(['send', 'doubt']),
        ),
      }),
      { least: 1 },
    ),
  ),
};

export const plugin = (): Plugin => {
  const directories = new Directories();
  const agents = feature({
    name: 'agents',
    reads: ['shared_state'],
    after: ['links'],
    before: ['honeypot', 'too_fast', 'min_fill', 'captcha', 'proof', 'doubt'],
    keys: { form: keys, top: keys },
    configure: ({ form, top, spam, topSpam, provided, sharedBy }, at) => {
      const named = form.agents ?? top.agents;
      if (!named) return undefined;
      const place = form.agents ? at.in('agents') : at.fromTop('agents');
      place.needsEnv('PUBLIC_URL');
      if (!sharedBy.get('counters') && !countingPlace(sharedBy.get('keep')))
        return place.error(
          `the relay needs a store to detect replayed signatures; add counted_in at the top: ${placesFor('counts')}`,
          { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
        );
      if (!thresholdsOf(spam, topSpam).some(({ action }) => action === 'tag' || action === 'aside'))
        return place.error(
          'submissions with a bad signature are in doubt, but spam has no doubt that tags or quarantines; write doubt: tag, or add aside to it, such as {tag: 5, aside: 8}',
          { aboutKey: true },
        );
      const state = provided.get('shared_state');
      if (!state) return undefined;
      const all = named.flatMap(({ directory, may = 'send' }): readonly Agent[] => {
        const address = directory && directoryAddress(directory.href);
        return address === undefined ? [] : [{ address, may, name: directory.href.replace(/\/$/, '') }];
      });
      return {
        provides: all,
        reserves: [{ name: agentName, key: [], what: 'the agent that signed a submission' }],
        cards: [
          {
            name: 'agents',
            says: `accepts submissions that ${all.map(({ name }) => name).join(', ')} signed`,
          },
        ],
        browsersOnly: true,
        beforeValidation: (next) => (submission) => {
          const { 'signature-agent': claim } = submission.request.headers;
          if (claim === undefined) return next(submission);
          return import('./agent_signature.ts').then(async ({ judge }) => {
            const verdict = await judge(submission, { agents: all, directories, state });
            if (verdict) heed(verdict, submission);
            return next(submission);
          });
        },
        afterValidation: (next) => (submission) => {
          const name = submission.getState(verified);
          if (typeof name === 'string')
            submission.values = new Map([...submission.values, [agentName, [name]]]);
          return next(submission);
        },
      };
    },
  });
  return {
    name: 'agents',
    features: [agents],
    outputExtensions: [labelling],
    checks: [check('Agents', async () => ({ probe }))],
    messages: { en: { mail_agent: 'Sent by the program' } },
  };
};

/** The name of the agent whose signature is valid. */
const verified = Symbol('verified');

/**
 * A valid signature replaces all checks for browsers, since the agent states that it is a program. An invalid signature
 * replaces only checks that would drop a submission silently, since the other checks tell the sender.
 */
function heed({ agent: { name, may }, result, why }: Verdict, submission: Submission): void {
  const isGood = result === 'verified';
  submission.addLogFields({ agent: name, signature: result, ...(why && { signature_why: why }) });
  submission.trace?.note(`the signature of ${name} is ${result}${why ? `: ${why}` : ''}`);
  submission.setState(passes, isGood ? 'all' : 'dropping');
  if (isGood) {
    submission.setState(verified, name);
    submission.setState(isProven, true);
  }
  if (!isGood || may === 'doubt')
    submission.setState(suspicion, isGood ? 'sent by an agent' : `the signature of an agent is ${result}`);
}

/** The name becomes a header, and entries in a store could be forged. */
function agentIn(values: Values): string | undefined {
  const name = values.get(agentName)?.[0];
  return name !== undefined && name.length <= 500 && /^https:\/\/[!-~]+$/.test(name) ? name : undefined;
}

const labelling = outputExtension({
  name: 'agent',
  keys: {},
  configure: ({ provided }) =>
    provided.get('agents') && {
      wrapTransport: (inner, { form: { locale } }) => ({
        ...inner,
        send: (delivery, call) => {
          const value = agentIn(delivery.values);
          if (value === undefined) return inner.send(delivery, call);
          const label = locale.translate({ code: 'mail_agent' });
          const remark = { name: agentName, value, label, words: value, header: 'X-Form-Agent' };
          return inner.send(withRemark(delivery, remark), call);
        },
      }),
    },
});

/** Checks whether each directory can be read. */
async function probe({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const all = [...(config?.forms.values() ?? [])].flatMap(({ provided }) => provided.get('agents') ?? []);
  const byAddress = new Map(all.map((agent) => [agent.address, agent]));
  return Promise.all(
    [...byAddress.values()].map(async ({ name, address }) => {
      try {
        const { keys } = await fetchDirectory(address, services);
        if (keys.size > 0)
          return ok(name, keys.size === 1 ? 'publishes a key' : `publishes ${keys.size} keys`);
        return failure(
          name,
          'publishes no key that can be used',
          "Ask the agent's operator for the right directory.",
        );
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return failure(
          name,
          `the directory cannot be read: ${why}; submissions of this agent are in doubt`,
          `Open ${address}.`,
        );
      }
    }),
  );
}
