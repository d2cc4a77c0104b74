/** Stands in for a script as text, which the page has as a file. */
import { html } from '@form-relay/relay/base';

export const captchaScriptCode = html``;
