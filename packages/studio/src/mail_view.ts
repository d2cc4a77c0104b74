import { attributes, type Html, html } from '@form-relay/relay/base';
import type { Sent } from '@form-relay/relay/telling';
import { address, bytesView, scrolls } from './bytes_view.ts';
import { open } from './icons.ts';
import { mailSandbox, type Scheme, schemes } from './mail_page.ts';
import type { View } from './tabs.ts';

type Mail = Extract<Sent, { kind: 'mail' }>;

/** A mail as people read it, and its source. `addressOf`: where its HTML is; `id`: of nothing else on the page. */
export function mailViews(
  mail: Mail,
  id: string,
  addressOf: (scheme: Scheme) => string,
  answer: Html,
): readonly View[] {
  const text = html`<pre tabindex="0"${attributes({ class: scrolls(mail.text) })}>${mail.text}</pre>`;
  const bytes: View = ['Exact bytes', bytesView(mail.source)];
  const around = (body: Html) => html`<div class="mail">${headView(mail)}${body}</div>${answer}`;
  if (mail.html === undefined) return [['Mail', around(text)], bytes];
  return [['HTML', around(letterView(mail, id, addressOf))], ['Text', around(text)], bytes];
}

function headView({ subject, from, to, cc, bcc, replyTo, attachments, envelope, server }: Mail): Html {
  const several = (all: readonly string[]) =>
    html`${all.map((one, index) => html`${index > 0 && ', '}${address(one)}`)}`;
  const lines: readonly (readonly [name: string, value: Html])[] = [
    ['From', several([from])],
    ['To', several(to)],
    ...(cc.length > 0 ? [['Cc', several(cc)] as const] : []),
    ...(bcc.length > 0
      ? [['Bcc', html`${several(bcc)} <span class="aside">in no header</span>`] as const]
      : []),
    ...(replyTo === undefined ? [] : [['Reply-To', several([replyTo])] as const]),
    ...(envelope.from === ''
      ? [['Return to', html`<span class="aside">nobody, so that no program answers</span>`] as const]
      : []),
    ...(attachments.length > 0 ? [['Attached', html`${attachments.join(', ')}`] as const] : []),
    ['Through', several([server])],
  ];
  return html`<p class="subject">${subject === '' ? '(no subject)' : subject}</p><dl>${lines.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>`;
}

const widths = { phone: 'Phone', desktop: 'Desktop' } as const;

/** The mail's own page, in light and in dark, as wide as a phone or a desk has it. A frame loads when it is looked at. */
function letterView({ subject, text }: Mail, id: string, addressOf: (scheme: Scheme) => string): Html {
  const ofEach = (view: (scheme: Scheme) => Html) => Object.keys(schemes).map((one) => view(one as Scheme));
  const links = ofEach((scheme) => {
    const link = { class: `tool ${scheme}`, title: 'Open alone', href: addressOf(scheme) };
    return html`<a target="_blank" rel="noopener"${attributes(link)}>${open}<span class="unseen">Open the mail alone</span></a>`;
  });
  const frames = ofEach((scheme) => {
    const title = `The mail in ${scheme} colours: ${subject}`;
    const frame = { class: scheme, title, src: addressOf(scheme), sandbox: mailSandbox, loading: 'lazy' };
    return html`<iframe${attributes(frame)}></iframe>`;
  });
  return html`<div class="letter"><div class="switches">${choice(`${id}-colours`, 'Colours', schemes)}${choice(`${id}-width`, 'Width', widths)}${links}</div>
<p class="aside">As in programs that follow the mail’s own dark colours. Gmail and Outlook make their own.</p>
<div class="page-of-mail${isShort(text) && ' short'}">${frames}</div></div>`;
}

/** How high its page is, nobody can ask a frame that runs no scripts. */
const isShort = (text: string) => text.split('\n').length + text.length / 40 < 16;

const choice = (name: string, legend: string, all: Readonly<Record<string, string>>): Html =>
  html`<fieldset class="choice"><legend class="unseen">${legend}</legend>${Object.entries(all).map(
    ([value, words], index) =>
      html`<label><input${attributes({ type: 'radio', name, value, checked: index === 0 })}><span>${words}</span></label>`,
  )}</fieldset>`;
