import type { Captcha } from './captchas/provider.ts';
import type { Field } from './fields/field.ts';
import type { Output } from './outputs/output.ts';
import type { PayloadPlan } from './outputs/payload.ts';

/**
 * Every value that a body or query carried, by field name, in the order sent.
 * A map, so that no field name is special (`__proto__` is a name like any other: D3).
 */
export type Values = ReadonlyMap<string, readonly string[]>;

/** The values that count: browsers send an empty one for every control that was left empty. */
export const withoutEmpty = (values: readonly string[]): readonly string[] =>
  values.includes('') ? values.filter((value) => value !== '') : values;

/** One accepted post to a form, on its way through checks to the outputs. */
export interface Submission {
  readonly values: Values;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When everything about it must have ended, in milliseconds since the epoch (D15). */
  readonly deadline: number;
  /**
   * Its sender's IP address, where the runtime vouches for one. Never logged; nobody but the captcha provider gets it
   * (D16).
   */
  readonly senderAddress: string | undefined;
  /** Names this submission in the log and in the `X-Request-Id` answer header. */
  readonly requestId: string;
}

/** A form as the config declares it, checked and ready to use. */
export interface Form {
  readonly id: string;
  readonly fields: readonly Field[];
  readonly outputs: readonly FormOutput[];
  readonly spam: Spam | undefined;
  readonly captcha: Captcha | undefined;
  readonly confirmation: string;
  readonly title: string | undefined;
  readonly submitLabel: string;
  /** Where plain browsers go after a successful submission; without it they get JSON. */
  readonly redirect: URL | undefined;
  /**
   * Every field name that the config uses: declared, or named by a mapping or a template. Others are ignored (D4), and
   * so are those that belong to a check, which no output gets (SPEC: Submission rules 1 to 3).
   */
  readonly usedNames: ReadonlySet<string>;
}

/** An output with the plan of its payload, which depends on the form's fields. */
export interface FormOutput extends Output {
  readonly plan: readonly PayloadPlan[];
}

/** Honeypot and min-fill settings (SPEC: Spam block). */
export interface Spam {
  readonly honeypot: string | undefined;
  /** `undefined` when the check is off. */
  readonly minFill: MinFill | undefined;
}

export interface MinFill {
  readonly minFillMs: number;
  readonly ttlMs: number;
  readonly tokenField: string;
}
