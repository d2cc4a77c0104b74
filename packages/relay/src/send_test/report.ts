import type { Effects } from '../base/effects.ts';
import type { VisitorMailKey } from '../base/event.ts';
import type { Files, SentFile } from '../base/files.ts';
import type { Values } from '../base/values.ts';
import type { Form } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';

export interface TestOptions {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
  /** As a visitor would send them. */
  readonly values: Values;
  readonly files: Files<SentFile>;
  /** Fields with made-up values. No mail goes to an address in them. */
  readonly madeUp: ReadonlySet<string>;
  /** The places of the outputs to try, from 0. Default: all. */
  readonly only?: ReadonlySet<number> | undefined;
}

export interface TestReport {
  /** Its id. */
  readonly form: string;
  /** Labels and values; files by name and size. */
  readonly values: readonly (readonly [label: string, value: string])[];
  /** Mails to the visitor come last. */
  readonly outputs: readonly TestedOutput[];
  /** How the failures would affect a visitor; `undefined` if nothing failed. */
  readonly consequence: string | undefined;
}

export interface TestedOutput {
  /** Its place among the form's outputs, from 0; or the key of a mail to the visitor. */
  readonly place: number | VisitorMailKey;
  readonly type: string;
  readonly target: string;
  /** The recipients of a mail, or the room of a chat. */
  readonly to: readonly string[];
  /** `ready`: in a plan. */
  readonly result: 'ready' | 'delivered' | 'failed' | 'skipped';
  /** It was skipped because it would go to the visitor, whose address is made up. */
  readonly needsAddress?: true;
  /** A single line without secrets: the answer, or the reason. May be empty. */
  readonly says: string;
  readonly remedy?: string | undefined;
  readonly warnings: readonly string[];
  /** How long it took, in milliseconds; 0 in a plan. */
  readonly ms: number;
}
