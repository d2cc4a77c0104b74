import {
  filesInFormCode,
  formEventsCode,
  guardInFormCode,
  pageContextCode,
  tokenWaitCode,
} from '../../built/inline.ts';
import { apiPath, sendAddress } from '../api_urls.ts';
import {
  attributes,
  type Html,
  type HtmlValue,
  html,
  inlineScript,
  partId,
  withoutBraces,
} from '../base/html.ts';
import type { FieldError } from '../base/outcome.ts';
import { type PageContext, pageFields } from '../base/page_context.ts';
import type { Values } from '../base/values.ts';
import { captcha } from '../features/captcha/captcha.ts';
import { honeypot } from '../features/honeypot.ts';
import { minFill } from '../features/min_fill.ts';
import { page } from '../features/page.ts';
import { withOwn } from '../fields/classes.ts';
import { type Field, visibleFields } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { arrange, heading } from './arrangement.ts';
import { captchaPlace, captchaWidget } from './captcha_view.ts';
import { type ChallengeShown, challengeView } from './challenge_view.ts';
import { describe, slotting } from './condition_view.ts';
import { fieldElementId, formElementId } from './element_ids.ts';
import { errorBeside, labelledError, unlabelledError } from './error_words.ts';
import { hasAsterisk, renderField } from './field_view.ts';
import { fileAttributes, guardAttributes, isGuarded, scriptAttributes, takesFiles } from './for_script.ts';
import { errorList, hiddenInput, languageAttributes } from './fragments.ts';
import type { Medium } from './medium.ts';
import { withoutScript } from './token_loader_view.ts';

/** What a rendered form shows besides its config, and for which page it is made. */
export interface FormView {
  /** What stands before `/api/v1` in the form's addresses: nothing on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** Fields that the visitor has had in view: one that is not among the values was left empty, and stays so. */
  readonly seen: readonly Field[];
  /** What no field shows, and is to be sent again with the rest. Default: nothing. */
  readonly carried?: Values;
  /** The fields with which files came, which the page may have lost: where no script takes that back, it is said. */
  readonly forgotten?: ReadonlySet<string>;
  readonly errors: readonly FieldError[];
  /** What is said about the submission as a whole. */
  readonly messages: readonly HtmlValue[];
  /** Markup of the min-fill token, or of what fetches it; nothing for forms without min-fill. */
  readonly token: Html | undefined;
  /** What it asks of a visitor whom it doubts. Default: nothing. */
  readonly challenge?: ChallengeShown | undefined;
  /** The page that the form is for, of forms that ask for it. Default: unknown. */
  readonly page?: PageContext | undefined;
  readonly medium: Medium;
  /** It goes into a page without any script. */
  readonly isScriptless?: boolean | undefined;
}

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, view: FormView, hasHeading = true): Html {
  const { say, classes } = form;
  const values = withInitialValues(form, view);
  const visible = visibleFields(form.fields, values);
  const isForScript = view.medium === 'script';
  const isPlain = view.medium === 'plain' || isForScript;
  const isShown = (field: Field) => isPlain || visible.includes(field);
  // What is not in the form has no place for an error: its messages go into the status line.
  const fieldOf = ({ field }: FieldError) => form.fields.find((one) => one.name === field && isShown(one));
  const shownError = view.errors.find(fieldOf);
  // Why it is challenged is read first, and files that are to be chosen again with it.
  const hasSummary = view.errors.length + (view.challenge ? view.messages.length : 0) > 1;
  const messages = [
    ...view.messages,
    ...view.errors.flatMap((error) => {
      const field = fieldOf(error);
      if (!field) return labelledError(form, error);
      if (!hasSummary) return [];
      const words = unlabelledError(form, error) ?? labelledError(form, error);
      return html`<a href="#${errorTarget(form, field)}">${words}</a>`;
    }),
  ];
  const level = hasHeading && form.title ? 3 : 2;
  const inSlot = slotting(form, view.base);
  const fields = form.fields.map((field) => {
    const isHere = visible.includes(field);
    if (view.medium === 'fragment' && !isHere) return inSlot(field, false);
    const error = view.errors.find((candidate) => candidate.field === field.name);
    const rendered = renderField(form, field, {
      values: values.get(field.name) ?? [],
      error: error && (field.layout === 'bare' ? labelledError : errorBeside)(form, error),
      takesFocus: !hasSummary && error !== undefined && error === shownError,
      onlyIf: isPlain || !isHere ? field.visible_when && describe(field.visible_when, form) : undefined,
      isMarked: isForScript,
      isForgotten: view.forgotten?.has(field.name),
    });
    if (isPlain) return rendered;
    return inSlot(field, isHere ? rendered : html`<noscript>\n${rendered}</noscript>\n`);
  });
  const hasNote = form.fields.some(
    (field) => field.required && hasAsterisk(field) && !(view.medium === 'plain' && field.visible_when),
  );
  const fetchesToken = view.medium === 'paste' && view.token !== undefined;
  const parts = [
    fetchesToken && minFill.of(form) && withoutScript(form, view.base),
    hasHeading && form.title && html`<h2${attributes({ class: classes?.title })}>${form.title}</h2>\n`,
    hasNote &&
      html`<p class="${withOwn('form-note', classes?.note)}">${say({ code: 'asterisk_note' })}</p>\n`,
    arrange(form, fields, level),
    carried(view),
    page.of(form) && pageInputs(view),
    decoyOf(form),
    // Without empty lines: in Markdown, one would end the form's HTML.
    view.token && html`${view.token}\n`,
    captchaOf(form, view),
  ];
  const hasGuard = !view.isScriptless && isGuarded(form, view.medium, view.challenge?.asks);
  const markup = html`<form${formAttributes(form, view)}${hasGuard && guardAttributes(form)}>
${parts}${statusLine(form, messages, hasSummary && level)}
${view.challenge && challengeView(form, view.challenge, view.medium)}<button${attributes({ type: 'submit', class: classes?.button })}>${form.submitLabel}</button>
${!isPlain && inlineScript(formEventsCode(say))}${!isPlain && takesFiles(form) && inlineScript(filesInFormCode)}${!isPlain && page.of(form) && inlineScript(pageContextCode)}${hasGuard && !isForScript && inlineScript(guardInFormCode)}${fetchesToken && inlineScript(tokenWaitCode(say))}</form>
`;
  return isForScript ? withoutBraces(markup) : markup;
}

/** Of a form that asks only whom it doubts: the place for it, where a script puts it once it is asked for. */
function captchaOf(form: Form, { medium }: FormView): Html | undefined {
  const asked = captcha.of(form);
  if (!asked?.siteKey) return undefined;
  if (!asked.onlyInDoubt) return html`${captchaWidget(asked, form.say, medium)}\n`;
  return medium === 'script' ? html`${captchaPlace(asked)}\n` : undefined;
}

const carried = ({ carried = new Map<string, readonly string[]>() }: FormView): readonly Html[] =>
  [...carried].flatMap(([name, values]) => values.map((value) => html`${hiddenInput(name, value)}\n`));

/** Where no script fills them in, only what is known is sent: for the rest there is the `Referer`. */
function pageInputs({ page, medium }: FormView): Html | undefined {
  if (medium === 'script' || (medium === 'plain' && !page)) return undefined;
  return html`${hiddenInput(pageFields.url, page?.url ?? '')}\n${hiddenInput(pageFields.title, page?.title ?? '')}\n`;
}

function formAttributes(form: Form, { base, medium }: FormView): Html {
  // A fragment was loaded by htmx, which sends it, too.
  const post = apiPath(base, 'submit', form);
  const action = medium === 'fragment' ? post : sendAddress(base, form);
  const id = formElementId(form);
  const hasFiles = takesFiles(form);
  const common = attributes({
    id,
    class: withOwn('form-relay', form.classes?.form),
    action,
    method: 'post',
    enctype: hasFiles && multipart,
    'aria-label': form.title,
    ...languageAttributes(form),
  });
  if (medium === 'plain') return common;
  if (medium === 'script') return html`${common}${scriptAttributes(form)}`;
  const forFiles = hasFiles && html`${attributes({ 'hx-encoding': multipart })}${fileAttributes(form)}`;
  // A second click while the first is under way sends nothing.
  return html`${common} hx-post="${post}" hx-target="this" hx-swap="outerHTML" hx-sync="this:drop" hx-disinherit="*"${forFiles}`;
}

/** What a body with files has to be in (RFC 7578). */
const multipart = 'multipart/form-data';

/**
 * Above the button, where the visitor looks. It has the focus when there is something to read in it. Where several fields
 * are wrong, it is a summary with links to them and a heading of this level (WCAG 3.3.1).
 */
function statusLine(form: Form, messages: readonly HtmlValue[], summary: 2 | 3 | false): Html {
  const focus = messages.length > 0 && { tabindex: -1, autofocus: true };
  const status = { class: 'form-status', role: 'alert', ...focus };
  const title =
    summary &&
    heading(summary, withOwn('form-summary', form.classes?.summary), form.say({ code: 'summary_title' }));
  return html`<div${attributes(status)}>${title}${messages.length > 0 && errorList(messages, form)}</div>`;
}

/** What a link to an error leads to: the control, the first one of a group, or the message where nobody sees a control. */
const errorTarget = (form: Form, { name, layout }: Field): string =>
  layout === 'bare' ? partId(fieldElementId(form, name), 'error') : fieldElementId(form, name);

/** A field that was neither sent nor seen shows its initial value. */
function withInitialValues({ fields }: Form, { values, seen }: FormView): Values {
  const isInitial = (field: Field) => field.value && !values.has(field.name) && !seen.includes(field);
  const initial = fields.filter(isInitial).map(({ name, value = [] }) => [name, value] as const);
  return initial.length === 0 ? values : new Map([...values, ...initial]);
}

/**
 * The decoy: not `type=hidden`, which bots leave alone, yet out of sight and reach of people and their tools. In an
 * element of its own, which no stylesheet shows by accident (D30).
 */
function decoyOf(form: Form): Html | undefined {
  const decoy = honeypot.of(form);
  if (decoy === undefined) return undefined;
  const id = fieldElementId(form, decoy);
  const input = attributes({ type: 'text', id, name: decoy, autocomplete: 'off', tabindex: -1 });
  return html`<form-extra hidden inert aria-hidden="true">\n<label${attributes({ for: id })}>${form.say({ code: 'decoy_label' })}</label>\n<input${input}>\n</form-extra>\n`;
}
