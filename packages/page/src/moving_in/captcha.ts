import { parseUrl } from '@form-relay/base/url';
import { widgets } from '@form-relay/spam/captcha/widget';
import type { Page, PageElement } from '../check/markup.ts';
import type { Keys } from './config_text.ts';
import { type Remark, toDo } from './remark.ts';

export interface FoundCaptcha {
  readonly keys: Keys;
  /** Without the owner's own site key it would refuse everybody, so it stands in a comment. */
  readonly isComplete: boolean;
  readonly remark: Remark;
}

const secrets: Readonly<Record<string, string>> = {
  recaptcha_v2: 'RECAPTCHA_SECRET',
  recaptcha_v3: 'RECAPTCHA_SECRET',
  hcaptcha: 'HCAPTCHA_SECRET',
  turnstile: 'TURNSTILE_SECRET',
};

/** The captcha of a form: its widget, or reCAPTCHA's script that scores visitors. */
export function captchaOf(own: readonly PageElement[], { elements }: Page, form: PageElement) {
  for (const element of own) {
    const classes = element.attributes.get('class')?.split(/\s+/) ?? [];
    const found = Object.entries(widgets).find(
      ([, widget]) => widget.kind === 'box' && classes.includes(widget.className),
    );
    if (!found) continue;
    const [called, widget] = found;
    // On a button, an action means that the visitor is scored.
    const isScored = called === 'recaptcha_v2' && element.attributes.has('data-action');
    const provider = isScored ? 'recaptcha_v3' : called;
    const canRename = widget.kind === 'box' && widget.renames;
    const field = canRename ? element.attributes.get('data-response-field-name') : undefined;
    return captcha(provider, element.attributes.get('data-sitekey'), field);
  }
  const isNetlifys = [form, ...own].some(({ attributes }) => attributes.has('data-netlify-recaptcha'));
  if (isNetlifys) return captcha('recaptcha_v2', undefined);
  const scoring = elements.map(scoredBy).find((key) => key !== undefined);
  return scoring === undefined ? undefined : captcha('recaptcha_v3', scoring);
}

function captcha(provider: string, siteKey: string | undefined, field?: string): FoundCaptcha {
  const variable = secrets[provider] ?? 'CAPTCHA_SECRET';
  const isComplete = siteKey !== undefined && siteKey.trim() !== '';
  const keys = {
    provider,
    site_key: isComplete ? siteKey.trim() : 'your-site-key',
    secret: `{{ env "${variable}" }}`,
    field: field === '' ? undefined : field,
  };
  const text = isComplete
    ? `set the environment variable ${variable} to the captcha's secret; without it nobody gets through`
    : "the captcha's key belongs to the service that took the form so far: get one of your own, and take away the # before captcha";
  return { keys, isComplete, remark: toDo(text) };
}

function scoredBy({ tag, attributes }: PageElement): string | undefined {
  if (tag !== 'script') return undefined;
  const url = parseUrl(attributes.get('src') ?? '', 'https://page.invalid/');
  if (!url?.pathname.endsWith('/recaptcha/api.js')) return undefined;
  const key = url.searchParams.get('render') ?? 'explicit';
  return key === 'explicit' || key === 'onload' ? undefined : key;
}
