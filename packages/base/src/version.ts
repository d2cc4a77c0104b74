import manifest from '../../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The manual's address, if there is one. */
export const homepage = (manifest as { readonly version: string; readonly homepage?: string }).homepage;
