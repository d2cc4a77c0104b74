import type { TokenUse } from '@form-relay/spam/form_token';
import {
  addressOf,
  isForScript,
  judgeAddress,
  mayBundleScript,
  mayHaveScript,
  scriptTag,
} from './form_targets.ts';
import { htmxAttribute, inherited, type PageElement, placeOf } from './markup.ts';
import {
  error,
  isSubmitButton,
  isUnsatisfiable,
  type PageCheck,
  type PageFinding,
  type PageForm,
  quote,
  warning,
} from './page_form.ts';

/** With min-fill, something must load a fresh token into the form (SPEC: Submission rules 2). */
export const tokenLoader: PageCheck = (subject) => {
  const wanted = subject.config.provided.get('min_fill');
  return wanted ? tokenFindings(wanted.formToken, subject) : [];
};

const everyDropped = 'every submission is silently dropped';
const dropped = `so ${everyDropped}`;

function tokenFindings(token: TokenUse, subject: PageForm): readonly PageFinding[] {
  const { field: tokenField } = token;
  const { config, controls, form, page } = subject;
  const loaders = page.elements.filter(
    (element) =>
      /\/api\/v1\/token\b/.test(htmxAttribute(element, 'hx-get') ?? '') &&
      (element.form === form || element.form === undefined),
  );
  if (loaders.length > 0) {
    const problems = loaders.map((loader) => loaderProblem(loader, tokenField, subject));
    // A single correct loader is enough: on a page with several forms, other loaders serve the other forms.
    return problems.includes(undefined)
      ? [...loaders.flatMap((loader) => stale(loader, token, subject)), ...sentWithoutScript(subject)]
      : problems.filter((problem) => problem !== undefined);
  }
  const help = `relay form html ${config.id} prints the code that loads the token`;
  const element = controls.find(({ name }) => name === tokenField)?.element;
  const isFilled = Boolean(element?.attributes.get('value'));
  if (isForScript(form) && (mayHaveScript(page) || !isFilled)) return takenFindings(token, subject);
  if (!element) {
    const message = `the min-fill token ${quote(tokenField)} is missing, ${dropped}; ${help}`;
    return [error(form.place, 'token_missing', message)];
  }
  if (isFilled) {
    const message = `this token expires, and then every submission is rejected, unless a server writes a fresh token; ${help}`;
    return [warning(placeOf(element, 'value'), 'token_fixed', message)];
  }
  const message = `nothing on this page loads the min-fill token, ${dropped}`;
  return page.elements.some(({ tag, form }) => tag === 'script' && !form)
    ? [warning(element.place, 'token_not_loaded', `${message}, unless your own script does`)]
    : [error(element.place, 'token_not_loaded', `${message}; ${help}`)];
}

/** The relay's own script fetches the token. Without scripts, the relay's page provides it, if the form asks for a page. */
function takenFindings(token: TokenUse, subject: PageForm): readonly PageFinding[] {
  const { controls, form, page } = subject;
  const asksForPage = /[?&]as=page(&|$)/.test(form.attributes.get('action') ?? '');
  if (mayHaveScript(page)) {
    const printed = controls.filter(({ element }) => element.attributes.has('data-min-fill-ms'));
    return [
      ...printed.flatMap(({ element }) => stale(element, token, subject)),
      ...(asksForPage ? [] : [droppedWithoutScript(form)]),
    ];
  }
  const lost = asksForPage ? 'every visitor has to send the form twice' : everyDropped;
  const remedy = mayBundleScript(page) ? 'unless a bundle contains form-relay/element, add' : 'add';
  const message = `nothing on this page loads the min-fill token: ${lost}; ${remedy} ${scriptTag(subject, form.attributes.get('action'))}`;
  return [(asksForPage ? warning : error)(form.place, 'token_not_loaded', message)];
}

const droppedWithoutScript = (form: PageElement): PageFinding => {
  const message = `without JavaScript there is no token: the submission is dropped, although the visitor is thanked; expected an action that ends with ?as=page`;
  return warning(placeOf(form, 'action'), 'token_without_script', message);
};

/** Why the relay's token does not reach the form. */
function loaderProblem(element: PageElement, tokenField: string, subject: PageForm): PageFinding | undefined {
  const address = htmxAttribute(element, 'hx-get') ?? '';
  const verdict = judgeAddress(address, placeOf(element, 'hx-get'), 'token', subject);
  const at = (attribute: string, code: string, found: string, remedy: string) =>
    error(placeOf(element, attribute), code, `${found}, ${dropped}; ${remedy}`);
  const expected = `expected ${addressOf('token', subject)}`;
  if (!verdict) return at('hx-get', 'token_of_another_form', 'this token belongs to another form', expected);
  if (!verdict.ok) return verdict.error;
  if (!/\b(load|revealed|intersect|every)\b/.test(htmxAttribute(element, 'hx-trigger') ?? '')) {
    const idle = 'htmx never loads this token';
    return at('hx-trigger', 'token_not_triggered', idle, 'expected hx-trigger="load"');
  }
  // By default, htmx puts the token inside the empty field, whose value is then sent first.
  const [, swap = ''] = inherited(element, 'hx-swap') ?? [];
  if (element.attributes.get('name') === tokenField && !/^\s*outer/.test(swap)) {
    const inside = 'the token does not replace this empty field';
    return at('hx-swap', 'token_not_replacing', inside, 'expected hx-swap="outerHTML"');
  }
  if (element.form !== subject.form && htmxAttribute(element, 'hx-target') === undefined)
    return at('hx-get', 'token_outside', 'this token is outside the form', 'move it into the form');
  if (subject.page.mayHaveHtmx) return undefined;
  const remedy = 'add htmx, or print the form again: relay form html --script';
  return at('hx-get', 'token_without_htmx', 'this page does not load htmx', remedy);
}

/** Only a script loads the token, so the form must not be sent without one. */
function sentWithoutScript({ controls, form, page }: PageForm): readonly PageFinding[] {
  const buttons = page.forms.get(form)?.filter(isSubmitButton) ?? [];
  const isStopped =
    controls.some(isUnsatisfiable) || (buttons.length > 0 && buttons.every(({ isDisabled }) => isDisabled));
  if (isStopped) return [];
  const message = `without JavaScript there is no token: the submission is dropped, although the visitor is thanked; a required list without options in a <noscript> prevents this`;
  return [warning(form.place, 'token_without_script', message)];
}

/** A form that was printed before `min_fill_seconds` was raised is sent too early. */
function stale(
  loader: PageElement,
  { minFillMs = 0 }: TokenUse,
  { config }: PageForm,
): readonly PageFinding[] {
  const printedMs = Number(loader.attributes.get('data-min-fill-ms') ?? Infinity);
  if (!(printedMs < minFillMs)) return [];
  const [then, now] = [printedMs / 1000, minFillMs / 1000];
  const message = `when this was printed, min_fill_seconds was ${then}; now it is ${now}, and quick visitors are ${config.provided.get('too_fast') === 'doubt' ? 'doubted' : 'dropped'}; print it again`;
  return [error(placeOf(loader, 'data-min-fill-ms'), 'token_printed_earlier', message)];
}
