/** The parts of htmx's events that are used here: `ctx` comes from htmx 4, the rest from htmx 2 and the inline scripts. */
interface Detail {
  xhr?: object;
  formData?: FormData;
  fetch?: typeof fetch;
  ctx?: { fetch?: typeof fetch; request: { body: FormData; timeout?: number | string } };
}

/** htmx sends the form itself; what it sends is followed. */
export function withHtmx(
  form: HTMLFormElement,
  send: typeof fetch,
  follow: (xhr: XMLHttpRequest) => void,
): void {
  const on = (names: string, then: (detail: Detail, isOwn: boolean) => void) => {
    for (const name of names.split(' '))
      form.addEventListener(name, (event) =>
        then((event as CustomEvent<Detail>).detail, event.target === form),
      );
  };
  on('htmx:beforeRequest htmx:before:request', (detail, isOwn) => {
    if (!isOwn) return;
    if (detail.xhr instanceof XMLHttpRequest) follow(detail.xhr);
    else (detail.ctx ?? detail).fetch = send;
  });
  on('htmx:configRequest htmx:config:request', ({ formData, ctx }, isOwn) => {
    // htmx 4 waits for a minute. The relay gives slow uploads two.
    if (isOwn && ctx) ctx.request.timeout = '180s';
    if (isOwn) return;
    // Whether a file is there may decide which fields are.
    const data = formData ?? ctx?.request.body;
    for (const [name, value] of [...(data ?? [])])
      if (value instanceof File) data?.set(name, value.name && 'file');
  });
}
