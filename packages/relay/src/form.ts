import type { Threshold } from './base/doubt.ts';
import type { SocketAddress } from './base/effects.ts';
import type { FormKeep } from './base/kept.ts';
import type { Path } from './base/place.ts';
import type { Captcha } from './features/captcha/provider.ts';
import type { Signal } from './features/doubt/signals/signal.ts';
import type { DoubleOptIn, VisitorMail } from './features/visitor_mails/visitor_mail.ts';
import type { Classes } from './fields/classes.ts';
import type { Field } from './fields/field.ts';
import type { Say } from './messages/message.ts';
import type { Output } from './outputs/output.ts';
import type { PayloadPlan } from './outputs/payload.ts';
import type { OriginPattern } from './schema/origin_pattern.ts';
import type { Rate } from './schema/rate.ts';

/** A form as the config declares it, checked and ready to use. */
export interface Form {
  readonly id: string;
  /** It is none of the config's forms, but what alerts say (config/alerts_form.ts). */
  readonly isAlerts?: true;
  /** What it is written in, as a BCP 47 tag. */
  readonly language: string;
  /** Which way that is written; `undefined` where the config names no language, so that its markup names none either. */
  readonly direction: 'ltr' | 'rtl' | undefined;
  /** The same form in each of its languages, for visitors who choose; empty for a form of one. */
  readonly variants: ReadonlyMap<string, Form>;
  /** What its addresses carry, so that answers are in the language that was chosen: `lang=de`. Mostly nothing. */
  readonly query: string;
  /** What the relay says to its visitors. */
  readonly say: Say;
  readonly fields: readonly Field[];
  /** Text between the fields, each before the field of this place; after all of them where there is none. */
  readonly notes: readonly Note[];
  /** Fields with a legend around them. No two have a field in common. */
  readonly groups: readonly Run[];
  /** Each field is in one of them; none where the form is filled in at once. */
  readonly steps: readonly Run[];
  readonly outputs: readonly FormOutput[];
  readonly spam: Spam | undefined;
  readonly captcha: Captcha | undefined;
  /** From where it may be sent, and how often. */
  readonly gates: Gates | undefined;
  /** How a visitor's browser proves that it took some trouble; where nothing may ask for that, `undefined`. */
  readonly proof: Proof | undefined;
  /** What its script counts while it is filled in, if it does. */
  readonly countsBehaviour: boolean;
  /** What speaks against a submission, and what becomes of it then. */
  readonly doubt: Doubt | undefined;
  /** Whether visitors get a signed code once it was delivered. */
  readonly receipt: boolean;
  /** Whether it asks for the page on which it is filled in (D85). */
  readonly page: boolean;
  /** What it takes beside urlencoded bodies (D74). */
  readonly bodies: ReadonlySet<'json' | 'multipart'>;
  /** The virus scanner that sees each file before anything is delivered. */
  readonly scan: Scan | undefined;
  /** How large a body may be, in bytes. Everything but files has `maxBodyBytes`. */
  readonly bodyLimit: number;
  /** What becomes of what outputs owe; `undefined`: the submission fails (D69). */
  readonly keep: FormKeep | undefined;
  readonly confirmation: string;
  /** What is read instead, where the submission was kept. Default: the same. */
  readonly keptMessage: string | undefined;
  /** What whoever filled it in gets once it was delivered. */
  readonly confirmationMail: VisitorMail | undefined;
  /** Nothing is delivered before whoever filled it in clicked the link in this mail (D88). */
  readonly doubleOptIn: DoubleOptIn | undefined;
  /** The owner's words beside the relay's where sending failed, such as whom to call. */
  readonly failureMessage: string | undefined;
  readonly title: string | undefined;
  readonly submitLabel: string;
  /** The site's own class names, where the config has any. */
  readonly classes: Classes | undefined;
  /** Where plain browsers go after a successful submission; without it they get JSON. */
  readonly redirect: URL | undefined;
  /** Names that the form's fields and outputs use: declared, or named by a mapping or a template. Others are ignored (D4). */
  readonly usedNames: ReadonlySet<string>;
  /** Names that only the relay itself reads: the honeypot's, the tokens' and the page's. No output gets them (SPEC: Submission rules 1 to 3). */
  readonly checkNames: ReadonlySet<string>;
}

/** Where it stands in the config. */
export const pathOf = ({ id, isAlerts }: Pick<Form, 'id' | 'isAlerts'>): Path =>
  isAlerts ? ['alerts'] : ['forms', id];

/** Whether the form or one of its checks reads what is sent under this name. */
export const isKnownTo = ({ usedNames, checkNames }: Form, name: string): boolean =>
  usedNames.has(name) || checkNames.has(name);

export interface Note {
  readonly text: string;
  readonly before: number;
}

/** Fields that follow each other. */
export interface Run {
  readonly title: string;
  /** The place of the first among the form's fields. */
  readonly from: number;
  /** The place after the last. */
  readonly to: number;
}

/** An output with the plan of its payload, which depends on the form's fields. */
export interface FormOutput extends Output {
  readonly plan: readonly PayloadPlan[];
}

/** Who looks for viruses, and what becomes of files that are too large for it (D94). */
export interface Scan {
  readonly scanner: SocketAddress;
  readonly tooLarge: 'refuse' | 'deliver';
}

/** Honeypot and min-fill settings (SPEC: Spam block). */
export interface Spam {
  readonly honeypot: string | undefined;
  /** `undefined` when the check is off. */
  readonly minFill: MinFill | undefined;
}

/** What is looked at before anything else. */
export interface Gates {
  /** `undefined`: any. */
  readonly origins: readonly OriginPattern[] | undefined;
  /** What becomes of a submission that does not say where it comes from. */
  readonly unknown: 'allow' | 'challenge' | 'refuse';
  /** How often a client may send it; `undefined`: as often as it likes. */
  readonly rate: Rate | undefined;
}

export interface Proof {
  /** The key that asks for it, in the form or at the top. */
  readonly askedBy: { readonly key: Path; readonly isAtTop: boolean };
  /** `asked`: only of those who are challenged. */
  readonly when: 'always' | 'auto' | 'asked';
  /** The hidden field with the solution. */
  readonly field: string;
  /** The token that carries the puzzle, which is the min-fill token where the form has one. */
  readonly tokenField: string;
  /** How long a solution counts. */
  readonly ttlMs: number;
  /** What is asked of those who are challenged. */
  readonly challenge: 'captcha' | 'proof_of_work';
  /** What becomes of a submission without a solution. */
  readonly withoutScript: 'allow' | 'challenge' | 'refuse';
}

/** How a form weighs what speaks against a submission. */
export interface Doubt {
  /** From how many points each action holds; the one with the most points first, and of those with as many, the harshest. */
  readonly thresholds: readonly Threshold[];
  readonly signals: readonly Signal[];
}

/** The hidden field in which the form's script says how it was filled in. */
export const behaviourField = '_behaviour';

export interface MinFill {
  readonly minFillMs: number;
  /** What becomes of faster submissions; `undefined`: the config does not say, so they are dropped. */
  readonly tooFast: 'drop' | 'doubt' | undefined;
  readonly ttlMs: number;
  readonly tokenField: string;
}
