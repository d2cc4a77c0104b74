/** `form-relay/element`: for bundlers, also of sites that are rendered on a server. */
import { start } from './start.ts';

if (globalThis.customElements) start();
