/** Stands after the box of a captcha, and has the provider's script render the widget into it. */
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

  // A token is good for one submission. A form that stays in the page gets another widget in the place of the first,
  // since only some providers can say which one to reset. Requests of fields inside the form come by here, too.
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
