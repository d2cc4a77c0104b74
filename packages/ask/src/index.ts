/** `ask`: a program asks one person to fill in a form, through a link that works once, and gets the answer (docs/ask.md). */
import { html } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { noValues } from '@form-relay/base/values';
import type { FormView, Life, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { refused } from '@form-relay/core/submission';
import { object } from '@form-relay/schema/collections';
import { duration, httpUrl, label, localizedText } from '@form-relay/schema/scalars';
import { optional, required, withDefault } from '@form-relay/schema/schema';
import type {} from '@form-relay/senders/keys/index';
import { purposeIn } from '@form-relay/senders/links/index';
import { openedIn } from '@form-relay/senders/links/sealed_link';
import { placesFor } from '@form-relay/stores/index';
import { type Asking, askField, longestMs } from './ask.ts';
import { asker, toAsker } from './asker.ts';
import en from './messages.json' with { type: 'json' };

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly ask: Asking;
  }
}

const askSchema = object(
  {
    name: required('Sender of the request, on the page and in the mail: `Acme Ltd`.', localizedText(label())),
    text: optional(
      'Text above the form and in the mail. Default: “Acme Ltd asks you to fill in this form …”.',
      localizedText(label()),
    ),
    expires: withDefault(
      '7d',
      'How long a link works, unless the request says otherwise.',
      duration({ hasDays: true, leastMs: 60_000, mostMs: longestMs }),
    ),
    page: optional('Your page with the form, for the links. Default: the relay’s own page.', httpUrl()),
  },
  '{name: Acme Ltd}',
);

/** The note above the form: who asks, and until when the link works. */
function noteOn({ provided }: FormView['form'], view: FormView) {
  const opened = openedIn(view);
  const asking = provided.get('ask');
  if (!asking || opened.kind !== 'open' || opened.link.purpose?.feature !== 'ask') return {};
  if (view.outcome?.kind === 'link_needed') return {};
  const { locale } = view;
  const time = momentWords(opened.link.until, provided.get('time_zone'));
  const words = asking.text
    ? locale.text(asking.text)
    : locale.translate({ code: 'ask_note', params: { name: locale.text(asking.name), time } });
  return { before: html`<p class="form-asker">${words}</p>\n` };
}

/** Each relay needs its own plug-in: when the relay stops, requests that wait for an answer end. */
export const plugin = (): Plugin => {
  let life: Life | undefined;
  const ask = feature({
    name: 'ask',
    after: ['links', 'time_zone'],
    // Outputs and mails get the same id for an answer, even if it is sent several times.
    before: ['honeypot', 'double_opt_in', 'confirmation_mail', 'places', 'receipt'],
    reads: ['keys', 'links', 'shared_state'],
    keys: {
      form: {
        ask: optional(
          'Lets servers with a key ask one person to fill in the form, by a link that works once (docs/ask.md). Needs `keys_env`, FORM_TOKEN_SECRET, and PUBLIC_URL or `page`.',
          askSchema,
        ),
      },
    },
    configure: ({ form: { ask: asking }, provided, outputTypes }, at) => {
      if (!asking) return undefined;
      const place = at.in('ask');
      place.needsEnv('FORM_TOKEN_SECRET', ...(asking.page ? [] : ['PUBLIC_URL']));
      if (at.in('keys_env').written === undefined)
        place.error('no server may send requests: add keys_env, with the key of each server (docs/keys.md)', {
          aboutKey: true,
        });
      if (!provided.get('shared_state'))
        place.error(
          `the relay needs a store to record which links were used; add counted_in at the top: ${placesFor('counts')}`,
          { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
        );
      if (outputTypes.filter((type) => type === 'asker').length > 1)
        place.error('the form has two outputs of type asker; keep one', {
          aboutKey: true,
        });
      if (outputTypes.every((type) => type === 'asker') && at.in('links').written !== 'required')
        place.error(
          'no output receives submissions without a link; add one, or add links: required to the form',
          { aboutKey: true },
        );
      return {
        provides: asking,
        cards: [{ name: 'ask', says: 'servers with a key can ask one person for it' }],
        reserves: [{ name: askField, key: [], what: 'the request that is answered' }],
        markup: (view) => noteOn(view.form, view),
        afterValidation: (next) => (submission) => {
          const data = purposeIn(submission, 'ask');
          if (!data) return next(submission);
          return import('./answers.ts').then(({ deliverFirst }) => deliverFirst(data, submission, next));
        },
      };
    },
    routes: [
      {
        name: 'ask',
        method: 'GET, POST',
        takesId: true,
        answer: async (call) => {
          const { form, request, requestId, services, settings } = call;
          const [asking, keys] = [form.provided.get('ask'), form.provided.get('keys')];
          if (!asking || !keys) return call.respond(refused(404, 'unknown_page'));
          const submission = call.resume({ requestId, receivedAt: services.now(), values: noValues });
          // An Idempotency-Key is bound to the address and the body.
          const body = Buffer.from(request.body ?? []).toString();
          submission.sent = new Map([['ask', [request.path, body]]]);
          const context = { asking, form, services, settings, signal: life?.signal };
          const run = keys.admit((one) =>
            import('./asks.ts').then(({ answerTo }) => answerTo(one, body, context)),
          );
          return submission.respond(await run(submission));
        },
      },
    ],
  });
  return {
    name: 'ask',
    features: [ask],
    outputs: [asker],
    outputExtensions: [toAsker],
    messages: { en },
    start: (begun) => {
      life = begun;
    },
  };
};
