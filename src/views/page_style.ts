import { html } from '../html.ts';

/** The style of the relay's own pages. Plain, readable, in the visitor's light or dark. */
export const style = html`
:root{color-scheme:light dark;--text:#1b1b1f;--soft:#55555f;--line:#8a8a96;--back:#fff;--field:#fff;--accent:#1d4ed8;--on-accent:#fff;--bad:#b3261e;--bad-back:#fdeceb}
@media (prefers-color-scheme:dark){:root{--text:#ececf1;--soft:#b4b4c0;--line:#7d7d8a;--back:#17171b;--field:#212127;--accent:#8ab4ff;--on-accent:#10131a;--bad:#ffb4ab;--bad-back:#3a1b19}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:2rem 1rem 4rem}
h1,h2{font-size:1.6rem;line-height:1.2;margin:0 0 1.5rem}
fieldset.field{border:0;padding:0;margin:0 0 1.5rem;min-width:0}
div.field{margin:0 0 1.5rem}
label,legend{display:block;padding:0;font-weight:600}
label.choice>span{min-width:0}
label.choice{display:flex;gap:.6rem;align-items:baseline;font-weight:400;padding:.3rem 0;min-height:1.5rem}
input:not([type=checkbox],[type=radio]),select,textarea{display:block;width:100%;margin-top:.3rem;padding:.55rem .7rem;font:inherit;color:inherit;background:var(--field);border:1px solid var(--line);border-radius:.35rem}
textarea{resize:vertical}
textarea:not([rows]){min-height:8rem}
::placeholder{color:var(--soft);opacity:1}
input[type=checkbox],input[type=radio]{width:1.15rem;height:1.15rem;margin:0;flex:none;align-self:center;accent-color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[aria-invalid=true]{border-color:var(--bad)!important}
.form-note,.field-help,.field-condition{color:var(--soft);font-weight:400;margin:.1rem 0 0}
.form-note{margin-bottom:1rem}
.field-required{color:var(--bad)}
.field-error{color:var(--bad);margin:.2rem 0 0;font-weight:600}
.form-errors{margin:0 0 1.5rem;padding:.8rem 1rem .8rem 2rem;background:var(--bad-back);color:var(--bad);border-left:4px solid var(--bad);border-radius:.2rem}
.form-confirmation{font-size:1.2rem}
button{font:inherit;font-weight:600;padding:.65rem 1.6rem;color:var(--on-accent);background:var(--accent);border:0;border-radius:.35rem;cursor:pointer}
`;
