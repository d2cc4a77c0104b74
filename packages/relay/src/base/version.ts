import manifest from '../../../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The manual's website; ends with `/`. `undefined` until package.json names one. */
export const homepage = (manifest as { readonly version: string; readonly homepage?: string }).homepage;
