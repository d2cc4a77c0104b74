import { formStyle, pageStyle } from '../../built/style.ts';
import { html } from '../base/html.ts';

/** The style of the relay's own pages: that of forms, and of what stands around them. */
export const style = html`${formStyle}${pageStyle}`;
