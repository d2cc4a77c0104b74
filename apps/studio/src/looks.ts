/** How a page gets the form: by the relay's own script, or complete and without any script. */
export const modes = { element: 'With a script', plain: 'No script' } as const;
export const widths = { phone: 'Phone', desktop: 'Desktop' } as const;

/** How the live form is shown. */
export interface Look {
  readonly mode: keyof typeof modes;
  readonly width: keyof typeof widths;
}

/** The look that the page's address asks for. */
export const lookIn = (query: ReadonlyMap<string, readonly string[]>): Look => ({
  mode: query.get('mode')?.[0] === 'plain' ? 'plain' : 'element',
  width: query.get('width')?.[0] === 'desktop' ? 'desktop' : 'phone',
});
