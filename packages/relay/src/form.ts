import type { Effects } from './base/effects.ts';
import type { CheckEvidence, DeliveryError, Listener } from './base/event.ts';
import type { Files } from './base/files.ts';
import type { RelayRequest } from './base/http.ts';
import type { Outcome } from './base/outcome.ts';
import type { PageContext } from './base/page_context.ts';
import type { Result } from './base/result.ts';
import type { Soon } from './base/soon.ts';
import type { Checked, Submission } from './base/submission.ts';
import type { Values } from './base/values.ts';
import type { Classes } from './fields/classes.ts';
import type { Field } from './fields/field.ts';
import type { FieldSentences } from './fields/sentences.ts';
import type { Memory } from './memory/memory.ts';
import type { Say } from './messages/message.ts';
import type { Output } from './outputs/output.ts';
import type { PayloadPlan } from './outputs/payload.ts';
import type { Path } from './schema/finding.ts';
import type { Settings } from './schema/settings/settings.ts';
import type { Transports } from './transports/index.ts';

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
  /** Fixed sentences about fields, by name. */
  readonly sentences: ReadonlyMap<string, FieldSentences>;
  /** Text between the fields, each before the field of this place; after all of them where there is none. */
  readonly notes: readonly Note[];
  /** Fields with a legend around them. No two have a field in common. */
  readonly groups: readonly FieldRange[];
  /** Each field is in one of them; none where the form is filled in at once. */
  readonly steps: readonly FieldRange[];
  readonly outputs: readonly FormOutput[];
  /** What it asks of each feature, by the feature's name: read it with `of` of that feature (features/feature.ts). */
  readonly features: FeatureSettings;
  /** What its features do with its submissions. */
  readonly stages: Stages;
  /** What it takes beside urlencoded bodies (D74). */
  readonly bodies: ReadonlySet<'json' | 'multipart'>;
  /** How large a body may be, in bytes. Everything but files has `maxBodyBytes`. */
  readonly bodyLimit: number;
  readonly confirmation: string;
  /** What is read instead, where the submission was kept. Default: the same. */
  readonly keptMessage: string | undefined;
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
  /** Names under which the relay alone adds something to a submission, such as its doubt; `undefined`: none. */
  readonly ownNames: ReadonlySet<string> | undefined;
}

export type FeatureSettings = ReadonlyMap<string, unknown>;

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
export interface FieldRange {
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

/** Stages of a form's way, in the order of features/index.ts. */
export interface Stages {
  /** Before the body is read. */
  readonly head: readonly HeadStage[];
  /** Reads something beside the fields, as soon as the body is there. */
  readonly read:
    | ((sent: Values, request: RelayRequest, settings: Settings) => PageContext | undefined)
    | undefined;
  /** Checks of what was typed, its validation, and what follows that before the delivery. */
  readonly way: readonly Stage[];
  /** What becomes of what outputs owe (D69); `undefined`: the submission fails. */
  readonly owed: Owe | undefined;
  /** What follows a delivery, before it is answered. */
  readonly delivered: readonly Sequel[];
  /** The code that proves that it was taken. */
  readonly receipt: ReceiptOf | undefined;
}

/** Looks at a submission before anything that was typed is read. */
export type HeadStage = (arrival: Arrival) => Soon<Found>;

/** Looks at a submission whose body was read. */
export type Stage = (passage: Passage) => Soon<Found>;

/** Resolves with how what is owed is kept; `undefined` where nothing can keep it. */
export type Owe = (form: Form, tell: Listener, world: World) => KeepOwed | undefined;

export interface KeepOwed {
  /** Whether all is kept before any output is tried. */
  readonly all: boolean;
  /** Resolves with whether all of it is kept. Never rejects. */
  readonly keep: (submission: Checked, owed: readonly Owed[]) => Promise<boolean>;
}

/** What an output owes. */
export interface Owed {
  /** Its place in the form's `outputs`, from 0. */
  readonly output: number;
  /** Why it has not got the submission; `undefined` where it was not tried. */
  readonly why: DeliveryError | undefined;
}

export type Delivered = Extract<Outcome, { kind: 'delivered' }>;

export type Sequel = (
  form: Form,
  submission: Checked,
  outcome: Delivered,
  tell: Listener,
  world: World,
) => Promise<void>;

export type ReceiptOf = (
  outcome: Outcome,
  form: Form,
  about: {
    readonly receivedAt: number;
    readonly sent?: Values | undefined;
    /** What outputs had of it. */
    readonly taken: Pick<Checked, 'receivedAt' | 'values' | 'files'> | undefined;
  },
  settings: Settings,
) => Promise<string | undefined>;

/** What a request is answered with, whichever form it is about. */
export interface World {
  readonly request: RelayRequest;
  readonly settings: Settings;
  readonly effects: Effects;
  readonly memory: Memory;
  readonly transports: Transports;
  /** `false` where nothing is really sent. */
  readonly limitsMails: boolean;
  /** Absent where nothing is kept. */
  readonly keeper?: (() => Promise<Keeper>) | undefined;
  /** The form in the language that the visitor reads. */
  reader(form: Form): Form;
  /** For what the sender need not wait for: it follows the answer where the process lives on, and else goes before it. */
  afterwards(work: () => Promise<void>): Promise<void>;
}

/** A post to a form whose body was not read yet. */
export interface Arrival {
  readonly form: Form;
  readonly world: World;
  readonly effects: Effects;
  readonly memory: Memory;
  readonly settings: Settings;
}

/** A submission among the stages, and what they have found by now. */
export interface Passage extends Arrival {
  readonly submission: Submission;
  /** What the outputs may have; empty until validation said so. */
  readonly values: Values;
  readonly files: Files;
  readonly tell: Listener;
  /** Whether its sender has done what a challenge asks for (D71). */
  readonly isProven: boolean;
  /** Whether what it came with was sent before. */
  readonly isUsed: boolean;
  /** Whether it passes only with a proof that a person sent it. */
  readonly mustProve: boolean;
  /** How long filling in took, if that was too fast and the form doubts it (`too_fast: doubt`). Milliseconds. */
  readonly tooFastMs: number | undefined;
  /** What passed all checks by now. */
  checked(): Checked;
}

/** What a stage found. Without an `ending` the submission passes. */
export interface Found {
  /** Absent from stages that are no checks, which tell what they do themselves. */
  readonly evidence?: CheckEvidence;
  readonly ending?: Outcome;
  /** What the outputs may have. Only validation says so. */
  readonly accepted?: { readonly values: Values; readonly files: Files };
  /** What outputs get beside that: names that no visitor can send (doubt.ts). */
  readonly marks?: Values;
  /** Its sender has done what a challenge asks for. */
  readonly isProven?: boolean;
  /** What it came with was sent before, and has not come back since. */
  readonly isUsed?: boolean;
  /** It passes only with a proof that a person sent it. */
  readonly mustProve?: boolean;
  /** It was filled in too fast, in so many milliseconds, which the form doubts. */
  readonly tooFastMs?: number;
  /** Takes back what it counted: the submission comes again. */
  readonly undo?: () => void;
}

/** Keeps what outputs owe, and delivers it later (D69). */
export interface Keeper {
  /** Resolves when all that is owed is kept for good, or with why it is not. Never rejects. */
  keep(task: KeepTask): Promise<Result<Keeping, DeliveryError>>;
}

export interface KeepTask {
  /** In its first language, which its outputs speak. It has `keep`. */
  readonly form: Form;
  readonly submission: Checked;
  readonly owed: readonly Owed[];
  readonly tell: Listener;
  /** Whether the process goes on after the answer. */
  readonly livesOn: boolean;
}

/** What was kept. */
export interface Keeping {
  /** When it is tried, where the relay does that by itself. */
  readonly dueAt?: number | undefined;
  /** Delivers what was not tried yet, where this process is to do that. Never rejects. */
  readonly deliver?: (() => Promise<void>) | undefined;
}
