import type { Place } from '../../place.ts';
import { isLoopback } from '../../url.ts';
import { addressOf, judgeAddress, resolve, type Verdict } from './address.ts';
import { isSubmitButton } from './controls.ts';
import { error, type PageFinding, quote, type Subject, warning } from './finding.ts';
import { htmxAttribute, type PageElement, placeOf } from './page.ts';

/** A form of the page, with every address that it can be sent to. */
export interface Candidate {
  readonly form: PageElement;
  readonly targets: readonly Target[];
}

interface Target {
  readonly value: string;
  readonly place: Place;
  /** It is htmx that goes there. */
  readonly isScript: boolean;
  readonly verdict: Verdict;
}

/** All forms of the page. */
export function candidates(subject: Subject): readonly Candidate[] {
  return [...subject.page.forms].map(([form, own]) => ({
    form,
    targets: [form, ...own].flatMap((element) => targetsOf(element, subject)),
  }));
}

function targetsOf(element: PageElement, subject: Subject): readonly Target[] {
  const { tag, attributes } = element;
  const isSender = tag === 'form' || isSubmitButton(element);
  const target = (attribute: string, isScript: boolean): readonly Target[] => {
    const value = isScript ? htmxAttribute(element, attribute) : attributes.get(attribute);
    if (value === undefined) return [];
    const verdict = judgeAddress(value, 'submit', subject);
    // A field may well ask another server about its value.
    return verdict.kind === 'other' && !isSender
      ? []
      : [{ value, place: placeOf(element, attribute), isScript, verdict }];
  };
  return [
    ...(tag === 'form' ? target('action', false) : []),
    ...(isSubmitButton(element) ? target('formaction', false) : []),
    ...target('hx-post', true),
    // htmx 4 also takes the two apart.
    ...(htmxAttribute(element, 'hx-method')?.toLowerCase() === 'post' ? target('hx-action', true) : []),
  ];
}

/** Whether this form of the page is sent to the form of the config, or was meant to be. */
export const isMeant = ({ targets }: Candidate) => targets.some(({ verdict }) => verdict.kind !== 'other');

export const isSentByScript = ({ targets }: Candidate, { page }: Subject) =>
  page.mayHaveHtmx && targets.some(({ isScript, verdict }) => isScript && verdict.kind !== 'other');

/** What is wrong with the addresses of a form that `isMeant`. */
export function addressFindings({ targets }: Candidate, subject: Subject): readonly PageFinding[] {
  const elsewhere = `this leads elsewhere; expected ${addressOf('submit', subject)}`;
  return targets.flatMap(({ value, place, verdict, isScript }) => {
    if (verdict.kind === 'wrong') return [error(place, verdict.problem)];
    if (verdict.kind === 'other') return [(isScript ? error : warning)(place, elsewhere)];
    return isReadable(value, subject) ? [warning(place, readable)] : [];
  });
}

const readable =
  'http: sends what visitors write unencrypted, and browsers stop it in https pages; use https:';

function isReadable(value: string, subject: Subject): boolean {
  const url = resolve(value, subject);
  return /^\s*http:/i.test(value) && url !== undefined && !isLoopback(url.hostname);
}

/** Of a page none of whose forms is meant: where they go. */
export function strangers(forms: readonly Candidate[], subject: Subject): readonly PageFinding[] {
  const { config, formIds, page } = subject;
  if (forms.length === 0) {
    const loaders = page.elements.filter((element) =>
      /\/api\/v1\/form\//.test(htmxAttribute(element, 'hx-get') ?? ''),
    );
    if (loaders.length > 0) {
      const message = `this loads another form; expected ${addressOf('form', subject)}`;
      return loaders.map((element) => error(placeOf(element, 'hx-get'), message));
    }
    const saved = 'if a script makes it, save the page as the browser shows it, and check that';
    return [error({ offset: 0, length: 0 }, `this page has no <form>; ${saved}`)];
  }
  return forms.map(({ form, targets: [target] }) => {
    const id = /\/api\/v1\/submit\/([^/?#]+)/.exec(target?.value ?? '')?.[1] ?? '';
    const known = formIds.includes(id) ? ' (another form of the config)' : '';
    const found = target ? `this form is sent to ${quote(target.value)}${known}` : 'this form has no action';
    return error(
      target?.place ?? form.place,
      `${found}, and none of the page's forms to ${quote(config.id)}; expected ${addressOf('submit', subject)}`,
    );
  });
}
