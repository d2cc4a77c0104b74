/** A config's text in pieces: what stands around its forms, and the forms, each by itself. */
export interface Pieces {
  /** As far as the line `forms:`, and all that follows the last form. */
  readonly around: readonly [before: string, after: string];
  readonly forms: readonly string[];
}

/**
 * Splits a text in block style, as nearly all configs are written; `undefined` for all others, which are read as a whole.
 * Nothing is taken for a form that a YAML parser might see otherwise: below `forms:`, each line that is indented like the
 * first one begins a form. Text and lists that go over several lines are indented further; what is not is no key, or
 * leaves a piece that does not parse. An anchor anywhere might mean something in another piece.
 */
export function splitForms(text: string): Pieces | undefined {
  const heads = [...text.matchAll(/^(?:forms|"forms"|'forms')[ \t]*:.*\r?\n?/gm)];
  const [head] = heads;
  if (!head || heads.length > 1 || !/^forms:[ \t]*(?:#.*)?\r?\n$/.test(head[0])) return undefined;
  if (/(?:^|[\s,[{:?-])&\S/m.test(text)) return undefined;
  const start = head.index + head[0].length;
  const begins: number[] = [];
  let indent = 0;
  let end = text.length;
  for (let at = start; at < text.length; ) {
    const next = text.indexOf('\n', at) + 1 || text.length;
    let first = at;
    while (text[first] === ' ') first += 1;
    const character = text[first] ?? '\n';
    const width = first - at;
    if (character === '\t') return undefined;
    const isContent = character !== '\n' && character !== '\r' && character !== '#';
    if (isContent && width === 0) {
      end = at;
      break;
    }
    if (isContent) {
      indent ||= width;
      if (width < indent) return undefined;
      if (width === indent) {
        if (!formName.test(text.slice(first, next))) return undefined;
        begins.push(at);
      }
    }
    at = next;
  }
  const after = text.slice(end);
  if (begins.length === 0 || /^(?:---|\.\.\.|%)/m.test(after)) return undefined;
  const forms = begins.map((at, number) => text.slice(at, begins[number + 1] ?? end));
  return { around: [text.slice(0, begins[0]), after], forms };
}

/** A key that YAML cannot take for anything else. Objects have numbers before all other names, in whatever order they were written. */
const formName = /^(?!["']?\d+["']?\s*:)(?:[^\s"'#&*!|>%@`,[\]{}?:-][^:#]*|"[^"\\]*"|'[^']*'):(?:\s|$)/;
