import { attributes, type Html, html } from '../../html.ts';
import type { Payload } from '../../job.ts';
import type { CheckStory, OutputStory, Sent, Story } from '../../observers/story.ts';
import { address, bytesView, copyable } from './bytes_view.ts';
import { alert, check, clock, cross, down, ring, slash, type Tone, up } from './icons.ts';
import type { Entry } from './inbox.ts';

interface Ending {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: Html;
}

const endings: Readonly<Record<Story['outcome'], Ending>> = {
  delivered: { word: 'Delivered', tone: 'ok', icon: check },
  dropped: { word: 'Dropped', tone: 'quiet', icon: slash },
  invalid: { word: 'Not valid', tone: 'warn', icon: alert },
  expired: { word: 'Expired', tone: 'warn', icon: clock },
  token_missing: { word: 'No token', tone: 'warn', icon: clock },
  captcha_failed: { word: 'Captcha failed', tone: 'warn', icon: alert },
  bad_request: { word: 'Bad request', tone: 'bad', icon: cross },
  unknown_form: { word: 'Unknown form', tone: 'bad', icon: cross },
  busy: { word: 'Busy', tone: 'bad', icon: cross },
  undelivered: { word: 'Failed', tone: 'bad', icon: cross },
  no_config: { word: 'No config', tone: 'bad', icon: cross },
  no_token_secret: { word: 'No secret', tone: 'bad', icon: cross },
};

const partly: Ending = { word: 'Delivered in part', tone: 'warn', icon: alert };

export function endingOf({ outcome, outputs }: Story): Ending {
  const hasFailed = outcome === 'delivered' && outputs.some(({ result }) => result === 'failed');
  return hasFailed ? partly : endings[outcome];
}

/** One submission: a line, and behind it the way that it took, stop by stop. */
export function storyView({ number, story, answeredAt }: Entry): Html {
  const { word, tone, icon } = endingOf(story);
  const at = new Date(answeredAt);
  const id = `s${number}`;
  return html`<details${attributes({ class: 'story', id, 'data-number': number })}>
<summary>
<span class="badge ${tone}">${icon}${word}</span>
<b>${story.form}</b>
<time${attributes({ datetime: at.toISOString() })}>${at.toTimeString().slice(0, 8)}</time>
<span class="says">${story.says}</span>
</summary>
<ol class="street">
${received(story)}
${notUsed(story.checks)}${story.checks.map(checkStop)}${notReached(story.checks)}
${story.outputs.map((output) => outputStop(output, `${id}-${output.index}`))}
${answered(story)}
</ol>
${story.notes.length > 0 && html`<ul class="notes">${story.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
</details>
`;
}

const stop = (
  tone: Tone | 'off',
  icon: Html,
  title: Html | string,
  says: Html | string,
  body?: Html | false,
): Html =>
  html`<li class="${tone}"><span class="dot">${icon}</span><p><b>${title}</b> <span class="says">${says}</span></p>${body}</li>\n`;

function received({ values, ignored, outputs }: Story): Html {
  const names = values.length === 1 ? '1 field' : `${values.length} fields`;
  const unknown =
    ignored.length > 0 &&
    html`<p class="aside">Not in the config, so ignored: <code>${ignored.join(', ')}</code></p>`;
  const table =
    values.length > 0 &&
    html`<details${attributes({ open: outputs.length === 0 })}><summary>What was sent</summary>${payloadTable(values)}</details>`;
  return stop('quiet', down, 'Received', names, html`${unknown}${table}`);
}

const checkNames = {
  honeypot: ['Honeypot', 'spam.honeypot'],
  min_fill: ['Min-fill', 'spam.min_fill_seconds'],
  captcha: ['Captcha', 'captcha'],
  validation: ['Validation', 'fields'],
} as const;

/** The checks that the form does not have, in one line, by the keys that would switch them on. */
function notUsed(checks: readonly CheckStory[]): Html | undefined {
  const keys = checks
    .filter(({ verdict }) => verdict === 'off')
    .map(({ check: name }) => checkNames[name][1]);
  return keys.length > 0 ? stop('off', ring, 'Not in the config:', keys.join(', ')) : undefined;
}

function checkStop({ check: name, verdict, says }: CheckStory): Html | undefined {
  const [title] = checkNames[name];
  if (verdict === 'passed') return stop('ok', check, title, says);
  const tone = name === 'validation' || name === 'captcha' ? 'warn' : 'quiet';
  return verdict === 'ended' ? stop(tone, cross, title, says) : undefined;
}

/** What comes behind the check that ended it. */
function notReached(checks: readonly CheckStory[]): Html | undefined {
  const left = checks
    .filter(({ verdict }) => verdict === 'not_reached')
    .map(({ check: name }) => checkNames[name][0]);
  const hasEnded = checks.some(({ verdict }) => verdict === 'ended');
  return hasEnded
    ? stop('off', ring, 'Not reached:', [...left, 'Outputs'].join(', ').toLowerCase())
    : undefined;
}

function outputStop(output: OutputStory, id: string): Html {
  const { type, target, result, onError, warnings, sent, payload } = output;
  const isDelivered = result === 'delivered';
  const says = html`${result}${target !== '' && html` <span class="to">→ ${address(target)}</span>`}`;
  const consequence =
    onError === 'fail' ? 'so the submission failed' : 'so the submission counts all the same';
  const failure =
    result === 'failed' &&
    html`<p class="aside">${output.reason}; <code>on_error: ${onError}</code>, ${consequence}</p>`;
  const views: View[] = [
    ...sent.flatMap((one, index) => sentViews(one, sent.length > 1 ? ` ${index + 1}` : '')),
    ...(payload.length > 0 ? [['Payload', payloadTable(payload)] as const] : []),
  ];
  const body = html`${failure}${warnings.map(
    (warning) => html`<p class="aside">${warning}</p>`,
  )}${views.length > 0 && tabs(id, `What ${type} sends`, views)}`;
  const tone = onError === 'fail' ? 'bad' : 'warn';
  return stop(isDelivered ? 'ok' : tone, isDelivered ? check : cross, html`<code>${type}</code>`, says, body);
}

type View = readonly [title: string, content: Html];

function sentViews(sent: Sent, count: string): readonly View[] {
  const answer = html`<p class="aside">Its answer: ${sent.answer}</p>`;
  if (sent.kind === 'http') return [[`Request${count}`, html`${bytesView(sent.bytes)}${answer}`]];
  return [
    [`Mail${count}`, html`${mailView(sent)}${answer}`],
    [`Source${count}`, bytesView(sent.source)],
  ];
}

function mailView({ envelope, replyTo, subject, text, server }: Extract<Sent, { kind: 'mail' }>): Html {
  const lines: readonly (readonly [name: string, value: string])[] = [
    ['From', envelope.from],
    ['To', envelope.to.join(', ')],
    ...(replyTo === undefined ? [] : [['Reply-To', replyTo] as const]),
    ['Through', server],
  ];
  return html`<div class="mail"><p class="subject">${subject === '' ? '(no subject)' : subject}</p><dl>${lines.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${address(value)}</dd>`,
  )}</dl><pre tabindex="0">${text}</pre></div>`;
}

/** Radio buttons, which the arrow keys and every screen reader know, each followed by what it shows. */
function tabs(id: string, label: string, views: readonly View[]): Html {
  const all = views.map(
    ([title, content], index) =>
      html`<label><input${attributes({ type: 'radio', name: id, checked: index === 0 })}><span>${title}</span></label><div>${content}</div>`,
  );
  return html`<fieldset class="tabs"><legend class="unseen">${label}</legend>${all}</fieldset>`;
}

function payloadTable(payload: Payload): Html {
  const rows = payload.map(
    ([key, values]) =>
      html`<tr><th scope="row">${key}</th><td>${values.map((value) => html`<div>${value === '' ? html`<i>empty</i>` : value}</div>`)}</td></tr>`,
  );
  return html`<table>${rows}</table>`;
}

function answered({ answer: { status, contentType, body } }: Story): Html {
  const [, format] = /(json|html)\b/.exec(contentType) ?? [];
  const what = format ? `with ${format.toUpperCase()}` : 'and sent on, to the redirect of the form';
  const content =
    body !== '' && html`<details><summary>The answer</summary>${copyable(body.trim())}</details>`;
  return stop(status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad', up, `Answered ${status}`, what, content);
}
