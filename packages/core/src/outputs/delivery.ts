/** A delivery, its payload, and the data that its templates read. */
import type { Finding } from '@form-relay/base/finding';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { type Files, type Values, withoutEmpty } from '@form-relay/base/values';
import type { Page, Template, TemplateContext } from '@form-relay/schema/template';
import type { Field } from '../fields/field.ts';
import type { Locale } from '../messages/message.ts';
import type { Probes, Services, SesMessage, SmtpMessage } from '../services.ts';
import type { FieldError, Payload } from '../submission.ts';
import type { Common } from './output.ts';
import type { RequestParts } from './request.ts';

/** A delivery as plain data: any process that has it and the config can make the delivery at any time. */
export interface Delivery {
  /** Identifies the delivery, the same for every attempt: `<request id>-<index of the output>`. */
  readonly id: string;
  readonly requestId: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** All values that outputs may have. */
  readonly values: Values;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
  /** @internal */ readonly templateContext: TemplateContext;
  readonly files: Files;
  /** @internal Warns the owner of omissions, once for all attempts; in addition to the warning with which `send` resolves. */
  readonly warn?: (reason: string) => void;
  // Additions of output extensions (`OutputHooks.wrapTransport`).
  /** @internal The values of undeclared fields, in submitted order, for outputs that send all values. */
  readonly undeclared?: Values;
  /** @internal Precedes the title in chats. */
  readonly titlePrefix?: string;
  /** @internal */ readonly remarks?: readonly Remark[];
  /** @internal Parts of the mail, for outputs that send mails. With `to`, all of it: a feature's mail, sent by this output. */
  readonly mail?: MailParts | undefined;
  /** @internal */ readonly request?: RequestParts | undefined;
}

/** A feature's remark on a submission, in addition to its values, such as a suspicion of spam. */
export interface Remark {
  /** The key in payloads and JSON, which begins with `_`, unlike any field's name. */
  readonly name: string;
  readonly value: string;
  /** For people, in the form's first language: the label, and the text after it. */
  readonly label: string;
  readonly words: string;
  /** The header of requests and mails that has the value. */
  readonly header?: string;
}

export interface MailParts extends Partial<SmtpMessage & SesMessage> {
  readonly subjectPrefix?: string;
  /** A sentence below everything else. */
  readonly note?: string;
}

/** The delivery with a remark. The payload gets it, too, unless the output has a key of that name. */
export function withRemark(delivery: Delivery, remark: Remark): Delivery {
  const { payload, remarks = [] } = delivery;
  const remarked = { ...delivery, remarks: [...remarks, remark] };
  if (payload.length === 0 || payload.some(([key]) => key === remark.name)) return remarked;
  const entry = [remark.name, [remark.value]] as const;
  return { ...remarked, payload: [...payload, entry].sort(([one], [other]) => byCodePoint(one, other)) };
}

/** The time limit of an attempt. */
export interface Call {
  readonly timeoutMs: number;
  /** Aborts when the time is up: the attempt counts as failed, and nothing may be delivered afterwards. */
  readonly signal: AbortSignal;
}

export interface ProbeCall extends Call {
  /** Whether the owner lets checks write test data and remove it again. */
  readonly writes: boolean;
}

export type Protocol = 'http' | 'smtp' | 'ses' | 's3' | 'folder';

/** Tests the connection of an output with the client of its protocol. Only `relay doctor` has such tests. */
export const probeWith =
  (protocol: keyof Probes, keys: object, { probes }: Services): NonNullable<Transport['probe']> =>
  async (call) =>
    (await probes?.())?.[protocol](keys, call) ?? [];

/** The same attempt with less time. */
export const within = (call: Call, timeoutMs: number): Call => ({
  timeoutMs,
  get signal() {
    return call.signal;
  },
});

export interface Transport {
  /**
   * Delivers once. Resolves with a warning for the owner, if any; rejects with a `ClientError` if the
   * receiver did not accept it, or may not have.
   */
  send(delivery: Delivery, call: Call): Promise<string | undefined>;
  /** The destination for its owner, such as `https://crm.example.com/leads`. Contains no credentials. */
  readonly target?: string;
  /** @internal The protocol, which is the heading in the report of `relay doctor`. */
  readonly protocol?: Protocol | undefined;
  /** @internal Tests the connection without delivering anything, for `relay doctor`. May reject with a `ClientError`. */
  probe?(call: ProbeCall): Promise<readonly Finding[]>;
  /** @internal Closes what `open` opened, after the last delivery of its config. */
  close?(): MaybePromise<void>;
  /** @internal Deliveries to the same host share a queue when they are retried. Default: the output's type. */
  readonly host?: string;
  /**
   * @internal Called during validation with valid values: returns the error of a field that makes delivery impossible, such
   * as an unusable address. `isAscii`: called after a delivery to a server that only accepts ASCII addresses (`no_smtputf8`).
   */
  readonly check?: ((values: Values, isAscii?: boolean) => FieldError | undefined) | undefined;
  /** @internal Whether it delivers the files of a field. Default: only their names and sizes. */
  takesFile?(field: string): boolean;
  /** @internal For outputs that archive: stores rejected submissions, separately from the delivered ones. */
  readonly rejected?: RejectedArchive;
}

export interface RejectedArchive {
  /** Stores all values and files of the delivery, whatever `mapping` names. */
  store(delivery: Delivery, rejection: Rejection, timeoutMs: number): Promise<void>;
}

export interface Rejection {
  readonly by: string;
  readonly reason: string;
  /** More findings of the check, by name. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** How an output's keys get their values, prepared once when the config loads. */
export interface PayloadPlan {
  readonly key: string;
  readonly fieldName: string | undefined;
  readonly fixed: Template | undefined;
}

export function planPayload(
  { mapping, static: fixed }: Partial<Pick<Common, 'mapping' | 'static'>>,
  declared: readonly string[],
): readonly PayloadPlan[] {
  const mapped = mapping === '*' ? new Map(declared.map((name) => [name, name])) : mapping;
  const keys = new Set([...(mapped?.keys() ?? []), ...(fixed?.keys() ?? [])]);
  return [...keys]
    .sort(byCodePoint)
    .map((key) => ({ key, fieldName: mapped?.get(key), fixed: fixed?.get(key) }));
}

/** SPEC: Rules for `mapping` and `static`. A static value that renders empty overwrites nothing. */
export function buildPayload(
  plan: readonly PayloadPlan[],
  values: Values,
  templateContext: TemplateContext,
): Payload {
  const payload: [string, readonly string[]][] = [];
  for (const { key, fieldName, fixed } of plan) {
    const text = fixed?.render(templateContext) ?? '';
    if (text !== '') {
      payload.push([key, [text]]);
    } else if (fieldName !== undefined) {
      const filled = withoutEmpty(values.get(fieldName) ?? []);
      if (filled.length > 0) payload.push([key, filled]);
    }
  }
  return payload;
}

/** The order of UTF-8 bytes, which differs from UTF-16 order beyond U+FFFF. Keys are unique. */
export function byCodePoint(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** The data of a submission that templates can read (SPEC: Templating). */
export const templateContext = (
  formId: string,
  fields: Values,
  receivedAt: number,
  { env }: Pick<Services, 'env'>,
  seen: Seen = {},
): TemplateContext => new SubmissionTemplateContext(formId, fields, receivedAt, env, seen);

/** Further data: a form whose options have labels, in a language, and the page where it was filled in. */
interface Seen extends Pick<TemplateContext, 'page' | 'labels'> {
  readonly fields?: readonly Pick<Field, 'name' | 'shape' | 'layout' | 'offered' | 'derive' | 'words'>[];
  readonly locale?: Locale;
}

/** A class, because a getter in an object literal would give every object its own hidden class, at 5 µs each. */
export class SubmissionTemplateContext implements TemplateContext {
  readonly fields: Values;
  readonly formId: string;
  readonly env: TemplateContext['env'];
  readonly #receivedAt: number;
  readonly #seen: Seen;

  constructor(formId: string, fields: Values, receivedAt: number, env: TemplateContext['env'], seen: Seen) {
    this.fields = fields;
    this.formId = formId;
    this.env = env;
    this.#receivedAt = receivedAt;
    this.#seen = seen;
  }

  get page(): Page | undefined {
    return this.#seen.page;
  }

  labels(name: string): string {
    const values = withoutEmpty(this.fields.get(name) ?? []);
    const { fields, locale } = this.#seen;
    const field = fields?.find((one) => one.name === name);
    // A box has only its own label.
    const isChoice = field?.offered && field.layout !== 'box';
    if (!field || !locale || !(field.shape || field.derive || isChoice))
      return this.#seen.labels?.(name) ?? values.join(', ');
    return field.words(values, locale).join(field.shape ? '\n' : ', ');
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}
