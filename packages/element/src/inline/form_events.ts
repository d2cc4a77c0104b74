/** Makes a fragment work with htmx 2, whose event names are in camel case, and with htmx 4, whose event names contain colons. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;

  /** The details of htmx events that are used here: `ctx` and `tasks` are from htmx 4, the others from htmx 2. */
  interface Detail {
    xhr: { status: number };
    serverResponse: string;
    shouldSwap: boolean;
    isError: boolean;
    formData?: FormData;
    fragment: ParentNode;
    ctx?: { text: string; response?: object; request: { body: FormData } };
    tasks: { type: string; target: Element; fragment: ParentNode; swapSpec: { style: string } }[];
    name: string;
    value: string;
  }
  const on = (names: string, then: (detail: Detail, target: Element, event: Event) => void) => {
    for (const name of names.split(' ')) {
      form.addEventListener(name, (event) =>
        then((event as CustomEvent<Detail>).detail, event.target as Element, event),
      );
    }
  };
  /** Events of fields inside the form bubble up to it, so check the target. */
  const onOwn: typeof on = (names, then) =>
    on(names, (detail, target, event) => target === form && then(detail, target, event));

  const say = (text: string) => {
    (form.querySelector('.form-status') as Element).textContent = text;
  };
  const sayLost = () => say(form.dataset.notSent as string);

  onOwn('htmx:beforeRequest htmx:before:request', () => {
    form.setAttribute('aria-busy', 'true');
    // Screen readers read a repeated text only if it was cleared in between.
    say('');
  });

  onOwn('htmx:afterRequest htmx:finally:request', ({ ctx, xhr }) => {
    form.removeAttribute('aria-busy');
    if (!(ctx ? ctx.response : xhr.status)) sayLost();
  });

  /** An error page from a proxy in front of the relay must not replace what the visitor typed. */
  const accept = (answer: string) => {
    const isOurs = /class="form-(relay|confirmation|errors)[ "]/.test(answer);
    if (isOurs) focusConfirmation();
    else sayLost();
    return isOurs;
  };

  /** The confirmation replaces the form and takes the focus, so that screen readers read it (WCAG 4.1.3). */
  const focusConfirmation = () => {
    new MutationObserver((changes, observer) => {
      if (form.isConnected) return;
      observer.disconnect();
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (node instanceof HTMLElement && node.matches('.form-confirmation')) {
          node.tabIndex = -1;
          node.focus();
        }
      }
    }).observe(form.parentNode as Node, { childList: true });
  };

  // By default, htmx 2 does not swap responses with 4xx and 5xx.
  onOwn('htmx:beforeSwap', (detail) => {
    detail.shouldSwap = accept(detail.serverResponse);
    detail.isError = detail.xhr.status > 499;
  });
  onOwn('htmx:before:swap', ({ ctx }, _, event) => {
    if (!accept(ctx?.text ?? '')) event.preventDefault();
  });

  // An expired form gets a new token along with the message, so that it can be sent again.
  on('form-relay:token', ({ name, value }) => {
    (form.elements.namedItem(name) as HTMLInputElement).value = value;
  });

  // An unticked box is sent as empty. If it were missing, the relay would use its initial state.
  on('htmx:configRequest htmx:config:request', ({ formData, ctx }, slot) => {
    const data = formData ?? (ctx?.request.body as FormData);
    for (const decider of document.querySelectorAll(slot.getAttribute('hx-include') || 'none')) {
      for (const control of decider.querySelectorAll('[name]')) {
        const name = control.getAttribute('name') as string;
        if (!data.has(name)) data.append(name, '');
      }
    }
  });

  /** A slot that already has its field stays as it is, because the visitor may be typing in it. */
  const isFilled = (slot: ParentNode, fragment: ParentNode) =>
    slot.querySelector('[name]') && fragment.querySelector('[name]');
  on('htmx:oobBeforeSwap', (detail, slot) => {
    if (isFilled(slot, detail.fragment)) detail.shouldSwap = false;
  });
  on('htmx:before:swap', ({ tasks }) => {
    for (const { type, target, fragment, swapSpec } of tasks) {
      if (type === 'oob' && isFilled(target, fragment)) swapSpec.style = 'none';
    }
  });
}
