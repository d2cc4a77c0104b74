/** Finds signs in a config that mean something elsewhere: variables of shells, braces in a url, and a `#` within a text. */
import { templatesOfFeatures } from '../features/index.ts';
import { type Form, pathOf } from '../form.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { type Document, leavesIn } from './yaml/document.ts';

/** `${TOKEN}` and `$(TOKEN)` anywhere, `$TOKEN` at the end, and `$TOKEN` and `%TOKEN%` in what has no spaces. */
export const hasPlaceholder = (text: string): boolean =>
  /\$\{[A-Za-z_]\w*(?:[:?+=-][^}]*)?\}|\$\([A-Z_]\w+\)|(?:^|\s)\$[A-Z_][A-Z0-9_]+$/.test(text) ||
  // `%C3%BC` are bytes of a URL.
  /^\S*(?:(?<![\w$])\$(?:env:\w+|[A-Z_][A-Z0-9_]+(?!\w))|%[A-Z_][A-Z0-9_]{2,}%)\S*$/.test(text);

/** What its templates say about themselves is left to `warningsOf`. */
export function unreadSigns(document: Document, yaml: string, forms: readonly Form[]): readonly Finding[] {
  const { value, places } = document;
  const templated = new Set(forms.flatMap(templatedPaths).map((path) => JSON.stringify(path)));
  const isTemplated = (path: Path) =>
    path.some((_, index) => templated.has(JSON.stringify(path.slice(0, index + 1))));
  const isCut = (path: Path, text: string | null) => {
    if (!isProse(path)) return false;
    const { offset, length } = text === null ? places.of({ path }) : places.written(path);
    const rest = yaml.slice(offset + length).split(/\r?\n/, 1)[0] ?? '';
    return text === null
      ? /^["']?[ \t]*:[ \t]+#[^\s#]/.test(rest)
      : places.isPlain(path) && cutting.test(rest);
  };
  return leavesIn(value).flatMap(({ path, value: text }): Finding[] => {
    const found = isCut(path, text) ? [finding('comment_cuts_text', path)] : [];
    const hasBraces = isUrlWithBraces(text ?? '');
    if ((hasPlaceholder(text ?? '') || hasBraces) && !foreign.test(path.join('.')) && !isTemplated(path))
      found.push(finding(hasBraces ? 'url_with_braces' : 'placeholder_not_filled', path));
    return found.map((one) => ({ ...one, severity: 'warning' }));
  });
}

/** Regular expressions, and names of fields. */
const foreign = /\.(?:pattern|mapping)(?:\.|$)/;

const templatedPaths = (form: Form): readonly Path[] => [
  ...form.outputs.flatMap(({ templates }, index) =>
    templates.map(({ path }) => [...pathOf(form), 'outputs', index, ...path]),
  ),
  ...templatesOfFeatures(form).map(({ path }) => [...pathOf(form), ...path]),
];

const isUrlWithBraces = (text: string): boolean => /^https?:\/\/.*(?:\{\{|\}\})/i.test(text);

/** Keys whose texts often have a `#` in them, such as `Order #12`. */
const proseKeys = new Set(
  'username password secret token url subject title label help note legend value confirmation kept_message failure_message closed_text full_text submit_label'.split(
    ' ',
  ),
);

const isProse = (path: Path): boolean =>
  proseKeys.has(String(path.at(-1))) || path.some((key) => key === 'static' || key === 'headers');

/** A comment without the space with which people begin one. */
const cutting = /^[ \t]+#(?:[^\s#].*)?$/;
