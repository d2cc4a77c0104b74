import { ageInWords, attributes, type Html, html, type Payload } from '@form-relay/relay/base';
import { confirmLink, sentence, waitInWords } from '@form-relay/relay/dry_run';
import type { CheckStory, KeptStory, MailStory, OutputStory, Sent, Story } from '@form-relay/relay/telling';
import type { Said } from '@form-relay/relay/transports';
import { address, bytesView, copyable } from './bytes_view.ts';
import { again, alert, check, clock, cross, down, open, ring, slash, type Tone, up } from './icons.ts';
import type { Entry } from './inbox.ts';
import { mailAddress } from './mail_page.ts';
import { mailViews } from './mail_view.ts';
import { tabs, type View } from './tabs.ts';

interface Ending {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: Html;
}

const endings: Readonly<Record<Story['outcome'], Ending>> = {
  delivered: { word: 'Delivered', tone: 'ok', icon: check },
  held: { word: 'Held back', tone: 'quiet', icon: clock },
  limited: { word: 'Too many mails', tone: 'warn', icon: alert },
  dropped: { word: 'Dropped', tone: 'quiet', icon: slash },
  invalid: { word: 'Not valid', tone: 'warn', icon: alert },
  expired: { word: 'Expired', tone: 'warn', icon: clock },
  token_missing: { word: 'No token', tone: 'warn', icon: clock },
  challenged: { word: 'Challenged', tone: 'warn', icon: alert },
  script_needed: { word: 'No script', tone: 'warn', icon: alert },
  origin_refused: { word: 'Wrong origin', tone: 'warn', icon: slash },
  rate_limited: { word: 'Too often', tone: 'warn', icon: clock },
  captcha_failed: { word: 'Captcha failed', tone: 'warn', icon: alert },
  bad_request: { word: 'Bad request', tone: 'bad', icon: cross },
  unknown_form: { word: 'Unknown form', tone: 'bad', icon: cross },
  busy: { word: 'Busy', tone: 'bad', icon: cross },
  undelivered: { word: 'Failed', tone: 'bad', icon: cross },
  no_config: { word: 'No config', tone: 'bad', icon: cross },
  no_token_secret: { word: 'No secret', tone: 'bad', icon: cross },
  no_public_url: { word: 'No address', tone: 'bad', icon: cross },
};

const partly: Ending = { word: 'Delivered in part', tone: 'warn', icon: alert };
const kept: Ending = { word: 'Kept', tone: 'warn', icon: clock };
const keptInPart: Ending = { word: 'Kept in part', tone: 'warn', icon: clock };
const aside: Ending = { word: 'Waits for you', tone: 'bad', icon: alert };

export function endingOf({ outcome, outputs }: Story): Ending {
  if (outcome !== 'delivered') return endings[outcome];
  const has = (wanted: OutputStory['result']) => outputs.some(({ result }) => result === wanted);
  if (outputs.some((output) => output.kept?.state === 'aside')) return aside;
  if (has('kept')) return has('delivered') ? keptInPart : kept;
  return has('failed') ? partly : endings.delivered;
}

/** One submission: a line, and behind it the way that it took, stop by stop. */
export function storyView(entry: Entry): Html {
  const { number, version, story, answeredAt } = entry;
  const { word, tone, icon } = endingOf(story);
  const at = new Date(answeredAt);
  const id = `s${number}`;
  return html`<details${attributes({ class: 'story', id, 'data-number': number, 'data-version': version, 'data-form': story.form })}>
<summary>
<span class="badge ${tone}">${icon}${word}</span>
<b>${story.form}</b>
<time${attributes({ datetime: at.toISOString() })}>${at.toTimeString().slice(0, 8)}</time>
<span class="says">${story.says}</span>
</summary>
<ol class="street">
${received(story)}
${notUsed(story.checks)}${story.checks.map(checkStop)}${notReached(story.checks)}
${story.outputs.map((output) => outputStop(output, entry))}
${story.mails.map((mail) => mailStop(mail, entry))}
${waiting(story)}
${answered(story)}
</ol>
${story.notes.length > 0 && html`<ul class="notes">${story.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
</details>
`;
}

interface Stop {
  readonly tone: Tone | 'off';
  readonly icon: Html;
  readonly title: Html | string;
  /** What it is in the config, as config_lines.ts names it. */
  readonly key?: string;
  readonly says: Html | string;
  readonly body?: Html | false;
}

const stop = ({ tone, icon, title, key, says, body }: Stop): Html => {
  const name =
    key === undefined
      ? html`<b>${title}</b>`
      : html`<button type="button" class="key"${attributes({ 'data-key': key, title: 'Show it in the config' })}>${title}</button>`;
  return html`<li class="${tone}"><span class="dot">${icon}</span><p>${name} <span class="says">${says}</span></p>${body}</li>\n`;
};

function received({ values, page, ignored, outputs, isConfirmed }: Story): Html {
  const names = values.length === 1 ? '1 field' : `${values.length} fields`;
  const unknown =
    ignored.length > 0 &&
    html`<p class="aside">Not in the config, so ignored: <code>${ignored.join(', ')}</code></p>`;
  const from =
    page &&
    html`<p class="aside">${page.url === '' ? 'Its page is not known' : html`From ${address(page.url)}${page.title && `, “${page.title}”`}`}</p>`;
  const table =
    values.length > 0 &&
    html`<details${attributes({ open: outputs.length === 0 })}><summary>What was sent</summary>${payloadTable(values)}</details>`;
  return stop({
    tone: 'quiet',
    icon: down,
    title: isConfirmed ? 'Confirmed' : 'Received',
    says: isConfirmed ? `${names}, held in the link that was clicked` : names,
    body: html`${from}${unknown}${table}`,
  });
}

const checkNames = {
  honeypot: ['Honeypot', 'spam.honeypot'],
  min_fill: ['Min-fill', 'spam.min_fill_seconds'],
  origin: ['Origin', 'origins'],
  rate_limit: ['Rate limit', 'rate_limit'],
  captcha: ['Captcha', 'captcha'],
  proof: ['Proof of work', 'spam.proof_of_work'],
  doubt: ['Doubt', 'spam.doubt'],
  validation: ['Validation', 'fields'],
  scan: ['Virus scanner', 'scan'],
} as const;

/** The checks that the form does not have, in one line, by the keys that would switch them on. */
function notUsed(checks: readonly CheckStory[]): Html | undefined {
  const keys = checks
    .filter(({ verdict }) => verdict === 'off')
    .map(({ check: name }) => checkNames[name][1]);
  return keys.length > 0
    ? stop({ tone: 'off', icon: ring, title: 'Not in the config:', says: keys.join(', ') })
    : undefined;
}

function checkStop(story: CheckStory): Html | undefined {
  const { check: name, verdict, says, isDoubted, signals = [], silent = [] } = story;
  const [title, key] = checkNames[name];
  const body = signals.length + silent.length > 0 && signalsView(signals, silent);
  if (verdict === 'passed')
    return stop({
      tone: isDoubted || signals.length > 0 ? 'warn' : 'ok',
      icon: check,
      title,
      key,
      says,
      body,
    });
  const tone = name === 'honeypot' || name === 'min_fill' ? 'quiet' : 'warn';
  return verdict === 'ended' ? stop({ tone, icon: cross, title, key, says, body }) : undefined;
}

/** What speaks against it, and how much: the longest bar is the most of it. */
function signalsView(
  signals: NonNullable<CheckStory['signals']>,
  silent: NonNullable<CheckStory['silent']>,
): Html {
  const most = signals[0]?.points ?? 0;
  const bar = (points: number) =>
    html`<meter${attributes({ min: 0, low: 0, high: most, max: most, optimum: 0, value: points, 'aria-hidden': 'true' })}></meter> ${points}`;
  const rows = [
    ...signals.map(({ signal, points, why }) => ({ signal, cell: bar(points), why })),
    ...silent.map(({ signal, why }) => ({ signal, cell: '–', why: `says nothing: ${why}` })),
  ];
  return html`<table class="signals">${rows.map(
    ({ signal, cell, why }) => html`<tr><th scope="row">${signal}</th><td>${cell}</td><td>${why}</td></tr>`,
  )}</table>`;
}

/** What comes behind the check that ended it. */
function notReached(checks: readonly CheckStory[]): Html | undefined {
  const left = checks
    .filter(({ verdict }) => verdict === 'not_reached')
    .map(({ check: name }) => checkNames[name][0]);
  const hasEnded = checks.some(({ verdict }) => verdict === 'ended');
  return hasEnded
    ? stop({
        tone: 'off',
        icon: ring,
        title: 'Not reached:',
        says: [...left, 'Outputs'].join(', ').toLowerCase(),
      })
    : undefined;
}

function outputStop(output: OutputStory, entry: Entry): Html {
  const { type, target, result, reason, onError, warnings, sent, payload, kept } = output;
  const id = `s${entry.number}-${output.index}`;
  const isDelivered = result === 'delivered';
  const says = html`${result}${target !== '' && html` <span class="to">→ ${address(target)}</span>`}`;
  const title = html`<code>${type}</code>`;
  const key = `outputs.${output.index}`;
  if (result === 'skipped') {
    const why = html`skipped, since ${reason}`;
    return stop({ tone: 'off', icon: ring, title, key, says: why });
  }
  const consequence =
    onError === 'fail' ? 'so the submission failed' : 'so the submission counts all the same';
  const failure = kept
    ? keptView(kept)
    : result === 'failed' &&
      html`<p class="aside">${reason}; <code>on_error: ${onError}</code>, ${consequence}</p>`;
  const table =
    payload.length > 0 && html`<p class="subject">What ${hostOf(target)} gets</p>${payloadTable(payload)}`;
  const body = html`${failure}${warnings.map(
    (warning) => html`<p class="aside">${warning}</p>`,
  )}${sentTabs(sent, id, `What ${type} sends`, entry, table)}`;
  const tone = onError === 'fail' && result === 'failed' ? 'bad' : 'warn';
  return stop({
    tone: isDelivered ? 'ok' : tone,
    icon: isDelivered ? check : result === 'kept' ? clock : cross,
    title,
    key,
    says,
    body,
  });
}

/** Each try, what is to be expected, and what its owner can do. */
function keptView(story: KeptStory): Html {
  const { id, tries, state, nextMs } = story;
  const at = (ageMs: number) => (ageMs < 1_000 ? 'At once' : `After ${ageInWords(ageMs)}`);
  const rows = tries.map(
    ({ ageMs, reason = 'delivered', isUntried }) =>
      html`<tr><th scope="row">${at(ageMs)}</th><td>${isUntried && 'not tried: '}${reason}</td></tr>`,
  );
  const canRetry = state === 'aside' || (state === 'waiting' && nextMs !== undefined);
  return html`<table class="tries">${rows}</table>
<p class="aside">${state !== 'delivered' && sentence(waitInWords(story))}${
    canRetry &&
    html` <button type="button" class="tool"${attributes({ 'data-retry': id, title: 'As relay kept retry does' })}>${again} Try it now</button>`
  }</p>`;
}

/** A mail to whoever filled in the form. Only one with a link keeps the submission from counting when it fails. */
function mailStop({ key, target, result, reason, sent }: MailStory, entry: Entry): Html {
  const title = 'To the visitor';
  if (result === 'withheld') {
    return stop({ tone: 'off', icon: ring, title, key, says: html`no mail, since ${reason}` });
  }
  const says = html`a mail, ${result}${target !== '' && html` <span class="to">→ ${address(target)}</span>`}`;
  const isWaitedFor = key === 'double_opt_in';
  const consequence = isWaitedFor ? 'the visitor is asked to try again' : 'the visitor learns nothing of it';
  const failure = result === 'failed' && html`<p class="aside">${reason}; ${consequence}</p>`;
  const body = html`${failure}${sentTabs(sent, `s${entry.number}-${key}`, 'What the visitor gets', entry)}`;
  const isSent = result === 'sent';
  return stop({
    tone: isSent ? 'ok' : isWaitedFor ? 'bad' : 'warn',
    icon: isSent ? check : cross,
    title,
    key,
    says,
    body,
  });
}

/** What the visitor can do, so that the owner can try it. */
function waiting(story: Story): Html | undefined {
  const link = confirmLink(story);
  if (link === undefined) return undefined;
  const body = html`<p><a class="tool" target="_blank"${attributes({ href: link })}>${open} Click the link, as the visitor does</a></p>`;
  return stop({
    tone: 'quiet',
    icon: clock,
    title: 'Outputs',
    says: 'get it when the link is clicked',
    body,
  });
}

/** Each try: first as people read it, then byte for byte. `values`: what is in a request that is for no people. */
function sentTabs(
  sent: readonly Sent[],
  id: string,
  label: string,
  entry: Entry,
  values?: Html | false,
): Html | false {
  const views = sent.flatMap((one, index) => {
    const count = sent.length > 1 ? ` ${index + 1}` : '';
    const answer = html`<p class="aside">Its answer: ${one.answer}</p>`;
    const all =
      one.kind === 'mail'
        ? mailViews(one, `${id}-${index}`, (scheme) => mailAddress(entry, one, scheme), answer)
        : one.kind === 'entry'
          ? entryViews(one, answer)
          : requestViews(one, answer, values);
    return all.map(([title, content]): View => [`${title}${count}`, content]);
  });
  return views.length > 0 && tabs(id, label, views);
}

const requestViews = (
  { says, bytes }: Extract<Sent, { kind: 'http' }>,
  answer: Html,
  values: Html | false | undefined,
): readonly View[] => [
  says
    ? ['Message', html`${saidView(says)}${answer}`]
    : ['Request', html`<div class="request">${values}</div>${answer}`],
  ['Exact bytes', bytesView(bytes)],
];

const entryViews = ({ says, text }: Extract<Sent, { kind: 'entry' }>, answer: Html): readonly View[] => [
  ['Entry', html`${saidView(says)}${answer}`],
  ['Document', bytesView(text)],
];

/** As people read it in a chat or an archive, in the studio's own looks. */
function saidView({ title, entries, footer }: Said): Html {
  const rows = entries.map(
    ({ label, value }) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>`,
  );
  const below = footer.map((line) => html`<p class="aside">${line}</p>`);
  return html`<div class="request"><p class="subject">${title}</p><table>${rows}</table>${below}</div>`;
}

const hostOf = (target: string) => /^https?:\/\/([^/?#]+)/.exec(target)?.[1] ?? target;

function payloadTable(payload: Payload): Html {
  const rows = payload.map(
    ([key, values]) =>
      html`<tr><th scope="row">${key}</th><td>${values.map((value) => html`<div>${value === '' ? html`<i>empty</i>` : value}</div>`)}</td></tr>`,
  );
  return html`<table>${rows}</table>`;
}

function answered({ answer: { status, contentType, body } }: Story): Html {
  const [, format] = /(json|html)\b/.exec(contentType) ?? [];
  const what = format ? `with ${format.toUpperCase()}` : 'and sent on to another page';
  const content =
    body !== '' && html`<details><summary>The answer</summary>${copyable(body.trim())}</details>`;
  const tone = status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad';
  return stop({ tone, icon: up, title: `Answered ${status}`, says: what, body: content });
}
