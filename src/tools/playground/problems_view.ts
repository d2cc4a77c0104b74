import { basename } from 'node:path';
import type { Problem } from '../../config/problem.ts';
import { type Html, html } from '../../html.ts';
import { alert, cross } from './icons.ts';
import type { LiveConfig } from './live_config.ts';

/** What is wrong with the config: its errors where they cannot be overlooked, its warnings a little quieter. */
export function problemsView({ problems, current }: LiveConfig): Html | undefined {
  if (problems.length === 0) return undefined;
  const isBroken = problems.some(({ severity }) => severity === 'error');
  const serving = current
    ? 'The forms below are from its last good version.'
    : 'There is no form to show yet.';
  const title = isBroken ? `The config does not load. ${serving}` : 'The config loads, but look at this:';
  return html`<section class="problems ${isBroken ? 'bad' : 'warn'}" role="alert">
<h2>${isBroken ? cross : alert} ${title}</h2>
<ul>${problems.map((problem) => problemView(problem, isBroken))}</ul>
</section>`;
}

function problemView(problem: Problem, isBroken: boolean): Html {
  const { file, line, column, path, message, excerpt, severity } = problem;
  // Where nothing but warnings stands, the title says so.
  const kind = isBroken && severity === 'warning' && 'warning: ';
  const [, text = '', caret = ''] = /^(.*?)(\^*)$/s.exec(excerpt) ?? [];
  // A file that cannot be read has no place in it.
  const position = excerpt !== '' && `:${line}:${column}`;
  const place = html`<code class="place">${basename(file)}${position}</code>`;
  const shown = excerpt !== '' && html`<pre tabindex="0">${text}<b>${caret}</b></pre>`;
  return html`<li><p>${place} ${path !== '' && html`<code>${path}</code> `}${kind}${message}</p>${shown}</li>`;
}
