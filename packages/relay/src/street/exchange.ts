import type { TellOwner } from '../base/bounces.ts';
import { clientOf } from '../base/client.ts';
import type { Effects } from '../base/effects.ts';
import type { Observer, PageCounts } from '../base/event.ts';
import type { RelayRequest, RelayResponse } from '../base/http.ts';
import type { Outcome } from '../base/outcome.ts';
import { err, type Result } from '../base/result.ts';
import { after, type Soon } from '../base/soon.ts';
import { hopsHeader, hopsIn, idsOf, type Trace, traceOf } from '../base/trace.ts';
import type { Values } from '../base/values.ts';
import type { Lists } from '../bodies/sent.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { AnswerContext, AnswerTo, Call, Form, Held, Keeper, Whole } from '../form.ts';
import type { Memory } from '../memory/memory.ts';
import { audienceOf } from '../pages/negotiation.ts';
import { respond } from '../pages/respond.ts';
import { forAnswer, forVisitor } from '../pages/visitors_language.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { Transports } from '../transports/index.ts';
import { findForm } from './find_form.ts';
import { type Route, routeOf } from './route.ts';

/** Shared by all requests. */
export interface Surroundings {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  readonly transports: Transports;
  /** Made when a submission is to be kept. Absent where nothing is. */
  readonly keeper?: (() => Promise<Keeper>) | undefined;
  /** Tells the owner through the config's `alerts`. Absent where nobody is told. */
  readonly alert?: TellOwner | undefined;
  /** Each observes every submission. */
  readonly observers: readonly Observer[];
}

/** The parts that all requests share. */
export interface Common extends Surroundings {
  readonly memory: Memory;
  /** `false` where nothing is really sent. */
  readonly limitsMails: boolean;
  /** Loaded late, since most relays have no form that sends links. */
  readonly deliverHeld: (exchange: Exchange, ...given: Parameters<Call['deliverHeld']>) => Promise<Outcome>;
}

/** A request on its way through the relay. A class, so that shared parts take no memory in each request. */
export class Exchange implements Call {
  readonly request: RelayRequest;
  readonly requestId: string;
  readonly trace: Trace;
  /** `undefined` when the path leads nowhere. */
  readonly route: Route | undefined;
  /** Whether it names a server's key, right or wrong. */
  isFromServer = false;
  /** Work that follows the answer. */
  following: readonly (() => Promise<void>)[] | undefined;
  readonly #common: Common;

  constructor(request: RelayRequest, common: Common) {
    const { uuid } = common.effects;
    this.#common = common;
    this.request = request;
    this.requestId = request.id ?? uuid();
    this.trace = traceOf(
      request.headers.traceparent,
      this.requestId,
      uuid,
      hopsIn(request.headers[hopsHeader]),
    );
    this.route = routeOf(request.path);
  }

  get settings(): Settings {
    return this.#common.settings;
  }

  get config(): ConfigCache {
    return this.#common.config;
  }

  get effects(): Effects {
    return this.#common.effects;
  }

  get transports(): Transports {
    return this.#common.transports;
  }

  get keeper(): Common['keeper'] {
    return this.#common.keeper;
  }

  get observers(): readonly Observer[] {
    return this.#common.observers;
  }

  get memory(): Memory {
    return this.#common.memory;
  }

  get limitsMails(): boolean {
    return this.#common.limitsMails;
  }

  reader(form: Form): Form {
    return forAnswer(form, this.request);
  }

  findForm(): Soon<Result<Form, RelayResponse>> {
    return after(findForm(this.route?.formId, this.config), (found) =>
      found.ok ? found : after(respond(found.error, this.context()), err),
    );
  }

  withoutTokenSecret(form: Form): Soon<RelayResponse> | undefined {
    if (this.settings.formTokenSecret !== '') return undefined;
    const reason = 'FORM_TOKEN_SECRET is not set';
    this.effects.log('error', 'no_token_secret', { ...idsOf(this), form: form.id, reason });
    return respond({ kind: 'no_token_secret' }, this.context(form));
  }

  reloadable(context: AnswerContext): Soon<AnswerContext> {
    const { request, form, settings } = context;
    return settings.formTokenSecret !== '' && audienceOf(request, form) === 'page'
      ? import('./sent_page.ts').then(({ sentAddress }) => ({ ...context, sentAddress }))
      : context;
  }

  whole(): Soon<Whole | undefined> {
    return this.config.get();
  }

  async alert(...told: Parameters<TellOwner>): Promise<void> {
    await this.#common.alert?.(...told);
  }

  tellCounted({ id }: Form, counts: PageCounts): void {
    const { requestId, trace, effects } = this;
    const about = { requestId, formId: id, asked: id, receivedAt: effects.now(), trace };
    for (const observe of this.observers) observe(about)({ kind: 'counted', counts });
  }

  deliverHeld(form: Form, held: Held, answerTo: AnswerTo): Promise<Outcome> {
    return this.#common.deliverHeld(this, form, held, answerTo);
  }

  /** The form that the request is about, when the config at hand knows it. */
  get currentForm(): Form | undefined {
    const { route, config } = this;
    return route && !route.asset ? config.current?.forms.get(route.formId ?? '') : undefined;
  }

  /** For what the sender need not wait for: it follows the answer where the process lives on, and else goes before it. */
  async afterwards(work: () => Promise<void>): Promise<void> {
    if (!this.request.livesOn) return work();
    this.following = [...(this.following ?? []), work];
  }

  /** The context of an answer. Default: the form as far as it is known without waiting. */
  context(
    form = this.currentForm,
    sent?: Values,
    sentFiles?: ReadonlySet<string>,
    sentLists?: Lists,
  ): AnswerContext {
    const { request, requestId, settings, memory, effects } = this;
    return {
      request,
      requestId,
      sent,
      sentFiles,
      sentLists,
      form: form && forAnswer(form, request),
      reader: form ? undefined : this.#reader(),
      settings,
      now: effects.now(),
      sizeUnderAttack: (formId) => memory.pressure.sizeFor(formId, clientOf(request, settings)),
    };
  }

  /** The language of a page about a form that is not there: as the config's first form would choose it. */
  #reader(): Form | undefined {
    const [first] = this.config.current?.forms.values() ?? [];
    return first && forVisitor(first, this.request);
  }
}
