import type { AnswerContext } from '../answers/answer_context.ts';
import type { Lists } from '../bodies/sent.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Effects } from '../effects.ts';
import type { Observer } from '../event.ts';
import type { Form } from '../form.ts';
import type { RelayRequest } from '../http.ts';
import type { Memory } from '../memory/memory.ts';
import type { Settings } from '../settings/settings.ts';
import type { Trace } from '../trace.ts';
import type { Transports } from '../transports/index.ts';
import type { Values } from '../values.ts';
import type { Keeper } from './keeper.ts';
import type { VisitorMailer } from './mail_visitor.ts';
import type { Route } from './route.ts';

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

/** One request on its way through the relay. */
export interface Exchange extends Surroundings {
  readonly memory: Memory;
  readonly request: RelayRequest;
  readonly requestId: string;
  readonly trace: Trace;
  /** `undefined` when the path leads nowhere. */
  readonly route: Route | undefined;
  /** Made when the first mail is to be sent. */
  readonly mailer: () => Promise<VisitorMailer>;
  /** For what the sender need not wait for: it follows the answer where the process lives on, and else goes before it. */
  readonly afterwards: (work: () => Promise<void>) => Promise<void>;
  /** What an answer needs; the form as far as it is known without waiting. */
  readonly context: (
    form?: Form,
    sent?: Values,
    sentFiles?: ReadonlySet<string>,
    sentLists?: Lists,
  ) => AnswerContext;
}
