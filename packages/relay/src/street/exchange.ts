import { clientOf } from '../base/client.ts';
import type { Effects } from '../base/effects.ts';
import type { Observer } from '../base/event.ts';
import type { RelayRequest } from '../base/http.ts';
import { type Trace, traceOf } from '../base/trace.ts';
import type { Values } from '../base/values.ts';
import type { Lists } from '../bodies/sent.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Form, Keeper, World } from '../form.ts';
import type { Memory } from '../memory/memory.ts';
import type { AnswerContext } from '../pages/answer_context.ts';
import { forAnswer, forVisitor } from '../pages/visitors_language.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { Transports } from '../transports/index.ts';
import { type Route, routeOf } from './route.ts';

/** What the relay works with, whatever the request. */
export interface Surroundings {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  readonly transports: Transports;
  /** Made when a submission is to be kept. Absent where nothing is. */
  readonly keeper?: (() => Promise<Keeper>) | undefined;
  /** Each observes every submission. */
  readonly observers: readonly Observer[];
}

/** The parts that all requests share. */
export interface Common extends Surroundings {
  readonly memory: Memory;
  /** `false` where nothing is really sent. */
  readonly limitsMails: boolean;
}

/** One request on its way through the relay: a class, so that what all requests share takes no memory in each. */
export class Exchange implements World {
  readonly request: RelayRequest;
  readonly requestId: string;
  readonly trace: Trace;
  /** `undefined` when the path leads nowhere. */
  readonly route: Route | undefined;
  /** Work that follows the answer. */
  following: readonly (() => Promise<void>)[] | undefined;
  readonly #common: Common;

  constructor(request: RelayRequest, common: Common) {
    const { uuid } = common.effects;
    this.#common = common;
    this.request = request;
    this.requestId = request.id ?? uuid();
    this.trace = traceOf(request.headers.traceparent, this.requestId, uuid);
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

  /** The form that the request is about, when the config at hand knows it. */
  get currentForm(): Form | undefined {
    const { route, config } = this;
    return route && route.name !== 'asset' ? config.current?.forms.get(route.formId ?? '') : undefined;
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
