import { html } from '../../html.ts';

/** The playground's style. One accent, system fonts, everything on a grid of 4 px; light or dark as the visitor has it. */
export const style = html`
:root{color-scheme:light dark;--text:#1b1b1f;--soft:#5a5a66;--line:#dfdfe6;--strong-line:#8a8a96;--back:#f5f5f8;--card:#fff;--sunk:#f5f5f8;--accent:#1d4ed8;--accent-back:#e9eefc;--ok:#14703a;--ok-back:#e3f4e9;--quiet:#5b4a94;--quiet-back:#eeeaf9;--warn:#8a5200;--warn-back:#fdf0d9;--bad:#b3261e;--bad-back:#fdeceb;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
@media (prefers-color-scheme:dark){:root{--text:#ececf1;--soft:#a9a9b6;--line:#2f2f38;--strong-line:#7d7d8a;--back:#111114;--card:#17171b;--sunk:#111114;--accent:#8ab4ff;--accent-back:#1c2740;--ok:#84dba4;--ok-back:#12301f;--quiet:#c4b7f2;--quiet-back:#272040;--warn:#f0c069;--warn-back:#35290d;--bad:#ffb4ab;--bad-back:#3d1c1a}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--back);color:var(--text);font:.9375rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,p,ol,ul,dl,dd,table,fieldset{margin:0;padding:0}
ol,ul{list-style:none}
h2{font-size:1rem;line-height:1.5rem;font-weight:650}
h3{margin:1.25rem 0 .25rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
code,pre{font-family:var(--mono);font-size:.8125rem}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.icon{width:1em;height:1em;flex:none;fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round;vertical-align:-.125em}
.unseen,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;z-index:2;top:.5rem;left:.5rem;padding:.5rem .75rem;background:var(--card);border-radius:.375rem}
.aside,.says,.gist{color:var(--soft)}

header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.5rem;padding:.75rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
h1{font-size:1.0625rem;font-weight:400}
h1 b{font-weight:700}
h1 span,#status{color:var(--soft)}
#status code{color:var(--text)}
#status .bad{color:var(--bad)}
.promise{margin-left:auto;padding:.125rem .625rem;border-radius:1rem;font-size:.8125rem;color:var(--ok);background:var(--ok-back)}
.promise.warn{color:var(--warn);background:var(--warn-back)}

.problems{padding:1rem 1.25rem;border-bottom:1px solid var(--line)}
.problems.bad{background:var(--bad-back)}
.problems.warn{background:var(--warn-back)}
.problems h2 .icon,.problems pre b{color:var(--bad)}
.problems.warn h2 .icon,.problems.warn pre b{color:var(--warn)}
.problems li{margin-top:.75rem}
.problems pre{margin:.25rem 0 0;overflow:auto}
.problems .place{font-weight:600}

.columns>*{min-width:0;padding:1.25rem}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;min-height:2rem;margin-bottom:.75rem}
.bar h2{flex:1 1 auto}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;margin-bottom:.75rem}
.tool{display:inline-flex;align-items:center;gap:.375rem;min-height:2rem;padding:.1875rem .625rem;font:inherit;font-size:.8125rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:.375rem;text-decoration:none;cursor:pointer}
.tool:hover{border-color:var(--strong-line)}
.tool .icon{color:var(--soft)}
.empty{padding:1.5rem;border:1px dashed var(--strong-line);border-radius:.5rem;color:var(--soft)}
.empty b{color:var(--text)}
.empty p+p{margin-top:.5rem}
.empty .street{padding:.75rem 0 0}
.empty .dot{box-shadow:0 0 0 3px var(--back);background:var(--card)}
.empty .street b{margin-right:.25rem}

nav>h2{margin-bottom:.75rem;line-height:2rem}
#forms{max-height:45vh;overflow:auto;margin:-4px;padding:4px}
#forms ul{display:grid;gap:.25rem}
#forms a{display:block;padding:.5rem .75rem;border-radius:.5rem;color:inherit;text-decoration:none}
#forms a b{font-weight:600}
#forms .gist{display:block;font-size:.8125rem}
#forms a:hover{background:var(--card)}
#forms a[aria-current]{background:var(--accent-back)}
#forms a[aria-current] b{color:var(--accent)}
span.failing{display:flex;align-items:center;gap:.375rem;font-size:.8125rem;color:var(--warn)}
#about{margin-top:1.25rem;padding:1rem 0 0;border-top:1px solid var(--line)}
#about>summary{cursor:pointer}
#about>summary h2{display:inline}
#about h3:first-child{margin-top:.75rem}
#about dl{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;font-size:.8125rem}
#about dd{color:var(--soft)}
#about ol{display:grid;gap:.5rem}
#about ol>li{padding:.625rem .75rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;font-size:.8125rem}
#about ol>li.failing{border-color:var(--warn);background:var(--warn-back)}
.kind{display:flex;flex-wrap:wrap;gap:0 .75rem;justify-content:space-between}
.kind code{font-weight:600}
.kind span,.to{color:var(--soft)}
.switch{display:flex;align-items:center;gap:.5rem;margin-top:.375rem}
select{min-width:0;flex:1;min-height:1.75rem;padding:.125rem .375rem;font:inherit;font-size:.8125rem;color:var(--text);background:var(--card);border:1px solid var(--strong-line);border-radius:.375rem}
.notes{font-size:.8125rem;color:var(--soft)}
.notes li{padding-left:1rem;text-indent:-1rem}
.notes li::before{content:'– '}

.choice{display:flex;padding:2px;background:var(--line);border-radius:.5rem}
.choice a{padding:.125rem .75rem;border-radius:.375rem;font-size:.8125rem;line-height:1.5rem;color:var(--text);text-decoration:none}
.choice a[aria-current]{background:var(--card);font-weight:600;box-shadow:0 1px 2px rgb(0 0 0/.12)}
iframe{display:block;width:100%;height:26rem;background:#fff;border:1px solid var(--line);border-radius:.5rem}
@media (prefers-color-scheme:dark){iframe{background:#17171b}}
.copyable{position:relative}
.copyable pre,.mail pre{margin:0;padding:.75rem;max-height:26rem;overflow:auto;white-space:pre-wrap;background:var(--sunk);border:1px solid var(--line);border-radius:.375rem;line-height:1.6}
main .copyable pre{background:var(--card);white-space:pre}
.copyable .tool{position:absolute;top:.375rem;right:.375rem;min-height:1.625rem;padding:0 .5rem;opacity:0}
.copyable:hover .tool,.copyable:focus-within .tool{opacity:1}
@media (hover:none){.copyable .tool{opacity:1}}
pre b{color:var(--accent)}
pre .target{font-weight:600}
pre i{font-style:normal;color:var(--soft)}
pre .name{color:var(--accent)}

#busy{color:var(--soft);font-size:.8125rem}
.lost #busy{color:var(--bad)}
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
main .aside,.street .aside,#about .aside{font-size:.8125rem;margin-top:.25rem}
#about .aside{margin:0 0 .5rem}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin-top:.5rem;border:0;min-width:0}
.tabs>label{cursor:pointer}
.tabs>div{display:none;order:1;flex:1 0 100%;min-width:0;margin-top:.25rem}
.tabs>label:has(:checked)+div{display:block}
.tabs input{position:absolute;opacity:0;width:1px;height:1px}
.tabs label span{display:block;padding:.0625rem .625rem;font-size:.8125rem;border-radius:.375rem;color:var(--soft)}
.tabs input:checked+span{color:var(--accent);background:var(--accent-back);font-weight:600}
.tabs input:focus-visible+span{outline:2px solid var(--accent);outline-offset:1px}
table{width:100%;border-collapse:collapse;font-size:.8125rem}
th,td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
tr:first-child>*{border-top:0}
th{width:30%;min-width:6rem;font:500 .8125rem/1.5 var(--mono);color:var(--soft)}
td{white-space:pre-wrap}
td i{color:var(--soft)}
.mail{border:1px solid var(--line);border-radius:.375rem;overflow:hidden}
.mail .subject{padding:.625rem .75rem .125rem;font-weight:600}
.mail dl{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;padding:0 .75rem .625rem;font-size:.8125rem}
.mail dt{color:var(--soft)}
.mail pre{border:0;border-top:1px solid var(--line);border-radius:0}
.story>.notes{padding:.5rem .875rem .75rem;border-top:1px solid var(--line)}

#toast{position:fixed;z-index:1;bottom:1rem;left:50%;translate:-50%;width:max-content;max-width:calc(100% - 2rem);padding:.625rem 1.25rem;border-radius:2rem;font-weight:600;text-align:center;text-decoration:none;color:var(--card);background:var(--text);box-shadow:0 4px 16px rgb(0 0 0/.25)}

@media (min-width:45rem){
.columns{display:grid;grid-template:'nav inbox' auto 'stage inbox' 1fr/minmax(0,1fr) minmax(0,1fr)}
nav{grid-area:nav}
main{grid-area:stage}
#inbox{grid-area:inbox;border-left:1px solid var(--line)}
}
@media (max-width:67rem){
#forms ul{display:flex;flex-wrap:wrap;gap:.5rem}
#status{order:1;flex-basis:100%}
#forms .gist{display:none!important}
#forms a{background:var(--card);border:1px solid var(--line)}
nav{padding-bottom:0!important}
}
@media (max-width:30rem){
.promise{margin-left:0}
}
@media (min-width:67.01rem){
body{display:flex;flex-direction:column;height:100vh;height:100dvh;overflow:hidden}
#problems{max-height:40vh;overflow:auto;flex:none}
.columns{flex:1;min-height:0;grid-template:'nav stage inbox' minmax(0,1fr)/18.5rem minmax(0,10fr) minmax(0,13fr)}
.columns>*{overflow:auto}
main{border-left:1px solid var(--line)}
}
@media (forced-colors:active){
.badge,.promise,.dot,.choice{border:1px solid}
#forms a[aria-current],.choice a[aria-current],.tabs input:checked+span{outline:2px solid Highlight;outline-offset:-2px}
}
@media (prefers-reduced-motion:no-preference){
.story{animation:arrive .25s ease-out}
@keyframes arrive{from{opacity:0;translate:0 -.5rem}}
.tool,#forms a{transition:border-color .15s,background .15s,opacity .15s}
}
`;
