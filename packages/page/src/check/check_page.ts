import { isUtf8 } from 'node:buffer';
import { ownersText } from '@form-relay/base/owners_text';
import { ok, type Result } from '@form-relay/base/result';
import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import { textSchema } from '@form-relay/schema/scalars';
import type { Problem } from '@form-relay/yaml/problem';
import { excerpt, printable, spotFinder } from '@form-relay/yaml/problem';
import { captchaWidget, honeypotControl } from './captcha_widget.ts';
import { fieldNames } from './field_names.ts';
import { fieldValues } from './field_values.ts';
import { formSending } from './form_sending.ts';
import {
  addressFindings,
  type Candidate,
  candidates,
  isMeant,
  isSentByScript,
  judgeAddress,
  mayBundleScript,
  mayHaveScript,
  puzzleSolver,
  scriptTag,
  sentTo,
  strangers,
  unseen,
} from './form_targets.ts';
import { groupBy, htmxAttribute, type PageElement, placeOf, readPage } from './markup.ts';
import {
  addedNames,
  controlsOf,
  error,
  isSent,
  type PageCheck,
  type PageFinding,
  type PageForm,
  type Subject,
  warning,
} from './page_form.ts';
import { tokenLoader } from './token_loader.ts';

const checks: readonly PageCheck[] = [
  formSending,
  fieldNames,
  fieldValues,
  honeypotControl,
  tokenLoader,
  puzzleSolver,
  captchaWidget,
  unseen,
];

export interface PageReport {
  /** In the order of the text. At the same place, errors come first. */
  readonly problems: readonly Problem[];
  /** The page gets the form from the relay, so there is nothing to compare. */
  readonly isLoaded: boolean;
  /** The form's URL at the relay, as written in the page, possibly relative. */
  readonly address: string | undefined;
}

/** Compares every form of a page that is sent to a form of the config with that form. Problems mention `file`. */
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
    loaded?.findings ??
    (meant.length > 0 ? meant.flatMap((form) => compare(form, subject)) : strangers(forms, subject));
  const [sent] = meant.flatMap(({ targets }) => targets.flatMap((one) => sentTo(one, subject) ?? []));
  const address = loaded?.address ?? sent;
  return { problems: located(findings, text, file), isLoaded: loaded !== undefined, address };
}

function compare(candidate: Candidate, subject: Subject): readonly PageFinding[] {
  const pageForm = pageFormOf(candidate.form, subject, isSentByScript(candidate, subject));
  return [...addressFindings(candidate, subject), ...checks.flatMap((check) => check(pageForm))];
}

function pageFormOf(form: PageElement, subject: Subject, isSentByScript: boolean): PageForm {
  const controls = controlsOf(subject.page.forms.get(form) ?? []);
  const sent = groupBy(controls.filter(isSent), ({ name }) => name);
  return { ...subject, form, controls, sent, added: addedNames(form), isSentByScript };
}

/**
 * Compares a form of a page with the config that was made from it. Ignores how and where it is sent, which
 * the owner has yet to change. `name` is the name of the control in question.
 */
export function disagreements(form: PageElement, { config, page }: Pick<Subject, 'config' | 'page'>) {
  const subject = { config, page, formIds: [config.id], baseUrl: undefined, encoding: 'utf-8' };
  const pageForm = pageFormOf(form, subject, false);
  const names = new Map(
    pageForm.controls.flatMap(({ element, name }) =>
      [element.place, ...element.places.values()].map(({ offset }) => [offset, name] as const),
    ),
  );
  return [fieldNames, fieldValues, honeypotControl]
    .flatMap((check) => check(pageForm))
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({ ...finding, name: names.get(finding.place.offset) }));
}

/** Finds `GET /api/v1/form/{form}` in htmx, in a frame or in a link; `undefined` if the page does not load the form. */
function loadedForm(subject: Subject) {
  const { page } = subject;
  const ways = page.elements.flatMap((element) =>
    (['hx-get', 'src', 'href'] as const).flatMap((attribute) => {
      // Elements in a form that is sent elsewhere prove nothing.
      if (element.form) return [];
      const place = placeOf(element, attribute);
      const verdict = judgeAddress(htmxAttribute(element, attribute) ?? '', place, 'form', subject);
      return verdict ? [{ element, place, attribute, verdict }] : [];
    }),
  );
  if (ways.length === 0) return undefined;
  const findings = ways.flatMap(({ element, place, attribute, verdict }): readonly PageFinding[] => {
    if (!verdict.ok) return [verdict.error];
    if (element.tag === 'relay-form' && !mayHaveScript(page)) {
      const message = `nothing on this page loads the script that this element needs; add ${scriptTag(subject, element.attributes.get('src'))}`;
      return mayBundleScript(page)
        ? [warning(place, 'form_without_script', `${message}, unless a bundle contains form-relay/element`)]
        : [error(place, 'form_without_script', message)];
    }
    const isStuck = attribute === 'hx-get' && !page.mayHaveHtmx;
    const message = 'this page does not load htmx, which the form needs';
    return isStuck ? [error(place, 'form_without_htmx', message)] : [];
  });
  const [right] = ways.filter(({ verdict }) => verdict.ok);
  return { findings, address: right && htmxAttribute(right.element, right.attribute) };
}

function located(findings: readonly PageFinding[], text: string, file: string): readonly Problem[] {
  const spotOf = spotFinder(text);
  const rank = ({ severity }: PageFinding) => (severity === 'error' ? 0 : 1);
  return findings
    .toSorted((a, b) => a.place.offset - b.place.offset || rank(a) - rank(b))
    .map(({ severity, place, code, message }) => {
      const spot = spotOf(place.offset);
      return {
        severity,
        file,
        line: spot.lineNumber,
        column: spot.column + 1,
        path: '',
        code,
        message: printable(message),
        excerpt: excerpt(spot, place.length),
      };
    });
}

/** The name of an HTML file. */
export const pageName = textSchema((text, at) =>
  /^[a-z][a-z\d+.-]+:\/\//i.test(text)
    ? at.error(`Expected a file, not an address. Fetch the page first: curl -s ${text} > page.html`)
    : text === ''
      ? at.error('Expected the name of a file.')
      : text,
);

/** Reads the file of a page. Throws a `CommandFailed` if it cannot be read. */
export async function readPageFile(file: string, { read }: Pick<CommandContext, 'read'>): Promise<Decoded> {
  const page = decodePage(await read(file));
  if (!page.ok) throw new CommandFailed(`${file}: ${page.error}`);
  return page.value;
}

interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/**
 * Decodes a page as browsers do: by its byte order mark, or else by the encoding that the page names. If it
 * names none, guesses from the bytes. Unlike browsers, rejects invalid UTF-8 in a page that should be UTF-8.
 */
export function decodePage(bytes: Buffer): Result<Decoded, string> {
  const said = [markOf(bytes), charsetIn(bytes.toString('latin1'))].find(isEncoding);
  const encoding = said ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  const decoder = isEncoding(encoding) ? new TextDecoder(encoding) : undefined;
  if (decoder && decoder.encoding !== 'utf-8')
    return ok({ text: withSigns(decoder.decode(bytes), decoder.encoding), encoding: decoder.encoding });
  const text = ownersText(bytes);
  return text.ok ? ok({ text: text.value.replace(/^\uFEFF/, ''), encoding: 'utf-8' }) : text;
}

/** Node's decoder turns 27 bytes of Windows-1252 into control characters (https://encoding.spec.whatwg.org/#index-windows-1252). */
const withSigns = (text: string, encoding: string) =>
  encoding === 'windows-1252'
    ? text.replaceAll(/[\x80-\x9f]/g, (byte) => signs[byte.charCodeAt(0) - 0x80] ?? byte)
    : text;
const signs = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'];

function markOf(bytes: Buffer): string | undefined {
  const [mark = ''] = /^(?:efbbbf|fffe|feff)/.exec(bytes.toString('hex', 0, 3)) ?? [];
  return { efbbbf: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' }[mark];
}

/**
 * The encoding that a page's own markup names. HTML reads UTF-16 there as UTF-8, because the markup could not
 * be read otherwise.
 */
function charsetIn(page: string): string | undefined {
  const [, xml] = /^\s*<\?xml[^>]+encoding\s*=\s*["']([^"']+)/.exec(page) ?? [];
  const tags = page.replaceAll(/<!--[\s\S]*?-->/g, '').match(/<meta[\s/][^>]*/gi) ?? [];
  const [label] = tags
    .filter((tag) => !/\s(?:name|property)\s*=/i.test(tag))
    .flatMap((tag) => /\bcharset\s*=\s*["']?\s*([^\s"';/>]+)/i.exec(tag)?.[1] ?? []);
  const said = label ?? xml;
  return /^utf-16/i.test(said ?? '') ? 'utf-8' : said;
}

function isEncoding(label: string | undefined): label is string {
  try {
    return label !== undefined && new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}
