/** Puts a template's form into a config, with its comments: the text around it stays as it is. */
import { isMap as isYamlMap, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import { type Action, applied, type Change, freeName, type Json } from '../../edit/index.ts';
import { isEqual, isMap } from '../../edit/model.ts';

/** A form and, if it keeps failed deliveries, where: the parts of a template's text. */
interface Parts {
  /** From the line with the form's name, which is indented by two spaces. */
  readonly form: string;
  /** At the top of a config; empty without `keep`. */
  readonly keep: string;
}

export interface Adding {
  /** The form's name in the config: that of the template, with a number where it is taken. */
  readonly id: string;
  /** `undefined` for a config into which no text can simply be put, such as one in braces; `actions` say the same. */
  readonly changes: readonly Change[] | undefined;
  readonly actions: readonly Action[];
}

/** @param text LF or CRLF; a text without anything is replaced by the whole template. */
export function addTemplate(text: string, name: string, template: string): Adding {
  const config = readYaml(text);
  const { forms: given, keep } = readYaml(template) as { forms: Record<string, Json>; keep?: Json };
  const taken = isMap(config) && isMap(config.forms) ? Object.keys(config.forms) : [];
  const id = freeName(name, taken);
  const hasKeep = isMap(config) && config.keep !== undefined && config.keep !== null;
  const value = given[name] as Json;
  const actions: readonly Action[] = [
    { do: 'set', path: ['forms', id], value },
    ...(keep === undefined || hasKeep ? [] : [{ do: 'set', path: ['keep'], value: keep } as const]),
  ];
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  if (text.trim() === '')
    return { id, changes: [{ from: start, to: text.length, insert: template }], actions };
  if (config === undefined || (config !== null && !isMap(config))) return { id, changes: undefined, actions };
  const parts = partsOf(template);
  const form = parts.form.replace(name, id);
  const changes = inserted(text, form, hasKeep ? '' : parts.keep);
  const wanted = {
    ...(config ?? {}),
    forms: { ...(isMap(config?.forms) ? config.forms : {}), [id]: value },
    ...(keep === undefined || hasKeep ? {} : { keep }),
  };
  const isRight = changes !== undefined && isEqual(readYaml(applied(text, changes)), wanted);
  return { id, changes: isRight ? changes : undefined, actions };
}

/** `undefined` for a text that is no YAML, several documents, or one whose anchors would grow without end. */
function readYaml(text: string): Json | undefined {
  try {
    const document = parseDocument(text, { schema: 'core' });
    return document.errors.length > 0 ? undefined : (document.toJS() as Json);
  } catch {
    return undefined;
  }
}

/** A template has its form below `forms:`, and nothing after it but `keep`. */
function partsOf(template: string): Parts {
  const [, below = ''] = template.split('\nforms:\n');
  const end = /^(?=[#\w])/m.exec(below)?.index ?? below.length;
  return { form: `${below.slice(0, end).trimEnd()}\n`, keep: below.slice(end) };
}

function inserted(text: string, form: string, keep: string): readonly Change[] | undefined {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const atEnd = (added: string) => ({
    from: text.length,
    to: text.length,
    insert: `${text.endsWith('\n') ? '' : '\n'}\n${added}`.replaceAll('\n', lineEnd),
  });
  const { contents } = parseDocument(text, { schema: 'core' });
  const pair =
    isYamlMap(contents) && contents.items.find(({ key }) => (key as Scalar | null)?.value === 'forms');
  if (contents !== null && !isYamlMap(contents)) return undefined;
  // Braces around it all take no lines below them.
  if (contents?.flow) return undefined;
  if (!pair) return [atEnd(`forms:\n${form}${keep && `\n${keep}`}`)];
  const place = placeIn(text, pair as Pair<Scalar, YAMLMap | null>);
  if (!place) return undefined;
  const { at, indent } = place;
  const own = form.replaceAll(/^ {2}/gm, ' '.repeat(indent));
  const first = text.slice(0, at).endsWith('\n') ? '' : '\n';
  const insert = `${first}${place.isFirst ? '' : '\n'}${own}`;
  // Both at one place are one change: changes may not touch.
  if (keep && at === text.length)
    return [{ from: at, to: at, insert: `${insert}\n${keep}`.replaceAll('\n', lineEnd) }];
  return [{ from: at, to: at, insert: insert.replaceAll('\n', lineEnd) }, ...(keep ? [atEnd(keep)] : [])];
}

interface Place {
  /** The start of a line, or the end of the text. */
  readonly at: number;
  readonly indent: number;
  readonly isFirst: boolean;
}

/** After the last form and the comments that are indented as it is. `undefined` for a map in braces. */
function placeIn(text: string, { key, value }: Pair<Scalar, YAMLMap | null>): Place | undefined {
  const lineAfter = (offset: number) => {
    const found = text.indexOf('\n', offset);
    return found < 0 ? text.length : found + 1;
  };
  if (!isYamlMap(value) || value.items.length === 0) {
    const isNothing =
      !isYamlMap(value) && /^ *:[ \t]*(?:#.*)?\r?$/m.test(lineFrom(text, key.range?.[1] ?? 0));
    return isNothing ? { at: lineAfter(key.range?.[1] ?? 0), indent: 2, isFirst: true } : undefined;
  }
  const [first] = value.items as readonly Pair<Scalar, { range?: readonly number[] }>[];
  const last = value.items.at(-1) as Pair<Scalar, { range?: readonly number[] } | null>;
  if (value.flow || first?.key.range == null) return undefined;
  const begin = first.key.range[0];
  const indent = begin - (text.lastIndexOf('\n', begin - 1) + 1);
  const valueEnd = last.value?.range?.[1] ?? last.key.range?.[1] ?? 0;
  let at = lineAfter(text.slice(0, valueEnd).replace(/[\s]+$/, '').length);
  for (let next = at; next < text.length; ) {
    const line = lineFrom(text, next);
    const comment = /^( *)#/.exec(line);
    if (line.trim() !== '' && (comment === null || (comment[1] ?? '').length < indent)) break;
    next = lineAfter(next);
    if (comment) at = next;
  }
  return { at, indent, isFirst: false };
}

const lineFrom = (text: string, offset: number) => text.slice(offset).split('\n', 1)[0] ?? '';
