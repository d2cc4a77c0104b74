import { basename } from 'node:path';
import { attributes, html } from '@form-relay/base/html';
import type { Form, FormOutput, Locale } from '@form-relay/core/index';
import { curlLine, type Sample, sampleValues } from '@form-relay/dry-run/samples';
import {
  formAddress,
  formLink,
  formScriptPath,
  formTag,
  pageAddress,
  printedForm,
  scriptTag,
  styleLink,
} from '@form-relay/pages/printed_form';
import { keepInWords } from '@form-relay/queue/store_status';
import { inWords } from '@form-relay/schema/condition';
import type { Problem } from '@form-relay/yaml/problem';
import { type Json, pathIn } from '../edit/model.ts';
import { canvasOf, localesOf, shapeOf, titleOf } from './form_parts.ts';
import { frameAddress } from './framed_page.ts';
import type { LiveConfig } from './live_config.ts';
import { variablesOf } from './mail_connection.ts';
import {
  type FileState,
  type Fix,
  type FormState,
  maxDraftBytes,
  type OutputState,
  type ProblemState,
  type SiteState,
  type Snippet,
  type StudioState,
  tooLongToEdit,
} from './state.ts';

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
  /** The studio's origin, as the browser sees it. */
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

/** A problem in another file, such as a language file, has no position in this one. */
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

/** A language's name in that language. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** Fixes that one click applies: a problem's advice, if it leaves nothing to choose. */

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

/** A block is named after its first value. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value;

/** `npm run sites` builds its sites from these same parts, by name and number, and submits their forms. */
export function snippets(form: Form, locale: Locale, origin: string): readonly Snippet[] {
  const tag = String(formTag(form, origin, locale));
  const script = String(scriptTag(origin));
  const link = String(styleLink(origin, form));
  const loaded = `${link}\n${script}`;
  const all = `${loaded}\n${tag}`;
  const head = ['Paste into <head> of index.html.', loaded] as const;
  const of = (name: string, ...parts: readonly (readonly [where: string, code: string])[]): Snippet => ({
    name,
    parts: parts.map(([where, code]) => ({ where, code })),
  });
  const one = (name: string, where: string, code: string) => of(name, [where, code]);
  const isCustom =
    "vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'relay-form' } } })";
  return [
    one('HTML', 'Paste into any page.', all),
    of('Hugo', ['Save as layouts/shortcodes/contact.html.', all], ['Paste into a page.', '{{< contact >}}']),
    of(
      'Jekyll',
      ['Save as _includes/contact.html.', all],
      ['Paste into a page.', '{% include contact.html %}'],
    ),
    one(
      'Astro',
      'Paste into a page or a component. is:inline leaves the script as it is.',
      `${link}\n<script is:inline${attributes({ src: origin + formScriptPath, defer: true })}></script>\n${tag}`,
    ),
    one('Eleventy', 'Paste into a page: Nunjucks or Markdown.', all),
    of('React', head, ['Paste into a component, with React 19.', tag]),
    of(
      'Vue',
      head,
      ['Add to vite.config.js, as a plugin: relay-form is not a Vue component.', isCustom],
      ['Paste into the template of a component.', tag],
    ),
    of('Svelte', head, ['Paste into a component.', tag]),
    one(
      'WordPress',
      'Paste into a “Custom HTML” block. If your account may not add scripts, WordPress keeps only the link to the relay’s own page.',
      all,
    ),
    one(
      'A printed form',
      'Paste into any page. Change anything except the names of fields.',
      String(printedForm(form, origin, { locale, script: true })),
    ),
    one('htmx 4', 'Paste into a page with htmx 4.', withHtmx(form, locale, 'htmx4', origin)),
    one('htmx 2', 'Paste into a page with htmx 2.', withHtmx(form, locale, 'htmx2', origin)),
    one(
      'A link',
      'Paste into any page, post or mail: links to the relay’s own page.',
      String(formLink(form, origin, locale)),
    ),
  ];
}

function withHtmx(form: Form, locale: Locale, htmx: 'htmx2' | 'htmx4', origin: string): string {
  const load = { 'hx-get': formAddress(origin, form, locale), 'hx-trigger': 'load' };
  return `<meta name="htmx-config" content='${crossOriginConfig[htmx]}'>
<script src="https://cdn.jsdelivr.net/npm/htmx.org@${htmxVersions[htmx]}/dist/htmx.min.js"></script>
${styleLink(origin, form)}
${html`<div${attributes(load)}>
  ${formLink(form, origin, locale)}
</div>`}`;
}

/** Versions from package.json, which the studio's own pages load. */
const htmxVersions = { htmx2: '2.0.11', htmx4: '4.0.1' } as const;

/** By default, htmx sends requests only to its own origin; htmx 4 reads the setting before it loads. */
const crossOriginConfig = { htmx2: '{"selfRequestsOnly": false}', htmx4: '{"mode": "cors"}' } as const;

/** Code to copy: a page of each kind with the form, and commands for a terminal. */
export function siteOf(form: Form, locale: Locale, origin: string, samples: readonly Sample[]): SiteState {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const captcha = form.provided.get('captcha');
  const token: readonly Sample[] = captcha ? [[captcha.field, 'pretend-human']] : [];
  return {
    page: pageAddress(origin, form),
    snippets: snippets(form, locale, origin),
    curl: curlLine(url, [...samples, ...token]),
    curlNote: form.cards.find(({ withoutBrowser }) => withoutBrowser)?.withoutBrowser ?? '',
  };
}
