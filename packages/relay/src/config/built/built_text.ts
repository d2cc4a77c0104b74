/**
 * The text of a built config: a header line, the original YAML, and the parts. All but the YAML are comments, so
 * a YAML parser reads the config from which it was built.
 */
import { err, ok, type Result } from '../../base/result.ts';

/** A built config's header and its two halves. */
export interface BuiltText {
  /** The version that built it. */
  readonly version: string;
  readonly yaml: string;
  /** Lines of JSON after a `#`: the index, then the forms. */
  readonly parts: string;
  /** The CRC-32 of each half when it was built. */
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

/** The halves of a built config; `undefined` if its delimiting lines were edited. */
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

/** The YAML of any config, without a byte-order mark and the parts. Offsets are those in the text. */
export function yamlOf(text: string): string {
  // Some editors write a byte-order mark, which is not part of the YAML.
  const whole = text.replace(/^\uFEFF/, '');
  const middle = isBuilt(whole) ? whole.replaceAll('\r\n', '\n').lastIndexOf(partsLine) : -1;
  return middle < 0 ? whole : whole.replaceAll('\r\n', '\n').slice(0, middle);
}

/** Rejects a truncated built config: it may lack forms and outputs. */
export const unlessCutOff = (text: string): Result<string, string> =>
  !isBuilt(text) || text.trimEnd().endsWith(lastLine.trim())
    ? ok(text)
    : err('this built config is cut off: its last line is not the one that relay config build wrote');
