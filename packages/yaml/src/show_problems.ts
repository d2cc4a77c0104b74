/** Problems of configs and pages as commands show them. */
import { colour } from '@form-relay/base/terminal';
import { formatProblem, type Problem } from './problem.ts';

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
