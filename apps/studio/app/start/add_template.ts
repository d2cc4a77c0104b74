/** Inserts a template's form into a config, with its comments, and leaves the rest of the text unchanged. */
import { isMap as isYamlMap } from 'yaml';
import { applied } from '../../edit/edit.ts';
import { freeName } from '../../edit/form_edits.ts';
import { type Action, type Change, isEqual, isMap, type Json } from '../../edit/model.ts';
import { columnOf, itemEnd, itemsOf, itemsTo, type Parsed, read } from '../../edit/read.ts';

export interface Adding {
  /** The form's id in the config: the template's, with a number if it is taken. */
  readonly id: string;
  /** `undefined` if text cannot be inserted, such as into a config in braces; `actions` do the same. */
  readonly changes: readonly Change[] | undefined;
  readonly actions: readonly Action[];
}

/** A config without content is replaced by the whole template. */
export function addTemplate(text: string, name: string, template: string): Adding {
  const parsed = read(text);
  const config = isMap(parsed.value) ? parsed.value : {};
  const forms = isMap(config.forms) ? config.forms : {};
  const given = read(template).value as { readonly forms: Record<string, Json>; readonly keep?: Json };
  const id = freeName(name, Object.keys(forms));
  const value = given.forms[name] as Json;
  const keep = (config.keep ?? null) === null ? given.keep : undefined;
  const actions: readonly Action[] = [
    { do: 'set', path: ['forms', id], value },
    ...(keep === undefined ? [] : [{ do: 'set', path: ['keep'], value: keep } as const]),
  ];
  if (text.trim() === '') return { id, changes: [{ from: 0, to: text.length, insert: template }], actions };
  const changes = inserted(parsed, template, name, id, keep !== undefined);
  const wanted = { ...config, forms: { ...forms, [id]: value }, ...(keep !== undefined && { keep }) };
  const isRight = changes !== undefined && isEqual(read(applied(text, changes)).value, wanted);
  return { id, changes: isRight ? changes : undefined, actions };
}

function inserted(
  parsed: Parsed,
  template: string,
  name: string,
  id: string,
  wantsKeep: boolean,
): readonly Change[] | undefined {
  const { text, root, why } = parsed;
  const isBlock = (node: typeof root) => node === undefined || (isYamlMap(node) && node.flow !== true);
  const forms = itemsTo(parsed, ['forms']).at(-1);
  if (why !== undefined || !isBlock(root) || !isBlock(forms?.node)) return undefined;
  // In a template, everything after `forms:` is the form, except `keep`.
  const [, below = ''] = template.split('\nforms:\n');
  const end = /^(?=[#\w])/m.exec(below)?.index ?? below.length;
  const form = below.slice(0, end).trimEnd().replace(name, id);
  const keep = wantsKeep ? `\n${below.slice(end)}` : '';
  const atEnd = (added: string) => {
    const first = text.endsWith('\n') ? '' : '\n';
    return { from: text.length, to: text.length, insert: first + added };
  };
  if (!forms) return [atEnd(`\nforms:\n${form}\n${keep}`)];
  const [first] = itemsOf(text, forms.node);
  const own = form.replaceAll(/^ {2}/gm, ' '.repeat(first ? columnOf(text, first.from) : 2));
  const at = itemEnd(text, forms);
  const insert = `\n${first ? '\n' : ''}${own}`;
  // Adjacent changes are merged into one, because changes may not touch.
  if (at === text.length) return [{ from: at, to: at, insert: `${insert}\n${keep}` }];
  return [{ from: at, to: at, insert }, ...(keep ? [atEnd(keep)] : [])];
}
