import { basename } from 'node:path';
import type { Form, FormOutput, Locale } from '@form-relay/core/index';
import { sampleValues } from '@form-relay/dry-run/samples';
import { keepInWords } from '@form-relay/queue/store_status';
import { inWords } from '@form-relay/schema/condition';
import type { Problem } from '@form-relay/yaml/problem';
import { type Json, pathIn } from '../edit/model.ts';
import { canvasOf, localesOf, shapeOf, titleOf } from './form_parts.ts';
import { frameAddress } from './framed_page.ts';
import type { LiveConfig } from './live_config.ts';
import { variablesOf } from './mail_connection.ts';
import { siteOf } from './snippets.ts';
import type { FileState, Fix, FormState, OutputState, ProblemState, StudioState } from './state.ts';
import { maxDraftBytes, tooLongToEdit } from './state.ts';

export interface Shown {
  readonly config: LiveConfig;
  readonly form: Form | undefined;
  /** The language in which the form is shown. */
  readonly locale: Locale | undefined;
  readonly notes: readonly string[];
  readonly isDelivering: boolean;
  /** Whether an environment variable is set. */
  readonly isSet: (name: string) => boolean;
  readonly now: number;
  /** Where the studio is, as the browser sees it. */
  readonly origin: string;
  readonly publicUrl: string | undefined;
  readonly run: string;
}

export function stateOf(shown: Shown): StudioState {
  const { config, form, run, isDelivering, origin, publicUrl } = shown;
  return {
    run,
    isLive: isDelivering,
    origin,
    publicUrl,
    file: fileState(config),
    problems: config.problems.map((problem) => problemState(problem, config)),
    forms: [...(config.current?.forms.values() ?? [])].map((one) => ({
      id: one.id,
      title: titleOf(one, one.locale(undefined)),
    })),
    form: form && formState(form, shown),
  };
}

const fileState = (config: LiveConfig): FileState => ({
  name: basename(config.sourceName),
  id: config.id,
  text: config.text,
  textVersion: config.textVersion,
  isDraft: config.isDraft,
  version: config.version,
  overtakenBy: config.overtakenBy,
  state: config.state,
  locked: lockedBy(config),
});

function lockedBy({ unreadable, text }: LiveConfig): string | undefined {
  if (unreadable) return `${unreadable}: it cannot be shown or saved.`;
  return Buffer.byteLength(text) > maxDraftBytes ? `This file is long: ${tooLongToEdit}.` : undefined;
}

/** A problem of another file, such as a language's, has no place in this one. */
export function problemState(problem: Problem, { sourceName }: LiveConfig): ProblemState {
  const { severity, code, path, file, excerpt, meant } = problem;
  const isHere = file === sourceName;
  const message = isHere ? problem.message : `${file}: ${problem.message}`;
  const { line, column, length } = (isHere && meant) || {
    line: isHere && code !== 'config_unreadable' ? problem.line : 0,
    column: problem.column,
    length: /\^*$/.exec(excerpt)?.[0].length || 1,
  };
  return {
    severity,
    code,
    line,
    column,
    length,
    path,
    message,
    fix: isHere ? fixOf(problem) : undefined,
  };
}

function formState(form: Form, shown: Shown): FormState {
  const { notes, locale = form.locale(undefined) } = shown;
  const locales = localesOf(form);
  const kept = form.provided.get('keep');
  const samples = sampleValues(form, shown.now);
  return {
    id: form.id,
    title: titleOf(form, locale),
    language: locale.language ?? 'en',
    languages: locales.length > 1 ? locales.map(languageState) : [],
    frame: frameAddress(form, locale),
    shape: shapeOf(form, shown.now),
    samples,
    byHand: form.fields
      .filter(({ isClosedToLinks }) => isClosedToLinks)
      .flatMap(({ name, inputs }) => inputs?.all.map((input) => input.name) ?? name),
    checks: form.cards.map(({ name, says }) => ({ name, says })),
    outputs: form.outputs.map((output) => outputState(output, shown.isSet)),
    keep: kept && sentence(keepInWords(kept, 'is')),
    notes,
    site: siteOf(form, locale, shown.origin, samples),
    fieldCount: form.fields.length,
    canvas: canvasOf(form, locale),
  };
}

const outputState = (output: FormOutput, isSet: Shown['isSet']): OutputState => ({
  variables: Object.fromEntries([...variablesOf(output)].map((name) => [name, isSet(name)])),
  sendsAll: output.sendsOfItself === true && !output.isArchive && output.type !== 'webhook',
  type: output.type,
  target: output.transport?.target ?? '',
  onError: output.on_error,
  when: output.condition && inWords(output.condition),
});

const languageState = ({ language = 'en' }: Locale) => ({ tag: language, name: nameOf(language) });

const sentence = (words: string) => `${words.replace(/./, (first) => first.toUpperCase())}.`;

/** A language's name in itself. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** The fixes that a click applies: a problem's advice, where that leaves nothing to choose. */

export function fixOf({ code, path: written, meant, fix }: Problem): Fix | undefined {
  if (meant) return { name: `Change to ${meant.text}`, text: meant.text };
  const path = pathIn(written);
  if (code?.endsWith('_address_reserved'))
    return { name: 'Choose where it goes', outputsOf: String(path[1]) };
  if (!fix) return undefined;
  if (fix === 'remove') return { name: `Remove ${path.at(-1)}`, actions: [{ do: 'remove', path }] };
  const [first] = fix;
  return (
    first && {
      name: `Set ${first[0].at(-1)} to ${shown(first[1])}`,
      actions: fix.map(([at, value]) => ({ do: 'set', path: at, value: value as Json })),
    }
  );
}

/** A block is named by its first value. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value;
