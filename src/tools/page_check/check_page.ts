import { excerpt, printable, spotFinder } from '../../config/excerpt.ts';
import type { Remark } from '../../config/problem.ts';
import { judgeAddress } from './address.ts';
import { captcha } from './captcha.ts';
import { controlsOf } from './controls.ts';
import { fields } from './fields.ts';
import { error, type PageCheck, type PageFinding, type Subject } from './finding.ts';
import { addressFindings, type Candidate, candidates, isMeant, isSentByScript, strangers } from './forms.ts';
import { honeypot } from './honeypot.ts';
import { htmxAttribute, placeOf, readPage } from './page.ts';
import { sending } from './sending.ts';
import { token } from './token.ts';
import { values } from './values.ts';

const checks: readonly PageCheck[] = [sending, fields, values, honeypot, token, captcha];

export interface PageReport {
  /** In the order of the text; of those at one place, errors first. */
  readonly problems: readonly Remark[];
  /** The page gets the form from the relay, so that there is nothing in it to compare. */
  readonly isLoaded: boolean;
}

/** Compares every form of a page that is sent to a form of the config with it. `file` is named in the problems. */
export async function checkPage(
  text: string,
  file: string,
  world: Omit<Subject, 'page'>,
): Promise<PageReport> {
  const subject: Subject = { ...world, page: await readPage(text) };
  const forms = candidates(subject);
  const meant = forms.filter(isMeant);
  const loaded = meant.length === 0 ? loadedForm(subject) : undefined;
  const findings =
    loaded ??
    (meant.length > 0 ? meant.flatMap((form) => compare(form, subject)) : strangers(forms, subject));
  return { problems: located(findings, text, file), isLoaded: loaded !== undefined };
}

function compare(candidate: Candidate, subject: Subject): readonly PageFinding[] {
  const { form } = candidate;
  const controls = controlsOf(subject.page.forms.get(form) ?? []);
  const pageForm = { ...subject, form, controls, isSentByScript: isSentByScript(candidate, subject) };
  return [...addressFindings(candidate, subject), ...checks.flatMap((check) => check(pageForm))];
}

/** `GET /api/v1/form/{form}`, by htmx, in a frame or behind a link; `undefined` where nothing leads there. */
function loadedForm(subject: Subject): readonly PageFinding[] | undefined {
  const { page } = subject;
  const ways = page.elements.flatMap((element) =>
    (['hx-get', 'src', 'href'] as const).flatMap((attribute) => {
      // Parts of a form that is sent elsewhere prove nothing.
      if (element.form) return [];
      const verdict = judgeAddress(htmxAttribute(element, attribute) ?? '', 'form', subject);
      return verdict.kind === 'other' ? [] : [{ place: placeOf(element, attribute), attribute, verdict }];
    }),
  );
  if (ways.length === 0) return undefined;
  return ways.flatMap(({ place, attribute, verdict }) => {
    if (verdict.kind === 'wrong') return [error(place, verdict.problem)];
    const isStuck = attribute === 'hx-get' && !page.mayHaveHtmx;
    return isStuck ? [error(place, 'this page loads no htmx, which would load the form')] : [];
  });
}

function located(findings: readonly PageFinding[], text: string, file: string): readonly Remark[] {
  const spotOf = spotFinder(text);
  const rank = ({ severity }: PageFinding) => (severity === 'error' ? 0 : 1);
  return findings
    .toSorted((a, b) => a.place.offset - b.place.offset || rank(a) - rank(b))
    .map(({ severity, place, message }) => {
      const spot = spotOf(place.offset);
      return {
        severity,
        file,
        line: spot.lineNumber,
        column: spot.column + 1,
        path: '',
        message: printable(message),
        excerpt: excerpt(spot, place.length),
      };
    });
}
