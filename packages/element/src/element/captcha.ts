import { sleep } from './address.ts';
import { make } from './controls.ts';

/** The parts of the providers' scripts that are used here. */
interface Provider {
  render(box: Element, parameters: object): string | number;
  reset(widget?: string | number): void;
  execute(siteKey: string | undefined, options: object): Promise<string>;
}

/** Finds the captcha of a form, rendered by the relay or by the page itself. */
export const captchaSelector = '.g-recaptcha,.h-captcha,.cf-turnstile,input[data-api]';

export type Captcha = ReturnType<typeof startCaptcha>;

/** Starts the form's captcha. If the page itself loads the provider's script, that script renders the captcha. */
export function startCaptcha(element: HTMLElement) {
  const { api, sitekey, responseFieldName } = element.dataset;
  const [name] = /g-recaptcha|h-captcha|cf-turnstile/.exec(element.className) ?? [];
  // The class `g-recaptcha` belongs to the global `grecaptcha`, `cf-turnstile` to `turnstile`.
  const global = name?.replace(/cf-|-/, '') ?? 'grecaptcha';
  const provider = () => (window as unknown as Record<string, Provider | undefined>)[global];
  let widget: string | number | undefined;

  const loaded = async (key: 'render' | 'execute') => {
    if (api && !provider() && ![...document.scripts].some(({ src }) => src.startsWith(api))) {
      const script = make('script', '');
      script.src = key === 'render' ? `${api}?render=explicit` : api;
      document.head.append(script);
    }
    while (element.isConnected && !provider()?.[key]) await sleep(50);
    return provider();
  };
  const render = async () => {
    const loadedOne = await loaded('render');
    // A script that the page loads may already have rendered the widget.
    if (element.isConnected && !element.firstChild) {
      widget = loadedOne?.render(element, { sitekey, 'response-field-name': responseFieldName });
    }
  };
  if (api) void (name ? render() : loaded('execute'));
  return {
    /** A token for this submission, if the provider has no widget. */
    token: async (): Promise<readonly [name: string, value: string] | undefined> => {
      if (name || !api) return undefined;
      try {
        const value = await (await loaded('execute'))?.execute(sitekey, { action: 'submit' });
        return [(element as HTMLInputElement).name, value ?? ''];
      } catch {
        // The relay reports the missing token.
      }
    },
    /** A token is valid for one submission. */
    reset: () => {
      if (name) provider()?.reset?.(widget);
    },
  };
}
