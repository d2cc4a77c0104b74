import type { Form, Locale } from '@form-relay/core/index';
import { curlLine, type Sample } from './samples.ts';
import { snippets } from './snippets.ts';
import type { SiteState } from './state.ts';

/** Code to copy: the form in a page of each kind, and lines for a terminal. */
export function siteOf(form: Form, locale: Locale, origin: string, samples: readonly Sample[]): SiteState {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const captcha = form.provided.get('captcha');
  const token: readonly Sample[] = captcha ? [[captcha.field, 'pretend-human']] : [];
  return {
    snippets: snippets(form, locale, origin),
    curl: curlLine(url, [...samples, ...token]),
    curlNote: form.cards.find(({ withoutBrowser }) => withoutBrowser)?.withoutBrowser ?? '',
  };
}
