/** Placed after the input of reCAPTCHA v3, which has no widget: fetches a token now, and again before it expires. */
{
  interface Recaptcha {
    ready(then: () => void): void;
    execute(siteKey: string | undefined, options: { action: string }): Promise<string>;
  }
  const page = window as unknown as { grecaptcha?: Recaptcha };
  const input = document.currentScript?.previousElementSibling as HTMLInputElement;

  const fetchToken = async () => {
    if (!input.isConnected) return;
    const token = await page.grecaptcha?.execute(input.dataset.sitekey, { action: 'submit' });
    input.value = token ?? '';
  };
  /** Tokens expire after two minutes. */
  const keepFresh = () => {
    if (!input.isConnected) return;
    page.grecaptcha?.ready(() => {
      void fetchToken();
      setTimeout(keepFresh, 100_000);
    });
  };
  if (page.grecaptcha) keepFresh();
  else {
    const script = document.createElement('script');
    script.src = input.dataset.api ?? '';
    script.onload = keepFresh;
    document.head.appendChild(script);
  }
  for (const name of ['htmx:afterRequest', 'htmx:finally:request']) {
    input.closest('form')?.addEventListener(name, (event) => {
      if (event.target === event.currentTarget) void fetchToken();
    });
  }
}
