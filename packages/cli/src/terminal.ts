/** Text as commands show it in a terminal. */
import { styleText } from 'node:util';
import { formatProblem, type Problem } from '@form-relay/yaml/problem';

/** A single style: with several, Node 20 does not check whether the stream is a terminal. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Styles the text if the stream is a terminal that can; NO_COLOR and FORCE_COLOR are respected. */
export const colour = (style: Style, text: string, stream: NodeJS.WriteStream): string =>
  styleText(style, text, { stream });

/** `1 warning`, `2 warnings`. */
export const count = (number: number, what: string, several = `${what}s`): string =>
  `${number} ${number === 1 ? what : several}`;

/** Each with the line it is on and a caret under the mistake; in colour where `stream` is a terminal. */
export const showProblems = (problems: readonly Problem[], stream?: NodeJS.WriteStream): string =>
  problems.map((problem) => showProblem(problem, stream)).join('\n\n');

function showProblem(problem: Problem, stream: NodeJS.WriteStream | undefined): string {
  const { file, message, severity, excerpt } = problem;
  // A problem of the whole file: it cannot be read.
  if (excerpt === '' && problem.line === 1 && problem.column === 1) return `${file}: ${message}`;
  const line = formatProblem(problem);
  if (excerpt === '') return line;
  if (!stream) return `${line}\n${excerpt}`;
  const hue = severity === 'error' ? 'red' : 'yellow';
  const [, place = '', rest = ''] = /^(.*?:\d+:\d+:(?: warning:)?)(.*)$/s.exec(line) ?? [];
  const marked = excerpt.replace(/\^+$/, (caret) => colour(hue, caret, stream));
  return `${colour(hue, place, stream)}${rest}\n${marked}`;
}
