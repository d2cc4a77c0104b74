/** `form-relay/element`: for bundlers, including those of server-rendered sites. */
import { start } from './relay_form.ts';

if (globalThis.customElements) start();
