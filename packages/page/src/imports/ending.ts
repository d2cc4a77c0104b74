/** The ending that visitors of a Typeform form see after sending it. */
import { parseUrl } from '@form-relay/base/url';
import { quote } from '../check/page_finding.ts';
import { note, type Remark, when } from '../moving_in/remark.ts';
import { at, type Place, use } from './ledger.ts';
import { textAt } from './paths.ts';

interface Ending {
  readonly confirmation: string | undefined;
  readonly redirect: string | undefined;
  readonly remarks: readonly Remark[];
}

/** The first ending: its words and its button as a link, or the address where it sends visitors by itself. */
export function endingOf(form: Place, path: string | undefined): Ending | undefined {
  const [screen] = path === undefined ? [] : at(form, path);
  if (!screen) return undefined;
  if (textAt(screen, 'type') === 'url_redirect')
    return { confirmation: undefined, redirect: textAt(screen, 'properties.redirect_url'), remarks: [] };
  const address = textAt(screen, 'properties.redirect_url');
  const isShown = textAt(screen, 'properties.show_button') !== 'false';
  const mode = textAt(screen, 'properties.button_mode') ?? '';
  const label = textAt(screen, 'properties.button_text');
  const words = [textAt(screen, 'title'), textAt(screen, 'properties.description')].filter(Boolean).join(' ');
  const host = parseUrl(address ?? '')?.hostname ?? '';
  const isAdvertisement = /(^|\.)typeform\.com$/.test(host) || /create your own\b.*free/i.test(words);
  if (isAdvertisement) {
    use(screen);
    const text =
      'the ending is left out: it advertises Typeform; write confirmation to say what visitors read';
    return { confirmation: undefined, redirect: undefined, remarks: [note(text)] };
  }
  const leads = isShown && address !== undefined && /^(default_)?redirect$|^$/.test(mode);
  const link =
    leads && /^https?:\/\/[^\s()]+$/.test(address)
      ? `[${(label ?? 'Next').replaceAll(/[[\]]/g, '')}](${address})`
      : '';
  const hasLost = address !== undefined && link === '';
  return {
    confirmation: [words, link].filter(Boolean).join(' ') || undefined,
    redirect: undefined,
    remarks: [
      ...when(
        hasLost,
        note(`the ending has a button there, to ${quote(address ?? '')}, which visitors do not see here`),
      ),
      ...when(
        link === '' && !hasLost && isShown && label !== undefined,
        note(`the ending has a button ${quote(label ?? '')} there, and none here`),
      ),
    ],
  };
}
