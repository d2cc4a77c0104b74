/** Texts of a config with `{{ … }}`. */
import type { Result } from '@form-relay/base/result';
import { type Diagnostics, isSecret, ownPath, type Path } from './diagnostics.ts';
import { textOrNothing } from './scalars.ts';
import { checked, jsonSchemaOf, type Schema, schema } from './schema.ts';
import type { TemplateMistake } from './template/cursor.ts';
import { parseTemplate, parseTemplates } from './template/parse.ts';
import type { Template } from './template.ts';

/** Caches parsed templates: the forms of a large config share them, which saves at least a fifth of its parsing time. */
const recent = new Map<string, Result<Template, readonly TemplateMistake[]>>();

const aTemplate = { title: 'template', type: ['string', 'number', 'boolean', 'null'] };
const anOwnTemplate = { ...aTemplate, title: 'template without fields' };

/** Text with `{{ … }}` templates, parsed and typed at load, so that rendering cannot fail. */
export const template = (): Schema<Template> =>
  schema(aTemplate, (value, at) => {
    const source = textOrNothing(value, at);
    if (source === undefined) return undefined;
    const known = recent.get(source) ?? parseTemplate(source);
    if (recent.size >= 1000) recent.clear();
    recent.set(source, known);
    return read(known, at);
  });

/** Tells editors that the text cannot be empty; the enclosing schema checks that. */
export const filledText = <T>(kind: Schema<T>): Schema<T> =>
  schema(
    () => {
      const { type, ...json } = jsonSchemaOf(kind);
      return { ...json, minLength: 1, type: [type ?? []].flat().filter((one) => one !== 'null') };
    },
    (value, at) => kind(value, at),
  );

/** A template without values that visitors submit. `problem`: the message if it has one. */
export const ownTemplate = (problem: string): Schema<Template> =>
  schema(anOwnTemplate, (value, at) => {
    const found = template()(value, at);
    return found?.isSubmitted ? at.error(problem) : found;
  });

/** A secret, which must come from the environment. `variable`: an example of a variable's name. */
export const secret = (variable = 'NAME'): Schema<Template> =>
  checked(ownTemplate('a secret must not contain submitted values; use {{ env "NAME" }}'), (read, at) =>
    read.envNames.size > 0 && [...read.defaults].every((text) => text === '')
      ? read
      : at.error(`a secret belongs in the environment; write '{{ env "${variable}" }}' here`),
  );

/** Templates, separated by commas outside quotes. */
export const templates = (): Schema<readonly Template[]> =>
  schema(aTemplate, (value, at) => {
    if (Array.isArray(value)) return at.error('found a list; expected text with commas between values');
    const source = textOrNothing(value, at);
    return source === undefined ? undefined : read(parseTemplates(source), at);
  });

function read<T extends Template | readonly Template[]>(
  parsed: Result<T, readonly TemplateMistake[]>,
  at: Diagnostics,
): T | undefined {
  for (const { message, within, word, suggestion, unquoted = message } of parsed.ok ? [] : parsed.error) {
    if (isSecret(at.path)) at.error(unquoted, { within });
    else at.error(message, { within, word, suggestion });
  }
  if (!parsed.ok) return undefined;
  const { source } = [parsed.value].flat()[0] ?? {};
  if (source && /^[“”„«]\s*\{\{.*\}\}\s*[“”»]$/s.test(source))
    at.warning('these typographic quotes are part of the text; YAML knows only " and \'');
  for (const template of [parsed.value].flat()) {
    at.report.texts?.templates.push({ path: at.path, template });
    at.usesEnv(...template.envNames);
    if (template.neededEnvNames.size > 0 && isNeeded(at.path)) at.needsEnv(...template.neededEnvNames);
  }
  return parsed.value;
}

/** Keys that need a value to work: credentials, and the rooms of chats. */
const neededKeys: ReadonlySet<unknown> = new Set(
  'username password secret headers oauth2 sign token channel chat_id room topic'.split(' '),
);

const isNeeded = (path: Path): boolean => {
  const keys = ownPath(path);
  return keys.some((key) => neededKeys.has(key)) && !keys.includes('static');
};
