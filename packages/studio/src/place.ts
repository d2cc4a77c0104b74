import { type Html, html } from '@form-relay/relay/base';
import { lock, send } from './icons.ts';
import { type Mode, modes, type Theme, themes } from './looks.ts';

/** Where the studio is: a server on this machine has it, or a page without any (packages/studio/try). */
export interface Place {
  /** After the product's name. */
  readonly name: string;
  /** What the page loads. */
  readonly head: Html;
  /** What becomes of what is sent. */
  readonly promise: Html;
  /** What else can be done here, beside the promise. */
  readonly actions?: Html;
  /** What stands where there is no form. Default: how to get one. */
  readonly noForm?: Html;
  /** What stands below it all. */
  readonly footer?: Html;
  /** In which ways a form can be shown. */
  readonly modes: readonly Mode[];
  readonly themes: readonly Theme[];
  /** Whether the config is in a file, into which a draft can be saved. */
  readonly hasFile: boolean;
  /** Whether what is in a frame has an address of its own. */
  readonly opensAlone: boolean;
  /** What its frames may do (HTML: the `sandbox` attribute). Default: everything. */
  readonly sandbox?: string;
  /** Where the relay is in what owners copy. Default: where the studio is. */
  readonly origin?: string;
}

/** `relay dev`. */
export const onThisMachine = (isDelivering: boolean): Place => ({
  name: 'studio',
  head: html`<link rel="stylesheet" href="/studio/style.css">
<script src="/studio/client.js" defer></script>`,
  promise: isDelivering
    ? html`<p class="promise warn">${send} Outputs deliver for real</p>`
    : html`<p class="promise">${lock} Nothing leaves this machine</p>`,
  modes: Object.keys(modes) as Mode[],
  themes: Object.keys(themes) as Theme[],
  hasFile: true,
  opensAlone: true,
});
