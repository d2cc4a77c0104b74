import { captchaBoxCode, captchaScoreCode } from '../../../built/inline.ts';
import { attributes, type Html, html, inlineScript } from '../../base/html.ts';
import type { Medium } from '../../form.ts';
import type { Say } from '../../messages/message.ts';
import { hashSource } from '../../pages/page_view.ts';
import type { OwnAnswers } from '../feature.ts';
import type { Captcha } from './provider.ts';

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
 * The place where our script puts a widget once the relay asks for it (`only_in_doubt`). It lacks the widget's class,
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

/** The widget in a form, and what a page allows for it. */
export const captchaAnswers = (asked: Captcha): OwnAnswers => ({
  add: ({ say }, { medium }) => {
    if (!asked.siteKey) return {};
    if (!asked.onlyInDoubt) return { widget: html`${captchaWidget(asked, say, medium)}\n` };
    return { widget: medium === 'script' && html`${captchaPlace(asked)}\n` };
  },
  // A page allows a provider's scripts where it has its widget.
  policy: (_, { challenge, hasScript }) => {
    const { siteKey, onlyInDoubt, origins } = asked;
    if (siteKey === undefined || (onlyInDoubt && challenge !== 'captcha')) return {};
    if (hasScript || origins.length === 0) return { styles: origins };
    const scripts = [...origins, hashSource(captchaScoreCode)];
    return { styles: origins, scripts, frames: origins, connections: origins };
  },
});
