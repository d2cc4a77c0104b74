/**
 * Seams: hooks that only one family of bundled packages needs. External plug-ins cannot use them, and any release may change
 * them. ARCHITECTURE.md lists their users. A seam that gets a second user becomes a part of the interface (plugin.ts).
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
  /** Other formats of responses. The first one that matches a request is used; the core itself has JSON and fragments. */
  readonly renderers?: readonly Renderer[];
  /** Handles an event that is not a request, such as a batch from a queue. `undefined` if it is another plug-in's event. */
  readonly onEvent?: (
    event: unknown,
    context: PluginContext & { readonly timeLeftMs: number },
  ) => Promise<unknown> | undefined;
  /** Called for each event that is logged, including those below LOG_LEVEL. */
  readonly onLog?: Log;
}

export interface HookSeams {
  /** Whether the form accepts an input that its config does not name. */
  readonly takesUndeclared?: (name: string) => boolean;
  /** Chooses the language of a response. Without a request, the form is being printed for a static page. */
  readonly selectLocale?: (request: RelayRequest | undefined) => Locale;
  /** Wraps the services that the form and its outputs use, once: for example, to change the envelope sender of all mails. */
  readonly decorateServices?: (services: Services) => Services;
  /** Whether a submission has its own limit instead of the throttle. Called before its body is read. */
  readonly skipsThrottle?: (head: RequestHead, context: PluginContext) => boolean;
  /** Adds to the response, including when the relay refused the request before the pipeline, such as by the throttle. */
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
  /** The condition on which it accepts a submission, for warnings about submissions that reach no output. */
  readonly acceptsWhen?: Condition;
  /** Whether the output gets `only` submissions that a feature withholds from others, or `also` those. */
  readonly heldBack?: 'only' | 'also' | undefined;
  /** Fields that it reads in addition to those of its type. */
  readonly alsoReads?: readonly FieldRead[];
}

type Seams = PluginSeams & HookSeams & FieldHookSeams & OutputHookSeams;
export type Seam = keyof Seams;

const listed =
  'renderers onEvent onLog takesUndeclared selectLocale decorateServices skipsThrottle completeOutcome members acceptsWhen heldBack alsoReads';
type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** All seams. A missing one is a compile error. */
export const seams: readonly string[] = words(
  listed satisfies Seam extends Words<typeof listed> ? string : never,
);

const own = new WeakSet<Plugin>();

/** Allows one of the relay's own plug-ins that `createRelay` gets, such as the metrics, to use seams. */
export function ownPlugin(plugin: Plugin): Plugin {
  own.add(plugin);
  return plugin;
}

export const isOwn = (plugin: Plugin): boolean => own.has(plugin);
