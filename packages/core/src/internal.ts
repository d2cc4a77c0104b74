/**
 * Seams: hooks that one family of bundled packages alone needs. Plug-ins from outside cannot use them, and any release may change them.
 * ARCHITECTURE.md says who uses each; one that gets a second user becomes a part of the interface (plugin.ts).
 */

import type { Condition } from '@form-relay/base/condition';
import { words } from '@form-relay/schema/suggestion';
import type { Field } from './fields/field.ts';
import type { RelayRequest, RequestHead } from './http/request.ts';
import type { Locale } from './messages/message.ts';
import type { FieldRead } from './outputs/output.ts';
import type { Plugin, PluginContext } from './plugin.ts';
import type { Renderer } from './rendering.ts';
import type { Log, Services } from './services.ts';
import type { Outcome } from './submission.ts';

export interface PluginSeams {
  /** Other formats of answers. The first one that matches a request answers it; the core answers with JSON or a fragment. */
  readonly renderers?: readonly Renderer[];
  /** Takes an event of the platform that is not a request, such as a batch from a queue. `undefined`: the event is not its own. */
  readonly onEvent?: (
    event: unknown,
    context: PluginContext & { readonly timeLeftMs: number },
  ) => Promise<unknown> | undefined;
  /** Called for each event that is logged, also for those below LOG_LEVEL. */
  readonly onLog?: Log;
}

export interface HookSeams {
  /** Whether the form takes an input that nothing in its config names. */
  readonly takesUndeclared?: (name: string) => boolean;
  /** Chooses the language of an answer. `undefined`: the form is being printed for a static page. */
  readonly selectLocale?: (request: RelayRequest | undefined) => Locale;
  /** Wraps the services that the form and its outputs use, once: for example, to change the envelope sender of all mails. */
  readonly decorateServices?: (services: Services) => Services;
  /** Whether a submission has a limit of its own in place of the throttle. Called before its body is read. */
  readonly skipsThrottle?: (head: RequestHead, context: PluginContext) => boolean;
  /** Adds to what is answered, also where the relay refused the request before the pipeline, such as the throttle. */
  readonly completeOutcome?: (outcome: Outcome) => Outcome;
}

export interface FieldHookSeams {
  /** Members that replace the field's own. */
  readonly members?: Partial<
    Pick<
      Field,
      | 'accepted'
      | 'classes'
      | 'comparedAs'
      | 'isClosedToLinks'
      | 'ownWords'
      | 'part'
      | 'script'
      | 'takesOne'
      | 'wanted'
      | 'width'
    >
  >;
}

export interface OutputHookSeams {
  /** The condition on which it accepts, for warnings about submissions that reach no output. */
  readonly acceptsWhen?: Condition;
  /** The output gets what a feature holds back from the others: nothing else, or that as well. */
  readonly heldBack?: 'only' | 'also' | undefined;
  /** Fields that it reads beside those of its type. */
  readonly alsoReads?: readonly FieldRead[];
}

type Seams = PluginSeams & HookSeams & FieldHookSeams & OutputHookSeams;
export type Seam = keyof Seams;

const listed =
  'renderers onEvent onLog takesUndeclared selectLocale decorateServices skipsThrottle completeOutcome members acceptsWhen heldBack alsoReads';
type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** All of them: what is missing here does not compile. */
export const seams: readonly string[] = words(
  listed satisfies Seam extends Words<typeof listed> ? string : never,
);

const own = new WeakSet<Plugin>();

/** Lets a plug-in of the relay's own that `createRelay` gets, such as the metrics, use seams. */
export function ownPlugin(plugin: Plugin): Plugin {
  own.add(plugin);
  return plugin;
}

export const isOwn = (plugin: Plugin): boolean => own.has(plugin);
