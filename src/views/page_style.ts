import { html } from '../html.ts';
import { formStyle, pageStyle } from './style_code.ts';

/** The style of the relay's own pages: that of forms, and of what stands around them. */
export const style = html`${formStyle}${pageStyle}`;
