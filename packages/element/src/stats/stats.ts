/** `/api/v1/stats.js`: tells once, when the page is left, whether a form was seen, begun and sent. It stores nothing. */
type Refusing = Navigator & { readonly globalPrivacyControl?: boolean };
const { doNotTrack, globalPrivacyControl } = navigator as Refusing;

const submit = new URL('submit/', import.meta.url).href;
const counted = new WeakSet<HTMLFormElement>();

const addressOf = (form: HTMLFormElement): string | undefined => {
  const action = form.getAttribute('action') ?? form.getAttribute('hx-post');
  const { href } = new URL(action ?? '', document.baseURI);
  if (!action || !href.startsWith(submit)) return undefined;
  const [name = ''] = href.slice(submit.length).split(/[?#/]/);
  return new URL(`stats/${name}`, import.meta.url).href;
};

function count(form: HTMLFormElement): void {
  const address = counted.has(form) ? undefined : addressOf(form);
  if (!address) return;
  counted.add(form);
  const known = new Set<string>();
  let news: string[] = [];
  const happened = (word: string) => {
    if (known.has(word)) return;
    known.add(word);
    news.push(word);
  };
  const tell = () => {
    if (news.length > 0 && navigator.sendBeacon(address, news.join(' '))) news = [];
  };
  const stepOf = ({ target }: Event) =>
    (target as Element).closest?.<HTMLElement>('[data-step]')?.dataset.step;
  const seen = new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) return;
    happened('view');
    seen.disconnect();
  });
  seen.observe(form);
  form.addEventListener('input', (event) => {
    // Whatever is filled in was seen.
    for (const word of ['view', 'start']) happened(word);
    const step = stepOf(event);
    if (step) happened(`step${step}`);
  });
  // A step that is shown has the focus.
  form.addEventListener('focusin', (event) => {
    const step = stepOf(event);
    if (step && known.has('start')) happened(`step${step}`);
  });
  const sent = () => {
    for (const word of ['view', 'start', 'send']) happened(word);
    tell();
  };
  form.addEventListener('form-relay:sent', sent);
  for (const name of ['htmx:afterRequest', 'htmx:after:request']) {
    form.addEventListener(name, (event) => {
      const { xhr, ctx } = (event as CustomEvent<Detail>).detail;
      const status = xhr?.status ?? ctx?.response?.status ?? 0;
      if (event.target === form && status > 199 && status < 300) sent();
    });
  }
  // Browsers send forms that no script does.
  addEventListener('submit', (event) => {
    if (event.target === form && !event.defaultPrevented) sent();
  });
  addEventListener('pagehide', tell);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') tell();
  });
}

interface Detail {
  readonly xhr?: { readonly status: number };
  readonly ctx?: { readonly response?: { readonly status?: number } };
}

if (doNotTrack !== '1' && !globalPrivacyControl) {
  const countAll = () => {
    for (const form of document.forms) count(form);
  };
  countAll();
  new MutationObserver(countAll).observe(document, { childList: true, subtree: true });
}
