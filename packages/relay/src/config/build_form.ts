import { defaultUploadBytes, maxBodyBytes } from '../base/http.ts';
import { pageFields } from '../base/page_context.ts';
import type { Classes } from '../fields/classes.ts';
import type { Field } from '../fields/field.ts';
import type { Doubt, Form, FormOutput, Gates, Note, Proof, Spam } from '../form.ts';
import { behaviourField } from '../form.ts';
import { directionOf, parentAmong } from '../messages/languages.ts';
import { type Say, sayIn, say as sayInEnglish } from '../messages/message.ts';
import type { FormAbout } from '../outputs/output.ts';
import { planPayload } from '../outputs/payload.ts';
import { secondsToMs } from '../schema/duration.ts';
import type { Lists } from '../schema/lists/list.ts';
import { signalsOf } from './guard_keys.ts';
import { guardsOf } from './guards_of.ts';
import type { Languages } from './languages.ts';
import type { OwnMessages, SomeTexts } from './message_texts.ts';
import { runsOf, stepsOf } from './runs.ts';
import { isNote, type ParsedForm, type ParsedTop, spamKeys } from './schema.ts';

/** A form's keys, read in each of its languages. */
export interface ParsedForms {
  /** Empty where none is named. */
  readonly languages: readonly string[];
  readonly first: ParsedForm;
  /** By language; empty for a form of one. */
  readonly others: ReadonlyMap<string, ParsedForm>;
}

export const inEnglish = (first: ParsedForm): ParsedForms => ({ languages: [], first, others: new Map() });

type Top = Pick<
  ParsedTop,
  'classes' | 'messages' | 'keep' | 'spam' | 'origins' | 'origins_unknown' | 'rate_limit'
>;

/** What all forms of a config have in common. */
export interface Common {
  readonly top: Top;
  readonly lists: Lists;
  readonly voiceOf: (language: string | undefined, own: OwnMessages | undefined) => Say;
}

export function createCommon(top: Top, { textsIn }: Languages, lists: Lists): Common {
  /** Of forms without `messages` of their own, by language. */
  const voices = new Map<string | undefined, Say>();
  return {
    top,
    lists,
    voiceOf: (language, own) => {
      const known = own ? undefined : voices.get(language);
      if (known) return known;
      const voice = makeVoice(language);
      if (!own) voices.set(language, voice);
      return voice;

      function makeVoice(tag = 'en') {
        const replaced = [top.messages, own].flatMap((messages) => textsFor(tag, messages));
        const texts = textsIn(tag);
        return language === undefined && replaced.length === 0
          ? sayInEnglish
          : sayIn(tag, Object.assign({}, texts, ...replaced));
      }
    },
  };
}

/** What `messages` says in a language, the weakest first. */
function textsFor(tag: string, messages: OwnMessages | undefined): readonly SomeTexts[] {
  if (!messages) return [];
  const { everywhere, byLanguage } = messages;
  const near = byLanguage.get(parentAmong(tag, [...byLanguage.keys()]) ?? '');
  return [everywhere, near ?? {}];
}

/** A form as the relay uses it, with all that follows from its keys worked out once. */
export function buildForm(id: string, { languages, first, others }: ParsedForms, common: Common): Form {
  const [language] = languages;
  if (others.size === 0) return build(id, first, language, common, oneLanguage);
  const variants = new Map<string, Form>();
  const form = build(id, first, language, common, variants);
  for (const tag of languages) {
    const variant = tag === language ? form : build(id, others.get(tag) ?? first, tag, common, variants);
    // Where a field has this name, the query is for the field.
    const query = form.fields.some(({ name }) => name === 'lang') ? '' : `lang=${tag}`;
    // What is delivered does not depend on the language.
    variants.set(tag, { ...variant, outputs: form.outputs, query, variants: oneLanguage });
  }
  return form;
}

const oneLanguage: ReadonlyMap<string, Form> = new Map();

function build(
  id: string,
  parsed: ParsedForm,
  language: string | undefined,
  { top, lists, voiceOf }: Common,
  variants: Form['variants'],
): Form {
  const { captcha, title, redirect, groups = [], steps = [] } = parsed;
  const fields = parsed.fields.flatMap((entry) => (isNote(entry) ? [] : [entry]));
  const say = voiceOf(language, parsed.messages);
  const declared = fields.map(({ name }) => name);
  const guards = guardsOf(parsed.spam, top.spam);
  const about: FormAbout = {
    id,
    title,
    language: language ?? 'en',
    direction: directionOf(language ?? 'en'),
    pageLabel: say({ code: 'mail_page' }),
    doubtLabel: say({ code: 'mail_doubt' }),
    tagSubject: guards.tag_subject ?? '[Spam?]',
    fields,
  };
  const outputs = parsed.outputs.map((output) =>
    Object.assign(output, { plan: planPayload(output, declared), form: about }),
  );
  const spam = parsed.spam && buildSpam(parsed.spam);
  const gates = buildGates(parsed, top);
  const doubt = buildDoubt(guards, lists);
  const proof = buildProof(guards, gates, doubt, parsed);
  const countsBehaviour = guards.behaviour ?? false;
  const checkNames = new Set(
    [
      spam?.honeypot,
      spam?.minFill?.tokenField,
      captcha?.tokenField,
      proof?.tokenField,
      proof?.field,
      countsBehaviour ? behaviourField : undefined,
      ...(parsed.page ? Object.values(pageFields) : []),
    ].filter((name) => name !== undefined),
  );
  const usedNames = namesUsedBy(fields, outputs);
  for (const name of checkNames) usedNames.delete(name);
  return {
    id,
    language: language ?? 'en',
    direction: language === undefined ? undefined : directionOf(language),
    variants,
    query: '',
    say,
    fields,
    notes: notesIn(parsed.fields),
    groups: runsOf(
      groups.map(({ legend, fields }) => ({ title: legend, fields })),
      fields,
    ),
    steps: stepsOf(steps, fields),
    outputs,
    spam,
    captcha,
    gates,
    proof,
    countsBehaviour,
    doubt,
    receipt: parsed.receipt,
    page: parsed.page,
    ...bodiesOf(parsed, fields),
    scan: parsed.scan && { scanner: parsed.scan.clamd, tooLarge: parsed.scan.too_large },
    keep: parsed.keep && top.keep && { what: parsed.keep, where: top.keep },
    confirmation: parsed.confirmation ?? say({ code: 'confirmation' }),
    keptMessage: parsed.kept_message,
    confirmationMail: parsed.confirmation_mail,
    doubleOptIn: parsed.double_opt_in,
    failureMessage: parsed.failure_message,
    title,
    submitLabel: parsed.submit_label ?? say({ code: 'submit' }),
    classes: mergeClasses(top.classes, parsed.classes),
    redirect,
    usedNames,
    checkNames,
  };
}

function notesIn(entries: ParsedForm['fields']): readonly Note[] {
  const notes: Note[] = [];
  for (const [index, entry] of entries.entries()) {
    if (isNote(entry)) notes.push({ text: entry.note, before: index - notes.length });
  }
  return notes;
}

/** A form with files takes what browsers send them in (D74). */
function bodiesOf(
  { bodies = [], max_body }: ParsedForm,
  fields: readonly Field[],
): Pick<Form, 'bodies' | 'bodyLimit'> {
  const takesFiles = fields.some(({ takeFiles }) => takeFiles);
  return {
    bodies: new Set(takesFiles ? [...bodies, 'multipart'] : bodies),
    bodyLimit: takesFiles ? (max_body ?? defaultUploadBytes) : maxBodyBytes,
  };
}

/** The form's own win, also where they are empty: then that part has none. */
function mergeClasses(shared: Classes | undefined, own: Classes | undefined): Classes | undefined {
  const named = Object.entries({ ...shared, ...own }).filter(([, names]) => names);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

const buildSpam = (spam: NonNullable<ParsedForm['spam']>): Spam => ({
  honeypot: spam.honeypot,
  minFill: spam.min_fill_seconds
    ? {
        minFillMs: secondsToMs(spam.min_fill_seconds),
        tooFast: spam.too_fast,
        ttlMs: spam.form_ttl,
        tokenField: spam.token_field,
      }
    : undefined,
});

type Guards = NonNullable<Top['spam']>;

function buildGates(form: ParsedForm, top: Top): Gates | undefined {
  const origins = 'origins' in form ? form.origins : top.origins;
  const rate = 'rate_limit' in form ? form.rate_limit : top.rate_limit;
  if (!origins && !rate) return undefined;
  return { origins, unknown: form.origins_unknown ?? top.origins_unknown ?? 'allow', rate };
}

function buildDoubt(guards: Guards, lists: Lists): Doubt | undefined {
  const { doubt: thresholds = [] } = guards;
  return thresholds.length === 0 ? undefined : { thresholds, signals: signalsOf(guards, lists) };
}

/** Something must be able to ask for it. */
function buildProof(
  {
    proof_of_work: asked,
    proof_field: field = 'altcha',
    without_script: withoutScript = 'challenge',
    challenge,
  }: Guards,
  gates: Gates | undefined,
  doubt: Doubt | undefined,
  { spam, captcha, origins_unknown }: ParsedForm,
): Proof | undefined {
  const mayDoubt = doubt?.thresholds.some(({ action }) => action === 'challenge');
  const mayAsk = mayDoubt || (gates?.origins && gates.unknown === 'challenge');
  if (!asked && !mayAsk) return undefined;
  const key = asked ? 'proof_of_work' : mayDoubt ? 'doubt' : undefined;
  const isOwn = (key ? spam?.[key] : origins_unknown) !== undefined;
  return {
    askedBy: { key: key ? ['spam', key] : ['origins_unknown'], isAtTop: !isOwn },
    when: asked === 'auto' ? 'auto' : asked ? 'always' : 'asked',
    field,
    tokenField: spam?.token_field ?? spamKeys.token_field.default,
    ttlMs: spam?.form_ttl ?? twoHoursMs,
    challenge: challenge ?? (captcha?.onlyInDoubt ? 'captcha' : 'proof_of_work'),
    withoutScript,
  };
}

/** As `form_ttl` where nobody says it. */
const twoHoursMs = 7_200_000;

const namesUsedBy = (fields: readonly Field[], outputs: readonly FormOutput[]): Set<string> =>
  new Set([
    ...fields.map(({ name }) => name),
    ...outputs.flatMap(({ plan }) => plan.flatMap(({ fieldName }) => fieldName ?? [])),
    ...outputs.flatMap(({ readsFields }) => readsFields.map(({ name }) => name)),
    ...outputs.flatMap(({ templates }) => templates.flatMap(({ template }) => [...template.fieldNames])),
  ]);
