/** How a page gets the form: by the relay's own script, with htmx, or complete and without any script. */
export const modes = { element: 'Element', htmx4: 'htmx 4', htmx2: 'htmx 2', plain: 'No script' } as const;
export type Mode = keyof typeof modes;
/** Those for which the studio plays the owner's page. */
export type HostMode = Exclude<Mode, 'plain'>;

/** The style of the page around it. */
export const themes = { own: 'Form Relay', none: 'No style' } as const;
export type Theme = keyof typeof themes;

export const widths = { phone: 'Phone', desktop: 'Desktop' } as const;

/** How the live form is shown. */
export interface Look {
  readonly mode: Mode;
  readonly theme: Theme;
  readonly width: keyof typeof widths;
}

export const usual: Look = { mode: 'element', theme: 'own', width: 'phone' };

/** The look that the page's address asks for. */
export function lookIn(query: ReadonlyMap<string, readonly string[]>): Look {
  const oneOf = <K extends string>(name: string, all: Readonly<Record<K, string>>, fallback: K): K => {
    const asked = query.get(name)?.[0] ?? '';
    return Object.hasOwn(all, asked) ? (asked as K) : fallback;
  };
  return {
    mode: oneOf('mode', modes, usual.mode),
    theme: oneOf('theme', themes, usual.theme),
    width: oneOf('width', widths, usual.width),
  };
}
