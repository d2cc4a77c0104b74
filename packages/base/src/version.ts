import manifest from '../../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The address of the manual, once it has one. */
export const homepage = (manifest as { readonly version: string; readonly homepage?: string }).homepage;
