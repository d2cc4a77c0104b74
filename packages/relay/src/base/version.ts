import manifest from '../../../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The manual's website (D144); ends with `/`. `undefined` until package.json names one (D171). */
export const homepage = (manifest as { readonly version: string; readonly homepage?: string }).homepage;
