/** Signs that mean something elsewhere: variables of shells, braces in a url, and a `#` within a text. */
import type { Diagnostics, Path, TextsRead } from '../../schema/diagnostics.ts';
import { type Document, leavesIn } from '../yaml/document.ts';

/** `${TOKEN}` and `$(TOKEN)` anywhere, `$TOKEN` at the end, and `$TOKEN` and `%TOKEN%` in what has no spaces. */
export const hasPlaceholder = (text: string): boolean =>
  /\$\{[A-Za-z_]\w*(?:[:?+=-][^}]*)?\}|\$\([A-Z_]\w+\)|(?:^|\s)\$[A-Z_][A-Z0-9_]+$/.test(text) ||
  // `%C3%BC` are bytes of a URL.
  /^\S*(?:(?<![\w$])\$(?:env:\w+|[A-Z_][A-Z0-9_]+(?!\w))|%[A-Z_][A-Z0-9_]{2,}%)\S*$/.test(text);

/** What templates say about themselves is told elsewhere. */
export function warnOfSigns(
  yaml: string,
  { value, places }: Document,
  templates: TextsRead['templates'],
  at: Diagnostics,
): void {
  const templated = new Set(templates.map(({ path }) => JSON.stringify(path)));
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
  for (const { path, value: text } of leavesIn(value)) {
    const place = at.in(...path);
    if (isCut(path, text))
      place.warning(
        'this ends before the #, which starts a comment; if the rest belongs to it, put quotes around all of it',
      );
    const hasBraces = isUrlWithBraces(text ?? '');
    if ((!hasBraces && !hasPlaceholder(text ?? '')) || foreign.test(path.join('.')) || isTemplated(path))
      continue;
    place.warning(
      hasBraces
        ? 'these braces stay as they are: a url is never templated'
        : 'this is taken as it stands: no variable of the environment is filled in here; write the value out (url_env names a variable with an address)',
    );
  }
}

/** Regular expressions, and names of fields. */
const foreign = /\.(?:pattern|mapping)(?:\.|$)/;

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
