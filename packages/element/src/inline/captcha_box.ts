/** Placed after the box of a captcha: makes the provider's script render the widget into it. */
{
  interface Provider {
    render?: (box: Element, parameters: object) => void;
  }
  let box = document.currentScript?.previousElementSibling as HTMLElement;
  const { api = '', global = '', sitekey, responseFieldName } = box.dataset;

  const render = () => {
    const provider = (window as unknown as Record<string, Provider | undefined>)[global];
    if (!provider?.render) return false;
    provider.render(box, { sitekey, 'response-field-name': responseFieldName });
    return true;
  };
  if (!render() && ![...document.scripts].some(({ src }) => src === api)) {
    const script = document.createElement('script');
    script.src = api;
    script.async = true;
    document.head.appendChild(script);
  }

  // A token is valid for one submission. A form that stays on the page gets a new widget in place of the first, because
  // only some providers can reset a given one. Requests of fields inside the form also trigger these events.
  for (const name of ['htmx:afterRequest', 'htmx:finally:request']) {
    box.closest('form')?.addEventListener(name, (event) => {
      if (event.target !== event.currentTarget || !box.isConnected) return;
      const empty = box.cloneNode() as HTMLElement;
      box.replaceWith(empty);
      box = empty;
      render();
    });
  }
}
