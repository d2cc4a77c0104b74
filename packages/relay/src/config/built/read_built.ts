import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import type { Log } from '../../base/effects.ts';
import { ok } from '../../base/result.ts';
import { version } from '../../base/version.ts';
import { type OriginPattern, originPattern } from '../../schema/origin_pattern.ts';
import { makeForm } from '../build_form.ts';
import type { FormNotes } from '../forms.ts';
import { FormsWhenAsked, type WrittenForm } from '../late_forms.ts';
import { loadNamed } from '../late_parts.ts';
import { makeCommon, makeConfig, makeTop, type Named, type ParseResult, readNamed } from '../parse.ts';
import type { ReadBeside } from '../source.ts';
import { type BuiltText, readBuiltText, yamlOf } from './built_text.ts';

/** The first part: all that is known without reading a form. */
export interface BuiltIndex {
  /** The keys beside `forms`, as written. */
  readonly top: object;
  /** The parts of the relay to load (late_parts.ts). */
  readonly names: readonly string[];
  readonly named: Named;
  readonly notes: readonly BuiltNotes[];
  /** The length of each form's part, in characters. */
  readonly sizes: readonly number[];
}

/** `FormNotes` as JSON, without empty members. */
export interface BuiltNotes {
  readonly id: string;
  readonly origins?: readonly string[];
  readonly needed?: FormNotes['needed'];
  readonly used?: readonly string[];
}

/**
 * Reads a built config with the result of `parseInLanguages` for its YAML, but builds each form on demand. If
 * another version built it or it was edited, logs that and returns `undefined`: only its YAML can be trusted.
 */
export async function readBuilt(
  text: string,
  file: string,
  log: Log,
  read: ReadBeside,
): Promise<ParseResult | undefined> {
  const built = readBuiltText(text);
  const reason = built ? whyUnused(built) : 'its first or last line was changed after it was built';
  if (!built || reason) {
    log('warn', 'config_parts_unused', { config: file, reason: `${reason}; run relay config build again` });
    return undefined;
  }
  const { parts } = built;
  const [first = ''] = parts.split('\n', 1);
  const index: BuiltIndex = JSON.parse(first.slice(1));
  await loadNamed(new Set(index.names));
  const beside = await readNamed(index, yamlOf(text), file, read);
  if (!beside.ok) return beside;
  const top = makeTop(index.top);
  const common = makeCommon(top, beside.value);
  const forms = new FormsWhenAsked(writtenForms(index, parts, first.length), (id, written) =>
    makeForm(id, JSON.parse(written), index.top, common),
  );
  return ok(makeConfig(text, file, top, forms, beside.value));
}

function whyUnused({ version: builtBy, yaml, parts, checksums }: BuiltText): string | undefined {
  if (builtBy !== version) return `version ${builtBy} built it, and this is ${version}`;
  if (crc32(yaml) !== checksums.yaml) return 'its YAML was changed after it was built';
  return crc32(parts) === checksums.parts ? undefined : 'its parts were changed after it was built';
}

/** By form name; `end` is the end of the index. */
function writtenForms(
  { notes, sizes }: BuiltIndex,
  parts: string,
  end: number,
): ReadonlyMap<string, WrittenForm> {
  const patterns = new Map<string, OriginPattern>();
  const patternOf = (source: string) => {
    const pattern = patterns.get(source) ?? v.parse(originPattern(), source);
    patterns.set(source, pattern);
    return pattern;
  };
  let start = end;
  return new Map(
    notes.map(({ id, origins = [], needed = [], used = [] }, number) => {
      // Skip the line break and the `#`.
      const from = start + 2;
      start = from + (sizes[number] ?? 0);
      const written = parts.slice(from, start);
      return [id, { written, notes: { id, origins: origins.map(patternOf), needed, used: new Set(used) } }];
    }),
  );
}
