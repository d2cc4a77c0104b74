import type { Bounces, TellOwner } from './base/bounces.ts';
import type { Effects } from './base/effects.ts';
import type { CheckEvidence, DeliveryError, Listener, PageCounts } from './base/event.ts';
import type { Files } from './base/files.ts';
import type { HtmlValue } from './base/html.ts';
import type { RelayRequest, RelayResponse } from './base/http.ts';
import type { FieldError, Outcome, Refusal, WaitsFor } from './base/outcome.ts';
import type { PageContext } from './base/page_context.ts';
import type { Result } from './base/result.ts';
import type { Soon } from './base/soon.ts';
import type { Checked, Submission } from './base/submission.ts';
import type { Trace } from './base/trace.ts';
import type { Values } from './base/values.ts';
import type { Lists, Sent } from './bodies/sent.ts';
import type { Classes } from './fields/classes.ts';
import type { Field } from './fields/field.ts';
import type { FieldSentences } from './fields/sentences.ts';
import type { Memory } from './memory/memory.ts';
import type { Message, Say } from './messages/message.ts';
import type { MailedField } from './outputs/mailed_fields.ts';
import type { FormAbout, Output } from './outputs/output.ts';
import type { PayloadPlan } from './outputs/payload.ts';
import type { Path } from './schema/finding.ts';
import type { Rate } from './schema/rate.ts';
import type { Settings } from './schema/settings/settings.ts';
import type { Transports } from './transports/index.ts';

/** A form as the config declares it, checked and ready to use. */
export interface Form {
  readonly id: string;
  /** The form as servers send it (street/from_server.ts): its answers are JSON. */
  readonly isForServers?: true;
  /** It is none of the config's forms, but what alerts say (config/alerts_form.ts). */
  readonly isAlerts?: true;
  /** The language of its texts, as a BCP 47 tag. */
  readonly language: string;
  /** Which way that is written; `undefined` where the config names no language, so that its markup names none either. */
  readonly direction: 'ltr' | 'rtl' | undefined;
  /** The same form in each of its languages, for visitors who choose; empty for a form of one. */
  readonly variants: ReadonlyMap<string, Form>;
  /** The query of its addresses that keeps the chosen language: `lang=de`. Mostly empty. */
  readonly query: string;
  /** The relay's own texts, in its language. */
  readonly say: Say;
  readonly fields: readonly Field[];
  /** What is sent under a name of its own: the fields, or the parts of those that have parts. */
  readonly inputs: readonly Field[];
  /** The parts that outputs name by themselves; `undefined`: none. */
  readonly namedParts: ReadonlySet<string> | undefined;
  /** Fixed sentences about fields, by name. */
  readonly sentences: ReadonlyMap<string, FieldSentences>;
  /** Text between the fields, each before the field of this place; after all of them where there is none. */
  readonly notes: readonly Note[];
  /** Fields with a legend around them. No two have a field in common. */
  readonly groups: readonly FieldRange[];
  /** Each field is in one of them; none where the form is filled in at once. */
  readonly steps: readonly FieldRange[];
  /** Fields that stand side by side. Each row is inside one group and step. */
  readonly rows: readonly Range[];
  readonly outputs: readonly FormOutput[];
  /** The settings of each feature, by name. Read them with the feature's `of` (features/feature.ts). */
  readonly features: FeatureSettings;
  /** The code that its features run for each submission. */
  readonly stages: Stages;
  /** The markup and response data of its features. */
  readonly answers: Answers;
  /** The formats that it accepts beside urlencoded bodies. */
  readonly bodies: ReadonlySet<'json' | 'multipart'>;
  /** How large a body may be, in bytes. Everything but files has `maxBodyBytes`. */
  readonly bodyLimit: number;
  readonly confirmation: string;
  /** Shown instead if the submission was kept. Default: the same text. */
  readonly keptMessage: string | undefined;
  /** The owner's words beside the relay's where sending failed, such as whom to call. */
  readonly failureMessage: string | undefined;
  /** The same once the form has closed. */
  readonly closedText: string | undefined;
  /** The same once all its places are taken. */
  readonly fullText: string | undefined;
  readonly title: string | undefined;
  readonly submitLabel: string;
  /** The site's own class names, where the config has any. */
  readonly classes: Classes | undefined;
  /** Plain browsers are redirected here after a successful submission; without it they get JSON. */
  readonly redirect: URL | undefined;
  /** Names that the form's fields and outputs use: declared, or named by a mapping or a template. Others are ignored. */
  readonly usedNames: ReadonlySet<string>;
  /** The fields to whose values mails or replies go; `undefined`: none. */
  readonly mailed: readonly MailedField[] | undefined;
  /** Names that only the relay itself reads: the honeypot's, the tokens' and the page's. No output gets them (SPEC: Submission rules 1 to 3). */
  readonly checkNames: ReadonlySet<string>;
  /** Names under which the relay alone adds something to a submission, such as its doubt; `undefined`: none. */
  readonly ownNames: ReadonlySet<string> | undefined;
}

export type FeatureSettings = ReadonlyMap<string, unknown>;

/** The place of the form in the config. */
export const pathOf = ({ id, isAlerts }: Pick<Form, 'id' | 'isAlerts'>): Path =>
  isAlerts ? ['alerts'] : ['forms', id];

/** Whether the form or one of its checks reads what is sent under this name. */
export const isKnownTo = ({ usedNames, checkNames, fields }: Form, name: string): boolean =>
  usedNames.has(name) || checkNames.has(name) || fields.some(({ parts }) => parts?.isBeyond?.(name));

export interface Note {
  readonly text: string;
  readonly before: number;
}

/** Fields that follow each other. */
export interface Range {
  /** The place of the first among the form's fields. */
  readonly from: number;
  /** The place after the last. */
  readonly to: number;
}

export interface FieldRange extends Range {
  readonly title: string;
}

/** An output with the plan of its payload, which depends on the form's fields. */
export interface FormOutput extends Output {
  readonly plan: readonly PayloadPlan[];
  /** The form as it describes it. */
  readonly form: FormAbout;
}

/** Stages of a form's way, in the order of features/index.ts. */
export interface Stages {
  /** Before the body is read. */
  readonly head: readonly HeadStage[];
  /** Whether one may send it, before a step of it is checked; it counts nothing. */
  readonly admit: HeadStage | undefined;
  /** Reads something beside the fields, as soon as the body is there. */
  readonly read:
    | ((sent: Values, request: RelayRequest, settings: Settings) => PageContext | undefined)
    | undefined;
  /** The values with those that a link of the owner's fixes, whatever was sent. */
  readonly fixed:
    | ((values: Values, form: Form, context: Pick<AnswerContext, 'settings' | 'now'>) => Values)
    | undefined;
  /** Checks of what was typed, its validation, and what follows that before the delivery. */
  readonly way: readonly Stage[];
  /** Looks ahead before a mail goes out in place of the delivery (`double_opt_in`). Takes nothing. */
  readonly foresee: readonly Foresee[];
  /** Takes what there is only so much of, right before the delivery. */
  readonly reserve: Reserve | undefined;
  /** Keeps failed deliveries. `undefined`: the submission fails. */
  readonly owed: Owe | undefined;
  /** Whether an address gets no mails, since they came back. */
  readonly isBlocked: IsBlocked | undefined;
  /** Runs after a delivery, before the answer. */
  readonly delivered: readonly Sequel[];
  /** The code that proves that it was taken. */
  readonly receipt: ReceiptOf | undefined;
  /** Hears of a submission that a check turned away. The answer waits for its promise, which never rejects. */
  readonly turnedAway: ((turned: TurnedAway) => Promise<void> | undefined) | undefined;
  /** The way of servers that send with a key; `undefined`: the form has no keys. */
  readonly servers: Servers | undefined;
}

/** Lets servers in that send with a key. */
export interface ServersStage {
  /** Whether the key is one of the form's. */
  readonly knows: (key: string, env: Effects['env']) => boolean;
  /** Looks at a request before its body. Resolves with what follows the body, or how the request ends. Never rejects. */
  readonly admit: (key: string, arrival: ServerArrival) => Promise<Result<FollowBody, Outcome>>;
}

/** Claims the request's `Idempotency-Key`, if there is one. Never rejects. */
export type FollowBody = (sent: Sent) => Promise<Result<ClaimedOnce | undefined, Outcome>>;

/** The sole try of a submission that servers may send several times. */
export interface ClaimedOnce {
  /** The id and time under which outputs get it, in each try. */
  readonly requestId: string;
  readonly receivedAt: number;
  /** Remembers the answer. Resolves with the one to give. Never rejects. */
  readonly conclude: (outcome: Outcome, answer: RelayResponse) => Promise<RelayResponse>;
}

/** The way of servers. */
export interface Servers extends ServersStage {
  /** Without what is meant for browsers. */
  readonly stages: Stages;
  readonly answers: Answers;
}

/** A submission that a check turned away, and why. */
export interface TurnedAway {
  readonly passage: Passage;
  readonly ending: Outcome;
  readonly evidence: CheckEvidence;
  /** Puts the evidence into words for the owner, without submitted values. */
  readonly explain: (evidence: CheckEvidence) => string;
}

/** Looks at a submission before anything that was typed is read. */
export type HeadStage = (arrival: Arrival) => Soon<Found>;

/** Looks at a submission whose body was read. */
export type Stage = (passage: Passage) => Soon<Found>;

/** Resolves with how the submission would end if it were delivered now, in place of a delivery. Never rejects. */
export type Foresee = (
  form: Form,
  submission: Checked,
  tell: Listener,
  world: World,
) => Promise<Outcome | undefined>;

/** Never rejects. */
export type Reserve = (form: Form, submission: Checked, tell: Listener, world: World) => Promise<Reserved>;

export interface Reserved {
  /** How the submission ends without a delivery. */
  readonly ending?: Outcome;
  /** It is delivered, but only as one on the waiting list. */
  readonly waitsFor?: WaitsFor | undefined;
  /** Takes it for good once the submission is delivered or kept, and otherwise gives it back. Never rejects. */
  readonly conclude?: (outcome: Outcome) => Promise<void>;
}

/** Resolves with how what is owed is kept; `undefined` where nothing can keep it. */
export type Owe = (form: Form, tell: Listener, world: World) => KeepOwed | undefined;

export interface KeepOwed {
  /** Whether all is kept before any output is tried. */
  readonly all: boolean;
  /** Resolves with whether all of it is kept. Never rejects. */
  readonly keep: (submission: Checked, owed: readonly Owed[]) => Promise<boolean>;
}

/** A delivery that an output has not made. */
export interface Owed {
  /** Its place in the form's `outputs`, from 0. */
  readonly output: number;
  /** Why it has not got the submission; `undefined` where it was not tried. */
  readonly why: DeliveryError | undefined;
}

export type IsBlocked = (address: string, world: Pick<World, 'settings' | 'effects'>) => Promise<boolean>;

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
    /** The part of it that outputs received. */
    readonly taken: Pick<Checked, 'receivedAt' | 'values' | 'files'> | undefined;
  },
  settings: Settings,
) => Promise<string | undefined>;

/** The request and the shared parts of the relay that answer it, whatever its form. */
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

/** The same from a server. */
export interface ServerArrival extends Arrival {
  readonly requestId: string;
  readonly tell: Listener;
}

/** A submission among the stages, and what they have found by now. */
export interface Passage extends Arrival {
  readonly submission: Submission;
  /** The values for outputs; empty until validation has accepted them. */
  readonly values: Values;
  readonly files: Files;
  readonly tell: Listener;
  /** Whether its sender has done what a challenge asks for. */
  readonly isProven: boolean;
  /** Whether what it came with was sent before. */
  readonly isUsed: boolean;
  /** Whether it passes only with a proof that a person sent it. */
  readonly mustProve: boolean;
  /** How long filling in took, if that was too fast and the form doubts it (`too_fast: doubt`). Milliseconds. */
  readonly tooFastMs: number | undefined;
  /** The submission, as far as it has passed the checks. */
  checked(): Checked;
}

/** The result of a stage. Without an `ending` the submission passes. */
export interface Found {
  /** Absent from stages that are no checks, which tell what they do themselves. */
  readonly evidence?: CheckEvidence;
  readonly ending?: Outcome;
  /** The values and files for outputs. Only validation sets them. */
  readonly accepted?: { readonly values: Values; readonly files: Files };
  /** Values added for outputs, under names that no visitor can send (doubt.ts). */
  readonly marks?: Values;
  /** Its sender has done what a challenge asks for. */
  readonly isProven?: boolean;
  /** Its token or solution was used before. */
  readonly isUsed?: boolean;
  /** It passes only with a proof that a person sent it. */
  readonly mustProve?: boolean;
  /** It was filled in too fast, in so many milliseconds, which the form doubts. */
  readonly tooFastMs?: number;
  /** Takes back what it counted: the submission comes again. */
  readonly undo?: () => void;
}

/** The markup and response data that features add to a form. */
export interface Answers {
  readonly additions: readonly ((form: Form, view: FormView) => Addition)[];
  readonly policies: readonly ((form: Form, page: PageShown) => Policy)[];
  /** Whether it is shown only where FORM_TOKEN_SECRET is set. */
  readonly needsTokenSecret: boolean;
  /** The outcome that a drop imitates, so that bots cannot tell the difference. `undefined`: a delivery. */
  readonly dropsAs:
    | ((form: Form, sent: Values | undefined) => 'held' | 'kept' | 'saved' | undefined)
    | undefined;
  /** The challenge in a form that is shown again. */
  readonly challenged: ((context: AnswerContext) => ChallengeAsked | undefined) | undefined;
  readonly renewal: Renewal | undefined;
  /** What visitors see of the form at a time. The first that says why it cannot be sent stands in its place. */
  readonly shows: readonly ((form: Form, world: ShownIn) => Soon<Shown | undefined>)[];
  /** What a link fills in; `sealed` is empty where there is none. */
  readonly filling:
    | ((form: Form, sealed: string, context: Pick<AnswerContext, 'settings' | 'now'>) => Filling)
    | undefined;
}

export interface ShownIn {
  /** When it is shown, in milliseconds since the epoch. */
  readonly now: number;
  readonly effects: Pick<Effects, 'openCounter'>;
  /** The link that opens it. */
  readonly link?: { readonly sealed: string; readonly settings: Settings } | undefined;
}

/** The form as it can be filled in now, or why it cannot be sent. */
export interface Shown {
  readonly form?: Form;
  readonly instead?: Refusal;
}

/** What a link does to the form that it opens. */
export interface Filling {
  readonly values?: Values;
  /** The link's content, which is sent with the form. */
  readonly token?: string;
  readonly locked?: ReadonlySet<string>;
  /** Why nothing is filled in. */
  readonly message?: Message;
  /** The form cannot be filled in; visitors read this in its place. */
  readonly refusal?: Refusal;
}

/** The markup that a feature adds to a form, by its place. */
export interface Addition {
  /** Above the fields. */
  readonly before?: HtmlValue;
  /** Below the fields: inputs that nobody sees. */
  readonly inputs?: HtmlValue;
  /** Below these: what every visitor solves. */
  readonly widget?: HtmlValue;
  /** After the button. */
  readonly after?: HtmlValue;
  /** Between the status line and the button: what a visitor is asked for who is doubted. */
  readonly challenge?: HtmlValue;
  /** Attributes of the form that its script reads, before and after all others. */
  readonly scriptAttributes?: HtmlValue;
  readonly attributes?: HtmlValue;
  /** What a script in the form loads for it: `/api/v1/<part>.js`. */
  readonly part?: 'guard' | 'remember' | 'resume' | 'places' | 'stats' | undefined;
  /** At the end of the form. */
  readonly scripts?: HtmlValue;
}

/** Sources that the Content-Security-Policy of a page must allow. */
export interface Policy {
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  readonly frames?: readonly string[];
  readonly connections?: readonly string[];
  readonly workers?: readonly string[];
}

/** A page around a form, or about it. */
export interface PageShown {
  readonly kind: PageKind;
  readonly challenge: ChallengeAsked | undefined;
  /** Whether its content holds a script of its own, and no form to fill in. */
  readonly hasScript: boolean;
}

/** The kind of a page: a form, an error (with the form or without it), or a confirmation. */
export type PageKind = 'form' | 'error' | 'sent';

/** Values that a rejected form needs to be sent again. */
export interface Renewal {
  /** Members of a problem (RFC 9457). */
  problem(context: AnswerContext): object;
  /** Members of an error in plain JSON. */
  json(context: AnswerContext): object | undefined;
  /** The value of `HX-Trigger`. */
  event(context: AnswerContext): string | undefined;
}

/** `number`: what was typed already, in a form that comes back for something else. */
export type ChallengeAsked = 'captcha' | 'proof_of_work' | 'number';

/**
 * Where a rendered form goes, and so what becomes of a field whose `visible_when` does not hold: a `fragment`, for a
 * page with htmx, asks for it when it is needed; a `plain` form, on the relay's own pages, shows it with its condition. So does one for our `script` (packages/element/src/element), which then hides
 * it; without that it is sent like a plain one. It holds no script of its own, and no braces, so that it passes through
 * any site's build.
 */
export type Medium = 'fragment' | 'plain' | 'script';

/** The state of a rendered form, and the page that it is made for. */
export interface FormView {
  /** The part of the form's addresses before `/api/v1`; empty on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** Fields that the visitor has had in view: one that is not among the values was left empty, and stays so. */
  readonly seen: readonly Field[];
  /** Values without a field, to be sent again with the rest. Default: none. */
  readonly carried?: Values;
  /** The fields with which files came, which the page may have lost: where no script takes that back, it is said. */
  readonly forgotten?: ReadonlySet<string>;
  readonly errors: readonly FieldError[];
  /** The link that opened it. */
  readonly link?: Pick<Filling, 'token' | 'locked'> | undefined;
  /** Messages about the submission as a whole. */
  readonly messages: readonly HtmlValue[];
  /** The answer that shows it; absent where it is printed for a page of the owner's. */
  readonly answer?: AnswerContext;
  readonly medium: Medium;
}

/** The text for a sender whose submission succeeded. */
export type Said =
  | 'confirmation'
  | 'kept_message'
  | 'opt_in_sent'
  | 'resume_sent'
  | 'waiting_list'
  | 'waiting_option';

/** Facts for answers, beside the outcome. */
export interface AnswerContext {
  readonly request: RelayRequest;
  /** Different for each request. */
  readonly requestId: string;
  /** The submitted values of names that the form knows. `undefined` if the body was not read. */
  readonly sent: Values | undefined;
  /** The fields with which files came, which no browser keeps in a form that is shown again. */
  readonly sentFiles?: ReadonlySet<string> | undefined;
  /** The places of values that came in lists of a JSON body. */
  readonly sentLists?: Lists | undefined;
  /** Absent when the form is unknown. */
  readonly form: Form | undefined;
  /** The first form of the config, whose language answers without a form use. Absent without a config. */
  readonly reader?: Form | undefined;
  /** The challenge in the form that is shown again, bound to its fresh token. */
  readonly challenge?: ChallengeAsked | undefined;
  /** A puzzle such as everybody solves will do for that. */
  readonly isUsual?: true | undefined;
  /** The token or solution was used before. */
  readonly isUsed?: boolean | undefined;
  /** How large the number of a puzzle is to be, where forms ask for one under attack alone; 0 for none. */
  readonly sizeUnderAttack: (formId: string) => number;
  /** What visitors read in place of the form. */
  readonly instead?: Refusal | undefined;
  /** The visitor's proof that the submission was accepted, in forms with `receipt`. */
  readonly receipt?: string | undefined;
  /** Makes the address of a page that says so and is safe to reload. Absent if the answer is no page, or no secret seals the address. */
  readonly sentAddress?: (form: Form, said: Said, context: AnswerContext) => string;
  readonly settings: Settings;
  /** When the answer is made, in milliseconds since the epoch. */
  readonly now: number;
}

/** Keeps what outputs owe, and delivers it later. */
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

/** The result of keeping deliveries. */
export interface Keeping {
  /** When it is tried. */
  readonly dueAt: number;
  /** Delivers what was not tried yet, where this process is to do that. Never rejects. */
  readonly deliver?: (() => Promise<void>) | undefined;
}

/** The answer to an outcome, for the log. */
export type AnswerTo = (outcome: Outcome) => Soon<RelayResponse>;

/** A request to the route of a feature, and what the street does for it. */
export interface Call extends World {
  readonly requestId: string;
  readonly trace: Trace;
  /** The form that the address names, or the answer that there is none. */
  findForm(): Soon<Result<Form, RelayResponse>>;
  /** Default: the form as far as it is known without waiting. */
  context(form?: Form, sent?: Values): AnswerContext;
  /** Says that FORM_TOKEN_SECRET is missing, if it is. */
  withoutTokenSecret(form: Form): Soon<RelayResponse> | undefined;
  /** Sends a browser that ends on a page of the relay's own on to one that is safe to reload. */
  reloadable(context: AnswerContext): Soon<AnswerContext>;
  /** The parts of the config that are of no form alone; `undefined` if it cannot be loaded. */
  whole(): Soon<Whole | undefined>;
  /** Tells the owner through `alerts`. Resolves after the first try. Never rejects. */
  readonly alert: TellOwner;
  /** Tells observers what happened to the form on a page. */
  tellCounted(form: Form, counts: PageCounts): void;
  /** Delivers a submission that was held, as if it had come just now. */
  deliverHeld(form: Form, held: Held, answerTo: AnswerTo): Promise<Outcome>;
}

/** A config, as features may see it whole. */
export interface Whole {
  readonly bounces: Bounces | undefined;
  readonly forms: ReadonlyMap<string, Form>;
  readonly alerts: { readonly form: Form } | undefined;
}

/** The part of a submission that a later delivery needs. */
export type Held = Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'page'>;

/** An address of the API that a feature answers: `/api/v1/<name>/{form}`. */
export interface FeatureRoute {
  readonly name: string;
  /** Besides OPTIONS; GET means HEAD too. */
  readonly methods: 'GET' | 'POST' | 'GET, POST';
  /** Served at `/api/v1/<name>.json` for no form in particular, to pages of every origin. */
  readonly isOfAll?: true;
  /** How large a body may be, in bytes. Default: `maxBodyBytes`. */
  readonly bodyLimit?: number;
  /** How many requests a process takes, so that they and those of visitors don't use up each other's. Default: the throttle's. */
  readonly limit?: {
    readonly perSecond: number;
    readonly atOnce: number;
    /** Whether more are dropped as if they were taken. Default: they are told to wait. */
    readonly dropsMore?: true;
    /** How many a process takes of each client, so that one alone cannot use up the limit. */
    readonly perClient?: Rate;
  };
  answer(call: Call): Soon<RelayResponse>;
}
