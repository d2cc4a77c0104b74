/** `asker`: delivers the answer to the program that asked, either to its `answer_to` or when it reads the answer itself. */
import { fail, failed, retryAfter, retryOf } from '@form-relay/base/client_error';
import { parseUrl } from '@form-relay/base/url';
import { version } from '@form-relay/base/version';
import { outputExtension } from '@form-relay/core/extensions';
import type { Common, Delivery, Form, OutputForm } from '@form-relay/core/index';
import { planPayload } from '@form-relay/core/outputs/delivery';
import { outputType } from '@form-relay/core/outputs/output';
import { payloadAsJson, signatureOf, signKey } from '@form-relay/more-outputs/webhook';
import { array } from '@form-relay/schema/collections';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { type Answer, keepAnswer } from './answers.ts';
import { askField } from './ask.ts';

/** An origin that may receive answers. */
interface Host {
  readonly origin: string;
  /** Whether the owner configured the origin, which may then be in a private network. */
  readonly isOwn: boolean;
}

const host = textSchema((text, at): Host | undefined => {
  const isOwn = /^https?:\/\//.test(text);
  const url = parseUrl(isOwn ? text : `https://${text}`);
  return url && url.host !== '' && [text, text.toLowerCase()].includes(isOwn ? url.origin : url.host)
    ? { origin: url.origin, isOwn }
    : at.error('expected a host such as hooks.example.com, or an origin such as http://127.0.0.1:9000');
});

const keys = {
  hosts: optional(
    'Hosts that may receive answers (`answer_to`) over https at public addresses, such as `[hooks.example.com]`, or other origins, such as `http://10.0.0.5:9000`. Redirects are not followed.',
    array(host, { least: 1 }),
  ),
  sign: signKey,
};

/** The allowed origin of an address to which an output should send an answer. */
export const hostOf = (hosts: readonly Host[] = [], url: URL): Host | undefined =>
  hosts.find(({ origin }) => origin === url.origin);

/** The `hosts` of the output that delivers answers; `undefined`: the form has no such output. */
export const hostsOf = ({ outputs }: Pick<Form, 'outputs'>): readonly Host[] | undefined => {
  type Asker = (typeof outputs)[number] & { readonly hosts?: readonly Host[] };
  const output: Asker | undefined = outputs.find(({ type }) => type === 'asker');
  return output && (output.hosts ?? []);
};

export const asker = outputType({
  type: 'asker',
  summary:
    'Returns an answer to the program that asked for it (docs/ask.md); other submissions are skipped. Without `mapping`, the answer has every field.',
  keys,
  sendsOfItself: () => true,
  problems: ({ hosts, sign }, at) => {
    if (hosts && !sign && !at.in('sign').isWrong)
      at.in('hosts').error(
        `sign is missing, without which a receiver cannot tell an answer from a forged one; write sign: {secret: '{{ env "HOOK_SECRET" }}'}`,
        { aboutKey: true },
      );
  },
  open: (output, { services, form }) => {
    const answerIn = answerOf(output, form);
    return {
      protocol: 'http',
      target: output.hosts?.map(({ origin }) => origin).join(', ') ?? 'who asked',
      send: async (delivery, { timeoutMs }) => {
        const [, answerTo = ''] = delivery.values.get(askField) ?? [];
        if (answerTo === '') return undefined;
        const url = new URL(answerTo);
        const known = hostOf(output.hosts, url);
        if (!known || !output.sign)
          throw fail(`${url.host} is no longer among \`hosts\``, { code: 'answer_to_refused' });
        const { answered_at: timestamp, ...data } = answerIn(delivery);
        const body = JSON.stringify({ type: 'ask.answered', timestamp, data });
        const content = { contentType: 'application/json', body };
        const { status, headers } = await services.http({
          url,
          isPublicOnly: known.isOwn ? undefined : true,
          headers: {
            'content-type': content.contentType,
            'user-agent': `form-relay/${version}`,
            'idempotency-key': delivery.id,
            ...(await signatureOf(output.sign, content, delivery, services.now())),
          },
          ...{ body, timeoutMs },
        });
        if (status >= 200 && status < 300) return undefined;
        if (status >= 300 && status < 400)
          throw failed('redirect_unfollowed', { status, why: 'that is not followed' });
        const wait = retryOf(status, retryAfter(headers['retry-after'], services.now()));
        throw failed('http_status', { status, isElsewhere: false }, wait);
      },
    };
  },
});

/** Lets an answer without `answer_to` wait for its asker. Only the asker can decrypt it, since the ask's id is the key. */
export const toAsker = outputExtension({
  name: 'asker',
  types: ['asker'],
  keys: {},
  configure: ({ provided, output }, at) => {
    const state = provided.get('shared_state');
    if (!provided.get('ask') || !state)
      return at.error('this output needs a form with `ask`; add ask to the form, or remove the output');
    return {
      accepts: ({ values }) => values.has(askField),
      wrapTransport: (inner, { services, form }) => {
        const answerIn = answerOf(output, form);
        return {
          ...inner,
          send: async (delivery, call) => {
            const [id = '', answerTo] = delivery.values.get(askField) ?? [];
            if (answerTo) return inner.send(delivery, call);
            await keepAnswer({ form: form.id, id, state, services }, answerIn(delivery));
            return undefined;
          },
        };
      },
    };
  },
});

const answerOf = ({ mapping = '*', static: fixed }: Partial<Common>, form: OutputForm) => {
  const plan = planPayload(
    { mapping, static: fixed },
    form.fields.map(({ name }) => name),
  );
  return (delivery: Delivery): Answer => {
    const [id = '', , reference] = delivery.values.get(askField) ?? [];
    return {
      ...{ id, form: form.id, reference: reference || undefined },
      answered_at: new Date(delivery.receivedAt).toISOString(),
      values: payloadAsJson(plan, delivery, form),
    };
  };
};
