import { sleep } from './address.ts';
import { make } from './controls.ts';

/** The scripts of all providers, as far as they are needed here. */
interface Provider {
  render(box: Element, parameters: object): string | number;
  reset(widget?: string | number): void;
  execute(siteKey: string | undefined, options: object): Promise<string>;
}

/** The captcha of a form, which the relay or the page itself rendered. */
export const captchaSelector = '.g-recaptcha,.h-captcha,.cf-turnstile,input[data-api]';

export type Captcha = ReturnType<typeof startCaptcha>;

/** The form's captcha, at work; where the page itself loads the provider's script, that renders it. */
export function startCaptcha(element: HTMLElement) {
  const { api, sitekey, responseFieldName } = element.dataset;
  const [name] = /g-recaptcha|h-captcha|cf-turnstile/.exec(element.className) ?? [];
  // `g-recaptcha` is of `grecaptcha`, `cf-turnstile` of `turnstile`.
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
    // A script that the page loads may have found the box by itself.
    if (element.isConnected && !element.firstChild) {
      widget = loadedOne?.render(element, { sitekey, 'response-field-name': responseFieldName });
    }
  };
  if (api) void (name ? render() : loaded('execute'));
  return {
    /** A token for this submission, where the provider has no widget. */
    token: async (): Promise<readonly [name: string, value: string] | undefined> => {
      if (name || !api) return undefined;
      try {
        const value = await (await loaded('execute'))?.execute(sitekey, { action: 'submit' });
        return [(element as HTMLInputElement).name, value ?? ''];
      } catch {
        // The relay says that it lacks.
      }
    },
    /** A token is good for one submission. */
    reset: () => {
      if (name) provider()?.reset?.(widget);
    },
  };
}
