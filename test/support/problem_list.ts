import { formatProblem, type Problem } from '../../packages/yaml/src/problem.ts';

/**
 * A line for each problem, as `relay` prints it, but with the marked columns (`12:5-9`) instead of the
 * excerpt. A final `…` means that the excerpt ends with the mark, as it does if a value may be secret. If the
 * excerpt differs from the line, because it is masked or too long, the excerpt follows in full.
 */
export function listProblems(problems: readonly Problem[], text: string): string {
  const lines = text.split(/\r?\n/);
  return problems.map((problem) => `${listed(problem, lines)}\n`).join('');
}

function listed(problem: Problem, lines: readonly string[]): string {
  const { line, column, excerpt, file, message } = problem;
  if (excerpt === '') return line === 1 && column === 1 ? `${file}: ${message}` : formatProblem(problem);
  const end = column + excerpt.length - excerpt.replace(/\^*$/, '').length - 1;
  const mark = `      | ${'^'.repeat(end - column + 1).padStart(end)}`;
  const source = lines[line - 1] ?? '';
  const shown = (text: string) => `${String(line).padStart(5)} | ${text}\n${mark}` === excerpt;
  const place = `:${line}:${column}`;
  const said = (cut: string) => formatProblem(problem).replace(place, `${place}-${end}${cut}`);
  if (shown(source)) return said('');
  return shown(source.slice(0, end)) ? said('…') : `${said('')}\n${excerpt}`;
}
