import { attributes, type Form, type FormOutput, type Html, html, inWords } from '@form-relay/relay/base';
import { keepInWords, sentence } from '@form-relay/relay/dry_run';
import { captcha, doubt, honeypot, keep, labelOf, minFill, proof } from '@form-relay/relay/features';
import { keepStory } from '@form-relay/relay/telling';
import { address } from './bytes_view.ts';
import { alert } from './icons.ts';
import { addressOf, type Look } from './looks.ts';
import type { Switches } from './switches.ts';

export const titleOf = (form: Form): string => form.title ?? labelOf({ name: form.id });

/** All forms, to choose from. */
export function formList(
  forms: readonly Form[],
  chosen: Form | undefined,
  look: Look,
  switches: Switches,
): Html {
  const items = forms.map((form, index) => {
    const link = {
      id: `form-${index}`,
      href: addressOf(form, look),
      'aria-current': form.id === chosen?.id && 'page',
      'data-nav': true,
    };
    const failing = form.outputs.filter((_, index) => switches.of(form, index)).length;
    return html`<li><a${attributes(link)}>${titleOf(form)}${
      failing > 0 && html` <span class="failing">${alert} ${failing} made to fail</span>`
    }</a></li>`;
  });
  return html`<ul>${items}</ul>`;
}

function checksOf(form: Form): readonly (readonly [name: string, says: string])[] {
  const checks: (readonly [string, string])[] = [];
  const decoy = honeypot.of(form);
  if (decoy !== undefined) checks.push(['honeypot', `drops who fills in “${decoy}”`]);
  const timed = minFill.of(form);
  if (timed) {
    const { minFillMs, ttlMs, tooFast } = timed;
    const says = `${tooFast === 'doubt' ? 'doubts' : 'drops'} who sends within ${minFillMs / 1000} s; the form is good for ${duration(ttlMs)}`;
    checks.push(['min-fill', says]);
  }
  const proven = proof.of(form);
  if (proven && proven.when !== 'asked') {
    const when = proven.when === 'auto' ? 'under attack, ' : '';
    checks.push(['proof of work', `${when}has the browser solve a puzzle first`]);
  }
  const doubted = doubt.of(form);
  if (doubted) {
    const actions = doubted.thresholds.toReversed().map(({ action, from }) => `${action} from ${from}`);
    checks.push(['doubt', `${doubted.signals.length} signals, in points: ${actions.join(', ')}`]);
  }
  const solved = captcha.of(form);
  if (solved) checks.push(['captcha', `${solved.provider}, played by a stand-in here`]);
  return checks;
}

function duration(ms: number): string {
  const [size, unit] =
    ms % 3_600_000 === 0 ? [3_600_000, 'h'] : ms % 60_000 === 0 ? [60_000, 'min'] : [1000, 's'];
  return `${ms / (size as number)} ${unit}`;
}

interface About {
  readonly form: Form;
  readonly notes: readonly string[];
  readonly switches: Switches;
  readonly isDelivering: boolean;
}

/** What the relay does with one form: its checks, its outputs with their switches, and what is missing here. */
export function aboutForm({ form, notes, switches, isDelivering }: About): Html {
  const checks = checksOf(form);
  const kept = keep.of(form);
  return html`<h3>Checks</h3>
<dl>${checks.map(([name, says]) => html`<dt>${name}</dt><dd>${says}</dd>`)}<dt>validation</dt><dd>of ${
    form.fields.length === 1 ? '1 field' : `${form.fields.length} fields`
  }</dd></dl>
<h3>Outputs</h3>
<p class="aside">Make one fail, and see what its <code>on_error</code>${kept && html` and <code>keep</code>`} ${kept ? 'do' : 'does'}.</p>
<ol>${form.outputs.map((output, index) => aboutOutput(form, output, index, switches, isDelivering))}</ol>
${kept && html`<h3>Keep</h3>\n<p>${sentence(keepInWords(keepStory(kept), 'is'))}</p>`}
${notes.length > 0 && html`<h3>On this machine</h3>\n<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}`;
}

function aboutOutput(
  form: Form,
  output: FormOutput,
  index: number,
  switches: Switches,
  isDelivering: boolean,
): Html {
  const { type, target, on_error: onError, when } = output;
  const id = `fault-${index}`;
  const fault = switches.of(form, index);
  const possible = switches.faultsOf(output);
  const [label, works] = isDelivering ? ['It', 'delivers for real'] : ['Pretend it', 'takes everything'];
  const options = possible.map(
    ({ name, says }) =>
      html`<option${attributes({ value: name, selected: name === fault })}>${says}</option>`,
  );
  const isSwitch = { id, 'data-fault': index, 'data-form': form.id };
  return html`<li${attributes({ class: fault && 'failing' })}>
<p class="kind"><code>${type}</code> <span>on_error: ${onError}</span></p>
<p class="to">${target ? address(target.name) : `no such output type: every submission${when ? ' to it' : ''} is answered 500`}</p>
${when && html`<p class="aside">Only when ${inWords(when)}.</p>`}
${possible.length > 0 && html`<p class="switch"><label for="${id}"><span class="unseen">outputs[${index}], ${type}: </span>${label}</label> <select${attributes(isSwitch)}><option value="">${works}</option>${options}</select></p>`}
</li>`;
}
