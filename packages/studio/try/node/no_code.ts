/** Stands in for scripts and a style as text, which the page has as files. */
import { html } from '@form-relay/relay/base';

export const clientCode = html``;
export const captchaScriptCode = html``;
export const style = html``;
