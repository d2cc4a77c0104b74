/** Outputs of third-party plug-ins: what they receive, and how the relay enforces their timeouts. */
import { ClientError, failed, PluginMistake, stackOf } from '@form-relay/base/client_error';
import { checkedFindings, type Finding } from '@form-relay/base/finding';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { timedOut } from '@form-relay/base/retries';
import { parseUrl } from '@form-relay/base/url';
import type { Files, Values } from '@form-relay/base/values';
import { withTimeout } from '@form-relay/base/with_timeout';
import { boundHttp, type Http } from '@form-relay/core/http/bound_http';
import {
  type Call,
  type Delivery,
  type ProbeCall,
  type Transport,
  templateContext,
} from '@form-relay/core/outputs/delivery';
import { type Addressed, destinationOf } from '@form-relay/core/outputs/http';
import type { Common, OutputContext, OutputForm, OutputType } from '@form-relay/core/outputs/output';
import type { OutputHooks } from '@form-relay/core/plugin';
import type { Log, Services } from '@form-relay/core/services';
import type { Payload } from '@form-relay/core/submission';
import { type FilledIn, filledIn } from '@form-relay/more-outputs/filled_in';
import { type MessageOptions, type ReadableMessage, writeMessage } from '@form-relay/more-outputs/message';
import type { Parsed, Properties } from '@form-relay/schema/kinds';
import type { Template, TemplateContext } from '@form-relay/schema/template';
import { checkMembers } from './known_members.ts';
import { placeIn } from './or_mistake.ts';
import { mistakeIn } from './wrapped_members.ts';

/** An output type as written in a plug-in. */
export interface PluginOutput<K extends Properties = Properties> extends Omit<OutputType<K>, 'open'> {
  /** If `mapping` is not set, the output sends all fields, as messages do. */
  readonly sendsAll?: true;
  /** Sets up, once when the config loads, what all deliveries of an output share. */
  open(output: Parsed<K> & Common, context: PluginOutputContext): Opened;
}

/**
 * Types the definition of an output type. The relay treats it like its own types after `pluginTransport` has
 * wrapped what it opens.
 */
export const pluginOutput = <K extends Properties>(definition: PluginOutput<K>): OutputType =>
  definition as unknown as OutputType;

export interface PluginOutputContext {
  readonly form: OutputForm;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether this is a dry run, in which no data may leave the process. `http` already complies. */
  readonly isDryRun: boolean;
}

export interface Opened {
  /** The destination in words for the owner, without credentials: an address, the keys that hold it, or a text. */
  readonly target: string | URL | Addressed;
  /** Delivers once. Resolves with a warning for the owner (a text) or anything else. Rejects with `kit.retry` or `kit.fail`. */
  send(delivery: PluginDelivery, call: PluginCall): Promise<unknown>;
  /** Tests the connection without delivering anything, for `relay doctor`. May reject with `kit.fail`. Default: connects to a web address. */
  probe?(call: PluginProbe): Promise<readonly Finding[]>;
  /** Closes what `open` opened, after the last delivery of the config. */
  close?(): MaybePromise<void>;
  /** Whether it delivers the files of a field. Default: only names and sizes are delivered. */
  takesFile?(field: string): boolean;
}

export interface PluginCall extends Call {
  /** Sends requests with the id of the delivery, within its timeout. */
  readonly http: Http;
}

export interface PluginProbe extends PluginCall, ProbeCall {
  /** Renders a key of the output, as if nothing had been submitted. */
  template(template: Template): string;
}

export interface PluginDelivery {
  /** The same for every retry: an idempotency key. */
  readonly id: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
  /** The payload for people: labels and words in the form's first language; all fields if there is no `mapping`. */
  readonly labelled: readonly FilledIn[];
  /**
   * The submission as `write` formats it for a chat: title and rows as plain text, in which no line can be
   * forged, shortened until `fits` accepts the result. `write` must escape them.
   */
  message<T>(write: (message: ReadableMessage) => T, options?: MessageOptions<T>): T;
  /** All submitted values. */
  readonly values: Values;
  readonly files: Files;
  /** Renders a key of the output. Rejects with `kit.fail` if a variable is not set and has no `default`. */
  template(template: Template): string;
}

/** How long a plug-in may continue after the abort signal. */
const graceMs = 500;

/** The timeout of `close`. */
const closeMs = 10_000;

/** The plug-in to blame in the log. */
export interface Author {
  readonly plugin: string;
  readonly type: string;
}

/** The transport for a plug-in's open output. */
export function pluginTransport(
  { target, send, probe, close, takesFile }: Opened,
  author: Author,
  context: OutputContext,
  output: Common,
): Transport {
  const { services } = context;
  const what = `the output type "${author.type}"`;
  if (!isTarget(target))
    throw new PluginMistake(
      `the result of open of ${what} of "${author.plugin}" has no target, which is an address or words for people`,
    );
  const fault = (member: string, error: unknown) => faultOf(author, member, error, services.log);
  const bind = ({ timeoutMs, signal }: Call, delivery?: Delivery) => {
    const http = boundHttp({ services, signal, timeoutMs, id: delivery?.id, parts: delivery?.request });
    const request = `a request of ${what} of "${author.plugin}"`;
    const send: Http['send'] = async (given) => http.send(checkMembers(request, given, 'request'));
    return { timeoutMs, signal, http: { send } };
  };
  return {
    ...placeOf(target, services),
    send: async (delivery, call) => {
      const work = async () => send(ownDelivery(delivery, context, output), bind(call, delivery));
      const warning = await inItsTime(work, call, () =>
        services.log('warn', 'delivered_late', {
          request_id: delivery.requestId,
          form: delivery.formId,
          output: Number(/\d+$/.exec(delivery.id)),
          type: author.type,
          plugin: author.plugin,
          reason: `${what} delivered after its timeout; the delivery counts as failed, so a retry would deliver it twice`,
        }),
      ).catch((error) => {
        throw fault('send', error);
      });
      return typeof warning === 'string' ? warning : undefined;
    },
    ...(probe && {
      probe: (call) =>
        inItsTime(
          async () =>
            checkedFindings(
              await probe({
                ...bind(call),
                writes: call.writes,
                template: (one) =>
                  rendered(one, templateContext('', new Map(), services.now(), services), output),
              }),
              `probe of ${what}`,
            ),
          call,
        ).catch((error) => {
          throw fault('probe', error);
        }),
    }),
    ...(close && {
      close: async () => {
        try {
          await withTimeout(closeMs, (async () => close())(), () => {
            throw new PluginMistake(
              `close of ${what} of "${author.plugin}" did not finish within ${closeMs / 1_000} s`,
            );
          });
        } catch (error) {
          fault('close', error);
        }
      },
    }),
    ...(takesFile && { takesFile }),
  };
}

/** Wraps a transport wrapper, limited to the timeout of each attempt: after the abort signal, it can no longer send. */
export const pluginWrapper =
  (wrap: NonNullable<OutputHooks['wrapTransport']>): NonNullable<OutputHooks['wrapTransport']> =>
  (inner, context) => {
    const { now } = context.services;
    const send: Transport['send'] = async (delivery, call) => {
      if (call.signal.aborted) throw call.signal.reason;
      return inner.send(delivery, call);
    };
    const wrapped = wrap({ ...inner, send }, context);
    return {
      ...wrapped,
      send: (delivery, call) => {
        const startedAt = now();
        const left: Call = {
          get timeoutMs() {
            return Math.max(1, Math.min(call.timeoutMs, call.timeoutMs - (now() - startedAt)));
          },
          get signal() {
            return call.signal;
          },
        };
        return inItsTime(async () => wrapped.send(delivery, left), call);
      },
    };
  };

/** The result of the work. After its timeout, throws a `ClientError`, and then reports only a late success. */
async function inItsTime<T>(work: () => Promise<T>, call: Call, late?: () => void): Promise<T> {
  const { timeoutMs, signal } = call;
  let isOver = false;
  const working = work();
  const ending = working.catch((error) => {
    // Ignore any other error that the plug-in throws after the signal.
    throw signal.aborted && !(error instanceof ClientError) ? timedOut(timeoutMs) : error;
  });
  working.then(
    () => isOver && late?.(),
    () => undefined,
  );
  return withTimeout(timeoutMs + graceMs, ending, () => {
    isOver = true;
    throw timedOut(timeoutMs);
  });
}

/** An error other than `kit.retry` or `kit.fail` is a bug of the plug-in, and a retry would not help. */
function faultOf({ plugin, type }: Author, member: string, error: unknown, log: Log): ClientError {
  if (error instanceof ClientError) return error;
  const culprit = `${member} of the output type "${type}"`;
  log('error', 'internal_error', { stack: stackOf(mistakeIn(`${culprit} of "${plugin}"`, error)) });
  // `relay doctor` shows no log, so its message has the details: what a member returned, or where a probe threw.
  const place = member === 'probe' && error instanceof Error && placeIn(error);
  const what =
    error instanceof PluginMistake ? error.message : `${culprit} threw${place ? ` at ${place}` : ''}`;
  return new ClientError(`a bug in the plug-in "${plugin}": ${what}`, {
    code: 'plugin_failed',
    isLasting: true,
  });
}

const isTarget = (target: unknown): boolean =>
  (typeof target === 'string' && target !== '') || (typeof target === 'object' && target !== null);

/** Resolves the target. If it is a web address, `relay doctor` tests it, and deliveries to the same host are retried in turn. */
function placeOf(target: Opened['target'], services: Services): Partial<Transport> {
  if (typeof target === 'object')
    return destinationOf(target instanceof URL ? { url: target } : target, services);
  const url = /^https?:/i.test(target) ? parseUrl(target) : undefined;
  return url ? destinationOf({ url }, services) : { target };
}

/** A copy, because all outputs share the values. */
const ownDelivery = (
  delivery: Delivery,
  { form, services }: OutputContext,
  output: Common,
): PluginDelivery => ({
  id: delivery.id,
  formId: delivery.formId,
  receivedAt: delivery.receivedAt,
  values: new Map([...delivery.values].map(([name, values]) => [name, [...values]])),
  payload: delivery.payload.map(([name, values]) => [name, [...values]]),
  files: new Map(delivery.files),
  get labelled() {
    return filledIn(output, form, delivery);
  },
  message: (write, options = {}) => writeMessage(write, options, output, form, delivery, services),
  template: (template) => rendered(template, delivery.templateContext, output),
});

function rendered(template: Template, context: TemplateContext, output: Common): string {
  const unset = [...template.neededEnvNames].some((name) => !context.env(name));
  const [key] = Object.entries<unknown>({ ...output }).find(([, value]) => value === template) ?? [];
  if (unset && key !== undefined) throw failed('rendered_empty', { key });
  return template.render(context);
}

/** The context for `open`. */
export const pluginContext = ({ form, services }: OutputContext): PluginOutputContext => ({
  form,
  env: services.env,
  log: services.log,
  now: services.now,
  isDryRun: services.isDryRun === true,
});
