import { attributes, type Html, html } from '@form-relay/relay/base';
import type { Problem } from '@form-relay/relay/config';
import { alert, cross } from './icons.ts';
import type { LiveConfig } from './live_config.ts';

/** What is wrong with the config: its errors where they cannot be overlooked, its warnings a little quieter. */
export function problemsView({ problems, current }: LiveConfig): Html | undefined {
  if (problems.length === 0) return undefined;
  const isBroken = problems.some(({ severity }) => severity === 'error');
  const serving = current ? 'The form is from its last good version.' : 'There is no form to show yet.';
  const title = isBroken ? `The config does not load. ${serving}` : 'The config loads, but look at this:';
  return html`<section class="problems ${isBroken ? 'bad' : 'warn'}" role="alert">
<h3>${isBroken ? cross : alert} ${title}</h3>
<ul>${problems.map((problem) => problemView(problem, isBroken))}</ul>
</section>`;
}

function problemView(problem: Problem, isBroken: boolean): Html {
  const { line, column, path, message, excerpt, severity } = problem;
  // Where nothing but warnings stands, the title says so.
  const kind = isBroken && severity === 'warning' && 'warning: ';
  // A file that cannot be read has no place in it.
  const place =
    excerpt !== '' &&
    html`<button type="button" class="place"${attributes({ 'data-line': line, 'data-column': column })}>Line ${line}</button> `;
  return html`<li>${place}${path !== '' && html`<code>${path}</code> `}${kind}${message}</li>`;
}
