import type { Form } from '@form-relay/relay/base';
import { captcha, minFill, proof } from '@form-relay/relay/features';
import { curlLine, type Sample } from './samples.ts';
import { snippets } from './snippets.ts';
import type { SiteState } from './state.ts';

/** Code to copy: the form in a page of each kind, and lines for a terminal. */
export function siteOf(form: Form, origin: string, samples: readonly Sample[]): SiteState {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const solved = captcha.of(form);
  const token: readonly Sample[] = solved ? [[solved.tokenField, 'pretend-human']] : [];
  return {
    snippets: snippets(form, origin),
    curl: curlLine(url, [...samples, ...token]),
    curlNote: unlikeABrowser(form),
  };
}

/** Fields that only a browser sends. */
function unlikeABrowser(form: Form): string {
  const asked = proof.of(form);
  if (minFill.of(form)) return ', where there is no min-fill token, so that this one is dropped';
  return asked?.when === 'always' && asked.withoutScript !== 'allow'
    ? ', where nothing solves the puzzle, so that this one comes back'
    : '';
}
