import { attributes, type Form, type Html, html } from '@form-relay/relay/base';
import { captcha, minFill, proof } from '@form-relay/relay/features';
import { copyable } from './bytes_view.ts';
import { titleOf } from './forms_view.ts';
import { curlLine, type Sample } from './samples.ts';
import type { Scenes } from './scenes.ts';
import { quoted } from './shell.ts';
import { snippets } from './snippets.ts';

interface SiteView {
  readonly form: Form;
  readonly origin: string;
  readonly command: string;
  readonly scenes: Scenes | undefined;
}

/** What an owner takes along: the form in a page of each kind, and lines for a terminal. */
export function siteView({ form, origin, command, scenes }: SiteView): Html {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const solved = captcha.of(form);
  const token: readonly Sample[] = solved ? [[solved.tokenField, 'pretend-human']] : [];
  const kinds = snippets(form, origin).map(
    ({ name, parts }, index) =>
      html`<label><input${attributes({ type: 'radio', name: 'site', checked: index === 0 })}><span>${name}</span></label><div>${parts.map(({ where, code }) => html`<p class="aside">${where}</p>${copyable(code)}`)}</div>`,
  );
  const pasted = minFill.of(form)
    ? html`<p class="aside">A page without scripts cannot hold a fresh min-fill token: link to the relay’s own page.</p>`
    : html`<p class="aside">Without any script: this prints the form, to paste.</p>${copyable(`${command} form html ${quoted(form.id)} --plain --base-url ${origin}`)}`;
  return html`<div class="bar"><h2 id="site-title">Put “${titleOf(form)}” on your site</h2><button type="button" class="tool" data-close>Close</button></div>
<p class="field"><label for="relay-url">Where the relay will be</label> <input type="url" id="relay-url" placeholder="https://forms.example.com" autocomplete="url" spellcheck="false"${attributes({ 'data-origin': origin })}></p>
<p class="aside">Leave out <code>form.css</code> to use your own style.</p>
<fieldset class="tabs"><legend class="unseen">How your site is made</legend>${kinds}</fieldset>
<h3>Without a page</h3>
${pasted}
<p class="aside">From a terminal${unlikeABrowser(form)}:</p>
${copyable(curlLine(url, [...(scenes?.samples ?? []), ...token]))}`;
}

/** What is missing where no browser sends it. */
function unlikeABrowser(form: Form): string {
  const asked = proof.of(form);
  if (minFill.of(form)) return ', where there is no min-fill token, so that this one is dropped';
  return asked?.when === 'always' && asked.withoutScript !== 'allow'
    ? ', where nothing solves the puzzle, so that this one comes back'
    : '';
}
