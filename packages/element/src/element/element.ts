/** `form-relay/element`: for bundlers, also of sites that are rendered on a server. */
import { start } from './relay_form.ts';

if (globalThis.customElements) start();
