import { html } from './html.ts';
import { lostConnection } from './htmx.ts';

/**
 * What htmx does for a form of ours, for pages without htmx: fetches the token, submits, shows the relay's fragments,
 * renders fields anew when they come and go. It reads the same `hx-*` attributes. Under 2 KB, no dependencies.
 * A page with several forms holds it several times: each looks for tokens to fetch, the first one listens.
 */
export const script = html`<script>
(function(d,w){
function ask(e,n,o,q){return fetch(e.getAttribute(n)+(q||""),Object.assign({headers:{"HX-Request":"true","HX-Target":e.id}},o)).then(function(r){return r.text().then(function(t){var n=d.createElement("template");n.innerHTML=t;return[n.content,r.ok]})})}
function all(n,s,f){n.querySelectorAll(s).forEach(f)}
function say(f,n){f.querySelector(".form-status").replaceChildren(n);f.dispatchEvent(new Event("htmx:afterRequest"))}
if(w.htmx)return;
all(d,".form-relay [hx-trigger=load]",function(i){ask(i,"hx-get").then(function(r){if(r[1])i.replaceWith(r[0]);else say(i.form,r[0])})});
if(w.formRelay)return;w.formRelay=1;var last;
d.addEventListener("submit",function(e){
var f=e.target,b;if(w.htmx||!f.matches(".form-relay[hx-post]"))return;e.preventDefault();
b=f.querySelector("[type=submit]");b.disabled=true;
ask(f,"hx-post",{method:"POST",body:new URLSearchParams(new FormData(f))}).then(function(r){
var n=r[0].querySelector("form,.form-confirmation");if(!n)return say(f,r[0]);
all(n,"script",function(s){var c=d.createElement("script");c.text=s.text;s.replaceWith(c)});
f.replaceWith(n);n=n.querySelector("[autofocus]")||n;if(n.matches("div"))n.tabIndex=-1;n.focus()
}).catch(function(){say(f,"${lostConnection}")}).then(function(){b.disabled=false})});
d.addEventListener("change",function(e){
var s=e.target.closest(".form-relay [hx-select-oob]"),q=new URLSearchParams(),t;if(w.htmx||!s)return;t=last={};
all(d,s.getAttribute("hx-include"),function(n){new FormData(s.closest("form")).forEach(function(v,k){if(n.querySelector('[name="'+CSS.escape(k)+'"]'))q.append(k,v)})});
ask(s,"hx-get",{},"?"+q).then(function(r){if(r[1]&&last===t)all(d,s.getAttribute("hx-select-oob"),function(o){var n=r[0].querySelector("#"+o.id);if(n&&!(n.querySelector("[name]")&&o.querySelector("[name]")))o.replaceWith(n)})})});
})(document,window)
</script>
`;
