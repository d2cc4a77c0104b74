import manifest from '../../../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** Where the manual stands as a site (D144); ends with `/`. `undefined` until package.json names a place (D171). */
export const homepage = (manifest as { readonly version: string; readonly homepage?: string }).homepage;
