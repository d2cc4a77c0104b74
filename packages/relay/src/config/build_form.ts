import { defaultUploadBytes, maxBodyBytes } from '../base/http.ts';
import { doubtParts } from '../features/doubt/doubt.ts';
import { guardsOf } from '../features/feature.ts';
import { answersOf, featuresAsked, mailedByFeatures, namesOfFeatures, stagesOf } from '../features/index.ts';
import type { Classes } from '../fields/classes.ts';
import { type Field, type InEachLanguage, inputsOf } from '../fields/field.ts';
import { sentencesOf } from '../fields/sentences.ts';
import type { Form, FormOutput, Note } from '../form.ts';
import { directionOf, parentAmong } from '../messages/languages.ts';
import { type MessageCode, type Say, sayIn, say as sayInEnglish } from '../messages/message.ts';
import { mailedFieldsOf } from '../outputs/mailed_fields.ts';
import type { FormAbout } from '../outputs/output.ts';
import { planPayload } from '../outputs/payload.ts';
import type { Lists } from '../schema/lists/list.ts';
import { fieldRanges, rowsOf, stepRanges } from './groups_and_steps.ts';
import type { Languages } from './languages.ts';
import type { OwnMessages, SomeTexts } from './message_texts.ts';
import { isNote, type ParsedForm, type ParsedTop } from './schema.ts';

/** A form's parsed keys in each of its languages. */
export interface ParsedForms {
  /** Empty if none is named. */
  readonly languages: readonly string[];
  readonly first: ParsedForm;
  /** By language; empty for a form in one language. */
  readonly others: ReadonlyMap<string, ParsedForm>;
}

export const inEnglish = (first: ParsedForm): ParsedForms => ({ languages: [], first, others: new Map() });

type Top = Pick<
  ParsedTop,
  | 'classes'
  | 'messages'
  | 'keep'
  | 'spam'
  | 'origins'
  | 'origins_unknown'
  | 'rate_limit'
  | 'archive'
  | 'time_zone'
  | 'counted_in'
  | 'bounces'
  | 'pdf'
>;

export interface Common {
  readonly top: Top;
  readonly lists: Lists;
  readonly voiceOf: (language: string | undefined, own: OwnMessages | undefined) => Voice;
}

interface Voice {
  readonly say: Say;
  /** Whether the owner wrote this text. */
  readonly isOwn: (code: MessageCode) => boolean;
}

export function createCommon(top: Top, { textsIn, ownIn }: Languages, lists: Lists): Common {
  /** By language, for forms without `messages` of their own. */
  const voices = new Map<string | undefined, Voice>();
  return {
    top,
    lists,
    voiceOf: (language, own) => {
      const known = own ? undefined : voices.get(language);
      if (known) return known;
      const voice = makeVoice(language);
      if (!own) voices.set(language, voice);
      return voice;

      function makeVoice(tag = 'en'): Voice {
        const replaced = [top.messages, own].flatMap((messages) => textsFor(tag, messages));
        const written = [ownIn(tag), ...replaced];
        const say =
          language === undefined && replaced.length === 0
            ? sayInEnglish
            : sayIn(tag, Object.assign({}, textsIn(tag), ...replaced));
        return { say, isOwn: (code) => written.some((texts) => texts[code] !== undefined) };
      }
    },
  };
}

/** The texts of `messages` that apply to a language, the weakest first. */
function textsFor(tag: string, messages: OwnMessages | undefined): readonly SomeTexts[] {
  if (!messages) return [];
  const { everywhere, byLanguage } = messages;
  const near = byLanguage.get(parentAmong(tag, [...byLanguage.keys()]) ?? '');
  return [everywhere, near ?? {}];
}

/** Builds the form that the relay serves: everything that follows from its keys is computed once. */
export function buildForm(id: string, { languages, first, others }: ParsedForms, common: Common): Form {
  const [language] = languages;
  const everywhere = [[language ?? 'en', first] as const, ...others];
  if (others.size === 0) return build(id, first, language, common, { variants: oneLanguage, everywhere });
  const variants = new Map<string, Form>();
  const form = build(id, first, language, common, { variants, everywhere });
  for (const tag of languages) {
    const variant =
      tag === language ? form : build(id, others.get(tag) ?? first, tag, common, { variants, everywhere });
    // A field of this name has precedence.
    const query = form.fields.some(({ name }) => name === 'lang') ? '' : `lang=${tag}`;
    // Deliveries do not depend on the language.
    variants.set(tag, { ...variant, outputs: form.outputs, query, variants: oneLanguage });
  }
  return form;
}

/** Without `doubt`, a kept submission may still have the mark of an earlier config. */
const unchanged = (mark: string) => mark;

const oneLanguage: ReadonlyMap<string, Form> = new Map();

interface EachLanguage {
  readonly variants: Form['variants'];
  readonly everywhere: readonly (readonly [language: string, parsed: ParsedForm])[];
}

const inEach = (everywhere: EachLanguage['everywhere'], name: string): InEachLanguage =>
  everywhere.flatMap(([language, { fields }]) => {
    const field = fields.find((one) => !isNote(one) && one.name === name);
    return field && !isNote(field) ? [[language, field]] : [];
  });

function build(
  id: string,
  parsed: ParsedForm,
  language: string | undefined,
  { top, lists, voiceOf }: Common,
  { variants, everywhere }: EachLanguage,
): Form {
  const { title, redirect, groups = [], steps = [] } = parsed;
  const zone = parsed.time_zone ?? top.time_zone;
  const { say, isOwn } = voiceOf(language, parsed.messages);
  const alone = parsed.fields.flatMap((entry) => {
    if (isNote(entry)) return [];
    const placed = (zone !== undefined && entry.inZone?.(zone)) || entry;
    return [placed.inLanguage?.(say, language ?? 'en', inEach(everywhere, entry.name)) ?? placed];
  });
  const shown = alone.map((field) => field.among?.(alone, language ?? 'en') ?? field);
  const read = new Set(shown.flatMap(({ computes }) => computes?.inputs.map(({ name }) => name) ?? []));
  const counted = shown.map((field) => (read.has(field.name) ? field.withKeys({ takesOne: true }) : field));
  // Behind all others, so that no place of a field changes.
  const fields = [...counted, ...shown.flatMap(({ drawing }) => drawing?.(say) ?? [])];
  const inputs = inputsOf(fields);
  const declared = fields.map(({ name }) => name);
  const guards = guardsOf(parsed.spam, top.spam);
  const about: FormAbout = {
    id,
    title,
    language: language ?? 'en',
    direction: directionOf(language ?? 'en'),
    pageLabel: say({ code: 'mail_page' }),
    doubtLabel: say({ code: 'mail_doubt' }),
    waitingLabel: say({ code: 'mail_waiting' }),
    doubtWords: doubtParts.value?.noticedIn(language ?? 'en') ?? unchanged,
    tagSubject: guards.tag_subject ?? '[Spam?]',
    fields,
    ...(parsed.outputs.some(({ pdf }) => pdf) && {
      paper: {
        fonts: top.pdf?.fonts ?? [],
        zone,
        receivedLabel: say({ code: 'pdf_received' }),
        failedWords: say({ code: 'pdf_failed' }),
      },
    }),
  };
  const outputs = parsed.outputs.map((output) =>
    Object.assign(output, { plan: planPayload(output, declared), form: about }),
  );
  const asked = featuresAsked({ form: parsed, top, guards, lists });
  const { checkNames, ownNames } = namesOfFeatures(asked);
  const ofOutputs = namesUsedBy(outputs);
  const namedParts = inputs === fields ? [] : inputs.filter(({ name }) => ofOutputs.has(name));
  const usedNames = new Set([...inputs.map(({ name }) => name), ...ofOutputs]);
  // A field of parts has a value of its own, which nobody sends.
  for (const { name, parts } of fields) if (parts) usedNames.delete(name);
  for (const name of checkNames) usedNames.delete(name);
  const mailed = [
    ...mailedFieldsOf(outputs, fields),
    ...mailedByFeatures(asked).map((name) => ({ name, isRecipient: true })),
  ];
  const arranged = {
    notes: notesIn(parsed.fields),
    groups: fieldRanges(
      groups.map(({ legend, fields }) => ({ title: legend, fields })),
      fields,
    ),
    steps: stepRanges(steps, fields),
  };
  return {
    id,
    language: language ?? 'en',
    direction: language === undefined ? undefined : directionOf(language),
    variants,
    query: '',
    say,
    fields,
    inputs,
    namedParts: namedParts.length > 0 ? new Set(namedParts.map(({ name }) => name)) : undefined,
    sentences: sentencesOf(inputs, isOwn),
    ...arranged,
    rows: rowsOf(fields, arranged),
    outputs,
    features: asked,
    stages: stagesOf(asked),
    answers: answersOf(asked),
    ...bodiesOf(parsed, fields),
    confirmation: parsed.confirmation ?? say({ code: 'confirmation' }),
    keptMessage: parsed.kept_message,
    failureMessage: parsed.failure_message,
    closedText: parsed.closed_text,
    fullText: parsed.full_text,
    title,
    submitLabel: parsed.submit_label ?? say({ code: 'submit' }),
    classes: mergeClasses(top.classes, parsed.classes),
    redirect,
    usedNames,
    mailed: mailed.length > 0 ? mailed : undefined,
    checkNames,
    ownNames,
  };
}

function notesIn(entries: ParsedForm['fields']): readonly Note[] {
  const notes: Note[] = [];
  for (const [index, entry] of entries.entries()) {
    if (isNote(entry)) notes.push({ text: entry.note, before: index - notes.length });
  }
  return notes;
}

/** Browsers send files as multipart. */
function bodiesOf(
  { bodies = [], max_body }: ParsedForm,
  fields: readonly Field[],
): Pick<Form, 'bodies' | 'bodyLimit'> {
  const files = fields.filter(({ takeFiles }) => takeFiles);
  const ofDrawings = files.every(({ drawingOf }) => drawingOf !== undefined);
  const bytes = files.reduce((sum, { mostBytes = 0 }) => sum + mostBytes, maxBodyBytes);
  return {
    bodies: new Set(files.length > 0 ? [...bodies, 'multipart'] : bodies),
    bodyLimit: ofDrawings ? bytes : (max_body ?? defaultUploadBytes),
  };
}

/** The form's own classes win, even empty ones: those parts then have none. */
function mergeClasses(shared: Classes | undefined, own: Classes | undefined): Classes | undefined {
  const named = Object.entries({ ...shared, ...own }).filter(([, names]) => names);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

const namesUsedBy = (outputs: readonly FormOutput[]): ReadonlySet<string> =>
  new Set([
    ...outputs.flatMap(({ plan }) => plan.flatMap(({ fieldName }) => fieldName ?? [])),
    ...outputs.flatMap(({ readsFields }) => readsFields.map(({ name }) => name)),
    ...outputs.flatMap(({ templates }) => templates.flatMap(({ template }) => [...template.fieldNames])),
  ]);
