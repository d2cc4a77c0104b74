import { crc32 } from 'node:zlib';
import { err, ok, type Result } from '../../base/result.ts';
import { version } from '../../base/version.ts';
import { type CheckedForm, checkForms, namedTogether } from '../checked_forms.ts';
import { namedPartsIn } from '../late_parts.ts';
import { type Config, explain, inspectInLanguages } from '../parse.ts';
import type { Problem } from '../problem.ts';
import type { ReadBeside } from '../source.ts';
import { builtText, isBuilt, readBuiltText, yamlOf } from './built_text.ts';
import type { BuiltIndex, BuiltNotes } from './read_built.ts';

/** A valid config and its built text. */
export interface Built {
  readonly config: Config;
  readonly text: string;
}

/** Checks a config as `relay config validate` does, and builds it. A built config is rebuilt from its YAML. */
export async function buildConfig(
  text: string,
  file: string,
  read: ReadBeside,
): Promise<Result<Built, readonly Problem[]>> {
  const yaml = sourceOf(text);
  const inspected = await inspectInLanguages(yaml, file, read);
  if (!inspected.ok) return inspected;
  const checked = checkForms(yaml, file);
  if (!checked.ok) return err(await explain(checked.error));
  const { top, forms } = checked.value;
  const written = forms.map((form) => asciiJson(JSON.parse(form.written)));
  const index: BuiltIndex = {
    top: top.written,
    names: [...namedPartsIn(yaml)],
    named: namedTogether(forms),
    notes: forms.map(builtNotes),
    sizes: written.map(({ length }) => length),
  };
  const parts = [asciiJson(index), ...written].map((part) => `#${part}`).join('\n');
  const checksums = { yaml: crc32(yaml), parts: crc32(parts) };
  return ok({ config: inspected.value, text: builtText({ version, yaml, parts, checksums }) });
}

/** The original YAML. */
function sourceOf(text: string): string {
  const yaml = yamlOf(text);
  // Drop the header line.
  return isBuilt(text) ? (readBuiltText(text)?.yaml ?? yaml.replace(/^.*\n/, '')) : yaml;
}

const builtNotes = ({ notes: { id, origins, needed, used } }: CheckedForm): BuiltNotes => ({
  id,
  ...(origins.length > 0 && { origins: origins.map(({ source }) => source) }),
  ...(needed.length > 0 && { needed }),
  ...(used.size > 0 && { used: [...used] }),
});

/** Some characters end a comment in YAML, and others are not allowed. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
