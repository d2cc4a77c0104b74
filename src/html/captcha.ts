import type { Captcha } from '../captchas/provider.ts';
import { attributes, type Html, html } from './html.ts';

/**
 * The provider's widget, where a `site_key` is given. A token is good for one submission, so every rendering of the
 * form gets a widget of its own, and one that stays in the page after an error is reset.
 *
 * In a page without other scripts (`isPlain`) the provider's script comes by an element of its own, which the
 * Content-Security-Policy can name; elsewhere an inline script looks first whether it is there already.
 */
export function captchaWidget({ widget, siteKey, tokenField }: Captcha, isPlain: boolean): Html | undefined {
  if (siteKey === undefined) return undefined;
  if (widget.kind === 'score') {
    const input = {
      type: 'hidden',
      name: tokenField,
      'data-sitekey': siteKey,
      'data-api': widget.script(siteKey),
    };
    return html`<input${attributes(input)}>${inline(scoreScript)}`;
  }
  const box = {
    class: widget.className,
    'data-sitekey': siteKey,
    'data-response-field-name': widget.renames ? tokenField : undefined,
  };
  if (isPlain) {
    return html`<div${attributes(box)}></div><script${attributes({ src: widget.script, async: true, defer: true })}></script>`;
  }
  return html`<div${attributes({ ...box, 'data-api': widget.script, 'data-global': widget.global })}></div>${inline(renderScript)}`;
}

const inline = (script: Html) => html`<script>${script}</script>`;

/**
 * After a request of its form, one that still stands in the page needs a new token. The events are those of htmx 2 and
 * 4; `html/script.ts` sends the first, too. Requests of fields inside the form come by here, and do not count.
 */
const afterRequest = (then: Html) =>
  html`["htmx:afterRequest","htmx:finally:request"].forEach(function(n){e.closest("form").addEventListener(n,function(v){if(v.target===v.currentTarget&&e.isConnected)${then}})})`;

/**
 * Renders the widget with the provider's script, which may have to be loaded first: it then finds the box itself. A
 * widget is renewed by rendering another in its place, since only some providers can say which one to reset.
 */
const renderScript = html`(function(e,d){var u=e.dataset.api,s;function r(){var g=window[e.dataset.global];if(!g||!g.render)return false;g.render(e,{sitekey:e.dataset.sitekey,"response-field-name":e.dataset.responseFieldName});return true}if(!r()&&![].some.call(d.scripts,function(s){return s.src===u})){s=d.createElement("script");s.src=u;s.async=true;d.head.appendChild(s)}${afterRequest(html`{s=e.cloneNode();e.replaceWith(s);e=s;r()}`)}})(document.currentScript.previousElementSibling,document)`;

/** reCAPTCHA v3 has no widget: a token is fetched now, and again before it is two minutes old. */
export const scoreScript = html`(function(e,d){function x(){grecaptcha.execute(e.dataset.sitekey,{action:"submit"}).then(function(v){e.value=v})}function t(){if(e.isConnected)grecaptcha.ready(function(){x();setTimeout(t,100000)})}${afterRequest(html`x()`)};if(window.grecaptcha)return t();var s=d.createElement("script");s.src=e.dataset.api;s.onload=t;d.head.appendChild(s)})(document.currentScript.previousElementSibling,document)`;
