import { html } from '@form-relay/relay/base';

/** The studio's style. One accent, system fonts, everything on a grid of 4 px; light or dark as the visitor has it. */
export const style = html`
:root{color-scheme:light dark;--text:#1b1b1f;--soft:#5a5a66;--line:#dfdfe6;--strong-line:#8a8a96;--back:#f5f5f8;--card:#fff;--sunk:#f5f5f8;--accent:#1d4ed8;--accent-back:#e9eefc;--ok:#14703a;--ok-back:#e3f4e9;--quiet:#5b4a94;--quiet-back:#eeeaf9;--warn:#8a5200;--warn-back:#fdf0d9;--bad:#b3261e;--bad-back:#fdeceb;--key:#0b5a8f;--string:#8a3f00;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
@media (prefers-color-scheme:dark){:root{--text:#ececf1;--soft:#a9a9b6;--line:#2f2f38;--strong-line:#7d7d8a;--back:#111114;--card:#17171b;--sunk:#111114;--accent:#8ab4ff;--accent-back:#1c2740;--ok:#84dba4;--ok-back:#12301f;--quiet:#c4b7f2;--quiet-back:#272040;--warn:#f0c069;--warn-back:#35290d;--bad:#ffb4ab;--bad-back:#3d1c1a;--key:#8ecbff;--string:#f3b083}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--back);color:var(--text);font:.875rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,p,ol,ul,dl,dd,table,fieldset{margin:0;padding:0}
ol,ul{list-style:none}
h2{font-size:.9375rem;line-height:1.5rem;font-weight:650}
h3{margin:1.25rem 0 .25rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
code,pre{font-family:var(--mono);font-size:.8125rem}
a{color:var(--accent)}
button,select,input{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.icon{width:1em;height:1em;flex:none;fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round;vertical-align:-.125em}
.unseen,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;z-index:2;top:.5rem;left:.5rem;padding:.5rem .75rem;background:var(--card);border-radius:.375rem}
.aside,.says{color:var(--soft)}
.aside{font-size:.8125rem}

header{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem;padding:.625rem 1rem;background:var(--card);border-bottom:1px solid var(--line)}
h1{font-size:1rem;font-weight:400;white-space:nowrap}
h1 b{font-weight:700}
h1 span{color:var(--soft)}
#forms{flex:1 1 auto;min-width:0}
#forms ul{display:flex;flex-wrap:wrap;gap:.125rem}
#forms a{display:block;padding:.25rem .75rem;border-radius:1rem;color:inherit;text-decoration:none}
#forms a:hover{background:var(--sunk)}
#forms a[aria-current]{background:var(--accent-back);color:var(--accent);font-weight:600}
span.failing{display:inline-flex;align-items:center;gap:.25rem;font-size:.8125rem;font-weight:400;color:var(--warn)}
.promise{padding:.125rem .625rem;border-radius:1rem;font-size:.8125rem;color:var(--ok);background:var(--ok-back)}
.promise.warn{color:var(--warn);background:var(--warn-back)}
.tool,button.main{display:inline-flex;align-items:center;gap:.375rem;min-height:1.75rem;padding:.125rem .625rem;font-size:.8125rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:.375rem;text-decoration:none;white-space:nowrap;cursor:pointer}
.tool:hover{border-color:var(--strong-line)}
.tool .icon{color:var(--soft)}
button.main{font-weight:600;color:var(--card);background:var(--accent);border-color:var(--accent)}
header>button.main{min-height:2rem;padding-inline:.875rem}

#scenes{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem 1.25rem;padding:.125rem 1rem;background:var(--card);border-bottom:1px solid var(--line)}
.chips{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem}
.chips>span{margin-right:.25rem;font-weight:600}
.chip{padding:.1875rem .75rem;font-size:.8125rem;background:none;border:1px solid var(--strong-line);border-radius:1rem;cursor:pointer}
.chip:hover{border-color:var(--accent);color:var(--accent)}
.chip[aria-pressed=true]{color:var(--card);background:var(--accent);border-color:var(--accent)}
#ending{flex:1 1 24rem;min-height:4.05em;display:flow-root;align-content:center;font-size:.8125rem;line-height:1.35;color:var(--soft)}
#ending b{color:var(--text);font-weight:600}
#ending q{color:var(--text)}

.columns>*{min-width:0;padding:.5rem 1rem .5rem}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .5rem;min-height:2rem;margin-bottom:.25rem}
.bar h2{margin-right:auto}
.empty{padding:1.25rem;border:1px dashed var(--strong-line);border-radius:.5rem;color:var(--soft)}
.empty b{color:var(--text)}
.empty p+p{margin-top:.5rem}
.empty .street{padding:.75rem 0 0}
.empty .dot{box-shadow:0 0 0 3px var(--back);background:var(--card)}
.empty .street b{margin-right:.25rem}

#config{display:flex;flex-direction:column}
#config .bar h2{margin-right:0}
#status{display:flex;flex:1;flex-wrap:wrap;align-items:center;gap:.25rem .5rem;color:var(--soft);font-size:.8125rem}
#status p{margin-right:auto}
#status code{color:var(--text)}
#status .bad{color:var(--bad)}
#editor{display:flex;flex-direction:column;flex:1;min-height:0;border:1px solid var(--line);border-radius:.5rem;background:var(--card);overflow:hidden}
.sheet{display:flex;flex:1;min-height:0;overflow:auto;scroll-padding:3rem;--line-height:1.25rem}
.paper{position:relative;display:grid;flex:1;min-width:0;align-self:flex-start}
.paper>*{grid-area:1/1;min-width:0;margin:0;padding:.5rem 1rem .5rem 2.75rem;font:.75rem/var(--line-height) var(--mono);tab-size:2;white-space:pre-wrap;overflow-wrap:anywhere}
#colours{counter-reset:line;pointer-events:none;color:var(--text)}
.line{counter-increment:line}
.line::before{content:counter(line);position:absolute;left:0;width:2rem;text-align:right;color:var(--soft)}
.line.has-bad::before{color:var(--bad);font-weight:700}
.line.has-warning::before{color:var(--warn);font-weight:700}
.line.marked{margin:0 -1rem 0 -2.75rem;padding:0 1rem 0 2.75rem;background:var(--accent-back);box-shadow:inset 3px 0 var(--accent)}
#colours .name{color:var(--key)}
#colours .string{color:var(--string)}
#colours .comment{color:var(--soft)}
#colours .template{color:var(--quiet)}
#colours .bad{text-decoration:underline wavy var(--bad);text-underline-offset:.2em}
#colours .warning{text-decoration:underline wavy var(--warn);text-underline-offset:.2em}
#yaml{position:relative;display:block;width:100%;height:100%;overflow:hidden;resize:none;border:0;color:var(--text);-webkit-text-fill-color:transparent;caret-color:var(--text);background:none}
#yaml:focus-visible{outline:0}
#editor:has(#yaml:focus-visible){outline:2px solid var(--accent);outline-offset:1px}
#yaml::selection{background:color-mix(in srgb,var(--accent) 30%,transparent)}
#keys{padding:.25rem .75rem;border-top:1px solid var(--line);font-size:.75rem;color:var(--soft)}
@media (hover:none){#keys{display:none}}
#problems:not(:empty){max-height:40%;overflow:auto}
.problems{padding:.625rem .75rem;border-top:1px solid var(--line);font-size:.8125rem}
.problems.bad{background:var(--bad-back)}
.problems.warn{background:var(--warn-back)}
.problems h3{margin:0;color:var(--bad)}
.problems.warn h3{color:var(--warn)}
.problems li{margin-top:.375rem}
.place,.key{padding:0;border:0;background:none;font-weight:600;text-align:start;color:var(--accent);text-decoration:underline;text-underline-offset:.2em;cursor:pointer}
.key{color:inherit;text-decoration-color:var(--line)}
.key:hover{color:var(--accent);text-decoration-color:currentColor}
#overtaken:not(:empty){display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;padding:.625rem .75rem;border-top:1px solid var(--line);background:var(--warn-back);font-size:.8125rem}

main .bar{margin-bottom:0}
.looks{display:flex;align-items:flex-end;gap:.375rem;margin-bottom:.375rem}
.looks p{display:grid;min-width:0;font-size:.75rem;line-height:1.1;color:var(--soft)}
.looks .aside{flex:1;min-width:0}
select{min-width:0;min-height:1.75rem;padding:.125rem .375rem;font-size:.8125rem;color:var(--text);background:var(--card);border:1px solid var(--strong-line);border-radius:.375rem}
.device{margin-inline:auto;overflow:hidden;background:#fff;border:1px solid var(--line);border-radius:.5rem}
.device:has(>[hidden]){display:none}
.device.phone{max-width:24.5rem;border-radius:1rem;box-shadow:0 0 0 4px var(--line)}
@media (prefers-color-scheme:dark){.device{background:#17171b}}
iframe{display:block;width:100%;height:24rem;border:0}
#about{margin-top:.375rem;padding-top:.375rem;border-top:1px solid var(--line)}
#about>summary{cursor:pointer;font-weight:600;font-size:.8125rem}
#about h3:first-child{margin-top:.75rem}
#about dl{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;font-size:.8125rem}
#about dd{color:var(--soft)}
#about ol{display:grid;gap:.5rem}
#about ol>li{padding:.625rem .75rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;font-size:.8125rem}
#about ol>li.failing{border-color:var(--warn);background:var(--warn-back)}
#about .aside{margin-bottom:.5rem}
.kind{display:flex;flex-wrap:wrap;gap:0 .75rem;justify-content:space-between}
.kind code{font-weight:600}
.kind span,.to{color:var(--soft)}
.switch{display:flex;align-items:center;gap:.5rem;margin-top:.375rem}
.switch select{flex:1}
.notes{font-size:.8125rem;color:var(--soft)}
.notes li{padding-left:1rem;text-indent:-1rem}
.notes li::before{content:'– '}

.copyable{display:flex;flex-direction:column;background:var(--sunk);border:1px solid var(--line);border-radius:.375rem}
.copyable pre,.mail pre{margin:0;padding:.5rem .75rem .75rem;overflow:auto;white-space:pre-wrap;line-height:1.6}
.copyable .tool{order:-1;align-self:flex-end;min-height:1.5rem;padding:0 .5rem;border-width:0 0 1px 1px;border-radius:0 .375rem}
pre.long{max-height:24rem}
dialog .copyable pre{white-space:pre;padding-top:0}
pre b{color:var(--accent)}
pre .target{font-weight:600}
pre i{font-style:normal;color:var(--soft)}
pre .name{color:var(--accent)}

#busy{color:var(--soft);font-size:.8125rem}
.lost #busy{color:var(--bad)}
#clock{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem;margin-bottom:.5rem;font-size:.8125rem;color:var(--soft)}
#clock[hidden]{display:none}
#clock p{display:inline-flex;flex-wrap:wrap;align-items:center;gap:.25rem}
#clock b{color:var(--text)}
#stories{display:grid;gap:.5rem}
.story{background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.story>summary{display:flex;flex-wrap:wrap;align-items:center;gap:.125rem .75rem;padding:.625rem .875rem;list-style:none;cursor:pointer}
.story>summary::-webkit-details-marker{display:none}
.story>summary .says{flex-basis:100%}
.story>summary time{margin-left:auto;color:var(--soft);font-size:.8125rem;font-variant-numeric:tabular-nums}
.badge{display:inline-flex;align-items:center;gap:.375rem;padding:.0625rem .625rem;border-radius:1rem;font-size:.8125rem;font-weight:600}
.badge.ok{color:var(--ok);background:var(--ok-back)}
.badge.quiet{color:var(--quiet);background:var(--quiet-back)}
.badge.warn{color:var(--warn);background:var(--warn-back)}
.badge.bad{color:var(--bad);background:var(--bad-back)}
.street{padding:.25rem .875rem .5rem}
.street>li{position:relative;padding:.375rem 0 .375rem 2.25rem}
.street>li:not(:last-child)::before{content:'';position:absolute;top:1rem;bottom:-1rem;left:.6875rem;width:1px;background:var(--line)}
.dot{position:absolute;left:0;top:.4375rem;display:grid;place-items:center;width:1.4375rem;height:1.4375rem;border-radius:50%;font-size:.8125rem;color:var(--soft);background:var(--sunk);box-shadow:0 0 0 3px var(--card)}
.street>.ok>.dot{color:var(--ok);background:var(--ok-back)}
.street>.quiet>.dot{color:var(--quiet);background:var(--quiet-back)}
.street>.warn>.dot{color:var(--warn);background:var(--warn-back)}
.street>.bad>.dot{color:var(--bad);background:var(--bad-back)}
.street b code{font-size:.875rem;font-weight:600}
.street .bad>p>.says{color:var(--bad)}
.street .warn>p>.says{color:var(--warn)}
.street>.off>p{font-size:.8125rem;color:var(--soft)}
.street>.off>p b{font-weight:400}
.street summary{color:var(--accent);font-size:.8125rem;cursor:pointer}
.copyable+.aside{margin-top:.25rem}
.street .aside{margin-top:.25rem}
.street .aside .tool{min-height:1.5rem;margin-left:.25rem}
.tries{width:auto;margin-top:.25rem;font-size:.8125rem}
.tries th{font-family:inherit;white-space:nowrap}
.signals th{white-space:nowrap}
.signals td:nth-child(2){white-space:nowrap;font-variant-numeric:tabular-nums}
.signals meter{inline-size:4rem;vertical-align:-.125em}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin-top:.5rem;border:0;min-width:0}
.tabs>label{cursor:pointer}
.tabs>div{display:none;order:1;flex:1 0 100%;min-width:0;margin-top:.25rem}
.tabs>label:has(:checked)+div{display:block}
.tabs>label>span{display:block;padding:.0625rem .625rem;font-size:.8125rem;border-radius:.375rem;color:var(--soft)}
.tabs>label>input:checked+span{color:var(--accent);background:var(--accent-back);font-weight:600}
.tabs>label>input:focus-visible+span{outline:2px solid var(--accent);outline-offset:1px}
table{width:100%;border-collapse:collapse;font-size:.8125rem}
th,td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
tr:first-child>*{border-top:0}
th{width:34%;min-width:6.5rem;font:500 .8125rem/1.5 var(--mono);color:var(--soft)}
td{white-space:pre-wrap}
td i{color:var(--soft)}
.mail,.request{border:1px solid var(--line);border-radius:.375rem;overflow:hidden}
.request .aside{padding:0 .75rem .5rem;overflow-wrap:anywhere}
:is(.mail,.request) .subject{padding:.625rem .75rem .125rem;font-weight:600}
.mail dl{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;padding:0 .75rem .625rem;font-size:.8125rem}
.mail dt{color:var(--soft)}
.mail dd .aside{margin:0}
.mail pre{border-top:1px solid var(--line);background:var(--sunk)}
.letter{container-type:inline-size;border-top:1px solid var(--line);background:var(--sunk)}
.switches{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;padding:.375rem .75rem}
.switches .tool{min-height:1.5rem;margin-left:auto;padding:0 .375rem}
.choice{display:flex;border:1px solid var(--line);border-radius:.375rem;overflow:hidden;background:var(--card)}
.choice label{cursor:pointer}
.choice input,.tabs input{position:absolute;opacity:0;width:1px;height:1px}
.choice span{display:block;padding:.0625rem .625rem;font-size:.8125rem;color:var(--soft)}
.choice input:checked+span{color:var(--accent);background:var(--accent-back);font-weight:600}
.choice:has(:focus-visible){outline:2px solid var(--accent);outline-offset:1px}
.letter>.aside{margin:0;padding:0 .75rem .375rem}
.letter:has([value=light]:checked)>.aside,.letter:has([value=light]:checked) .dark,.letter:has([value=dark]:checked) .light{display:none}
.page-of-mail{--share:1;--tall:30rem;height:var(--tall);margin-inline:auto;overflow:hidden;border-top:1px solid var(--line);background:var(--card)}
.letter:has([value=phone]:checked) .page-of-mail{max-width:24.5rem}
.letter:has([value=desktop]:checked) .page-of-mail{--tall:24rem}
.letter .page-of-mail.short{--tall:20rem!important}
.page-of-mail iframe{width:calc(100%/var(--share));height:calc(var(--tall)/var(--share));scale:var(--share);transform-origin:0 0}
@container (max-width:21rem){.letter:has([value=phone]:checked) .page-of-mail{--share:.8}.switches .tool{display:none}}
@container (max-width:43rem){.letter:has([value=desktop]:checked) .page-of-mail{--share:.75}}
@container (max-width:33rem){.letter:has([value=desktop]:checked) .page-of-mail{--share:.6}}
@container (max-width:25rem){.letter:has([value=desktop]:checked) .page-of-mail{--share:.5}}
.request table{margin:.125rem .75rem .5rem;width:calc(100% - 1.5rem)}
.story>.notes{padding:.5rem .875rem .75rem;border-top:1px solid var(--line)}


dialog{width:min(44rem,calc(100vw - 2rem));max-height:calc(100dvh - 4rem);padding:1.25rem;overflow:auto;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.75rem;box-shadow:0 16px 48px rgb(0 0 0/.3)}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog .bar{flex-wrap:nowrap}
dialog .field{display:grid;gap:.25rem;margin-bottom:.75rem}
dialog .field label{font-weight:600}
dialog input[type=url]{min-height:2.25rem;padding:.25rem .625rem;background:var(--card);border:1px solid var(--strong-line);border-radius:.375rem}
dialog .aside{margin:.25rem 0}

#toast{position:fixed;z-index:1;bottom:1rem;left:50%;translate:-50%;width:max-content;max-width:calc(100% - 2rem);padding:.625rem 1.25rem;border-radius:2rem;font-weight:600;text-align:center;text-decoration:none;color:var(--card);background:var(--text);box-shadow:0 4px 16px rgb(0 0 0/.25)}

@media (min-width:45rem){
.columns{display:grid;grid-template:'config config' auto 'form inbox' 1fr/minmax(0,1fr) minmax(0,1fr)}
#config{grid-area:config}
main{grid-area:form}
#inbox{grid-area:inbox;border-left:1px solid var(--line)}
}
@media (max-width:67rem){
#config:not(.shown) #editor{display:none}
#config{padding-bottom:0!important}
#config.shown .sheet{max-height:60vh}
}
@media (min-width:67.01rem){
#config-show{display:none}
body{display:flex;flex-direction:column;height:100vh;height:100dvh;overflow:hidden}
.columns{flex:1;min-height:0;grid-template:'config form inbox' minmax(0,1fr)/minmax(0,11fr) 27rem minmax(0,11fr)}
.columns>:not(#config){overflow:auto}
main{border-left:1px solid var(--line)}
.columns[data-width=desktop]{grid-template:'form inbox' minmax(0,1fr)/minmax(0,1fr) 27rem}
.columns[data-width=desktop] #config{display:none}
}
@media (forced-colors:active){
.badge,.promise,.dot{border:1px solid}
#forms a[aria-current],.chip[aria-pressed=true],:is(.tabs,.choice) input:checked+span{outline:2px solid Highlight;outline-offset:-2px}
#yaml{-webkit-text-fill-color:currentcolor}
#colours{visibility:hidden}
.line::before{visibility:visible}
}
@media (prefers-reduced-motion:no-preference){
.story{animation:arrive .25s ease-out}
@keyframes arrive{from{opacity:0;translate:0 -.5rem}}
.story.went-on{animation:none}
.went-on>summary>.badge{animation:went-on .6s ease-out}
@keyframes went-on{from{outline:.5rem solid transparent}30%{outline:.125rem solid currentcolor}to{outline:.5rem solid transparent}}
.tool,.chip,#forms a{transition:border-color .15s,background .15s}
}
`;
