import { captchaBoxCode, captchaScoreCode } from '../../built/inline.ts';
import { attributes, type Html, html, inlineScript } from '../base/html.ts';
import type { Captcha } from '../features/captcha/provider.ts';
import type { Say } from '../messages/message.ts';
import type { Medium } from './medium.ts';

/**
 * The provider's widget, where a `site_key` is given. A token is good for one submission, so every rendering of the
 * form gets a widget of its own, and one that stays in the page after an error is reset.
 *
 * In a page without other scripts (`plain`) the provider's script comes by an element of its own, which the
 * Content-Security-Policy can name; our script reads its address; elsewhere an inline script looks first whether it is
 * there already. `isOnlyWay`: without it, the form is not sent.
 */
export function captchaWidget(
  captcha: Captcha,
  say: Say,
  medium: Medium,
  isOnlyWay = true,
): Html | undefined {
  const { siteKey } = captcha;
  if (siteKey === undefined) return undefined;
  const withoutScript =
    isOnlyWay && html`<noscript><p>${say({ code: 'captcha_without_script' })}</p></noscript>`;
  return html`${widgetOf(captcha, siteKey, medium)}${withoutScript}`;
}

/**
 * Where our script puts a widget once the relay asks for it (`only_in_doubt`). Without its class nobody takes it for one,
 * so that the provider learns of no visitor who is not doubted.
 */
export function captchaPlace({ widget, siteKey, tokenField }: Captcha): Html | undefined {
  if (siteKey === undefined) return undefined;
  const isBox = widget.kind === 'box';
  return html`<div${attributes({
    hidden: true,
    'data-captcha': isBox ? widget.className : 'score',
    'data-sitekey': siteKey,
    'data-response-field-name': isBox && !widget.renames ? undefined : tokenField,
    'data-api': isBox ? widget.script : widget.script(siteKey),
    'data-global': isBox && widget.global,
  })}></div>`;
}

function widgetOf({ widget, tokenField }: Captcha, siteKey: string, medium: Medium): Html {
  if (widget.kind === 'score') {
    const input = {
      type: 'hidden',
      name: tokenField,
      'data-sitekey': siteKey,
      'data-api': widget.script(siteKey),
    };
    return html`<input${attributes(input)}>${medium !== 'script' && inlineScript(captchaScoreCode)}`;
  }
  const box = {
    class: widget.className,
    'data-sitekey': siteKey,
    'data-response-field-name': widget.renames ? tokenField : undefined,
  };
  if (medium === 'plain') {
    return html`<div${attributes(box)}></div><script${attributes({ src: widget.script, async: true, defer: true })}></script>`;
  }
  const loaded = html`<div${attributes({ ...box, 'data-api': widget.script, 'data-global': widget.global })}></div>`;
  return medium === 'script' ? loaded : html`${loaded}${inlineScript(captchaBoxCode)}`;
}
