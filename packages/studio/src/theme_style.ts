import { html } from '@form-relay/core/kit';
import { formStyle } from '@form-relay/element/built/style';

/** The style of the page around the live form, as the relay's own stylesheet leaves it. */
export const ownTheme = html`${formStyle}
:root{color-scheme:light dark}
body{margin:0;padding:.875rem 1.25rem 1rem;color:#1b1b1f;background:#fff;font:.875rem/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{color:#ececf1;background:#17171b}}
.form-relay{--form-relay-space:.875rem}
`;
