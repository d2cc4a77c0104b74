// Written by `npm run generate` from src/views/style/.
import { html } from '../html.ts';

export const formStyle = html`
.form-relay,.form-confirmation,relay-form{--_accent:var(--form-relay-accent,#1d4ed8);--_on-accent:var(--form-relay-on-accent,#fff);--_error:var(--form-relay-error,#b3261e);--_success:var(--form-relay-success,#146c43);--_muted:var(--form-relay-muted,#55555f);--_line:var(--form-relay-line,#85858f);--_radius:var(--form-relay-radius,0.5em);--_space:var(--form-relay-space,1.5em);color:var(--form-relay-text,inherit);font-family:var(--form-relay-font,inherit);line-height:1.5;max-inline-size:var(--form-relay-width,36rem);overflow-wrap:anywhere;box-sizing:border-box}
@supports (color:light-dark(red,red)){
.form-relay,.form-confirmation,relay-form{--_accent:var(--form-relay-accent,light-dark(#1d4ed8,#93b8ff));--_on-accent:var(--form-relay-on-accent,light-dark(#fff,#10131a));--_error:var(--form-relay-error,light-dark(#b3261e,#ffb4ab));--_success:var(--form-relay-success,light-dark(#146c43,#7fd8a4));--_muted:var(--form-relay-muted,color-mix(in srgb,currentColor 75%,transparent));--_line:var(--form-relay-line,color-mix(in srgb,currentColor 55%,transparent))}}
relay-form{display:block}
.form-relay *,.form-confirmation::before,.form-confirmation::after{box-sizing:border-box}
.form-relay :where(fieldset,legend,label,input,select,textarea,button){margin:0}
.form-relay :where(h2,.form-step-title,.form-summary){margin-block:0 calc(var(--_space) / 2);font-size:1.5em;font-weight:600;line-height:1.2;text-wrap:balance}
.form-relay :where(.field,.field-group){padding:0;border:0;min-inline-size:0}
.form-relay :where(label,legend){display:block;float:none;inline-size:auto;padding:0;font-size:inherit;font-weight:600}
.form-relay :where(.form-note,.field-note,.field-help,.field-condition,.form-progress,.file-drop){margin:0}
.form-relay :where(.form-note,.field-help,.field-condition,.form-progress,.file-drop,.file-size){color:var(--_muted);font-size:0.9em;font-weight:400}
.form-relay :where(.field,.form-note,.field-note){margin-block-end:var(--_space)}
:is(.form-relay,.form-confirmation) :where(a){color:var(--_accent);text-decoration:underline}
.form-relay :where(.field-group + *){margin-block-start:calc(var(--_space) / 2)}
.form-relay :where(.field-group:not(:has([name]))){display:none}
.form-relay :where(.field-group>legend){margin-block-end:0.75em;font-size:1.15em}
.form-relay :where(.form-step-title){margin-block-end:calc(var(--_space) * 0.75);font-size:1.25em}
.form-relay :where(.form-step + .form-step){margin-block-start:calc(var(--_space) * 1.5);padding-block-start:calc(var(--_space) * 1.5);border-block-start:1px solid color-mix(in srgb,currentColor 15%,transparent)}
.form-relay :where(.form-step:has(>.form-progress)){margin-block-start:0;padding-block-start:0;border:0}
.form-relay :where(.form-progress){margin-block-end:0.25em}
.form-relay :where(.field-required){color:var(--_error);font-weight:400}
.form-relay :where(input:not([type="checkbox"],[type="radio"],[type="hidden"]),select,textarea){display:block;inline-size:100%;min-block-size:2.75em;margin-block-start:0.375em;padding:0.45em 0.75em;font:inherit;font-size:max(1em,16px);font-weight:400;color:inherit;background-color:var(--form-relay-field,transparent);border:1px solid var(--_line);border-radius:var(--_radius)}
.form-relay :where(input:is([type="number"],[type="date"]),.form-challenge input){max-inline-size:14em}
.form-relay :where(textarea){resize:vertical}
.form-relay :where(textarea:not([rows])){min-block-size:8.5em;max-block-size:70vh}
.form-relay :where(textarea:not([rows],[class])){field-sizing:content}
.form-relay ::placeholder{color:var(--_muted);opacity:1}
.form-relay:where([dir="rtl"]) :where(:placeholder-shown){direction:rtl}
.form-relay :where(select:not([multiple]) option){color:CanvasText;background:Canvas}
.form-relay :where(select:not([multiple])){appearance:none;padding-inline-end:2.5em;text-overflow:ellipsis;background-image:linear-gradient(45deg,transparent calc(50% - 1px),currentColor calc(50% - 1px) calc(50% + 1px),transparent 0),linear-gradient(-45deg,transparent calc(50% - 1px),currentColor calc(50% - 1px) calc(50% + 1px),transparent 0);background-position:right 1.3em center,right 0.95em center;background-size:0.4em 0.4em;background-repeat:no-repeat}
.form-relay :where(select:not([multiple]):dir(rtl)){background-position:left 0.95em center,left 1.3em center}
.form-relay :where(select[multiple]){padding:0.4em}
.form-relay :where(select[multiple] option){padding:0.25em 0.4em;border-radius:calc(var(--_radius) / 2)}
.form-relay :where(select[multiple] option:checked){color:var(--_on-accent);background:linear-gradient(var(--_accent),var(--_accent))}
.form-relay :where(.choice){position:relative;padding-block:0.25em;padding-inline-start:2em;font-weight:400}
.form-relay :where(legend ~ .choice:first-of-type){margin-block-start:0.25em}
.form-relay :where(input:is([type="checkbox"],[type="radio"])){appearance:auto;inline-size:1.25em;block-size:1.25em;font:inherit;accent-color:var(--_accent)}
.form-relay .choice>input{position:absolute;inset-block-start:0.375em;inset-inline-start:0;margin:0}
.form-relay :where([aria-invalid="true"]:is(input:not([type="checkbox"],[type="radio"]),select,textarea)){border-color:var(--_error);box-shadow:inset 0 0 0 1px var(--_error)}
.form-relay :where(input[aria-invalid="true"]:is([type="checkbox"],[type="radio"])){accent-color:var(--_error)}
.form-relay :where(.field-error){position:relative;margin:0;margin-block-start:0.2em;padding-inline-start:1.6em;color:var(--_error);font-size:0.9em;font-weight:500}
.form-relay :where(.field-error)::before{content:"";position:absolute;inset-block-start:0.2em;inset-inline-start:0;inline-size:1.1em;block-size:1.1em;border-radius:50%;background:linear-gradient(Canvas,Canvas) 50% 28% / 0.14em 0.46em no-repeat,linear-gradient(Canvas,Canvas) 50% 80% / 0.14em 0.14em no-repeat,var(--_error)}
.form-relay :where(.choice ~ :is(.field-help,.field-error)){margin-inline-start:2.22em}
.form-relay :where(.form-status){border-radius:var(--_radius)}
:is(.form-relay,relay-form) :where(.form-errors,.form-status:has(.form-summary)){margin:0;margin-block-end:var(--_space);padding-block:0.75em;padding-inline:1em;color:var(--_error);background:color-mix(in srgb,var(--_error) 8%,transparent);border:1px solid color-mix(in srgb,var(--_error) 30%,transparent);border-inline-start:4px solid var(--_error);border-radius:min(var(--_radius),0.5em)}
.form-relay :where(.form-summary){margin-block-end:0.5em;color:inherit;font-size:1.1em;line-height:1.3}
:is(.form-relay,relay-form) .form-summary ~ .form-errors{margin:0;padding:0;background:none;border:0}
:is(.form-relay,relay-form) :where(.form-errors,.form-errors li,.file-list,.file-item){list-style:none}
:is(.form-relay,relay-form) :where(.form-errors li){margin:0}
:is(.form-relay,relay-form) :where(.form-errors li + li){margin-block-start:0.35em}
:is(.form-relay,relay-form) :where(.form-errors li:first-child:not(:has(a)))::first-letter{text-transform:uppercase}
:is(.form-relay,relay-form) :where(.form-errors a){color:inherit}
relay-form>.form-status{margin-block:0 0.75em}
.form-relay :where(.form-status:not(:empty,:has(.form-errors))){margin-block-end:calc(var(--_space) / 2)}
.form-relay :where(button){position:relative;inline-size:auto;min-block-size:2.75em;padding:0.6em 2em;font:inherit;font-weight:600;color:var(--_on-accent);background:var(--_accent);border:1px solid transparent;border-radius:var(--_radius);cursor:pointer}
.form-relay :where(.form-back,.file-remove,button.form-other-way){color:inherit;background:none;border-color:var(--_line)}
.form-relay :where(.form-back){margin-block-end:0.75em;margin-inline-end:0.75em}
.form-relay :where(button:hover){filter:brightness(0.92)}
.form-relay :where(button:active){filter:brightness(0.85)}
.form-relay:where([aria-busy="true"]) :where(button){cursor:progress;filter:none}
@media (prefers-reduced-motion:no-preference){
.form-relay :where(input,select,textarea,button){transition:border-color 0.15s,filter 0.15s}
.form-relay:where([aria-busy="true"]) :where(button[type="submit"])::after{content:"";position:absolute;inset-block-start:calc(50% - 0.45em);inset-inline-end:0.5em;inline-size:0.9em;block-size:0.9em;border:2px solid;border-block-start-color:transparent;border-radius:50%;animation:form-relay-turn 0.8s linear infinite}
@keyframes form-relay-turn{
to{rotate:1turn}}}
.form-relay :where(input[type="file"]){padding:0.375em;cursor:pointer}
.form-relay :where(input[type="file"])::file-selector-button{min-block-size:2em;margin:0;margin-inline-end:0.75em;padding:0.25em 1em;font:inherit;font-weight:600;color:inherit;background:color-mix(in srgb,currentColor 10%,transparent);border:1px solid transparent;border-radius:calc(var(--_radius) / 2);cursor:inherit}
.form-relay :where(.file-over input[type="file"]){border:2px dashed var(--_accent);background-color:color-mix(in srgb,var(--_accent) 8%,transparent)}
.form-relay :where(.file-list){margin:0;padding:0}
.form-relay :where(.file-drop,.file-list,.file-item){margin-block-start:0.25em}
.form-relay :where(.file-item){display:flex;align-items:center;gap:0.5em}
.form-relay :where(.file-size){white-space:nowrap}
.form-relay .file-remove{flex:none;min-block-size:0;inline-size:2em;block-size:2em;margin-inline-start:auto;padding:0;line-height:1}
.form-relay :where(.file-progress){margin-block-end:calc(var(--_space) / 2);font-weight:400}
.form-relay :where(.file-progress progress){all:revert;display:block;inline-size:100%;margin-block-start:0.25em;accent-color:var(--_accent)}
.form-relay :where(.cf-turnstile,.h-captcha,.g-recaptcha,.form-other-way,.form-working){margin-block:0 var(--_space)}
.form-relay :where(button.form-other-way){display:block;margin-block:0.75em 0;padding-inline:0.5em;font-weight:400;text-decoration:underline;border-color:transparent}
.form-relay :where(.form-other-way summary){padding-block:0.25em;cursor:pointer}
.form-relay :where(.form-other-way .field){margin-block:0.5em 0}
:is(.form-relay,.form-confirmation):focus-visible,.form-relay :focus-visible{outline:2px solid var(--_accent);outline-offset:2px}
.form-relay :where(input:not([type="checkbox"],[type="radio"]),select,textarea):focus-visible{outline-offset:0;border-color:var(--_accent)}
.form-relay .form-step-title:focus{outline:none}
.form-relay :where(:disabled){opacity:0.6;cursor:not-allowed}
.form-relay [aria-invalid="true"]:focus-visible{border-color:var(--_error);outline-color:var(--_error)}
.form-relay form-extra{display:none !important}
.form-confirmation{position:relative;padding-block:1.25em;padding-inline:4em 1.25em;min-block-size:4em;font-size:1.1em;background:color-mix(in srgb,var(--_success) 8%,transparent);border:1px solid color-mix(in srgb,var(--_success) 30%,transparent);border-radius:var(--_radius)}
.form-confirmation :where(.form-receipt){margin-block:0.75em 0}
.form-confirmation :where(.form-receipt code){display:block;color:inherit;font-size:0.8em;user-select:all}
.form-confirmation::before,.form-confirmation::after{content:"";position:absolute;inset-block-start:1.125em;inset-inline-start:1.25em;inline-size:1.75em;block-size:1.75em}
.form-confirmation::before{background:var(--_success);border-radius:50%}
.form-confirmation::after{background:Canvas;clip-path:polygon(28% 52%,35% 45%,44% 54%,65% 32%,72% 39%,44% 68%)}
@media (forced-colors:active){
.form-relay :where(select:not([multiple])){appearance:auto;background-image:none;padding-inline-end:0.75em}
.form-relay :where(.field-error){padding-inline-start:0}
.form-relay :where(.field-error)::before{display:none}
.form-confirmation::before{border:2px solid}
.form-confirmation::after{background:CanvasText;forced-color-adjust:none}}
`;

export const pageStyle = html`
:root{color-scheme:light dark;--text:#1b1b1f;--back:#f4f4f7;--sheet:#fff;--edge:#e3e3ea}
@media (prefers-color-scheme:dark){
:root{--text:#ececf1;--back:#121215;--sheet:#1b1b20;--edge:#2e2e36}}
*{box-sizing:border-box}
body{margin:0;color:var(--text);background:var(--back);font:1rem / 1.5 system-ui,sans-serif}
main{max-inline-size:42rem;margin-inline:auto;margin-block:clamp(0rem,6vw - 1.5rem,4rem);padding:clamp(1.5rem,5vw,3rem) clamp(1.25rem,5vw,3rem);background:var(--sheet);border:1px solid var(--edge);border-radius:1rem;overflow-wrap:anywhere}
@media (max-width:44rem){
body{background:var(--sheet)}
main{border:0}}
h1{margin:0 0 1.5rem;font-size:clamp(1.6rem,1.3rem + 1.4vw,2rem);line-height:1.2;letter-spacing:-0.015em;text-wrap:balance}
h1:focus{outline:none}
`;
