/** Finds signs in a config that mean something elsewhere: variables of shells, braces in a url, and a `#` within a text. */
import { templatesOfFeatures } from '../features/index.ts';
import { type Form, pathOf } from '../form.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import type { Document } from './yaml/document.ts';
import { textsIn } from './yaml/texts_in.ts';

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
  const isCutWhole = (path: Path) => {
    if (!isProse(path)) return false;
    const { offset, length } = places.of({ path });
    return /^["']?[ \t]*:[ \t]+#[^\s#]/.test(yaml.slice(offset + length));
  };
  const cutWhole = nullsIn(value, [])
    .filter(isCutWhole)
    .map((path): Finding => ({ ...finding('comment_cuts_text', path), severity: 'warning' }));
  const others = textsIn(value, []).flatMap(({ path, value: text }): Finding[] => {
    const found =
      places.isPlain(path) && isCut(path, yaml, places.written(path))
        ? [finding('comment_cuts_text', path)]
        : [];
    if (
      (hasPlaceholder(text) || isUrlWithBraces(text)) &&
      !foreign.test(path.join('.')) &&
      !isTemplated(path)
    )
      found.push(finding(isUrlWithBraces(text) ? 'url_with_braces' : 'placeholder_not_filled', path));
    return found.map((one) => ({ ...one, severity: 'warning' }));
  });
  return [...cutWhole, ...others];
}

const nullsIn = (value: unknown, path: Path): readonly Path[] => {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) =>
    nullsIn(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
};

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

/** Whether a comment follows without the space with which people begin one. */
const isCut = (path: Path, yaml: string, { offset, length }: { offset: number; length: number }): boolean =>
  isProse(path) && /^[ \t]+#(?:[^\s#].*)?$/m.test(yaml.slice(offset + length).split(/\r?\n/, 1)[0] ?? '');
