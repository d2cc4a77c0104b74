/**
 * What a form says to htmx in `hx-on` attributes, so that it works in a page that loads htmx 2 or 4 as they are. Their
 * events have different names: `before-swap` is of htmx 2, `before:swap` of htmx 4.
 */
import { attributes } from './html.ts';

/** htmx 2 swaps no 4xx and 5xx on its own; htmx 4 does. */
const swapErrors = 'let d=event.detail,s=d.xhr.status;if(s>399){d.shouldSwap=true;d.isError=s>499}';

/** The confirmation takes the place of the form, and the focus: whoever cannot see the page hears it (WCAG 4.1.3). */
const focusConfirmation =
  'if(event.target==this)new MutationObserver((m,o)=>{if(this.isConnected)return;o.disconnect();' +
  "for(let r of m)for(let c of r.addedNodes)if(c.classList?.contains('form-confirmation')){c.tabIndex=-1;c.focus()}" +
  '}).observe(this.parentNode,{childList:true})';

/** Nothing came back, and htmx itself says nothing. */
export const lostConnection = 'The form could not be sent. Please check your connection and try again.';
const sayLost = `this.querySelector('.form-status').textContent='${lostConnection}'`;

/** Of the form. They are long, so each is escaped once. */
export const formHandlers = attributes({
  'hx-on:htmx:before-swap': `${swapErrors};${focusConfirmation}`,
  'hx-on:htmx:before:swap': focusConfirmation,
  'hx-on:htmx:send-error': `if(event.target==this)${sayLost}`,
  // In htmx 4 it stands for any error, and in htmx 2 it has no `ctx`.
  'hx-on:htmx:error': `let c=event.detail.ctx;if(c&&!c.response&&event.target==this)${sayLost}`,
});

/** A slot whose field is there already stays as it is: someone may be typing in it. Of each slot, for htmx 2. */
export const keepItsField = attributes({
  'hx-on:htmx:oob-before-swap':
    "let d=event.detail;if(this.querySelector('[name]')&&d.fragment.querySelector('[name]'))d.shouldSwap=false",
});

/** The same, for htmx 4, of the slot that asked. */
export const keepTheirFields = attributes({
  'hx-on:htmx:before:swap':
    "for(let t of event.detail.tasks)if(t.type=='oob'&&t.target.querySelector('[name]')&&" +
    "t.fragment.querySelector('[name]'))t.swapSpec.style='none'",
});
