/** Payment with Stripe: a submission is delivered once it is paid. */
import { createHash } from 'node:crypto';
import type {
  Diagnostics,
  Field,
  HeldSubmissions,
  LogLevel,
  MakePlugin,
  Outcome,
  RouteContext,
  Services,
  SharedState,
  Submission,
  Template,
} from 'form-relay/plugin';
import { words } from './payment_words.ts';
import { isSigned, readEvent } from './stripe_events.ts';

const dayMs = 86_400_000;
/** A direct debit may take 14 days. */
const heldForMs = 15 * dayMs;
/** Stripe repeats an event for three days; owners can resend it for longer. */
const rememberedMs = 60 * dayMs;

/** https://docs.stripe.com/currencies: currencies without two decimals. */
const noDecimals = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ');
const threeDecimals = 'bhd jod kwd omr tnd'.split(' ');

/** The decimals of a currency, and how many may be other than zero: the last of three may not. */
function decimalsOf(currency: string): { readonly decimals: number; readonly most: number } {
  const decimals = noDecimals.includes(currency) ? 0 : threeDecimals.includes(currency) ? 3 : 2;
  return { decimals, most: currency === 'isk' ? 0 : Math.min(decimals, 2) };
}

/** An amount in a currency's smallest unit; `undefined` if Stripe cannot charge it. */
function unitsOf(text: string, currency: string): number | undefined {
  const { decimals, most } = decimalsOf(currency);
  const [, whole, written = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  const fraction = written.replace(/0+$/, '');
  return whole === undefined || fraction.length > most
    ? undefined
    : Number(whole + fraction.padEnd(decimals, '0'));
}

interface Stripe {
  readonly amount: string;
  readonly currency: string;
  readonly secret_key: Template;
  readonly webhook_secret: Template;
  readonly expires: number;
  readonly success_url: URL | undefined;
  readonly cancel_url: URL | undefined;
  readonly api: URL;
}

/** The payment of a form. A class, so that the route can find it among what features provide. */
class Payment {
  constructor(
    readonly stripe: Stripe,
    readonly held: HeldSubmissions,
    readonly state: SharedState,
  ) {}

  /**
   * Identifies the payments whose events are meant for this endpoint, because each endpoint of an account
   * gets all events. Uses the name of the secret, which stays the same if its value changes.
   */
  get endpoint(): string {
    return createHash('sha256').update(this.stripe.webhook_secret.source).digest('hex').slice(0, 16);
  }

  /** Ties the waiting submission to the requested payment. */
  keyOf(id: string, amount: unknown, currency: unknown): string {
    return `payment ${JSON.stringify([this.endpoint, id, amount, currency])}`;
  }

  /** A visitor who returns after the submission was dropped is asked to pay again. */
  async withdraw(submission: Submission): Promise<void> {
    await this.state.change(submission, markOf(submission.requestId), (entry) =>
      entry?.text === paidText ? entry : undefined,
    );
  }
}

/** The key under which a payment's URL at Stripe is stored, or that it was made. */
const markOf = (id: string): string => `payment ${id}`;
const paidText = 'paid';

const read = (secret: Template, { env }: Pick<Services, 'env'>): string =>
  secret.render({ env, fields: new Map(), formId: '', submittedAt: '' });

const make: MakePlugin = (kit) => {
  const stripeKeys = {
    amount: kit.key.required(
      'Amount: `12.50`, or the `computed` or `number` field that holds it. An amount of 0 needs no payment.',
      kit.key.text(),
    ),
    currency: kit.key.required('Currency code: `eur`.', kit.key.text()),
    secret_key: kit.key.withDefault(
      '{{ env "STRIPE_SECRET_KEY" }}',
      'Secret or restricted API key with write access to Checkout Sessions.',
      kit.key.secret('STRIPE_SECRET_KEY'),
    ),
    webhook_secret: kit.key.withDefault(
      '{{ env "STRIPE_WEBHOOK_SECRET" }}',
      'Signing secret of the endpoint `/api/v1/payment/<form>` in Stripe, for the events `checkout.session.*`. Forms can share it.',
      kit.key.secret('STRIPE_WEBHOOK_SECRET'),
    ),
    expires: kit.key.withDefault(
      '1h',
      'Time to pay. Afterwards, unpaid places are released.',
      kit.key.duration({ leastMs: 31 * 60_000, mostMs: dayMs }),
    ),
    success_url: kit.key.optional(
      'Page after paying. Default: `redirect`, or the confirmation.',
      kit.key.httpUrl(),
    ),
    cancel_url: kit.key.optional('Page after cancelling. Default: the relay’s own.', kit.key.httpUrl()),
    api: kit.key.withDefault('https://api.stripe.com', 'Address of Stripe, for tests.', kit.key.httpUrl()),
  };
  const stripe = kit.key.required('Payment by Stripe Checkout.', kit.key.block(stripeKeys));

  /** Reports an amount or a currency that cannot be charged. */
  function check({ amount, currency }: Stripe, fields: readonly Field[], at: Diagnostics): void {
    if (!/^[a-z]{3}$/.test(currency))
      at.in('currency').error('expected a currency code in lower case, such as eur');
    // Sources disagree about its decimals, and a wrong guess would charge a hundredth.
    if (currency === 'ugx')
      at.in('currency').error('Stripe does not support ugx here; choose another currency');
    if (/^[\d.]+$/.test(amount)) {
      if (!unitsOf(amount, currency)) at.in('amount').error(`"${amount}" is no amount in ${currency}`);
      return;
    }
    const field = fields.find(({ name }) => name === amount);
    if (!field || !['computed', 'number'].includes(field.type))
      at.in('amount').error(
        'expected an amount such as 12.50, or the name of a field of type computed or number',
      );
    else if (field.type === 'number' && !(field.required && Number((field as { min?: unknown }).min) > 0))
      at.in('amount').error(`visitors could pay nothing; add required: true and min to "${amount}"`);
  }

  /** Creates a Checkout Session, to which the visitor is redirected. */
  async function checkout(
    { stripe, endpoint }: Payment,
    amount: number,
    endsAt: number,
    { form, formId, requestId, services, http, request }: Submission,
  ): Promise<string> {
    const here = `${services.env('PUBLIC_URL') ?? ''}/api/v1/payment/${encodeURIComponent(formId)}`;
    const title = form.title === undefined ? formId : form.locale(request).text(form.title);
    const session = await http.send({
      url: stripe.api,
      path: 'v1/checkout/sessions',
      headers: { authorization: `Bearer ${read(stripe.secret_key, services)}`, 'idempotency-key': requestId },
      form: {
        mode: 'payment',
        client_reference_id: requestId,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': stripe.currency,
        'line_items[0][price_data][unit_amount]': String(amount),
        'line_items[0][price_data][product_data][name]': title.slice(0, 250) || formId,
        'metadata[form_relay]': endpoint,
        'metadata[form]': formId.slice(0, 500),
        // In another currency, the event would have a different amount.
        'adaptive_pricing[enabled]': 'false',
        expires_at: String(Math.floor(endsAt / 1_000)),
        success_url: stripe.success_url?.href ?? `${here}?as=page&ended=paid`,
        cancel_url: stripe.cancel_url?.href ?? `${here}?as=page&ended=cancelled`,
      },
      judge: ({ at }) => ({ isTaken: /^https:/.test(String(at('url'))), code: at('error.code') }),
    });
    return String(session.at('url'));
  }

  const unavailable = (why: string): Outcome => ({
    ...kit.refused(503, 'undelivered'),
    kind: 'payment_unavailable',
    headers: { 'retry-after': '60' },
    level: 'error',
    why,
  });

  /** Requests the payment. A repeated submission, for example by a second click on a link in a mail, leads to the same session. */
  async function ask(paid: Payment, amount: number, submission: Submission): Promise<Outcome | undefined> {
    const { stripe, held, state } = paid;
    const { requestId: id, services } = submission;
    const endsAt = services.now() + stripe.expires;
    if (!read(stripe.secret_key, services) || !read(stripe.webhook_secret, services))
      return unavailable("Stripe's key, or the signing secret of the endpoint, is not set");
    try {
      const known = await state.read(submission, markOf(id));
      if (known) return known.text === paidText ? { kind: 'delivered', status: 200 } : leadTo(known.text);
      const url = services.isDryRun ? stripe.api.href : await checkout(paid, amount, endsAt, submission);
      const key = paid.keyOf(id, amount, stripe.currency);
      const hold = { key, until: endsAt + heldForMs, why: 'the submission waits for a payment' };
      // No output accepts the submission, which the relay reports.
      if ((await held.hold(submission, hold)) === 0) return undefined;
      await state.change(submission, markOf(id), (entry) => entry ?? { text: url, until: endsAt });
      submission.addLogFields({ amount, currency: stripe.currency });
      return leadTo(url);
    } catch (error) {
      return unavailable(error instanceof Error ? error.message : 'internal error');
    }
  }

  const leadTo = (url: string): Outcome => ({
    kind: 'held',
    status: 200,
    redirect: () => url,
    confirmation: (locale) => locale.translate({ code: 'payment_next' }),
    json: { redirect: url },
    html: kit.html.tag`<p><a href="${url}">${new URL(url).host}</a></p>`,
    headers: { 'hx-redirect': url },
  });

  const said = (status: number, message: string) =>
    ({ status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) }) as const;

  const paymentOf = (form: RouteContext['form'] | undefined) =>
    [...(form?.provided.values() ?? [])].find((one) => one instanceof Payment);

  /** @param at The payment of the form whose endpoint received the event. Another form with the same secret works, too. */
  async function onEvent(at: Payment, call: RouteContext) {
    const { request, services, form } = call;
    const body = request.body ?? new Uint8Array();
    const log = (level: LogLevel, event: string, fields: object) =>
      services.log(level, event, { request_id: call.requestId, form: form.id, ...fields });
    const secret = read(at.stripe.webhook_secret, services);
    if (!isSigned(request.headers['stripe-signature'] ?? '', body, secret, services.now())) {
      log('warn', 'payment_event_refused', { reason: 'the signature is wrong or too old' });
      return said(400, 'the signature is wrong');
    }
    const event = readEvent(body);
    if (!event) {
      log('warn', 'payment_event_refused', { reason: 'the body is not an event' });
      return said(400, 'the body is not an event');
    }
    const { type, session, metadata } = event;
    const { amount_total: amount, currency } = session;
    const id = String(session.client_reference_id ?? '');
    if (metadata.form_relay !== at.endpoint) return said(200, 'the event is for another endpoint');
    const own = call.forms.get(String(metadata.form));
    const paid = paymentOf(own) ?? at;
    const key = at.keyOf(id, amount, currency);
    const about = { submission: id, ...(own && { form: own.id }), amount, currency };
    if (type === 'checkout.session.expired' || type === 'checkout.session.async_payment_failed') {
      const dropped = await paid.held.drop(key);
      if (dropped > 0) log('info', 'payment_given_up', about);
      return said(200, 'ok');
    }
    const isPaid = /^checkout\.session\.(completed|async_payment_succeeded)$/.test(type);
    if (!isPaid || session.payment_status !== 'paid') return said(200, 'ok');
    let isAgain = false;
    await paid.state.change(call, markOf(id), (entry) => {
      isAgain = entry?.text === paidText;
      return isAgain ? entry : { text: paidText, until: services.now() + rememberedMs };
    });
    const released = await paid.held.release(key);
    if (released > 0) log('info', 'payment_received', { ...about, deliveries: released });
    if (released > 0 || isAgain) return said(200, 'ok');
    await paid.state.change(call, markOf(id), () => undefined);
    log('error', 'payment_unmatched', {
      ...about,
      reason: 'no submission is waiting yet; Stripe will retry the event',
    });
    return said(409, 'no submission is waiting for this payment');
  }

  return {
    name: 'payment',
    summary: 'Delivers a submission once it is paid, by Stripe.',
    features: [
      kit.feature({
        name: 'payment',
        reads: ['held', 'shared_state'],
        after: ['places', 'links', 'double_opt_in', 'confirmation_mail', 'receipt', 'keys'],
        keys: {
          form: {
            payment: kit.key.optional(
              'Delivers a submission after payment. Needs `keep` at the top.',
              kit.key.block({ stripe }),
            ),
          },
        },
        configure: ({ form, fields, provided }, at) => {
          const stripe = form.payment?.stripe;
          if (!stripe) return undefined;
          check(stripe, fields, at.in('payment', 'stripe'));
          if (!stripe.success_url || !stripe.cancel_url) at.in('payment').needsEnv('PUBLIC_URL');
          const held = provided.get('held');
          const state = provided.get('shared_state');
          if (!held || !state)
            return at
              .in('payment')
              .error(
                'submissions that wait for a payment need a store; add keep: {in: /var/lib/form-relay} at the top of the file, with a folder or nats://…; other queues cannot look up a submission',
              );
          const paid = new Payment(stripe, held, state);
          return {
            provides: paid,
            cards: [{ name: 'payment', says: `asks for ${stripe.amount} ${stripe.currency}` }],
            // The visitor's form may lead to Stripe, or to the owner's own domain there.
            markup: () => ({ sources: { 'form-action': ['https:'] } }),
            afterValidation: (next) => async (submission) => {
              const text = /^[\d.]+$/.test(stripe.amount)
                ? stripe.amount
                : kit.values.first(submission.values, stripe.amount) || '0';
              const amount = unitsOf(text, stripe.currency);
              const step = 10 ** -decimalsOf(stripe.currency).most;
              if (amount === undefined)
                return kit.refused(422, [kit.problem(stripe.amount, 'number_off_step', { step, base: 0 })]);
              return (amount > 0 && (await ask(paid, amount, submission))) || next(submission);
            },
          };
        },
        routes: [
          {
            name: 'payment',
            method: 'GET, POST',
            answer: async (call) => {
              const paid = paymentOf(call.form);
              if (!paid) return call.respond(kit.refused(404, 'unknown_page'));
              if (call.request.method === 'POST') return onEvent(paid, call);
              return /\bended=paid\b/.test(call.request.query)
                ? call.respond({ kind: 'delivered', status: 200 })
                : call.respond(kit.refused(402, 'payment_cancelled'));
            },
          },
        ],
      }),
    ],
    messages: words,
  };
};

export default make;
