/**
 * Replaces htmx for a form of ours, on pages without htmx: fetches the token, submits, shows the relay's fragments,
 * renders fields again when they come and go. It reads the `hx-*` attributes, and sends the events of htmx 2, so that
 * the form's own scripts do their part. Under 2 KB. A page with several forms holds it several times.
 */
{
  interface Detail {
    readonly xhr: { status: number };
    serverResponse: string;
    shouldSwap: boolean;
    readonly fetch?: typeof fetch;
  }
  const page = window as Window & { htmx?: object; formRelay?: boolean };
  const fire = (element: Element, name: string, detail: object) =>
    element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));

  const all = (selector: string | null) => document.querySelectorAll(selector as string);

  /** Asks at the address in this attribute, and has the parts of the answer that this page may show. */
  const ask = async (element: Element, attribute: string, query = '', body?: URLSearchParams | FormData) => {
    // Uploads show their progress (element/files).
    const detail: Detail = { xhr: { status: 0 }, serverResponse: '', shouldSwap: false };
    let content = new DocumentFragment();
    fire(element, 'htmx:beforeRequest', detail);
    try {
      const response = await (detail.fetch ?? fetch)(element.getAttribute(attribute) + query, {
        headers: { 'HX-Request': 'true', 'HX-Target': element.id },
        method: body ? 'POST' : 'GET',
        body,
      });
      detail.serverResponse = await response.text();
      detail.xhr.status = response.status;
      detail.shouldSwap = response.ok;
      const events = JSON.parse(response.headers.get('HX-Trigger') ?? '{}');
      for (const name in events) fire(element, name, events[name]);
      fire(element, 'htmx:beforeSwap', detail);
      // Unlike with innerHTML, scripts run when they get into the page.
      if (detail.shouldSwap) content = document.createRange().createContextualFragment(detail.serverResponse);
    } catch {
      // A failed load is reported after the request.
    }
    return [content, () => fire(element, 'htmx:afterRequest', detail)] as const;
  };

  if (!page.htmx) {
    for (const loader of all('[data-min-fill-ms]')) {
      const load = async () => {
        const [content] = await ask(loader, 'hx-get');
        const token = content.querySelector('input');
        if (token) loader.replaceWith(token);
      };
      loader.addEventListener('retry', load);
      void load();
    }
  }

  const submit = async (event: Event) => {
    const form = event.target as HTMLFormElement;
    if (page.htmx || !form.matches('.form-relay[hx-post]')) return;
    event.preventDefault();
    if (form.hasAttribute('aria-busy')) return;
    const data = new FormData(form);
    const isUrlencoded = !form.hasAttribute('hx-encoding');
    const body = isUrlencoded ? new URLSearchParams(data as unknown as Record<string, string>) : data;
    const [content, end] = await ask(form, 'hx-post', '', body);
    const next = content.querySelector('form,.form-confirmation');
    if (next) {
      form.replaceWith(next);
      next.querySelector<HTMLElement>('[autofocus]')?.focus();
    } else if (content.firstChild) {
      form.querySelector('.form-status')?.replaceChildren(content);
    }
    end();
  };

  let timer: ReturnType<typeof setTimeout>;
  let last: object;
  const change = (event: Event) => {
    const slot = (event.target as Element).closest('[hx-select-oob]');
    if (page.htmx || !slot) return;
    clearTimeout(timer);
    timer = setTimeout(
      async () => {
        const sent = new FormData(slot.closest('form') as HTMLFormElement);
        const query = new URLSearchParams();
        for (const decider of all(slot.getAttribute('hx-include'))) {
          for (const control of decider.querySelectorAll('[name]')) {
            const name = control.getAttribute('name') as string;
            // A box that is not ticked is said to be empty.
            const values = sent.has(name) ? sent.getAll(name) : [''];
            if (!query.has(name))
              for (const value of values) query.append(name, (value as File).name ?? value);
          }
        }
        last = query;
        const [content] = await ask(slot, 'hx-get', `?${query}`);
        if (last !== query) return;
        for (const old of all(slot.getAttribute('hx-select-oob'))) {
          const fragment = content.querySelector(`#${old.id}`);
          const detail = { fragment, shouldSwap: true };
          if (fragment && fire(old, 'htmx:oobBeforeSwap', detail) && detail.shouldSwap)
            old.replaceWith(fragment);
        }
      },
      event.type === 'input' ? 300 : 0,
    );
  };

  if (!page.formRelay) {
    page.formRelay = true;
    addEventListener('submit', submit);
    for (const type of ['change', 'input']) addEventListener(type, change);
  }
}
