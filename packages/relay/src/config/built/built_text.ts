/**
 * A built config's text (D162): a line that says who built it, the YAML as its owner wrote it, and its forms in parts. All but
 * the YAML are comments, so that to anything that reads YAML it is the config that it was built from.
 */
import { err, ok, type Result } from '../../base/result.ts';

/** A built config's description of itself, and its two halves. */
export interface BuiltText {
  /** The version that built it. */
  readonly version: string;
  readonly yaml: string;
  /** Each is a line of JSON after a `#`: the first is the index, then come the forms. */
  readonly parts: string;
  /** CRC-32 of both, as they were built. */
  readonly checksums: { readonly yaml: number; readonly parts: number };
}

const firstWords = '# Built by relay config build ';
const firstLine = /^\uFEFF?# Built by relay config build (\S+) ([0-9a-f]{8}) ([0-9a-f]{8}): .*\n/;
const advice = 'change the file that it was built from, and build that again';
const partsLine = '\n# Its parts, for a function on AWS Lambda:\n';
const lastLine = '\n# The end of what relay config build wrote\n';

export const isBuilt = (text: string): boolean =>
  text.startsWith(firstWords, text.startsWith('\uFEFF') ? 1 : 0);

export const builtText = ({ version, yaml, parts, checksums }: BuiltText): string =>
  [
    `${firstWords}${version} ${hex(checksums.yaml)} ${hex(checksums.parts)}: ${advice}\n`,
    yaml,
    partsLine,
    parts,
    lastLine,
  ].join('');

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');

/** The halves of a built config; `undefined` where they cannot be told apart, as after its lines were edited. */
export function readBuiltText(text: string): BuiltText | undefined {
  const [line = '', version = '', ...sums] = firstLine.exec(text) ?? [];
  const middle = text.lastIndexOf(partsLine);
  if (line === '' || middle < 0 || !text.endsWith(lastLine)) return undefined;
  const [yaml = 0, parts = 0] = sums.map((sum) => Number.parseInt(sum, 16));
  return {
    version,
    yaml: text.slice(line.length, middle),
    parts: text.slice(middle + partsLine.length, -lastLine.length),
    checksums: { yaml, parts },
  };
}

/** The YAML of any config, without a byte-order mark and without parts; places in it are those in the text. */
export function yamlOf(text: string): string {
  // Some editors start a file with a byte-order mark; it is no part of the YAML.
  const whole = text.replace(/^\uFEFF/, '');
  const middle = isBuilt(whole) ? whole.replaceAll('\r\n', '\n').lastIndexOf(partsLine) : -1;
  return middle < 0 ? whole : whole.replaceAll('\r\n', '\n').slice(0, middle);
}

/** A built config that was not written to its end may lack forms and outputs, and must not be taken for a config. */
export const unlessCutOff = (text: string): Result<string, string> =>
  !isBuilt(text) || text.trimEnd().endsWith(lastLine.trim())
    ? ok(text)
    : err('this built config is cut off: its last line is not the one that relay config build wrote');
